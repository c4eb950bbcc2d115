"""Which column is imputed, from which features, and how; all from public facts, before any row is read."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.core import read_number, read_whole, short
from privet.errors import InvalidError, WrongTypeError
from privet.imputation.feature_grid import Feature, FeatureGrid, FeatureKind
from privet.imputation.scheme import NearestNeighbour, Scheme
from privet.imputation.smooth_calibration import Guess
from privet.tables.columns import NUMBERS, Column, find_column, read_names
from privet.tables.statistics import categories_of
from privet.tables.vocabulary import case, cast, column, grid_of, literal, real, step_bounds, steps, whole

FeatureNames = str | Sequence[str] | Mapping[str, object]
"""Names of columns, or names with a whole weight or a pair such as ``("ordinal", 1)``."""
_MOST_LEVELS = 2**16
_ROOM = 2**61
_FLOATS = 2**53
_ALIKE = Feature(kind="categorical", levels=1)  # without features all rows are equally near
_FINER = 8  # bits of a mean of neighbours beyond those of k


@final
@frozen(kw_only=True)
class FeatureColumn:
    """A column by which the distance of two rows is measured.

    Args:
        name: The name of the column.
        known: What is publicly known of it.
        kind: ``ordinal`` or ``categorical``.
        weight: Its weight in the squared distance.
    """

    name: str
    known: Column
    kind: FeatureKind
    weight: int

    @property
    def levels(self) -> tuple[Any, ...]:
        """Its public values, in order."""
        return categories_of(self.known) or ()

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features of the column.

        A null of a categorical column is one more level. A null of an ordinal column counts as the middle level, and
        a second feature tells it from a value there.
        """
        more = int(self.known.nullable and self.kind == "categorical")
        features = (Feature(kind=self.kind, levels=len(self.levels) + more, weight=self.weight),)
        if self.known.nullable and self.kind == "ordinal":
            return (*features, Feature(kind="categorical", levels=2, weight=self.weight))
        return features

    def codes(self) -> tuple[exp.Expr, ...]:
        """Build the level of a row for each of the features; never null."""
        value = column(self.name, "r")
        number = len(self.levels)
        if self.kind == "categorical":
            return (level_of(self.known, self.levels, self.name, whole(number if self.known.nullable else 0)),)
        if self.known.categories is None:  # whole numbers between bounds
            level: exp.Expr = exp.Paren(this=exp.Sub(this=value, expression=whole(self.levels[0])))
        else:
            level = level_of(self.known, self.levels, self.name, exp.null())
        middle = exp.Coalesce(this=level, expressions=[whole(number // 2)])
        if not self.known.nullable:
            return (middle,)
        absent = exp.Is(this=column(self.name, "r"), expression=exp.null())
        return middle, case([(absent, whole(1))], whole(0))


def level_of(known: Column, levels: Sequence[Any], name: str, otherwise: exp.Expr) -> exp.Expr:
    """Build the place of a value among levels; all other values and null give ``otherwise``."""
    value = column(name, "r")
    branches = [
        (exp.EQ(this=value.copy(), expression=literal(known, level)), whole(at)) for at, level in enumerate(levels)
    ]
    return case(branches, otherwise)


def _features(columns: Sequence[FeatureColumn]) -> tuple[Feature, ...]:
    return tuple(each for item in columns for each in item.features)


def _place(columns: Sequence[FeatureColumn]) -> exp.Expr:
    total: exp.Expr = whole(0)
    for code, feature in zip([code for item in columns for code in item.codes()], _features(columns), strict=True):
        scaled = exp.Mul(this=exp.Paren(this=total), expression=whole(feature.levels))
        total = exp.Add(this=scaled, expression=exp.Paren(this=code))
    return cast(exp.Paren(this=total), "integer")


@final
@frozen(kw_only=True, slots=False)
class Imputation:
    """How the nulls of a column are imputed.

    Args:
        name: The column.
        known: What is publicly known of it.
        features: The columns by which the distance of two rows is measured.
        strata: The columns that a donor must share with the rows to which it gives.
        scheme: How the values of donors become the value that a row lacks.
        stands_in: The public step or code that stands in for a missing donor.
        guess: A public guess of how many rows lack a value, and how many one donor serves.
    """

    name: str
    known: Column
    features: tuple[FeatureColumn, ...]
    strata: tuple[FeatureColumn, ...] = ()
    scheme: Scheme
    stands_in: int = field(repr=False)
    guess: Guess

    @cached_property
    def grid(self) -> FeatureGrid:
        """The cells in which rows of one stratum lie."""
        return FeatureGrid(features=_features(self.features) or (_ALIKE,))

    @property
    def categories(self) -> tuple[Any, ...] | None:
        """The values that are imputed; None for numbers between bounds."""
        return None if _is_number(self.known) else categories_of(self.known)

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest step or code."""
        if self.categories is not None:
            return 0, len(self.categories) - 1
        return step_bounds(self.name, self.known)

    @cached_property
    def bits(self) -> int:
        """How often a step is halved to hold a mean of neighbours."""
        if self.scheme.parts == 1:
            return 0
        bits = (self.scheme.parts - 1).bit_length() + _FINER
        while bits and _size(self.known) / self._step * 2**bits >= _FLOATS:
            bits -= 1
        return bits

    @property
    def completed(self) -> Column:
        """What is known of the completed column."""
        if self.categories is not None:
            return evolve(self.known, nullable=False)
        if self.scheme.parts == 1:
            return evolve(self.known, nullable=False)
        return Column(kind="real", bounds=self.known.bounds, grid=self._step / (1 << self.bits), nullable=False)

    @property
    def reach(self) -> Fraction | None:
        """How far an imputed number moves at most when one donor changes; None for categories."""
        if self.categories is not None:
            return None
        lowest, highest = self.ends
        moved = (highest - lowest) * (1 << self.bits) * self.scheme.influence
        return math.ceil(moved) * self._step / (1 << self.bits)  # a mean is rounded to a whole step

    @property
    def _step(self) -> Fraction:
        return grid_of(self.name, self.known)

    def cell(self) -> exp.Expr:
        """Build the number of the cell of a row, as ``FeatureGrid.encode`` counts."""
        return _place(self.features)

    def stratum(self) -> exp.Expr:
        """Build the number of the stratum of a row."""
        return _place(self.strata)

    def value(self) -> exp.Expr:
        """Build the step or the code of a row; null where it is missing."""
        if self.categories is not None:
            return level_of(self.known, self.categories, self.name, exp.null())
        return steps(self.name, column(self.name, "r"), self.known)

    def written(self, imputed: exp.Expr) -> exp.Expr:
        """Build a value of the completed column from an imputed step or code."""
        if self.categories is not None:
            branches = [
                (exp.EQ(this=imputed.copy(), expression=whole(at)), literal(self.known, level))
                for at, level in enumerate(self.categories)
            ]
            return case(branches, literal(self.known, self.categories[0]))
        if self.completed.kind == "integer":
            return cast(imputed, "integer")
        step = self._step / (1 << self.bits)
        return exp.Mul(this=cast(imputed, "real"), expression=real(float(step)))

    def own(self) -> exp.Expr:
        """Build the value of the completed column for a row that has a value."""
        value = column(self.name, "r")
        return cast(value, "real") if self.completed.kind == "real" else value


def read_imputation(
    name: str,
    columns: Mapping[str, Column],
    *,
    by: FeatureNames,
    within: FeatureNames,
    scheme: Scheme | None,
    guess: Guess | None,
    default: object,
    null_groups: frozenset[str],
) -> Imputation:
    """Check the arguments of ``impute``, and state the imputation.

    Args:
        name: The column whose nulls are imputed.
        columns: What is publicly known of all columns.
        by: The features: names, or a mapping from names to whole weights or pairs (``"ordinal"``, weight).
        within: Columns that a donor must share with the row to which it gives.
        scheme: How to impute; by default the nearest neighbour.
        guess: A public guess of how many rows lack a value, and how many one donor serves.
        default: The public value that stands in for a missing donor.
        null_groups: Columns whose nulls are a category of their own.
    """
    known = find_column("impute", name, columns)
    if name in null_groups or not known.nullable:
        raise InvalidError(
            f"impute: no value of {name!r} is missing, because its nulls are replaced or are a category; its null "
            "policy must be the default, NullsDropped()."
        )
    scheme = _read_scheme(scheme)
    _check_imputed(name, known, scheme)
    features, strata = _read_cells(name, columns, by, within)
    imputation = Imputation(
        name=name,
        known=known,
        features=features,
        strata=strata,
        scheme=scheme,
        stands_in=0,
        guess=_read_guess(guess),
    )
    _check_room(imputation)
    return evolve(imputation, stands_in=_default(imputation, default))


def _read_scheme(scheme: object) -> Scheme:
    if scheme is None:
        return NearestNeighbour()
    if not isinstance(scheme, Scheme):
        raise WrongTypeError(f"impute.scheme must be a scheme such as NearestNeighbour(), got {type(scheme).__name__}.")
    return scheme


def _read_guess(guess: object) -> Guess:
    if guess is None:
        return Guess()
    if not isinstance(guess, Guess):
        raise WrongTypeError(f"impute.guess must be a Guess, got {type(guess).__name__}.")
    return guess


def _read_cells(
    name: str, columns: Mapping[str, Column], by: FeatureNames, within: FeatureNames
) -> tuple[tuple[FeatureColumn, ...], tuple[FeatureColumn, ...]]:
    """Read the features and the strata; together they must not have too many cells."""
    strata = tuple(evolve(each, kind="categorical") for each in _read_features(name, columns, within))
    features = _read_features(name, columns, by)
    twice = {each.name for each in strata} & {each.name for each in features}
    if twice or not (strata or features):
        raise InvalidError("impute.by and impute.within must name different columns, one or more.")
    FeatureGrid(features=_features((*strata, *features)))  # refuses too many cells
    return features, strata


def _check_room(imputation: Imputation) -> None:
    """Refuse bounds with which a sum of k values, or a mean, would not fit 64 bits."""
    known, scheme = imputation.known, imputation.scheme
    widest = max(map(abs, imputation.ends))
    if widest * scheme.k << imputation.bits >= _ROOM or (scheme.parts > 1 and _size(known) >= _FLOATS):
        raise InvalidError(
            f"impute: the bounds of {imputation.name!r} are too wide for {scheme.k} neighbours; give narrower ones."
        )


def _size(known: Column) -> Fraction:
    return max((abs(end) for end in known.bounds or ()), default=Fraction(0))


def _is_number(known: Column) -> bool:
    return known.kind in NUMBERS and known.categories is None


def _check_imputed(name: str, known: Column, scheme: Scheme) -> None:
    if _is_number(known):
        if known.bounds is None:
            raise InvalidError(f"impute: {name!r} needs bounds in the codebook.")
        lowest, highest = step_bounds(name, known)
        if lowest >= highest:
            raise InvalidError(f"impute: the bounds of {name!r} must hold two values.")
    elif categories_of(known) is None:
        raise InvalidError(f"impute: {name!r} must be a number with bounds, or have categories, got {known.kind}.")
    elif scheme.parts > 1:
        raise InvalidError(
            f"impute: the categories of {name!r} have no mean; use NearestNeighbour or MajorityOfNeighbours."
        )


def _read_features(name: str, columns: Mapping[str, Column], by: FeatureNames) -> tuple[FeatureColumn, ...]:
    if isinstance(by, str):
        by = (by,)
    if not isinstance(by, Mapping | list | tuple):
        raise WrongTypeError(f"impute.by must be names of columns, or names with weights, got {type(by).__name__}.")
    weights: dict[str, object] = dict(by) if isinstance(by, Mapping) else dict.fromkeys(read_names("impute.by", by), 1)
    return tuple(_feature(name, columns, each, how) for each, how in weights.items())


def _feature(imputed: str, columns: Mapping[str, Column], name: str, how: object) -> FeatureColumn:
    known = find_column("impute", name, columns)
    if name == imputed:
        raise InvalidError(f"impute.by must not name {name!r} itself.")
    levels = categories_of(known)
    if levels is None or len(levels) > _MOST_LEVELS:
        raise InvalidError(
            f"impute.by: the levels of {name!r} are not known, or too many. Give it categories, or close bounds if it "
            "is an integer, or cut it into bins first: query.bin(...)."
        )
    kind: FeatureKind = "ordinal" if _is_number(known) else "categorical"
    if isinstance(how, tuple) and len(how) == 2:
        kind, how = how
    if kind not in ("ordinal", "categorical"):
        raise InvalidError(f"impute.by[{name!r}] must be a whole weight, or a pair such as ('ordinal', 1).")
    weight = read_whole(f"impute.by[{name!r}]", how)
    if weight < 1:
        raise InvalidError(f"impute.by[{name!r}] must be a weight of one or more, got {weight}.")
    return FeatureColumn(name=name, known=known, kind=kind, weight=weight)


def _default(imputation: Imputation, default: object) -> int:
    """Give the step or the code of the value that stands in for a missing donor."""
    lowest, highest = imputation.ends
    if imputation.categories is not None:
        if default is None:
            return 0
        if default not in imputation.categories or type(default) is not type(imputation.categories[0]):
            raise InvalidError(f"impute.default must be one of the categories of {imputation.name!r}.")
        return imputation.categories.index(default)
    if default is None:
        return (lowest + highest) // 2
    step = round(read_number("impute.default", default) / grid_of(imputation.name, imputation.known))
    if not lowest <= step <= highest:
        raise InvalidError(f"impute.default must lie within the bounds of {imputation.name!r}, got {short(default)}.")
    return step
