"""The covariance of two columns in each group, where the size of the group is private."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, Parts, saturated
from privet.tables.aggregates.aggregate import ColumnsAggregate, Estimate, Expected
from privet.tables.aggregates.moments import MOST_STEPS, Moment, in_rows, products
from privet.tables.aggregates.noise import Noise, unit_noise
from privet.tables.aggregates.variance import check_ddof
from privet.tables.statistics import NumbersSpec, Statistic, sparse

# of the products (1-t)(1-u), (1-t)u, t(1-u), tu the covariance is p00 p11 - p01 p10, over n²
_PRODUCTS: tuple[tuple[float, ...], ...] = (
    (1.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 0.0),
)


@final
@frozen(kw_only=True)
class ColumnsCovariance(ColumnsAggregate):
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

    call = "covariance"
    most_steps = MOST_STEPS

    ddof: int = field(default=1, validator=check_ddof)

    def measured(self) -> NumbersSpec:
        """Four sums of products of shares."""
        one, other = self.bound
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
        value, error = self._moment().estimate(*self._unit(numbers, noise))
        return Estimate(value=(value * float(self.area))[:, None], error=(error * float(self.area))[:, None])

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every covariance that a test of about this level does not reject."""
        low, high = self._moment().interval(*self._unit(numbers, noise), level)
        return (low * float(self.area))[:, None], (high * float(self.area))[:, None]

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order, for values spread evenly; a twelfth of the product of widths counts as the size."""
        area = float(self.area)
        exact = np.full((1, 4), saturated(rows) / 4)
        _, error = self._moment().estimate(exact, unit_noise(noise, self.area))
        return Expected(error=float(error[0]) * area, size=area / 12)

    def typical(self, rows: Fraction) -> Array:
        """Those of values spread evenly between the bounds."""
        return np.full((1, 4), saturated(rows * self.area / (4 * self.measured().grid)))

    def _unit(self, numbers: Array, noise: Noise) -> tuple[Array, Noise]:
        return in_rows(numbers, noise, self.area), unit_noise(noise, self.area)

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
