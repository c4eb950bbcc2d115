"""Completion of records: cells and labels from columns, values from donors, and how many rows one row changes."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from hashlib import blake2b
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import (
    Array,
    Records,
    RecordsDomain,
    Space,
    SymmetricDistance,
    VectorDomain,
    nearest_step,
    read_whole,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.imputation.changes import most_changes
from privet.imputation.donors import find_donors
from privet.imputation.feature_grid import Feature, FeatureGrid
from privet.imputation.scheme import Scheme
from privet.transforms import present

_CIRCLE = 2**63
_LARGEST = 2**62


@final
@frozen(kw_only=True)
class EncodedRows:
    """Rows as the search for donors reads them.

    Args:
        cells: The cell of each row.
        labels: The place of each row on the circle.
        steps: The value of each row in grid steps; any number for a missing value.
        missing: Whether the value of each row is missing.
    """

    cells: Array = field(repr=False)
    labels: Array = field(repr=False)
    steps: Array = field(repr=False)
    missing: Array = field(repr=False)


@final
@frozen(kw_only=True)
class CompletedRows:
    """Rows without missing values.

    Args:
        values: The values, in parts of a grid step.
        changes: L1, the most rows whose donors one row changes.
        incomplete: How many rows were incomplete.
    """

    values: Array = field(repr=False)
    changes: int
    incomplete: int


@final
@frozen(kw_only=True)
class Completion:
    """How the missing values of one column of records are imputed.

    Args:
        grid: The cells.
        columns: The columns of the features, in order.
        label: The column that tells rows apart.
        value: The column that is completed.
        bounds: The bounds of that column, in grid steps.
        scheme: How the values of donors become the missing value.
    """

    grid: FeatureGrid
    columns: tuple[tuple[str, VectorDomain], ...]
    label: str
    value: tuple[str, VectorDomain]
    bounds: tuple[int, int]
    scheme: Scheme

    @classmethod
    def on(
        cls, unit: str, domain: RecordsDomain, features: Mapping[str, int], label: str, value: str, scheme: Scheme
    ) -> "Completion":
        """Read the public description of the columns, and refuse columns that lack a needed fact."""
        columns = tuple((name, column_of(unit, domain, name)) for name in features)
        grid = FeatureGrid(features=tuple(_feature(unit, name, column, features[name]) for name, column in columns))
        if column_of(unit, domain, label).kind not in (int, str):
            raise MismatchError(f"{unit}.label must be a column of whole numbers or of text, got {label!r}.")
        if label == value or value in features:
            raise MismatchError(f"{unit}.value must be another column than the label and the features.")
        column = column_of(unit, domain, value)
        return cls(
            grid=grid,
            columns=columns,
            label=label,
            value=(value, column),
            bounds=steps_of(unit, value, column, scheme.k),
            scheme=scheme,
        )

    @property
    def default(self) -> int:
        """The grid step that stands in for a missing donor: the middle of the bounds."""
        return sum(self.bounds) // 2

    def read(self, rows: Records) -> EncodedRows:
        """Give cells, labels and steps."""
        name, column = self.value
        steps, missing = in_steps(rows.columns[name], column)
        codes = [_codes(rows.columns[each], domain) for each, domain in self.columns]
        labels = labels_of(rows.columns[self.label])
        return EncodedRows(cells=self.grid.encode(np.column_stack(codes)), labels=labels, steps=steps, missing=missing)

    def complete(self, rows: EncodedRows) -> CompletedRows:
        """Find donors, impute, and count how many rows one row changes."""
        donors = find_donors(self.grid, rows.cells, rows.labels, ~rows.missing, k=self.scheme.k, ties=[rows.steps])
        values = rows.steps * self.scheme.parts
        if len(donors.incomplete):
            given = donors.rows
            imputed = self.scheme.combine(rows.steps[given], given >= 0, self.default)
            low, high = (end * self.scheme.parts for end in self.bounds)
            values[donors.incomplete] = np.clip(imputed, low, high)
        return CompletedRows(values=values, changes=most_changes(donors), incomplete=len(donors.incomplete))


def read_features(value: object) -> object:
    """Read names of columns, or names with weights."""
    if isinstance(value, Mapping):
        return tuple(value.items())
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return tuple(item if isinstance(item, tuple) else (item, 1) for item in value)


def check_features(unit: str, names: Any, scheme: Any) -> None:
    """Refuse features that are no list of different names with weights, and what is no scheme."""
    if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name, _ in names):
        raise WrongTypeError(f"{unit}.features must be a list of names of columns, or names with weights.")
    if len(dict(names)) != len(names):
        raise InvalidError(f"{unit}.features must be different columns.")
    for name, weight in names:
        if read_whole(f"{unit}.features[{name!r}]", weight) < 1:
            raise InvalidError(f"{unit}.features[{name!r}] must be one or more, got {weight}.")
    if not isinstance(scheme, Scheme):
        raise WrongTypeError(f"{unit}.scheme must be one such as NearestNeighbour(), got {type(scheme).__name__}.")


def records_of(unit: str, space: Space) -> RecordsDomain:
    """Give the domain of records, or name the space that is something else."""
    if not isinstance(space.domain, RecordsDomain) or not isinstance(space.metric, SymmetricDistance):
        raise MismatchError(f"{unit} reads records under SymmetricDistance, got {space!r}: use pc.records(...).")
    return space.domain


def column_of(unit: str, domain: RecordsDomain, name: object) -> VectorDomain:
    """Give the description of a column, or name the columns that there are."""
    column = domain.column(name) if isinstance(name, str) else None
    if column is None:
        names = ", ".join(each for each, _ in domain.columns)
        raise MismatchError(f"{unit} reads a column {name!r}, which is not one of {names}.")
    return column


def steps_of(unit: str, name: str, column: VectorDomain, k: int) -> tuple[int, int]:
    """Give the bounds of a column in grid steps; refuse bounds of which k do not add up within 64 bits."""
    if column.kind not in (int, float) or column.bounds is None:
        raise MismatchError(
            f"{unit} needs bounds for {name!r}: write pc.records({name}=pc.vector(int, bounds=(0, 100)))."
        )
    step = column.step
    low, high = math.ceil(column.bounds[0] / step), math.floor(column.bounds[1] / step)
    if max(abs(low), abs(high)) * k >= _LARGEST:
        raise MismatchError(f"{unit}: the bounds of {name!r}, times {k} donors, must stay below 2^62 steps.")
    return low, high


def in_steps(values: Array, column: VectorDomain) -> tuple[Array, Array]:
    """Give a bounded column in grid steps, and which values are missing; those count as the step nearest to zero."""
    plain, null = present(values)
    missing = np.zeros(len(plain), dtype=bool) if null is None else null.copy()
    step = column.step
    if column.kind is float:
        missing |= np.isnan(plain)
        steps = (np.where(missing, 0.0, plain) * float(1 / step)).astype(np.int64)  # exact: below 2^53 steps
    else:
        steps = plain.astype(np.int64, copy=True)
    if column.bounds is not None:
        steps[missing] = nearest_step(Fraction(0), column.bounds, step)
    return steps, missing


def labels_of(values: Array) -> Array:
    """Give places on the circle: whole numbers as they are, texts by a hash, and zero for a missing label."""
    plain, null = present(values)
    if plain.dtype == object:
        labels = np.fromiter((_hashed(item) for item in plain.tolist()), dtype=np.int64, count=len(plain))
    else:
        labels = plain.astype(np.int64) & (_CIRCLE - 1)
    if null is not None:
        labels[null] = 0
    return labels


def _hashed(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") & (_CIRCLE - 1)


def _feature(unit: str, name: str, column: VectorDomain, weight: int) -> Feature:
    if column.categories is not None or column.kind is bool:
        levels = 2 if column.categories is None else len(column.categories)
        return Feature(kind="categorical", levels=levels + column.nullable, weight=weight)
    if column.kind is int and column.bounds is not None:
        return Feature(kind="ordinal", levels=int(column.bounds[1] - column.bounds[0]) + 1, weight=weight)
    raise MismatchError(
        f"{unit}.features must have categories or whole bounds, got {name!r} without: write "
        f"pc.records({name}=pc.vector(int, bounds=(0, 9))) or pc.vector(str, categories=[...])."
    )


def _codes(values: Array, column: VectorDomain) -> Array:
    """Give the levels: categories in their order, then missing values; numbers from the lower bound on."""
    plain, null = present(values)
    if column.categories is None and column.bounds is not None:
        blank = nearest_step(Fraction(0), column.bounds, Fraction(1))
        steps = plain if null is None else np.where(null, np.int64(blank), plain)
        return steps - int(column.bounds[0])
    places = {item: at for at, item in enumerate(column.categories or (False, True))}
    codes = np.fromiter((places.get(item, len(places)) for item in plain.tolist()), dtype=np.int64, count=len(plain))
    if null is not None:
        codes[null] = len(places)
    return codes
