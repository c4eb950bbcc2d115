"""Reading the parameters of aggregates of columns."""

from typing import Any

from privet.core import Space, read_bounds, vector
from privet.errors import UnavailableError
from privet.tables.columns import Auto
from privet.tables.statistics.statistic import GridColumn


def optional_bounds(value: object) -> Any:
    """Read bounds, None for those of the column, or ``Auto`` for those that a query estimates first."""
    return value if value is None or isinstance(value, Auto) else read_bounds("bounds", value)


def bound_column(caller: str, on_grid: GridColumn | None) -> GridColumn:
    """Give a column in grid steps, or refuse an aggregate that is not bound."""
    if on_grid is None:
        raise UnavailableError(
            f"{caller} has no bounds yet: call bind(columns) with what is known of the columns first."
        )
    return on_grid


def column_space(on_grid: GridColumn) -> Space:
    """The column as the units of ``privet.transforms`` know it, for their maps."""
    whole = on_grid.grid == 1
    ends = (on_grid.lower, on_grid.upper)
    return vector(int, bounds=ends) if whole else vector(float, bounds=ends, grid=on_grid.grid)


def usual_size(on_grid: GridColumn) -> float:
    """Give the assumed size of a value where none is stated: a quarter of the way up from the lower bound.

    Most columns with wide bounds are skewed to their lower end; half of the way up would promise too much. If the
    result is nearly zero, a quarter of the width takes its place.

    >>> usual_size(GridColumn(column="minutes", grid=1, low=0, high=240))
    60.0
    """
    quarter = (on_grid.upper - on_grid.lower) / 4
    return float(max(abs(on_grid.lower + quarter), quarter))
