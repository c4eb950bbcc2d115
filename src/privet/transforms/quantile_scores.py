"""Scores of candidates for a quantile: how well each splits the rows."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, RangeDistance, Space, number, probability, short
from privet.transforms import number_list, numeric_column, points_of, replaced, rising, rows_around, seen

_SAFE = 2**62


@final
@frozen(kw_only=True)
class QuantileScores(Transformation):
    """Score each candidate by how well it splits the rows into shares alpha and 1 - alpha.

    The score of c is ``-|(1 - alpha) #(rows < c) - alpha #(rows > c)|``, an exact fraction; zero is best. Nulls and NaN
    are left out.

    Args:
        candidates: Increasing numbers, chosen without looking at the data.
        alpha: The share of rows below the quantile, from zero to one; a half for the median.

    Guarantee: ``d_out = 2 max(alpha, 1 - alpha) d_in``; if the size is public, ``2 ceil(d_in / 2)``; for alpha zero or
        one, half of both.
    Proof: docs/transforms/quantile_scores.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> QuantileScores(candidates=[0, 2, 9], alpha=0.5))([1, 2, 3]).tolist()
    [-1.5, 0.0, -1.5]
    """

    candidates: tuple[Fraction, ...] = field(converter=number_list, validator=rising, repr=short)
    alpha: Fraction = field(converter=number, validator=probability, repr=short)

    def output(self, space: Space) -> Space:
        """One score for each candidate; the grid step is one over the denominator of alpha."""
        points_of(self, numeric_column(self, space), self.candidates)
        grid = Fraction(1, self.alpha.denominator)
        return Space(NumbersDomain(length=len(self.candidates), kind=float, grid=grid), RangeDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Count the rows on both sides of every candidate."""
        below, above = rows_around(seen(value), points_of(self, numeric_column(self, space), self.candidates))
        return split_scores(below, above, self.alpha)

    def stability(self, d_in: int, space: Space) -> Fraction:
        """A row changes the difference inside the bars by 1 - alpha or alpha, a replacement by at most one."""
        swaps = replaced(space, d_in)
        return split_range(self.alpha) * d_in if swaps is None else swap_range(self.alpha) * swaps


def split_scores(below: Array, above: Array, alpha: Fraction) -> Array:
    """Return ``-|(1 - alpha) below - alpha above|`` in grid steps of one over the denominator of alpha."""
    left, right = alpha.denominator - alpha.numerator, alpha.numerator
    rows = int(below.max(initial=0)) + int(above.max(initial=0))
    if max(rows, 1) * alpha.denominator >= _SAFE:
        below, above = below.astype(object), above.astype(object)
    return np.asarray(-np.abs(left * below - right * above))


def split_range(alpha: Fraction) -> Fraction:
    """Return the largest range distance that one added or removed row causes.

    At alpha zero or one the scores count rows on one side only, so a row changes all scores in the same direction.
    """
    return Fraction(1) if alpha in (0, 1) else 2 * max(alpha, 1 - alpha)


def swap_range(alpha: Fraction) -> Fraction:
    """Return the largest range distance that one replaced row causes."""
    return Fraction(1 if alpha in (0, 1) else 2)
