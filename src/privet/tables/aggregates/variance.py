"""The variance of a column in each group, where the size of the group is private."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, Parts, saturated
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import ColumnAggregate, Estimate, Expected
from privet.tables.aggregates.moments import MOST_STEPS, Moment, bernstein, in_rows
from privet.tables.aggregates.noise import Noise, unit_noise
from privet.tables.statistics import GridColumn, NumbersSpec, Statistic, sparse

_ABC: tuple[tuple[float, ...], ...] = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.5, 0.0), (0.0, 0.5, 0.0))


def check_ddof(instance: Any, _: object, value: object) -> None:
    """Refuse anything but 0 and 1."""
    if value not in (0, 1) or isinstance(value, bool):
        raise InvalidError(f"{type(instance).__name__}.ddof must be 0 (population) or 1 (sample), got {value!r}.")


@final
@frozen(kw_only=True)
class VarianceColumn(ColumnAggregate):
    """The variance of the clamped values of a column in each group; nulls are left out.

    Noise is added to three sums that hold count, mean and variance. A group without values gives zero, and an interval
    that says so. Values are rounded to at most 2^20 grid steps between the bounds.

    Args:
        column: Its name.
        bounds: Where to clamp; None for the bounds of the column.
        ddof: 1 divides by the number of rows less one, 0 by the number of rows.
        on_grid: The column in grid steps, once it is bound.

    Guarantee: one row moves the three sums by ``(upper - lower)²`` in all.
    Proof: docs/tables/aggregates/variance.md.

    >>> from privet.tables.columns import Column
    >>> bound = variance("age", bounds=(0, 10)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(100, 1)
    """

    call = "variance"
    nonnegative = True
    most_steps = MOST_STEPS

    ddof: int = field(default=1, validator=check_ddof)

    def measured(self) -> NumbersSpec:
        """Three Bernstein sums."""
        return squares_of(self.bound)

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The quotient of noisy sums, between zero and its largest value."""
        value, error = self._moment().estimate(*self._unit(numbers, noise))
        return Estimate(value=(value * self._square)[:, None], error=(error * self._square)[:, None])

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every variance that a test of about this level does not reject."""
        low, high = self._moment().interval(*self._unit(numbers, noise), level)
        return (low * self._square)[:, None], (high * self._square)[:, None]

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order, for values spread evenly between the bounds."""
        exact = np.array([[1.0, 1.0, 1.0]]) * saturated(rows) / 3
        value, error = self._moment().estimate(exact, unit_noise(noise, Fraction(self._square)))
        return Expected(error=float(error[0]) * self._square, size=float(value[0]) * self._square)

    def typical(self, rows: Fraction) -> Array:
        """Those of values spread evenly between the bounds."""
        return np.full((1, 3), saturated(rows * self.width**2 / (3 * self.measured().grid)))

    @property
    def _square(self) -> float:
        return float(self.width**2)

    def _unit(self, numbers: Array, noise: Noise) -> tuple[Array, Noise]:
        return in_rows(numbers, noise, self.width**2), unit_noise(noise, self.width**2)

    def _moment(self) -> Moment:
        return Moment(weights=_ABC, ddof=self.ddof, low=0.0, high=0.25 * (1 + self.ddof))


def variance(column: str, *, bounds: object = None, ddof: int = 1) -> VarianceColumn:
    """The variance of a column.

    >>> variance("age").name
    'variance_age'
    """
    return VarianceColumn(column=column, bounds=bounds, ddof=ddof)


def squares_of(on_grid: GridColumn) -> NumbersSpec:
    """Give the Bernstein sums of a column: a row adds three numbers, zero or more, whose total is the squared width."""
    shifted = evolve(on_grid, origin=on_grid.low)
    square = (on_grid.width * on_grid.grid) ** 2
    return NumbersSpec(
        statistics=(
            Statistic(kind="present", of=(on_grid,)),
            Statistic(kind="sum", of=(shifted,)),
            Statistic(kind="sum", of=(shifted, shifted)),
        ),
        matrix=sparse(bernstein(on_grid.width)),
        grid=on_grid.grid**2,
        row=Parts(l0=3, l1=square, l2_squared=square**2, linf=square),
    )
