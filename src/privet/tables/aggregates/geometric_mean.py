"""The geometric mean of a column in each group: the exponential of the mean logarithm."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, Parts, read_bounds, saturated, short, whole
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import ColumnAggregate, Estimate, Expected
from privet.tables.aggregates.moments import EndpointShare
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import Auto, Bounds, Column, find_column
from privet.tables.statistics import GridColumn, NumbersSpec, Statistic, grid_column

_BINS = 256
_MOST_BINS = 4096
_SCALE = 2**20  # whole numbers from the logarithm of the lower bound to that of the upper bound
_ROUNDING = 1e-12  # the error of logarithms in floats, far more than it is
_SMALLEST = Fraction(1, 10**300)  # floats have room for it
_ROOT_3 = math.sqrt(3)  # the deviation of a value anywhere within 1 of the middle is 1 / root 3


def _positive_bounds(value: object) -> Bounds | None:
    if value is None:
        return None
    if isinstance(value, Auto):
        raise InvalidError(
            "geometric_mean.bounds cannot be estimated: auto() may choose a lower bound of zero. Give a pair above "
            "zero, such as bounds=(1, 1000), or put bounds in the codebook."
        )
    bounds = read_bounds("bounds", value)
    if bounds[0] <= 0:
        raise InvalidError(f"geometric_mean.bounds must lie above zero, got {short(bounds)}.")
    return bounds


def _check_bins(_: object, __: object, value: int) -> None:
    if not 2 <= value <= _MOST_BINS:
        raise InvalidError(f"geometric_mean.bins must be from 2 to {_MOST_BINS}, got {value}.")


def _check_positive(_: object, __: object, value: GridColumn | None) -> None:
    if value is None:
        return
    if not 0 < value.low < value.high:
        raise InvalidError(
            f"geometric_mean({value.column!r}) needs a lower bound above zero: give bounds=(lower, upper)."
        )
    if value.lower < _SMALLEST:
        raise InvalidError(
            f"geometric_mean({value.column!r}) needs a lower bound of 1e-300 or more; scale the column first."
        )


@final
@frozen(kw_only=True)
class GeometricMeanColumn(ColumnAggregate):
    """Average the logarithms of the clamped values of a column in each group; nulls are left out.

    The engine counts rows in public bins; it computes no logarithm. Each bin has a whole number in place of its
    logarithm, and noise is added to two sums of these: of the distances to the lower and to the upper bound. A value
    counts as the geometric middle of its bin, so the release errs by a factor of at most ``exp(discretisation)``. The
    interval and, as a deviation, the error include that. Neither covers what the bounds cut off.

    Args:
        column: Its name.
        bounds: Where to clamp, above zero; None for the bounds of the column.
        bins: The largest number of bins between the bounds.
        on_grid: The column in grid steps, once it is bound.

    Guarantee: one row moves the two sums by one in all.
    Proof: docs/tables/aggregates/geometric_mean.md.

    >>> bound = geometric_mean("pay", bounds=(1, 10_000)).bind({"pay": Column(kind="real")})
    >>> bound.measured().row.l1, round(bound.discretisation, 4)
    (Fraction(1, 1), 0.018)
    """

    call = "geometric_mean"
    nonnegative = True

    bounds: Bounds | None = field(default=None, converter=_positive_bounds, repr=short)
    bins: int = field(default=_BINS, converter=whole, validator=_check_bins)
    on_grid: GridColumn | None = field(default=None, validator=_check_positive)

    @property
    def discretisation(self) -> float:
        """How far the logarithm of a value may lie from that of its bin."""
        return _discretisation(self.bound.low, self.bound.high, self.bins)

    def bind(self, columns: Mapping[str, Column]) -> "GeometricMeanColumn":
        """Fix the bounds and the grid."""
        known = find_column(self.caller, self.column, columns)
        if known.kind in ("date", "timestamp"):
            raise InvalidError(f"{self.caller} needs numbers, got the {known.kind} column {self.column!r}.")
        return evolve(self, on_grid=grid_column(self.caller, self.column, known, self.bounds))

    def measured(self) -> NumbersSpec:
        """Two sums of shares of the way from the lower to the upper bound, on the scale of logarithms."""
        on_grid = self.bound
        edges = _geometric_edges(on_grid.low, on_grid.high, self.bins)
        weights = _log_weights(on_grid.low, on_grid.high, self.bins)
        up = tuple((at, weight) for at, weight in enumerate(weights) if weight)
        down = tuple((at, _SCALE - weight) for at, weight in enumerate(weights) if weight < _SCALE)
        one = Fraction(1)
        return NumbersSpec(
            statistics=(Statistic(kind="bins", of=(on_grid,), edges=edges),),
            matrix=(up, down),
            grid=Fraction(1, _SCALE),
            row=Parts(l0=2, l1=one, l2_squared=one, linf=one),  # (s, 1 - s) with s from 0 to 1
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """The exponential of the mean logarithm, and its error at first order, at most the width of the bounds."""
        share = EndpointShare(numbers=numbers, noise=noise)
        value = self._at(share.value)
        error = value * np.hypot(self._log_width() * share.error, self.discretisation / _ROOT_3)
        return Estimate(value=value, error=np.minimum(error, float(self.width)))

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every mean that a test of exact level does not reject, wider by what the bins may hide."""
        low, high = EndpointShare(numbers=numbers, noise=noise).interval(level)
        hidden = (self.discretisation + _ROUNDING) / self._log_width()
        return self._at(np.maximum(low - hidden, 0.0)), self._at(np.minimum(high + hidden, 1.0))

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error at first order, for a geometric mean in the geometric middle of the bounds."""
        middle = float(self._at(np.array(0.5)))
        first = math.sqrt(0.5) * noise.deviation / max(saturated(rows), 1e-300)
        error = middle * math.hypot(self._log_width() * min(first, 0.5), self.discretisation / _ROOT_3)
        return Expected(error=min(error, float(self.width)), size=middle)

    def typical(self, rows: Fraction) -> Array:
        """Those of a geometric mean in the geometric middle of the bounds."""
        return np.full((1, 2), saturated(rows * _SCALE / 2))

    def _at(self, share: Array) -> Array:
        """Give the value at a share of the way between the logarithms of the bounds; never beyond these."""
        lower, upper = float(self.bound.lower), float(self.bound.upper)
        inside = np.clip(np.exp(math.log(lower) + self._log_width() * share), lower, upper)
        return np.where(share <= 0, lower, np.where(share >= 1, upper, inside))

    def _log_width(self) -> float:
        return _log_ratio(self.bound.high, self.bound.low)


def geometric_mean(column: str, *, bounds: object = None, bins: int = _BINS) -> GeometricMeanColumn:
    """Average a column whose values multiply, such as incomes, ratios and concentrations.

    >>> geometric_mean("income").name
    'geometric_mean_income'
    """
    return GeometricMeanColumn(column=column, bounds=bounds, bins=bins)


def _log_ratio(value: int, low: int) -> float:
    """Give the logarithm of ``value / low``; accurate where both are nearly the same."""
    return math.log(value) - math.log(low) if value > 2 * low else math.log1p((value - low) / low)


@lru_cache(maxsize=64)
def _geometric_edges(low: int, high: int, bins: int) -> tuple[int, ...]:
    """Cut the grid steps from ``low`` to ``high`` at their geometric middle, then always the widest part; exact.

    >>> _geometric_edges(1, 100, 4)
    (1, 3, 10, 31, 101)
    """
    parts = [(-Fraction(high, low), low, high + 1)]  # by the ratio of their ends, the widest first
    while len(parts) < bins and parts[0][0] < -1:
        _, first, after = heappop(parts)
        middle = max(math.isqrt(first * after), first + 1)
        for start, end in ((first, middle), (middle, after)):
            heappush(parts, (-Fraction(end - 1, start), start, end))
    return (*sorted(start for _, start, _ in parts), high + 1)


@lru_cache(maxsize=64)
def _log_weights(low: int, high: int, bins: int) -> tuple[int, ...]:
    """Give the whole number in place of the logarithm of each bin, from 0 to the scale.

    They are public, and any whole numbers from 0 to the scale keep the guarantee: floats may choose them.
    """
    unit = _SCALE / _log_ratio(high, low)
    middles = [
        (_log_ratio(first, low) + _log_ratio(after - 1, low)) / 2
        for first, after in pairwise(_geometric_edges(low, high, bins))
    ]
    return tuple(min(max(round(middle * unit), 0), _SCALE) for middle in middles)


@lru_cache(maxsize=64)
def _discretisation(low: int, high: int, bins: int) -> float:
    """Give how far the logarithm of a grid step may lie from that of its bin."""
    unit = _log_ratio(high, low) / _SCALE
    parts = zip(pairwise(_geometric_edges(low, high, bins)), _log_weights(low, high, bins), strict=True)
    return max(
        abs(_log_ratio(end, low) - weight * unit) for (first, after), weight in parts for end in (first, after - 1)
    )
