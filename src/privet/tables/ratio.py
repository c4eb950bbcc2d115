"""The ratio of two released numbers: a value, an error and an interval, whatever the noise."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from privet.core.rows import Array
from privet.tables.aggregates.noise import Noise

_DOUBLINGS = 64
_HALVINGS = 60


def ratio_estimate(top: Array, above: Noise, bottom: Array, below: Noise) -> tuple[Array, Array]:
    """Divide; zero denominators give NaN. The error is that at first order."""
    with np.errstate(all="ignore"):
        value = np.where(bottom == 0, np.nan, top / bottom)
        error = np.sqrt(above.deviation**2 + (value * below.deviation) ** 2) / np.abs(bottom)
    return value, error


def ratio_interval(top: Array, above: Noise, bottom: Array, below: Noise, level: Fraction) -> tuple[Array, Array]:
    """Every ratio r for which ``top - r bottom`` may be noise; all numbers where the denominator may be zero.

    Args:
        top: Noisy numerators, in units.
        above: Their noise.
        bottom: Noisy denominators.
        below: Their noise.
        level: Of the interval.
    """
    share = above.scale / below.scale
    known = above.kind == below.kind and above.grid == below.grid

    def rejected(ratio: Array) -> Array:
        sizes = np.abs(top - ratio * bottom)
        if known:
            weights = np.stack([np.full_like(ratio, float(share)), ratio], axis=1)
            return below.exceeds(sizes, weights, level)
        half = (1 + level) / 2  # two laws that do not mix: each within its own half of what may go wrong
        return np.asarray(sizes > float(above.half_width(half)) + np.abs(ratio) * float(below.half_width(half)))

    open_ended = ~_far(bottom, below, level if known else (1 + level) / 2)
    start = np.where(open_ended | (bottom == 0), 0.0, top / np.where(bottom == 0, 1.0, bottom))
    ends = [_end(rejected, start, side) for side in (-1.0, 1.0)]
    return np.where(open_ended, -np.inf, ends[0]), np.where(open_ended, np.inf, ends[1])


def _far(bottom: Array, below: Noise, level: Fraction) -> Array:
    """Tell where the denominator is farther from zero than its noise reaches, with a margin so that ends are finite."""
    reach = float(below.half_width(level))
    return np.asarray(np.abs(bottom) > reach * 1.01 + 2 * float(below.grid))


def _end(rejected: Callable[[Array], Array], start: Array, side: float) -> Array:
    step = np.maximum(np.abs(start), 1.0) * 1e-9
    outside = start + side * step
    for _ in range(_DOUBLINGS):
        inside_still = ~rejected(outside)
        step = np.where(inside_still, step * 4, step)
        outside = start + side * step
    inside = start
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        out = rejected(middle)
        outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
    return outside
