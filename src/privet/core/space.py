"""Spaces: a domain with a metric, and short constructors for the common spaces."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar, final

from attrs import evolve, frozen

from privet.core.checks import read_count
from privet.core.choices import ChoiceDomain
from privet.core.descriptors import (
    column_bounds,
    grid_step,
    matrix_grid,
    public_size,
    read_categories,
    read_column_bounds,
    read_column_categories,
    read_column_grid,
)
from privet.core.domain import Domain, VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.core.grid_domains import NumbersDomain, ScalarDomain
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
from privet.errors import InvalidError, MismatchError, WrongTypeError

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
    limits, sides = read_column_bounds(kind, bounds)
    step = read_column_grid(kind, limits, grid)
    rows = public_size("vector", size, ordered=ordered)
    values = None if categories is None else read_column_categories(kind, categories, bounds)
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
    rows = public_size("matrix", size, ordered=ordered)
    limits = None if bounds is None else column_bounds("matrix", bounds, count)
    step = None if limits is None else matrix_grid("matrix", limits, grid)
    domain = MatrixDomain(columns=count, bounds=limits, size=rows, grid=step, ordered=bool(ordered))
    return Space(domain, HammingDistance() if ordered else SymmetricDistance())


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
    return Space(ChoiceDomain(categories=read_categories("choice", categories)), DiscreteDistance())
