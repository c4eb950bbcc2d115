"""The noise of released numbers: its mechanism, and the law of weighted sums of several draws.

What is computed here in floats is post-processing of releases: no privacy depends on it.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Literal, final, get_args

import numpy as np
from attrs import evolve, field, frozen

from privet.core import Array, NumbersDomain, Space, VectorDistance, number, positive, read_number, short
from privet.errors import InvalidError
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace

NoiseKind = Literal["laplace", "gaussian"]
_APART = 1e-3  # weights of a sum are moved apart by so much, upward, where a formula needs them different
_KEPT = 24  # of many weights, so many are inverted exactly
_FINE = 2.0**40  # steps of a weight that is a share of the largest
_POINTS = 4000
_FEW = 4  # noises whose weighted sum has a stable closed form
_FINE_BITS = 20  # at a deviation of so many grid steps, as a power of two, the grid hardly affects the loss
_LARGEST = Fraction(10) ** 300
_COARSEST = 4  # grid steps: rounding would affect smaller noise


@final
@frozen(kw_only=True)
class Noise:
    """Discrete Laplace or Gaussian noise on a public grid, the same law for each number.

    Gaussian noise is drawn on a finer grid, where its loss is that of the normal law, and the noisy numbers are rounded
    to their own grid.

    Args:
        kind: ``laplace`` or ``gaussian``.
        scale: The spread of the noise, in the units of the numbers.
        grid: The grid step of the numbers.

    Proof: docs/tables/noise_plan.md.
    """

    kind: NoiseKind = field()
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    grid: Fraction = field(converter=number, validator=positive, repr=short)

    @kind.validator
    def _check(self, _: object, value: object) -> None:
        if value not in get_args(NoiseKind):
            raise InvalidError(f"Noise.kind must be laplace or gaussian, got {value!r}.")

    @property
    def mechanism(self) -> Laplace | Gaussian:
        """The mechanism that draws it."""
        return Laplace(scale=self.scale) if self.kind == "laplace" else Gaussian(scale=self.scale)

    def space(self, length: int, kind: type = float) -> Space:
        """A number of values on the grid."""
        return Space(NumbersDomain(length=length, kind=kind, grid=self.grid), VectorDistance())

    @property
    def bits(self) -> int:
        """How often the grid step is halved before noise is drawn."""
        if self.kind == "laplace" or self.scale < _COARSEST * self.grid:
            return 0
        return max(_FINE_BITS + 1 - math.floor(self.scale / self.grid).bit_length(), 0)

    @property
    def fine(self) -> Fraction:
        """The grid step on which noise is drawn."""
        return self.grid / (1 << self.bits)

    def rounded(self, steps: Array) -> Array:
        """Round noisy numbers from the fine grid to the grid, halves upward; numbers beyond 64 bits become floats."""
        if self.bits == 0:
            return steps
        if steps.dtype != np.int64:
            return np.asarray(np.floor(steps / (1 << self.bits) + 0.5))
        return np.asarray((steps >> self.bits) + ((steps >> (self.bits - 1)) & 1))

    @property
    def deviation(self) -> float:
        """The standard deviation of one draw; infinite where a float cannot hold it."""
        if self.scale > _LARGEST:
            return math.inf
        if self.kind == "gaussian":  # that of the discrete law is no larger; rounding adds its own
            return math.hypot(float(self.scale), float(self.grid) / math.sqrt(12) if self.bits else 0.0)
        rate = float(self.grid / self.scale)
        if rate < 1e-4:
            return math.sqrt(2.0) * float(self.scale)
        if rate > 700:
            return 0.0
        return float(self.grid) * math.sqrt(2.0 * math.exp(-rate)) / -math.expm1(-rate)

    def half_width(self, level: object) -> Fraction:
        """Give the size that one draw exceeds with probability at most ``1 - level``; certified."""
        return _half_width(self, read_level(level))

    def quantile(self, weights: Array, level: object) -> Array:
        """Give the size that a weighted sum of independent draws exceeds with probability about ``1 - level``, or less.

        Args:
            weights: An array whose last axis holds the weights of one sum.
            level: Between zero and one.
        """
        share = float(1 - read_level(level))
        sizes = np.abs(np.asarray(weights, dtype=np.float64))
        slack = _slack(sizes, self.grid)
        scale = float(self.scale)
        if self.kind == "gaussian":
            return np.asarray(NormalDist().inv_cdf(1 - share / 2) * scale * np.sqrt((sizes**2).sum(axis=-1)) + slack)
        return np.asarray(scale * laplace_sum_quantile(sizes, share) + slack)

    def exceeds(self, sizes: Array, weights: Array, level: object) -> Array:
        """Say where a size is above the ``quantile`` of its weights; faster than computing that.

        Args:
            sizes: Zero or more, one for each sum.
            weights: As for ``quantile``.
            level: Between zero and one.
        """
        if self.kind == "gaussian" or np.shape(weights)[-1] > _FEW:
            return np.asarray(sizes > self.quantile(weights, level))
        absolute = np.abs(np.asarray(weights, dtype=np.float64))
        beyond = np.maximum(sizes - _slack(absolute, self.grid), 0.0) / float(self.scale)
        ratios, largest = _ordered(absolute.reshape(-1, absolute.shape[-1]))
        tail = _tail(*_fractions(ratios), beyond.reshape(-1) / largest)
        return np.asarray((tail < float(1 - read_level(level))).reshape(np.shape(sizes)))


def unit_noise(noise: Noise, width: Fraction) -> Noise:
    """Give the noise of numbers that are divided by ``width``."""
    return Noise(kind=noise.kind, scale=noise.scale / width, grid=noise.grid / width)


def rejection_edge(rejected: Callable[[Array], Array], inside: Array, outside: Array, halvings: int) -> Array:
    """Bisect between numbers that a test keeps and numbers that it rejects; give the rejected ends.

    Args:
        rejected: Says which numbers the test rejects.
        inside: Numbers that it keeps.
        outside: Numbers that it rejects.
        halvings: How often to halve the distance.
    """
    for _ in range(halvings):
        middle = (outside + inside) / 2
        out = rejected(middle)
        outside, inside = np.where(out, middle, outside), np.where(out, inside, middle)
    return outside


def read_level(level: object) -> Fraction:
    """Read the level of an interval."""
    share = read_number("interval.level", level)
    if not 0 < share < 1:
        raise InvalidError(f"interval.level must be between zero and one, got {short(share)}.")
    return share


@lru_cache(maxsize=1024)
def _half_width(noise: Noise, level: Fraction) -> Fraction:
    half = noise.mechanism.accuracy(1 - level, evolve(noise, grid=noise.fine).space(1))
    return half if noise.bits == 0 else math.floor(half / noise.grid + Fraction(1, 2)) * noise.grid


def _slack(weights: Array, grid: Fraction) -> Array:
    """Give how far a sum of few draws on the grid may lie from one of continuous draws, which have a larger variance.

    One draw is a rounded continuous one; in a sum of many the grids blur, and nothing has to be added.
    """
    largest = weights.max(axis=-1)
    return np.asarray(largest * (float(grid) / 2) if weights.shape[-1] <= _FEW else largest * 0.0)


def laplace_sum_quantile(weights: Array, share: float) -> Array:
    """Give the size that a weighted sum of unit Laplace noises exceeds with probability ``share``, never too small.

    Args:
        weights: Zero or more; the last axis holds those of one sum.
        share: Between zero and one.
    """
    sizes = np.atleast_2d(np.asarray(weights, dtype=np.float64))
    ratios, largest = _ordered(sizes.reshape(-1, sizes.shape[-1]))
    quantiles = (_closed if ratios.shape[1] <= _FEW else _inverted)(ratios, share) * largest
    return np.asarray(quantiles.reshape(np.shape(weights)[:-1]))


def _ordered(sizes: Array) -> tuple[Array, Array]:
    """Give the weights in rising order as shares of the largest, and the largest."""
    rising = np.sort(sizes, axis=1)
    largest = np.maximum(rising[:, -1], np.finfo(np.float64).tiny)
    return rising / largest[:, None], largest


def _fractions(ratios: Array) -> tuple[Array, Array]:
    """Write the law of a sum as a mixture of Laplace laws, of either sign: partial fractions.

    The tail is ``sum of c_i exp(-x / w_i)`` with c_i the product over j of w_i² / (w_i² - w_j²).
    """
    apart = np.maximum(ratios, 1e-6)
    for at in range(1, apart.shape[1]):
        apart[:, at] = np.maximum(apart[:, at], apart[:, at - 1] * (1 + _APART))
    squares = apart**2
    shares = np.ones_like(apart)
    for at in range(apart.shape[1]):
        for other in range(apart.shape[1]):
            if other != at:
                shares[:, at] *= squares[:, at] / (squares[:, at] - squares[:, other])
    return apart, shares


def _tail(apart: Array, shares: Array, at: Array) -> Array:
    return np.asarray((shares * np.exp(-at[:, None] / apart)).sum(axis=1))


def _closed(ratios: Array, share: float) -> Array:
    """Bisect until the tail is the share."""
    apart, shares = _fractions(ratios)
    low, high = np.zeros(len(apart)), np.full(len(apart), (math.log(1 / share) + 3.0) * apart.shape[1])
    for _ in range(50):
        middle = (low + high) / 2
        above = _tail(apart, shares, middle) > share
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


def _inverted(ratios: Array, share: float) -> Array:
    """Invert the characteristic function ``product of 1 / (1 + w_i² t²)``, row by row: few rows, many noises.

    Many rows of a median are equal but for rounding. Weights are rounded up to a fine grid, so that a quantile is never
    too small, and equal rows are inverted once.
    """
    rows, places = np.unique(np.ceil(ratios * _FINE) / _FINE, axis=0, return_inverse=True)
    return np.array([_inverted_row(row, share) for row in rows])[places.reshape(-1)]


def _inverted_row(row: Array, share: float) -> float:
    """Keep the largest weights; together, many small ones are nearly normal."""
    kept, rest = row[-_KEPT:], float((row[:-_KEPT] ** 2).sum())
    deviation = math.sqrt(2 * float((row**2).sum()))
    reach = 16 * (deviation + math.log(1 / share))  # beyond half of it the law has next to no mass
    step = math.pi / reach
    times = np.arange(1, _POINTS) * step
    logs = -np.log1p((kept[:, None] * times) ** 2).sum(axis=0) - rest * times**2
    near = logs > -40  # what is left out is below e^-40
    at, values = times[near], np.exp(logs[near]) / times[near]

    def beyond(x: float) -> float:
        return 1 - step / math.pi * (x + 2 * float((np.sin(at * x) * values).sum()))

    low, high = 0.0, reach / 2
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > share else (low, middle)
    return high
