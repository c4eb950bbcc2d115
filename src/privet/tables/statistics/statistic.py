"""Exact statistics: what the engine counts and adds up in each group, as whole numbers."""

import math
from fractions import Fraction
from typing import Any, Literal, final, get_args

from attrs import field, frozen

from privet.core import default_grid, short
from privet.errors import InvalidError, UnavailableError
from privet.tables.columns import Auto, Bounds, Column

StatisticKind = Literal["rows", "persons", "present", "sum", "bins", "categories", "distinct", "person_sum"]
_FOR_FLOATS = 10**300  # the distance of two such values is a float
_FOR_PRODUCTS = 10**75  # products of four such values are floats
STATISTICS: tuple[StatisticKind, ...] = get_args(StatisticKind)


@final
@frozen(kw_only=True)
class GridColumn:
    """A column in grid steps: clamped to [low, high] and rounded half to even, then counted from ``origin``.

    A value v becomes ``min(max(round(v / grid), low), high) - origin``; a null stays a null. True counts as 1, dates
    as days and timestamps as microseconds since 1970-01-01.

    Args:
        column: Its name.
        grid: The size of a grid step.
        low: The lowest grid step.
        high: The highest grid step.
        origin: The grid step that counts as zero.
    """

    column: str
    grid: Fraction = field(repr=short)
    low: int
    high: int
    origin: int = 0

    @property
    def width(self) -> int:
        """How many grid steps there are between the ends."""
        return self.high - self.low

    @property
    def lower(self) -> Fraction:
        """The lower end, in the units of the data."""
        return self.low * self.grid

    @property
    def upper(self) -> Fraction:
        """The upper end, in the units of the data."""
        return self.high * self.grid


@final
@frozen(kw_only=True)
class Statistic:
    """What is counted or added up in each group; one whole number, or one for each bin or category.

    Args:
        kind: ``rows`` (all), ``persons`` (different identifiers), ``present`` (rows in which every column of ``of`` has
            a value), ``sum`` (of the product of the grid steps of ``of``, less ``origin``, over the rows in which all
            of them have a value), ``bins`` (rows whose grid step lies from one edge, included, to the next),
            ``categories`` (rows with each value), ``distinct`` (different values that are no nulls), ``person_sum``
            (over persons with a value, of the sum of the grid steps of a person, clamped to ``ends``).
        of: The columns in grid steps; the same one twice for squares.
        given: Further columns that must have a value, so that all sums of one aggregate are over the same rows.
        edges: The rising edges of bins in grid steps, the first at the lowest one, the last above the highest.
        column: The name of the column, for categories, different values, or ``present`` without bounds.
        categories: The values that are counted, in public order.
        ends: Where the total of a person is clamped, in grid steps.
        origin: The public number that is subtracted from the product of each row, for sums of products.
    """

    kind: StatisticKind = field()
    of: tuple[GridColumn, ...] = ()
    given: tuple[GridColumn, ...] = ()
    edges: tuple[int, ...] = ()
    column: str | None = None
    categories: tuple[Any, ...] = ()
    ends: tuple[int, int] = (0, 0)
    origin: int = field(default=0)

    @origin.validator
    def _check_origin(self, _: object, value: int) -> None:
        if value and (self.kind != "sum" or len(self.of) < 2):
            raise InvalidError("Statistic.origin is for sums of products; a single column has an origin of its own.")

    @kind.validator
    def _check(self, _: object, value: object) -> None:
        if value not in STATISTICS:
            raise InvalidError(f"Statistic.kind must be one of {', '.join(STATISTICS)}, got {value!r}.")

    @property
    def length(self) -> int:
        """How many whole numbers there are for each group."""
        if self.kind == "bins":
            return len(self.edges) - 1
        return len(self.categories) if self.kind == "categories" else 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        named = () if self.column is None else (self.column,)
        return (*named, *(each.column for each in (*self.of, *self.given)))


ROWS = Statistic(kind="rows")
PERSONS = Statistic(kind="persons")


def grid_column(
    caller: str, name: str, column: Column, bounds: Bounds | Auto | None, most: int | None = None
) -> GridColumn:
    """Write a column in grid steps between bounds, on a grid so coarse that there are at most ``most`` of them.

    Args:
        caller: The aggregate, for messages.
        name: The column's name.
        column: What is known of it.
        bounds: Where to clamp, or None for the bounds of the column.
        most: The largest number of grid steps between the ends that sums of products have room for.
    """
    ends = _ends(caller, name, column, bounds)
    if max(abs(ends[0]), abs(ends[1])) > _FOR_FLOATS:
        raise InvalidError(f"{caller}: the bounds of {name!r} must lie within 1e300; scale the column first.")
    if most is not None:
        _check_products(caller, name, ends)
    grid = Fraction(1)
    if column.kind == "real":
        grid = column.grid or default_grid(caller, ends)
    while most is not None and (ends[1] - ends[0]) / grid > most:
        grid *= 2
    low, high = math.ceil(ends[0] / grid), math.floor(ends[1] / grid)
    if low >= high:
        raise InvalidError(f"{caller} needs two values between the bounds of {name!r}, got {short(ends)}.")
    return GridColumn(column=name, grid=grid, low=low, high=high)


def _ends(caller: str, name: str, column: Column, bounds: Bounds | Auto | None) -> Bounds:
    """Give where to clamp: within the bounds given and those of the column."""
    if isinstance(bounds, Auto):
        raise UnavailableError(f"{caller}: bounds=auto() are estimated by a query; give a pair (lower, upper) here.")
    if column.kind == "text":
        raise InvalidError(
            f"{caller} needs numbers, got the text column {name!r}. Texts have count_distinct, mode and histogram."
        )
    known = (Fraction(0), Fraction(1)) if column.kind == "boolean" else column.bounds
    ends = bounds if bounds is not None else known
    if ends is None:
        example = "('2025-01-01', '2025-12-31')" if column.kind in ("date", "timestamp") else "(lower, upper)"
        raise InvalidError(f"{caller} needs bounds of {name!r}: give bounds={example}, or put them in the codebook.")
    if bounds is None or known is None:
        return ends
    inner = (max(ends[0], known[0]), min(ends[1], known[1]))
    if inner[0] >= inner[1]:
        raise InvalidError(f"{caller}: the bounds given leave nothing of those of {name!r}, {short(known)}.")
    return inner


def _check_products(caller: str, name: str, ends: Bounds) -> None:
    """Refuse bounds between which products of values leave the floats."""
    if max(abs(ends[0]), abs(ends[1])) > _FOR_PRODUCTS:
        raise InvalidError(
            f"{caller} multiplies values: the bounds of {name!r} must lie within 1e75; scale the column first."
        )
    if (ends[1] - ends[0]) * _FOR_PRODUCTS < 1:
        raise InvalidError(
            f"{caller} multiplies values: the bounds of {name!r} must lie 1e-75 apart or more; scale the column first."
        )
