"""Aggregates of columns in grid steps: their parameters, and how bounds and grids are fixed."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

from attrs import evolve, field, frozen

from privet.core import Space, read_bounds, short, vector
from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Auto, Bounds, Column, find_column
from privet.tables.statistics import GridColumn, grid_column


def optional_bounds(value: object) -> Any:
    """Read bounds, None for those of the column, or ``Auto`` for those that a query estimates first."""
    return value if value is None or isinstance(value, Auto) else read_bounds("bounds", value)


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
        return evolve(self, on_grid=grid_column(self.caller, self.column, known, self.bounds, most=self.most_steps))


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
        pairs = ((self.first, self.first_bounds), (self.second, self.second_bounds))
        one, other = (
            grid_column(self.caller, name, find_column(self.caller, name, columns), bounds, most=self.most_steps)
            for name, bounds in pairs
        )
        return evolve(self, on_grid=(one, other))


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
