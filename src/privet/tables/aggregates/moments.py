"""Means, variances and covariances from noisy sums: what these say, and the tests that are inverted to intervals.

A mean follows from the sums of the distances to both ends. For second moments, with shares t of the width, the sums of
``(1 - t)²``, ``2 t (1 - t)`` and ``t²`` over the rows are three numbers of zero or more that add up to the number of
rows: the second moments on a face of the l1 ball, as endpoint sums hold the first. For two columns the products do the
same. Proof: docs/tables/aggregates/mean.md, docs/tables/aggregates/variance.md.

What is computed here in floats is post-processing of releases: no privacy depends on it.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array
from privet.tables.aggregates.noise import Noise, rejection_edge

_MEAN_HALVINGS = 50
_TINY = np.finfo(np.float64).tiny
MOST_STEPS = 2**20  # of a column: a sum of products of two stays below 2^62 up to 2^22 rows, and is exact beyond
MOST_STEPS_OF_FOUR = 2**12  # the same for products of four
_HALVINGS = 50
_LUMPED = 3  # the largest weights of a sum of noises that are kept apart


@final
@frozen(kw_only=True, eq=False, slots=False)
class EndpointShare:
    """The share of the way from the lower to the upper end at which a mean lies.

    A row at share s adds (s, 1 - s) to the two sums of its group.

    Args:
        numbers: The noisy sums of each group, in grid steps.
        noise: The noise of each sum, in rows.

    Proof: docs/tables/aggregates/mean.md.
    """

    numbers: Array
    noise: Noise

    @cached_property
    def _sums(self) -> tuple[Array, Array]:
        """Give both sums in rows: not below zero, like the exact ones; tiny where both would be zero."""
        sums = np.maximum(self.numbers.astype(np.float64) * float(self.noise.grid), 0.0)
        low, high = sums[:, :1], sums[:, 1:]
        empty = low + high == 0
        return np.where(empty, _TINY, low), np.where(empty, _TINY, high)

    @property
    def value(self) -> Array:
        """The ratio of the first sum to both; one half where the sums say nothing."""
        low, high = self._sums
        return np.asarray(low / (low + high))

    @property
    def error(self) -> Array:
        """The standard error at first order; one half where the sums say nothing."""
        low, high = self._sums
        share = self.value
        with np.errstate(over="ignore"):  # where the sums say nothing
            first = np.sqrt(share**2 + (1 - share) ** 2) * self.noise.deviation / (low + high)
        return np.asarray(np.minimum(np.nan_to_num(first, nan=0.5, posinf=0.5), 0.5))

    def interval(self, level: Fraction) -> tuple[Array, Array]:
        """Every share that a test of exact level does not reject."""
        return self._end(0.0, level), self._end(1.0, level)

    def _end(self, side: float, level: Fraction) -> Array:
        """Find where the test begins to reject, between the estimate and one end.

        A share s is rejected where ``|(1 - s) low - s high|`` exceeds the ``level`` quantile of
        ``|(1 - s) Z - s Z'|``. On each side of the estimate the rejected shares form one interval.
        """
        low, high = self._sums

        def rejected(at: Array) -> Array:
            weights = np.concatenate([1 - at, at], axis=1)
            return self.noise.exceeds(np.abs((1 - at) * low - at * high)[:, 0], weights, level)[:, None]

        end = np.full_like(self.value, side)
        return np.where(rejected(end), rejection_edge(rejected, self.value, end, _MEAN_HALVINGS), end)


@final
@frozen(kw_only=True)
class Moment:
    """A second moment as ``(a d - b c) / (n (n - ddof))``, all of them weighted sums of the numbers.

    Args:
        weights: The rows of weights for a, d, b, c.
        ddof: What is subtracted from one of the factors n: 1 for the unbiased moment of a sample, 0 for a population.
        low: The smallest value it can have.
        high: The largest.
    """

    weights: tuple[tuple[float, ...], ...]
    ddof: int
    low: float
    high: float

    def estimate(self, numbers: Array, noise: Noise) -> tuple[Array, Array]:
        """The moment of noisy numbers, within its range, and its error at first order."""
        parts = self._parts(numbers)
        value = self._value(parts)
        gradient = self._gradient(parts, value)
        size = np.maximum(parts[4] * (parts[4] - self.ddof), np.finfo(np.float64).tiny)
        with np.errstate(over="ignore"):  # where the numbers say nothing
            error = np.sqrt((gradient**2).sum(axis=1)) * noise.deviation / size
        return value, np.minimum(np.nan_to_num(error, nan=self.high, posinf=self.high), self.high)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Every moment that the test does not reject; the whole range where there may be too few rows.

        A moment v is rejected where ``|a d - b c - v n (n - ddof)|`` exceeds the ``level`` quantile of its first-order
        noise by more than one variance of the noise, which accounts for the second order.
        """
        parts = self._parts(numbers)
        value = self._value(parts)
        norms = [float(np.linalg.norm(row)) for row in self.weights]
        margin = noise.deviation**2 * max(norms[0] * norms[1], norms[2] * norms[3], 1.0)

        def rejected(at: Array) -> Array:
            gap = np.abs(parts[5] - at * parts[4] * (parts[4] - self.ddof)) - margin
            return noise.exceeds(np.maximum(gap, 0.0), lumped(self._gradient(parts, at), noise), level)

        def end(side: float) -> Array:
            most = np.full_like(value, side)
            closed = rejected(most) & (parts[4] >= 2)
            return np.where(closed, rejection_edge(rejected, value, most, _HALVINGS), most)

        return end(self.low), end(self.high)

    def _parts(self, numbers: Array) -> list[Array]:
        """Give a, d, b, c, n and ``a d - b c``; exact numbers are never negative, so noisy ones are not either."""
        clipped = np.maximum(numbers, 0.0)
        forms = [np.asarray(clipped @ np.array(row)) for row in self.weights]
        discriminant = forms[0] * forms[1] - forms[2] * forms[3]
        if self.low >= 0:
            discriminant = np.maximum(discriminant, 0.0)
        return [*forms, clipped.sum(axis=1), discriminant]

    def _value(self, parts: list[Array]) -> Array:
        size = parts[4] * (parts[4] - self.ddof)
        positive = (size > 0) & (parts[4] > self.ddof)
        return np.where(positive, np.clip(parts[5] / np.where(positive, size, 1.0), self.low, self.high), 0.0)

    def _gradient(self, parts: list[Array], at: Array) -> Array:
        """How the left-hand side of the equation moves with each number."""
        a, d, b, c = (np.array(row)[None, :] for row in self.weights)
        first = parts[1][:, None] * a + parts[0][:, None] * d - parts[3][:, None] * b - parts[2][:, None] * c
        return np.asarray(first - (at * (2 * parts[4] - self.ddof))[:, None])


def lumped(weights: Array, noise: Noise) -> Array:
    """Combine all but the largest weights, with the same variance and a heavier tail, where there are many."""
    if noise.kind == "gaussian" or weights.shape[1] <= _LUMPED + 1:
        return weights
    rising = np.sort(np.abs(weights), axis=1)
    rest = np.sqrt((rising[:, :-_LUMPED] ** 2).sum(axis=1, keepdims=True))
    return np.concatenate([rest, rising[:, -_LUMPED:]], axis=1)


def in_rows(numbers: Array, noise: Noise, width: Fraction) -> Array:
    """Write noisy grid steps as numbers of rows: a row adds one to their sum."""
    return np.asarray(numbers.astype(np.float64) * float(noise.grid / width))


def bernstein(width: int) -> tuple[tuple[int, int, int], ...]:
    """Write ``(w - s)²``, ``2 s (w - s)`` and ``s²`` by their coefficients of 1, s and s²."""
    return ((width**2, -2 * width, 1), (0, 2 * width, -2), (0, 0, 1))


def products(first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Multiply polynomials of two columns: all pairs of rows, over all pairs of powers."""
    return tuple(tuple(x * y for x in one for y in other) for one in first for other in second)
