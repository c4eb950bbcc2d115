"""The correlation of two columns in each group, where the size of the group is private."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.core import Array, Parts, saturated
from privet.tables.aggregates.aggregate import ColumnsAggregate, Estimate, Expected
from privet.tables.aggregates.moments import (
    MOST_STEPS_OF_FOUR,
    Moment,
    bernstein,
    in_rows,
    lumped,
    products,
)
from privet.tables.aggregates.noise import Noise, rejection_edge, unit_noise
from privet.tables.statistics import NumbersSpec, Statistic, sparse

# the numbers are sums of B_i(t) B_j(u), i, j = 0, 1, 2, of the Bernstein polynomials of degree two; the mean of t is
# that of i/2, and the mean of t u that of i j / 4
_HALVINGS = 40
_CLEARLY = 2  # the test of the correlation is inverted where both variances exceed their noise so many times
_PLACES = [(first, second) for first in range(3) for second in range(3)]


def _marginal(axis: int) -> tuple[tuple[float, ...], ...]:
    picks = [tuple(float(place[axis] == at) for place in _PLACES) for at in range(3)]
    half = tuple(0.5 * weight for weight in picks[1])
    return picks[0], picks[2], half, half


def _joint() -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple((i / 2 if one else 1 - i / 2) * (j / 2 if other else 1 - j / 2) for i, j in _PLACES)
        for one, other in ((0, 0), (1, 1), (0, 1), (1, 0))
    )


@final
@frozen(kw_only=True)
class ColumnsCorrelation(ColumnsAggregate):
    """The correlation of two clamped columns in each group; rows in which either is null are left out.

    Noise is added to nine sums that hold both variances and the covariance. Where a noisy variance is zero the value
    is zero, and the interval is all of [-1, 1].

    Args:
        first: The name of one column.
        second: The name of the other.
        first_bounds: Where to clamp; None for the bounds of the column.
        second_bounds: Where to clamp; None for the bounds of the column.
        on_grid: Both columns in grid steps, once they are bound.

    Guarantee: one row moves the nine sums by the product of the squares of both widths in all.
    Proof: docs/tables/aggregates/correlation.md.
    """

    call = "correlation"
    most_steps = MOST_STEPS_OF_FOUR

    def measured(self) -> NumbersSpec:
        """Nine sums of products of Bernstein polynomials."""
        one, other = self.bound
        left, right = (evolve(on_grid, origin=on_grid.low) for on_grid in (one, other))
        powers = [(left,) * i + (right,) * j for i in range(3) for j in range(3)]
        sums = tuple(Statistic(kind="sum", of=of, given=(one, other)) for of in powers[1:])
        size = (one.width * one.grid * other.width * other.grid) ** 2
        return NumbersSpec(
            statistics=(Statistic(kind="present", of=(one, other)), *sums),
            matrix=sparse(products(bernstein(one.width), bernstein(other.width))),
            grid=(one.grid * other.grid) ** 2,
            row=Parts(l0=9, l1=size, l2_squared=size**2, linf=size),
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The covariance over the root of both variances; the error is half of an interval at 68.27 %."""
        low, high = self.interval(numbers, noise, Fraction(6827, 10000))
        return Estimate(value=self._value(self._unit(numbers, noise))[:, None], error=(high - low) / 2)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every correlation that a test of about this level does not reject; wider where a variance may be small."""
        unit = self._unit(numbers, noise)
        forms = [_Form.of(moment, unit[0]) for moment in _moments()]
        clear = np.ones(len(numbers), dtype=bool)
        for form in forms[1:]:
            enough = np.maximum(form.value, 0.0) / _CLEARLY
            clear &= unit[1].exceeds(enough, lumped(form.gradient, unit[1]), level)
        low, high = np.empty(len(numbers)), np.empty(len(numbers))
        low[clear], high[clear] = _inverted([form.where(clear) for form in forms], unit[1], level)
        low[~clear], high[~clear] = _bounds(unit[0][~clear], unit[1], level)
        value = self._value(unit)
        return np.minimum(low, value)[:, None], np.maximum(high, value)[:, None]

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error of the covariance at first order, for values spread evenly, over the product of deviations."""
        exact = np.full((1, 9), saturated(rows) / 9)
        _, error = _moments()[0].estimate(exact, unit_noise(noise, self.area**2))
        return Expected(error=min(12 * float(error[0]), 1.0), size=1.0)

    def typical(self, rows: Fraction) -> Array:
        """Those of values spread evenly between the bounds."""
        return np.full((1, 9), saturated(rows * self.area**2 / (9 * self.measured().grid)))

    def _value(self, unit: tuple[Array, Noise]) -> Array:
        joint, one, other = (moment.estimate(*unit)[0] for moment in _moments())
        scale = np.sqrt(one * other)
        return np.where(scale > 0, np.clip(joint / np.where(scale > 0, scale, 1.0), -1, 1), 0.0)

    def _unit(self, numbers: Array, noise: Noise) -> tuple[Array, Noise]:
        return in_rows(numbers, noise, self.area**2), unit_noise(noise, self.area**2)


def _moments() -> tuple[Moment, Moment, Moment]:
    """Give the covariance and both variances, all of a population: the factors cancel."""
    return (
        Moment(weights=_joint(), ddof=0, low=-0.25, high=0.25),
        Moment(weights=_marginal(0), ddof=0, low=0.0, high=0.25),
        Moment(weights=_marginal(1), ddof=0, low=0.0, high=0.25),
    )


@final
@frozen(kw_only=True)
class _Form:
    """A quadratic form ``a d - b c`` of noisy numbers: its value, its gradient, and the size of its second order."""

    value: Array
    gradient: Array
    second: float

    @classmethod
    def of(cls, moment: Moment, numbers: Array) -> "_Form":
        a, d, b, c = (np.array(row) for row in moment.weights)
        sums = [numbers @ row for row in (a, d, b, c)]
        gradient = sum(
            np.outer(x, row) for x, row in zip((sums[1], sums[0], -sums[3], -sums[2]), (a, d, b, c), strict=True)
        )
        norms = [float(np.linalg.norm(row)) for row in (a, d, b, c)]
        return cls(
            value=sums[0] * sums[1] - sums[2] * sums[3],
            gradient=np.asarray(gradient),
            second=max(norms[0] * norms[1], norms[2] * norms[3]),
        )

    def where(self, chosen: Array) -> "_Form":
        return evolve(self, value=self.value[chosen], gradient=self.gradient[chosen])


def _inverted(forms: list[_Form], noise: Noise, level: Fraction) -> tuple[Array, Array]:
    """Find where ``covariance - r * root of both variances``, zero at the correlation r, begins to exceed its noise."""
    joint, one, other = forms
    root = np.sqrt(one.value * other.value)
    lean = np.sqrt(other.value / one.value)
    slope = (lean[:, None] * one.gradient + other.gradient / lean[:, None]) / 2
    curve = (lean * one.second + other.second / lean) / 2

    def rejected(at: Array) -> Array:
        margin = noise.deviation**2 * (joint.second + np.abs(at) * curve)
        gap = np.maximum(np.abs(joint.value - at * root) - margin, 0.0)
        return noise.exceeds(gap, lumped(joint.gradient - at[:, None] * slope, noise), level)

    middle = np.clip(joint.value / root, -1, 1)
    low, high = (np.full_like(middle, side) for side in (-1.0, 1.0))
    ends = [np.where(rejected(end), rejection_edge(rejected, middle, end, _HALVINGS), end) for end in (low, high)]
    return ends[0], ends[1]


def _bounds(numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
    """Give the extremes over intervals of the covariance and both variances, a third of the error for each."""
    each = 1 - (1 - level) / 3
    (low, high), one, other = (moment.interval(numbers, noise, each) for moment in _moments())
    tiny = np.finfo(np.float64).tiny
    narrow, wide = np.sqrt(np.maximum(one[0] * other[0], tiny)), np.sqrt(np.maximum(one[1] * other[1], tiny))
    bottom = np.clip(np.where(low < 0, low / narrow, low / wide), -1, 1)
    top = np.clip(np.where(high > 0, high / narrow, high / wide), -1, 1)
    return bottom, top


def correlation(
    first: str, second: str, *, first_bounds: object = None, second_bounds: object = None
) -> ColumnsCorrelation:
    """The correlation of two columns.

    >>> correlation("age", "height").name
    'correlation_age_height'
    """
    return ColumnsCorrelation(first=first, second=second, first_bounds=first_bounds, second_bounds=second_bounds)
