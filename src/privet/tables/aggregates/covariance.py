"""The covariance of two columns in each group, where the size of the group is private."""

from collections.abc import Mapping
from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, Parts, saturated, short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate, Estimate, Expected
from privet.tables.aggregates.bound import bound_column, optional_bounds
from privet.tables.aggregates.noise import Noise, unit_noise
from privet.tables.aggregates.second_moments import MOST_STEPS, Moment, in_rows, products
from privet.tables.aggregates.variance import check_ddof
from privet.tables.columns import Bounds, Column, find_column
from privet.tables.statistics.numbers_spec import NumbersSpec, sparse
from privet.tables.statistics.statistic import GridColumn, Statistic, grid_column

# of the products (1-t)(1-u), (1-t)u, t(1-u), tu the covariance is p00 p11 - p01 p10, over n²
_PRODUCTS: tuple[tuple[float, ...], ...] = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
)


@final
@frozen(kw_only=True)
class ColumnsCovariance(Aggregate):
    """The covariance of two clamped columns in each group; rows in which either is null are left out.

    Noise is added to four sums, of the products of the shares of both columns. A group without values gives zero.

    Args:
        first: The name of one column.
        second: The name of the other.
        first_bounds: Where to clamp; None for the bounds of the column.
        second_bounds: Where to clamp; None for the bounds of the column.
        ddof: 1 divides by the number of rows less one, 0 by the number of rows.
        on_grid: Both columns in grid steps, once they are bound.

    Guarantee: one row moves the four sums by the product of both widths in all.
    Proof: docs/tables/aggregates/covariance.md.
    """

    first: str
    second: str
    first_bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    second_bounds: Bounds | None = field(default=None, converter=optional_bounds, repr=short)
    ddof: int = field(default=1, validator=check_ddof)
    on_grid: tuple[GridColumn, GridColumn] | None = None

    @property
    def name(self) -> str:
        """``covariance`` with the columns."""
        return f"covariance_{self.first}_{self.second}"

    def bind(self, columns: Mapping[str, Column]) -> "ColumnsCovariance":
        """Choose bounds and grids that leave room for products."""
        caller = f"covariance({self.first!r}, {self.second!r})"
        pairs = ((self.first, self.first_bounds), (self.second, self.second_bounds))
        return evolve(self, on_grid=both_on_grid(caller, pairs, columns, most=MOST_STEPS))

    def measured(self) -> NumbersSpec:
        """Four sums of products of shares."""
        one, other = self._bound()
        ends = [((on_grid.width, -1), (0, 1)) for on_grid in (one, other)]
        shifted = [evolve(on_grid, origin=on_grid.low) for on_grid in (one, other)]
        area = one.width * one.grid * other.width * other.grid
        return NumbersSpec(
            statistics=(
                Statistic(kind="present", of=(one, other)),
                Statistic(kind="sum", of=(shifted[1],), given=(one,)),
                Statistic(kind="sum", of=(shifted[0],), given=(other,)),
                Statistic(kind="sum", of=(shifted[0], shifted[1])),
            ),
            matrix=sparse(products(*ends)),
            grid=one.grid * other.grid,
            row=Parts(l0=4, l1=area, l2_squared=area**2, linf=area),
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The quotient of noisy sums."""
        value, error = self._moment().estimate(in_rows(numbers, noise, self._area), unit_noise(noise, self._area))
        return Estimate(value=(value * float(self._area))[:, None], error=(error * float(self._area))[:, None])

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every covariance that a test of about this level does not reject."""
        unit = in_rows(numbers, noise, self._area), unit_noise(noise, self._area)
        low, high = self._moment().interval(*unit, level)
        return (low * float(self._area))[:, None], (high * float(self._area))[:, None]

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order, for values spread evenly; a twelfth of the product of widths counts as the size."""
        area = float(self._area)
        exact = np.full((1, 4), saturated(rows) / 4)
        _, error = self._moment().estimate(exact, unit_noise(noise, self._area))
        return Expected(error=float(error[0]) * area, size=area / 12)

    def _bound(self) -> tuple[GridColumn, GridColumn]:
        caller = f"covariance({self.first!r}, {self.second!r})"
        one, other = self.on_grid or (None, None)
        return bound_column(caller, one), bound_column(caller, other)

    @property
    def _area(self) -> Fraction:
        one, other = self._bound()
        return (one.upper - one.lower) * (other.upper - other.lower)

    def _moment(self) -> Moment:
        most = 0.25 * (1 + self.ddof)
        return Moment(weights=_PRODUCTS, ddof=self.ddof, low=-most, high=most)


def covariance(
    first: str, second: str, *, first_bounds: object = None, second_bounds: object = None, ddof: int = 1
) -> ColumnsCovariance:
    """The covariance of two columns.

    >>> covariance("age", "height").name
    'covariance_age_height'
    """
    return ColumnsCovariance(
        first=first, second=second, first_bounds=first_bounds, second_bounds=second_bounds, ddof=ddof
    )


def both_on_grid(
    caller: str, pairs: tuple[tuple[str, Bounds | None], ...], columns: Mapping[str, Column], *, most: int
) -> tuple[GridColumn, GridColumn]:
    """Write two columns in grid steps.

    Args:
        caller: The aggregate, for messages.
        pairs: The names and bounds.
        columns: What is known of all columns.
        most: The largest number of grid steps between the bounds.
    """
    (first, first_bounds), (second, second_bounds) = pairs
    if first == second:
        raise InvalidError(f"{caller}: take variance({first!r}) for a column with itself.")
    return (
        grid_column(caller, first, find_column(caller, first, columns), first_bounds, most=most),
        grid_column(caller, second, find_column(caller, second, columns), second_bounds, most=most),
    )
