"""The ratio of two released numbers: a value, an error and an interval, whatever the noise."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array
from privet.tables.aggregates.noise import Noise, rejection_edge

_DOUBLINGS = 64
_HALVINGS = 60
_FEW = 4  # noises whose weighted sum has a closed form


@final
@frozen(eq=False)
class Linear:
    """Weighted sums of released numbers, one for each group.

    Args:
        value: The sums, in units.
        noise: The noise of each number.
        weights: The weights of the numbers, the same in all groups; not all of them are zero.
        numbers: Which numbers they are: sums of the same ones share their noise.
    """

    value: Array
    noise: Noise
    weights: tuple[float, ...] = (1.0,)
    numbers: int | None = None

    def reach(self, level: Fraction) -> float:
        """Give the size that the noise exceeds with probability at most ``1 - level``."""
        used = [weight for weight in self.weights if weight]
        if len(used) == 1:
            return abs(used[0]) * float(self.noise.half_width(level))
        return float(self.noise.quantile(np.array(used), level))

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        return self.noise.deviation * math.hypot(*self.weights)


def ratio_estimate(top: Linear, bottom: Linear) -> tuple[Array, Array]:
    """Divide; zero denominators give NaN. The error is that at first order."""
    with np.errstate(all="ignore"):
        value = np.where(bottom.value == 0, np.nan, top.value / bottom.value)
        if _is_shared(top, bottom):
            size = np.linalg.norm(_difference(top, bottom, value), axis=1) * top.noise.deviation
        else:
            size = np.hypot(top.deviation, value * bottom.deviation)
        error = size / np.abs(bottom.value)
    return value, error


def ratio_interval(top: Linear, bottom: Linear, level: Fraction) -> tuple[Array, Array]:
    """Every ratio r for which ``top - r bottom`` may be noise; all numbers where the denominator may be zero.

    Args:
        top: Noisy numerators.
        bottom: Noisy denominators.
        level: The level of the interval.
    """
    shared, half = _is_shared(top, bottom), (1 + level) / 2
    known = shared or _is_mixed(top, bottom)

    def rejected(ratio: Array) -> Array:
        sizes = np.abs(top.value - ratio * bottom.value)
        if shared:
            return bottom.noise.exceeds(sizes, _difference(top, bottom, ratio), level)
        if known:
            share = float(top.noise.scale / bottom.noise.scale)
            above = np.broadcast_to(np.array(top.weights) * share, (len(ratio), len(top.weights)))
            weights = np.concatenate([above, ratio[:, None] * np.array(bottom.weights)], axis=1)
            return bottom.noise.exceeds(sizes, weights, level)
        # two laws without a common form: each gets half of the error probability
        return np.asarray(sizes > top.reach(half) + np.abs(ratio) * bottom.reach(half))

    open_ended = ~_far(bottom, level if known else half)
    start = np.where(open_ended | (bottom.value == 0), 0.0, top.value / np.where(bottom.value == 0, 1.0, bottom.value))
    ends = [_end(rejected, start, side) for side in (-1.0, 1.0)]
    return np.where(open_ended, -np.inf, ends[0]), np.where(open_ended, np.inf, ends[1])


def _is_shared(top: Linear, bottom: Linear) -> bool:
    return top.numbers is not None and top.numbers == bottom.numbers


def _is_mixed(top: Linear, bottom: Linear) -> bool:
    """Say whether both noises are of one kind on one grid, and few enough for a closed form."""
    alike = top.noise.kind == bottom.noise.kind and top.noise.grid == bottom.noise.grid
    return alike and len(top.weights) + len(bottom.weights) <= _FEW


def _difference(top: Linear, bottom: Linear, ratio: Array) -> Array:
    return np.asarray(np.array(top.weights) - ratio[:, None] * np.array(bottom.weights))


def _far(bottom: Linear, level: Fraction) -> Array:
    """Say where the denominator is farther from zero than its noise reaches, with a margin so that ends are finite."""
    margin = 2 * float(bottom.noise.grid) * max(map(abs, bottom.weights))
    return np.asarray(np.abs(bottom.value) > bottom.reach(level) * 1.01 + margin)


def _end(rejected: Callable[[Array], Array], start: Array, side: float) -> Array:
    step = np.maximum(np.abs(start), 1.0) * 1e-9
    outside = start + side * step
    for _ in range(_DOUBLINGS):
        inside_still = ~rejected(outside)
        step = np.where(inside_still, step * 4, step)
        outside = start + side * step
    return rejection_edge(rejected, start, outside, _HALVINGS)
