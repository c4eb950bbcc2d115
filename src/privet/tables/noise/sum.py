"""The law of weighted sums of very many noises, from a few numbers that describe their weights.

What is computed here in floats is post-processing of releases: no privacy depends on it.
"""

import math
from statistics import NormalDist
from typing import final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.tables.aggregates.noise import read_level

_POINTS = 4000  # at most
_ROWS = 64  # laws that are inverted at once
_DIGITS = 3  # of the laws that are kept apart; rounding goes toward wider ones
_TILTS = np.geomspace(0.1, 400, 200)
_RARE = 1e-7  # what is rarer is bounded, not computed
_HALVINGS = 20
_ACCURACY = 1e-3  # of the share of what lies beyond


def _floats(value: object) -> Array:
    return np.asarray(value, dtype=np.float64)


@final
@frozen(kw_only=True, eq=False)
class NoiseSum:
    """Sums of independent noises: Gaussian ones of a total variance, and Laplace ones of known power sums.

    The Laplace noise with the largest scale enters exactly. All others enter as one law with the characteristic
    function ``(1 + c² t²) ** -a``, that of ``a`` equal ones, with their second and fourth cumulants.

    Args:
        variance: The variance of all Gaussian noises together.
        squares: The sum of the squared scales of the Laplace noises.
        fourths: The sum of their fourth powers.
        largest: The largest of the scales; zero where there is no Laplace noise.

    >>> one = NoiseSum(variance=[0.0], squares=[4.0], fourths=[16.0], largest=[2.0])
    >>> round(float(one.quantile(0.95)[0]) / (2 * math.log(20)), 2)
    1.0
    """

    variance: Array = field(converter=_floats)
    squares: Array = field(converter=_floats)
    fourths: Array = field(converter=_floats)
    largest: Array = field(converter=_floats)

    def quantile(self, level: object) -> Array:
        """What the size of each sum exceeds with probability about ``1 - level``.

        Args:
            level: Between zero and one.
        """
        share = float(1 - read_level(level))
        normal = NormalDist().inv_cdf(1 - share / 2) * np.sqrt(self.variance)
        mixed = (self.largest > 0) & np.isfinite(self.variance + self.squares + self.fourths)
        normal = np.where((self.largest > 0) & ~mixed, np.inf, normal)  # beyond floats
        if not mixed.any():
            return np.asarray(normal)
        unit = np.where(mixed, self.largest, 1.0)
        squares = np.maximum(self.squares / unit**2 - 1, 0.0)
        fourths = np.minimum(np.maximum(self.fourths / unit**4 - 1, 0.0), squares)  # no other scale is larger
        laws = np.stack([self.variance / unit**2, squares, fourths], axis=1)[mixed]
        kinds, which = np.unique(_rounded_up(laws), axis=0, return_inverse=True)
        parts = [_quantiles(kinds[at : at + _ROWS], share) for at in range(0, len(kinds), _ROWS)]
        quantiles = normal.copy()
        quantiles[mixed] = np.concatenate(parts)[which.reshape(-1)] * unit[mixed]
        return np.asarray(quantiles)


def _rounded_up(laws: Array) -> Array:
    """Keep few digits, rounded toward wider laws, so that laws that hardly differ become one."""
    with np.errstate(divide="ignore"):
        digits = np.power(10.0, _DIGITS - np.floor(np.log10(laws)))
    return np.where(laws < 1e-9, 0.0, np.ceil(laws * np.where(laws > 0, digits, 1.0)) / np.where(laws > 0, digits, 1.0))


def _quantiles(laws: Array, share: float) -> Array:
    """Invert the characteristic functions of laws (variance, further squares, further fourths) of largest scale one."""
    variance, squares, fourths = (laws[:, at, None] for at in range(3))
    ratio = np.minimum(np.where(squares > 0, fourths / np.where(squares > 0, squares, 1.0), 0.0), 1.0)  # c²
    tiny = ratio < 1e-12  # so many small noises are normal
    terms = np.where(tiny, 0.0, squares / np.where(tiny, 1.0, ratio))
    normal = variance + np.where(tiny, 2 * squares, 0.0)
    # Chernoff: P(|X| > x) <= 2 exp(K(s) - s x) for every tilt s below one
    tilts = _TILTS / (_TILTS + np.sqrt(normal + 2 * (1 + terms * ratio)))
    cumulant = normal * tilts**2 / 2 - np.log1p(-(tilts**2)) - terms * np.log1p(-ratio * tilts**2)
    highest = ((math.log(2 / share) + cumulant) / tilts).min(axis=1)
    if share < _RARE:
        return np.asarray(highest)
    step = math.pi / (3 * highest[:, None])  # what lies beyond five times the highest is far rarer than the share
    # one noise alone has a characteristic function of order t^-2: beyond T the integral is of order T^-3
    reach = (_ACCURACY * share) ** (-1 / 3)
    times = np.arange(1, 2 + min(_POINTS, math.ceil(reach / float(step.min())))) * step
    logs = -np.log1p(times**2) - terms * np.log1p(ratio * times**2) - normal * times**2 / 2
    last = int((logs > -40).sum(axis=1).max())  # what is left out is below e^-40
    times, values = times[:, :last], np.exp(logs[:, :last]) / times[:, :last]
    low, high = np.zeros(len(laws)), highest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = step[:, 0] / math.pi * (middle + 2 * (np.sin(times * middle[:, None]) * values).sum(axis=1))
        beyond = 1 - inside > share
        low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return np.asarray(high)
