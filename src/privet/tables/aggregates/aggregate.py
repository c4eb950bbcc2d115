"""What an aggregate is: exact numbers of known distance, and a value that follows from noisy ones."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self, final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, Space, read_bounds, read_number, saturated, short, to_float_up, vector
from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import Auto, Bounds, Column, find_column, read_moment
from privet.tables.statistics import GridColumn, NumbersSpec, grid_column

ValueKind = Literal["number", "date", "timestamp"]
_LARGEST = float(np.finfo(np.float64).max)


@final
@frozen(kw_only=True)
class Estimate:
    """Released values of one aggregate, for each group and each of its outputs.

    Args:
        value: An array of groups by outputs.
        error: The standard errors, of the same shape.
    """

    value: Array
    error: Array


@final
@frozen(kw_only=True)
class Expected:
    """The expected error, from public facts alone.

    Args:
        error: The standard error.
        size: How large the value typically is, for relative errors. The docstring of each aggregate says what it
            assumes; ``sized`` states another size.
    """

    error: float
    size: float

    def sized(self, typical: object) -> "Expected":
        """Give the same error for a value of another size.

        >>> Expected(error=3.0, size=60.0).sized(-120).relative
        0.025
        """
        return Expected(error=self.error, size=abs(saturated(read_number("expected.typical", typical))))

    @property
    def relative(self) -> float:
        """The standard error as a share of the value."""
        return self.error / self.size if self.size else float("inf")


def linear_estimate(numbers: Array, noise: Noise) -> Estimate:
    """Give each number as a value, in the units of the data."""
    value = in_units(numbers, noise.grid)
    return Estimate(value=value, error=np.full(value.shape, noise.deviation))


def linear_interval(numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
    """Give each number plus and minus the size that its noise exceeds with probability at most ``1 - level``."""
    half = noise.half_width(level)
    if noise.grid == 1 and numbers.dtype == np.int64:
        reach = int(half)
        return numbers.astype(np.float64) - reach, numbers.astype(np.float64) + reach
    value = within_floats(in_units(numbers, noise.grid).astype(np.float64))
    width = to_float_up(half) + np.spacing(np.abs(value))
    return np.nextafter(value - width, -np.inf), np.nextafter(value + width, np.inf)


def within_floats(value: Array) -> Array:
    """Replace infinite numbers by the largest float, so that differences of them are defined."""
    return np.clip(value, -_LARGEST, _LARGEST)


def in_units(numbers: Array, grid: Fraction) -> Array:
    """Write grid steps in the units of the data: whole numbers stay whole."""
    if grid == 1 and numbers.dtype == np.int64:
        return numbers
    return np.asarray(numbers.astype(np.float64) * float(grid))


class Aggregate(ABC):
    """What a query computes for each group. It holds no data: everything that depends on data is in the numbers."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of its result unless the query gives another."""

    @property
    def outputs(self) -> tuple[Any, ...]:
        """Labels of its results where it has several; one empty label otherwise."""
        return ("",)

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return True

    @property
    def moments(self) -> Literal["date", "timestamp"] | None:
        """``date`` or ``timestamp`` if a release writes its values as such; None otherwise."""
        return None

    @property
    def nonnegative(self) -> bool:
        """Whether the exact value is never below zero."""
        return False

    def bind(self, columns: Mapping[str, Column]) -> "Aggregate":
        """Fix bounds, grids and categories from what is known of the columns; by default there are none to fix."""
        return self

    @abstractmethod
    def measured(self) -> NumbersSpec:
        """The numbers that noise is added to."""

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """Values and standard errors from noisy numbers; total. By default each number is a value.

        Args:
            numbers: Grid steps, groups by numbers.
            noise: The noise of each number.
        """
        return linear_estimate(numbers, noise)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Ends of intervals that hold the exact value of the clamped and capped rows; groups by outputs."""
        return linear_interval(numbers, noise, level)

    @abstractmethod
    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """Give the expected error in a group of so many rows, which is public knowledge or a guess."""

    def typical(self, rows: Fraction) -> Array | None:
        """Give the numbers of a typical group of so many rows, in grid steps, to foresee the width of its interval.

        None where the width does not depend on the numbers, as for counts and sums, or where nobody knows them.
        """
        return None


class CountingAggregate(Aggregate):
    """An aggregate that counts rows, or what there is at most once in a row."""

    nonnegative = True

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; as many as rows are assumed."""
        return Expected(error=noise.deviation, size=saturated(rows))


def optional_bounds(value: object) -> Any:
    """Read bounds, None for those of the column, or ``Auto`` for those that a query estimates first.

    Dates stay texts until ``bind`` knows the column.
    """
    if value is None or isinstance(value, Auto):
        return value
    if isinstance(value, tuple | list) and len(value) == 2 and all(isinstance(end, str | date) for end in value):
        return tuple(end if isinstance(end, str) else end.isoformat() for end in value)
    return read_bounds("bounds", value)


def column_bounds(caller: str, name: str, column: Column, bounds: Any) -> Any:
    """Give bounds in the numbers of a column: those that were given as dates count days or microseconds.

    Args:
        caller: The call, for messages.
        name: The column's name.
        column: What is known of it.
        bounds: What ``optional_bounds`` gave.

    >>> column_bounds("mean('day')", "day", Column(kind="date"), ("1970-01-02", "1970-02-01"))
    (Fraction(1, 1), Fraction(31, 1))
    """
    if not isinstance(bounds, tuple) or not isinstance(bounds[0], str):
        return bounds
    if column.kind not in ("date", "timestamp"):
        raise InvalidError(f"{caller}: {name!r} is {column.kind}, and its bounds must be numbers, such as (0, 100).")
    ends = [read_moment(f"{caller}: bounds[{at}]", column.kind, end) for at, end in enumerate(bounds)]
    if ends[0] >= ends[1]:
        raise InvalidError(f"{caller}: the lower bound must be before the upper one, got {bounds[0]} and {bounds[1]}.")
    return Fraction(ends[0]), Fraction(ends[1])


@frozen(kw_only=True)
class ColumnAggregate(Aggregate):
    """An aggregate of one column in grid steps.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        on_grid: The column in grid steps, once it is bound.
    """

    call: ClassVar[str]
    """The function that analysts call."""
    most_steps: ClassVar[int | None] = None
    """The largest number of grid steps between the bounds; None where sums need no room for products."""

    column: str
    bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    on_grid: GridColumn | None = None

    @property
    def name(self) -> str:
        """The function with the column."""
        return f"{self.call}_{self.column}"

    @property
    def nonnegative(self) -> bool:
        """Where the bounds are."""
        return self.on_grid is not None and self.on_grid.low >= 0

    @property
    def caller(self) -> str:
        """The call, for messages."""
        return f"{self.call}({self.column!r})"

    @property
    def bound(self) -> GridColumn:
        """The column in grid steps, or an error before it is bound."""
        return bound_column(self.caller, self.on_grid)

    @property
    def width(self) -> Fraction:
        """How far the bounds lie apart, in the units of the data."""
        return self.bound.upper - self.bound.lower

    def bind(self, columns: Mapping[str, Column]) -> Self:
        """Fix the bounds and the grid."""
        known = find_column(self.caller, self.column, columns)
        bounds = column_bounds(self.caller, self.column, known, self.bounds)
        on_grid = grid_column(self.caller, self.column, known, bounds, most=self.most_steps)
        return evolve(self, bounds=bounds, on_grid=on_grid)


@frozen(kw_only=True)
class ColumnsAggregate(Aggregate):
    """An aggregate of two columns in grid steps.

    Args:
        first: The name of one column.
        second: The name of the other.
        first_bounds: Where to clamp; None for the bounds of the column.
        second_bounds: Where to clamp; None for the bounds of the column.
        on_grid: Both columns in grid steps, once they are bound.
    """

    call: ClassVar[str]
    """The function that analysts call."""
    most_steps: ClassVar[int]
    """The largest number of grid steps between the bounds that leaves room for products."""

    first: str
    second: str
    first_bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    second_bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    on_grid: tuple[GridColumn, GridColumn] | None = None

    @property
    def name(self) -> str:
        """The function with the columns."""
        return f"{self.call}_{self.first}_{self.second}"

    @property
    def caller(self) -> str:
        """The call, for messages."""
        return f"{self.call}({self.first!r}, {self.second!r})"

    @property
    def bound(self) -> tuple[GridColumn, GridColumn]:
        """Both columns in grid steps, or an error before they are bound."""
        one, other = self.on_grid or (None, None)
        return bound_column(self.caller, one), bound_column(self.caller, other)

    @property
    def area(self) -> Fraction:
        """The product of both widths, in the units of the data."""
        one, other = self.bound
        return (one.upper - one.lower) * (other.upper - other.lower)

    def bind(self, columns: Mapping[str, Column]) -> Self:
        """Fix the bounds and the grids."""
        if self.first == self.second:
            raise InvalidError(f"{self.caller}: take variance({self.first!r}) for a column with itself.")
        known = {name: find_column(self.caller, name, columns) for name in (self.first, self.second)}
        given = {self.first: self.first_bounds, self.second: self.second_bounds}
        read = {name: column_bounds(self.caller, name, known[name], given[name]) for name in known}
        one, other = (
            grid_column(self.caller, name, known[name], read[name], most=self.most_steps)
            for name in (self.first, self.second)
        )
        return evolve(self, first_bounds=read[self.first], second_bounds=read[self.second], on_grid=(one, other))


@frozen(kw_only=True)
class OrderedColumnAggregate(ColumnAggregate):
    """An aggregate whose value is one of the column's own kind: a number of numbers, a date of dates.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        on_grid: The column in grid steps, once it is bound.
        kind: Whether the values are numbers, dates or timestamps, once it is bound.
    """

    kind: ValueKind = "number"

    @property
    def numeric(self) -> bool:
        """Dates and timestamps are no numbers."""
        return self.kind == "number"

    @property
    def moments(self) -> Literal["date", "timestamp"] | None:
        """``date`` or ``timestamp`` where the column is one of these."""
        return None if self.kind == "number" else self.kind

    @property
    def nonnegative(self) -> bool:
        """Where the bounds are."""
        return self.numeric and self.on_grid is not None and self.on_grid.low >= 0

    def bind(self, columns: Mapping[str, Column]) -> Self:
        """Fix the bounds, the grid and the kind."""
        known = find_column(self.caller, self.column, columns)
        kind: ValueKind = known.kind if known.kind in ("date", "timestamp") else "number"
        bounds = column_bounds(self.caller, self.column, known, self.bounds)
        on_grid = grid_column(self.caller, self.column, known, bounds, most=self.most_steps)
        return evolve(self, bounds=bounds, on_grid=on_grid, kind=kind)


def bound_column(caller: str, on_grid: GridColumn | None) -> GridColumn:
    """Give a column in grid steps, or refuse an aggregate that is not bound."""
    if on_grid is None:
        raise UnavailableError(
            f"{caller} has no bounds yet: call bind(columns) with what is known of the columns first."
        )
    return on_grid


def column_space(on_grid: GridColumn) -> Space:
    """The column as the units of ``privet.transforms`` know it, for their maps."""
    ends = (on_grid.lower, on_grid.upper)
    return vector(int, bounds=ends) if on_grid.grid == 1 else vector(float, bounds=ends, grid=on_grid.grid)


def usual_size(on_grid: GridColumn) -> float:
    """Give the assumed size of a value where none is stated: a quarter of the way up from the lower bound.

    Most columns with wide bounds are skewed to their lower end; half of the way up would promise too much. If the
    result is nearly zero, a quarter of the width takes its place.

    >>> usual_size(GridColumn(column="minutes", grid=1, low=0, high=240))
    60.0
    """
    quarter = (on_grid.upper - on_grid.lower) / 4
    return float(max(abs(on_grid.lower + quarter), quarter))
