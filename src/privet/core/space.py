"""Spaces: a domain with a metric, and short constructors for the common spaces."""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Generic, TypeVar, cast, final

from attrs import evolve, frozen

from privet.core.checks import read_bounds, read_count, read_grid, read_step, short
from privet.core.choices import ChoiceDomain
from privet.core.domain import Bounds, Domain, NumbersDomain, ScalarDomain, VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.core.grid import check_grid, default_grid
from privet.core.metric import (
    AbsoluteDistance,
    DiscreteDistance,
    Distance,
    HammingDistance,
    IdentifierDistance,
    InsertDelete,
    Metric,
    RangeDistance,
    ReplacementDistance,
    SymmetricDistance,
    VectorDistance,
)
from privet.core.rows import INT_MAX, INT_MIN
from privet.core.sides import Sides, is_one_sided, read_side
from privet.errors import InvalidError, MismatchError, WrongTypeError

_LARGEST_FLOAT = Fraction(sys.float_info.max)
Chain_co = TypeVar("Chain_co", covariant=True)
Placed = TypeVar("Placed")


class Placeable(ABC, Generic[Chain_co]):
    """A unit or a pipeline of units: the objects that may follow a space."""

    @abstractmethod
    def place(self, space: "Space") -> Chain_co:
        """Return this unit an input space."""


@final
@frozen(repr=False)
class Space:
    """A domain and the metric that measures it.

    Args:
        domain: The set of values.
        metric: The distance between two values.
    """

    domain: Domain
    metric: Metric

    def __attrs_post_init__(self) -> None:
        if isinstance(self.domain, VectorDomain | MatrixDomain | RecordsDomain):
            _check_order(self.domain, self.metric)
        if isinstance(self.domain, RecordsDomain) and isinstance(self.metric, IdentifierDistance):
            # the class is frozen; the metric names the id column, and that decides how the column is read
            object.__setattr__(self, "domain", evolve(self.domain, identifier=self.metric.id))

    def of_size(self, size: int) -> "Space":
        """Give the same tables a public number of rows.

        A table with more rows keeps a random sample of them, and a table with fewer gets missing rows.

        Args:
            size: The public number of rows. Neighbours then replace records, as for ``vector(size=...)``.

        >>> records(id=str, age=int).of_size(100)
        records(id=str, age=int).of_size(100)
        """
        if not isinstance(self.domain, VectorDomain | MatrixDomain | RecordsDomain):
            raise MismatchError(f"of_size is for a column, a matrix or records, got {self.domain.describe()}.")
        return Space(evolve(self.domain, size=read_count("Space.of_size", size)), self.metric)

    def reached(self, d_in: object) -> Distance:
        """Read a distance that a caller typed; return the largest distance of such data after they are read."""
        distance: Distance = self.metric.widen(self.metric.check(d_in), self.domain)
        return distance

    def distance(self, x: object, y: object) -> Distance:
        """Measure the distance of two data sets of this space, exactly; never release it.

        Both are read as the space reads data. Data that lie outside the space are refused, not moved into it.

        Args:
            x: Data that lie in the domain: a list or an array, a number, records, a list of parts.
            y: Other such data.

        >>> vector(int).distance([1, 2, 3], [3, 2, 4, 4])
        3
        >>> numbers(2).distance([1, 5], [4, 1])
        Parts(l0=2, l1=7, l2_squared=25, linf=4)
        """
        first, second = self.domain.read_member("distance.x", x), self.domain.read_member("distance.y", y)
        return self.metric.distance(first, second, self.domain)

    def __rshift__(self, unit: Placeable[Placed]) -> Placed:
        if isinstance(unit, Placeable):
            return unit.place(self)
        raise WrongTypeError(not_a_unit(unit, "a space"))

    def __repr__(self) -> str:
        natural = {"choice": DiscreteDistance, "scalar": AbsoluteDistance, "numbers": VectorDistance}
        description = self.domain.describe()
        usual = isinstance(self.metric, natural.get(description.partition("(")[0], SymmetricDistance))
        usual = usual or isinstance(self.metric, HammingDistance)
        return description if usual else f"Space({description}, {self.metric!r})"


def _check_order(domain: VectorDomain | MatrixDomain | RecordsDomain, metric: Metric) -> None:
    """Refuse a domain that cuts rows to a public size in a way that does not fit the metric."""
    name, sized = type(metric).__name__, domain.size is not None
    if isinstance(metric, ReplacementDistance) and not sized:
        raise MismatchError(f"{name} counts replaced rows, so the size must be public: write size=... or .of_size(n).")
    if isinstance(metric, IdentifierDistance) and sized:
        raise MismatchError(
            f"{name} does not fit a public size, since a person may have any number of rows: put Truncate(...) first, "
            "then Resize(n=...)."
        )
    positions = isinstance(metric, HammingDistance) and not isinstance(domain, RecordsDomain)
    needs_order = positions or (isinstance(metric, HammingDistance | InsertDelete) and sized)
    if needs_order and not domain.ordered:
        raise MismatchError(
            f"{name} compares positions, so the domain must be ordered: write pc.vector(..., size=..., ordered=True)."
        )
    if domain.ordered and not needs_order:
        raise MismatchError(
            f"{name} does not fit an ordered domain, which keeps the first rows: use HammingDistance, or put "
            "Unordered() after pc.vector(..., size=..., ordered=True)."
        )


def not_a_unit(thing: object, before: str) -> str:
    """Explain why the right-hand side of ``>>`` is not accepted."""
    if isinstance(thing, type):
        return f"{thing.__name__} is a class: write {thing.__name__}(...) after `>>`, with parentheses."
    if callable(thing):
        return f"a function cannot follow {before}: only a measurement may be post-processed. Add a mechanism first."
    return f"only a unit can follow {before}, got {type(thing).__name__}."


def vector(
    kind: type = float,
    *,
    bounds: object = None,
    size: int | None = None,
    nullable: bool = True,
    grid: object = None,
    categories: Iterable[Any] | None = None,
    ordered: bool = False,
) -> Space:
    """Describe a column of records.

    The description asserts nothing about the data: a total function turns any column into one that fits it.

    Args:
        kind: ``int``, ``float``, ``bool`` or ``str``.
        bounds: Clamp every value to (lower, upper). With None for one of them the column is bounded on one side, and
            has no grid.
        size: The public number of rows. Neighbours then replace records (distance 2 each) or have one row more or
            less (charged as a replacement); k rows of one person are k replacements: ``map(2 * k)``.
        nullable: Keep nulls; otherwise a null becomes the value nearest to zero.
        grid: The grid step of real values, a power of two; by default 2^-32 of the bounds.
        categories: The values that may occur; others become null.
        ordered: Whether the order of rows matters (``HammingDistance``, needs ``size``).

    >>> vector(int, size=100).domain.size
    100
    """
    if kind not in (int, float, bool, str):
        raise WrongTypeError(f"vector.kind must be int, float, bool or str, got {kind!r}.")
    limits, sides = _column_bounds(kind, bounds)
    step = _column_grid(kind, limits, grid)
    rows = _public_size("vector", size, ordered=ordered)
    values = None if categories is None else _column_categories(kind, categories, bounds)
    domain = VectorDomain(
        kind=kind,
        bounds=limits,
        size=rows,
        nullable=bool(nullable),
        nan=kind is float,
        grid=step,
        categories=values,
        ordered=bool(ordered),
        sides=sides,
    )
    return Space(domain, HammingDistance() if ordered else SymmetricDistance())


def _column_bounds(kind: type, bounds: object) -> tuple[Bounds | None, Sides | None]:
    """Read the bounds of a column: both, or the one that it has."""
    if is_one_sided(bounds):
        return None, read_side("vector.bounds", kind, cast("Sides", bounds))
    return None if bounds is None else read_bounds("vector.bounds", bounds), None


def _column_grid(kind: type, bounds: Bounds | None, grid: object) -> Fraction | None:
    step = None if grid is None else read_grid("vector.grid", grid)
    if bounds is not None:
        return bounded_grid("vector", kind, bounds, step)
    if step is not None:
        raise InvalidError("vector.grid needs bounds on both sides: a grid is only exact within them.")
    return None


def _public_size(label: str, size: object, *, ordered: bool) -> int | None:
    if ordered and size is None:
        raise InvalidError(f"{label}.ordered needs a public size: positions are compared one by one.")
    return None if size is None else read_count(f"{label}.size", size)


def bounded_grid(label: str, kind: type, bounds: tuple[Fraction, Fraction], grid: Fraction | None) -> Fraction | None:
    """Check bounds against the kind of the column and choose its grid (None for integers)."""
    if max(abs(bounds[0]), abs(bounds[1])) > _LARGEST_FLOAT:
        raise InvalidError(f"{label}.bounds must lie within the floats, up to about 1.8e308.")
    if kind is float:
        return default_grid(label, bounds) if grid is None else check_grid(label, grid, bounds)
    if kind is not int:
        raise InvalidError(f"{label}.bounds need a column of numbers, got {kind.__name__}.")
    if grid not in (None, 1):
        raise InvalidError(f"{label}.grid is for real values; whole numbers have grid 1, got {short(grid)}.")
    lower, upper = bounds
    if lower.denominator != 1 or upper.denominator != 1:
        raise InvalidError(
            f"{label}.bounds must be whole numbers for a column of int, got {short(lower)}, {short(upper)}."
        )
    if lower < INT_MIN or upper > INT_MAX:
        raise InvalidError(f"{label}.bounds must lie within 64-bit integers, got {short(lower)}, {short(upper)}.")
    return None


def matrix(
    columns: int,
    *,
    bounds: object = None,
    size: int | None = None,
    grid: object = None,
    ordered: bool = False,
) -> Space:
    """Describe rows of real numbers; anything that is not a number becomes NaN.

    Args:
        columns: How many numbers a row has.
        bounds: Clamp every column to (lower, upper); one pair for all columns, or a list with one pair for each.
        size: The public number of rows, as for ``vector``.
        grid: The grid step of all values, a power of two; by default 2^-32 of the largest bound.
        ordered: Whether the order of rows matters (``HammingDistance``, needs ``size``).

    >>> matrix(2, bounds=[(0, 1), (0, 10)])
    matrix(2, bounds=((0, 1), (0, 10)))
    """
    count = read_count("matrix.columns", columns, least=1)
    rows = _public_size("matrix", size, ordered=ordered)
    limits = None if bounds is None else column_bounds("matrix", bounds, count)
    step = None if limits is None else matrix_grid("matrix", limits, grid)
    domain = MatrixDomain(columns=count, bounds=limits, size=rows, grid=step, ordered=bool(ordered))
    return Space(domain, HammingDistance() if ordered else SymmetricDistance())


def column_bounds(label: str, bounds: object, count: int) -> tuple[tuple[Fraction, Fraction], ...]:
    """Read one pair of bounds for all columns, or a list with one pair for each column."""
    if isinstance(bounds, tuple | list) and any(map(is_one_sided, (bounds, *bounds))):
        raise InvalidError(f"{label}.bounds need both sides in a matrix: only a column may be bounded on one side.")
    if isinstance(bounds, tuple | list) and len(bounds) == 2 and not isinstance(bounds[0], tuple | list):
        return (read_bounds(f"{label}.bounds", bounds),) * count
    if not isinstance(bounds, tuple | list) or len(bounds) != count:
        raise WrongTypeError(f"{label}.bounds must be a pair (lower, upper), or a list of {count} pairs.")
    return tuple(read_bounds(f"{label}.bounds[{at}]", pair) for at, pair in enumerate(bounds))


def matrix_grid(label: str, bounds: tuple[tuple[Fraction, Fraction], ...], grid: object) -> Fraction:
    """Choose one grid for all columns: the stated one, or 2^-32 of the largest bound."""
    if grid is None:
        widest = max(bounds, key=lambda pair: max(abs(pair[0]), abs(pair[1])))
        step = bounded_grid(label, float, widest, None) or Fraction(1)
    else:
        step = read_grid(f"{label}.grid", grid)
    for pair in bounds:
        bounded_grid(label, float, pair, step)
    return step


def records(**columns: object) -> Space:
    """Describe records with named fields, e.g. ``records(id=str, age=int)``.

    Args:
        columns: For each field its kind (``int``, ``float``, ``bool``, ``str``) or a space made by ``vector``.

    >>> records(id=str, age=vector(int, bounds=(0, 120)))
    records(id=str, age=int)
    """
    if not columns:
        raise WrongTypeError("records needs at least one field, e.g. pc.records(id=str, age=int).")
    fields = []
    for name, description in columns.items():
        space = vector(description) if isinstance(description, type) else description
        if not isinstance(space, Space) or not isinstance(space.domain, VectorDomain):
            raise WrongTypeError(f"records.{name} must be a kind such as int, or a space made by pc.vector(...).")
        if space.domain.size is not None:
            raise InvalidError(f"records.{name} cannot have a size of its own.")
        fields.append((name, space.domain))
    return Space(RecordsDomain(columns=tuple(fields)), SymmetricDistance())


def persons(identifier: str, /, **columns: object) -> Space:
    """Describe the records of persons; each person may have any number of records.

    Args:
        identifier: The field that identifies a person: text, or whole numbers of 64 bits. A record whose identifier
            is anything else, such as 1.5, belongs to no person.
        columns: For each field its kind or a space made by ``vector``, as for ``records``.

    >>> persons("name", name=str, age=int)
    Space(records(name=str, age=int), IdentifierDistance(id='name'))
    """
    domain = records(**columns).domain
    if identifier not in columns:
        raise InvalidError(
            f"persons: the identifier must be one of the fields {', '.join(columns)}, got {identifier!r}."
        )
    return Space(domain, IdentifierDistance(identifier))


def scalar(kind: type = int, *, grid: object = None) -> Space:
    """Describe one number on a public grid, measured by its absolute difference.

    Args:
        kind: ``int`` or ``float``: the type of a release.
        grid: The grid step of real numbers; for whole numbers it is 1.
    """
    return Space(ScalarDomain(kind=kind, grid=grid_step("scalar", kind, grid)), AbsoluteDistance())


def numbers(length: int, kind: type = int, *, grid: object = None) -> Space:
    """Describe a vector of public length on a public grid, measured in every norm.

    Args:
        length: How many numbers.
        kind: ``int`` or ``float``: the type of a release.
        grid: The grid step of real numbers, the same for all. Distances refer to the numbers on the grid: round real
            numbers to it before you compute their sensitivity.
    """
    count = read_count("numbers.length", length)
    domain = NumbersDomain(length=count, kind=kind, grid=grid_step("numbers", kind, grid))
    return Space(domain, VectorDistance())


def scores(length: int, kind: type = int, *, grid: object = None) -> Space:
    """Describe the scores of a public number of candidates, measured by how unevenly they move.

    Args:
        length: How many candidates.
        kind: ``int`` or ``float``.
        grid: The grid step of real scores; for whole numbers it is 1. Distances refer to the scores on the grid.
    """
    return Space(numbers(length, kind, grid=grid).domain, RangeDistance())


def choice(categories: Iterable[Any]) -> Space:
    """Describe one value out of a public list; any other value is read as the first.

    Args:
        categories: At least two different values.
    """
    return Space(ChoiceDomain(categories=_categories("choice", categories)), DiscreteDistance())


def _categories(label: str, categories: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(categories, str):
        raise WrongTypeError(f"{label}.categories must be a list of values, got one string.")
    try:
        values = tuple(categories)
        different = len(set(values))
    except TypeError:
        raise WrongTypeError(f"{label}.categories must be a list of plain values.") from None
    if different < 2 or different != len(values):
        raise InvalidError(f"{label}.categories must be two or more different values, got {len(values)}.")
    return values


def _column_categories(kind: type, categories: Iterable[Any], bounds: object) -> tuple[Any, ...]:
    values = _categories("vector", categories)
    if bounds is not None:
        raise InvalidError("vector takes bounds or categories, not both: a column of categories is not clamped.")
    if any(type(value) is not kind for value in values):
        raise InvalidError(f"vector.categories must all be of kind {kind.__name__}, the kind of the column.")
    if kind is int and not all(INT_MIN <= value <= INT_MAX for value in values):
        raise InvalidError("vector.categories must lie within 64-bit integers.")
    if kind is float and not all(math.isfinite(value) for value in values):
        raise InvalidError("vector.categories must be finite numbers; NaN is not a category.")
    return values


def grid_step(label: str, kind: type, grid: object) -> Fraction:
    """Read the grid step of numbers of a kind; for whole numbers it is one."""
    if kind not in (int, float):
        raise WrongTypeError(f"{label}.kind must be int or float, got {kind!r}.")
    if grid is None and kind is float:
        raise WrongTypeError(
            f"{label}.grid is needed for real numbers: the grid step to which they are rounded, e.g. grid=2**-20."
        )
    step = Fraction(1) if grid is None else read_step(f"{label}.grid", grid)
    if kind is int and step != 1:
        raise InvalidError(f"{label}.grid is 1 for whole numbers, got {short(step)}; use kind=float for another grid.")
    return step
