"""The median of a bounded column, with its smooth sensitivity."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Space, ball, ends, nearest_step, number, positive, precision, short
from privet.transforms import bounded_column, column_steps, ends_in_steps, records_changed, replaced
from privet.transforms.smooth_pairs import FLOOR, SmoothDistance, SmoothDomain

_STEEPEST = 64


@final
@frozen(kw_only=True)
class SmoothMedian(Transformation):
    """Compute the lower median of a bounded column, and a smooth bound on its local sensitivity.

    The answer is the row of rank ``ceil(n / 2)``, or the lower bound if there are no rows. The smooth bound is
    ``S = max over k of e^(-beta k) A_k``, where ``A_k`` is the local sensitivity at distance k: never the sensitivity
    of the data alone. A null or NaN counts as the value within the bounds nearest to zero.

    Args:
        beta: The smoothness: one row changes S by a factor of at most e^beta. A smaller beta gives a larger S.

    Guarantee: ``d_out = d_in`` moves between neighbours; if the size is public, ``ceil(d_in / 2)``.
    Proof: docs/transforms/smooth_median.md.

    >>> from privet.core.space import vector
    >>> (vector(int, bounds=(0, 100)) >> SmoothMedian(beta=0.5))([10, 20, 30, 40, 50])[0]
    30
    """

    beta: Fraction = field(converter=number, validator=positive, repr=short)

    def output(self, space: Space) -> Space:
        """A pair of the median and its smooth bound."""
        domain, _ = bounded_column(self, space)
        return Space(SmoothDomain(kind=domain.kind, beta=self.beta, grid=domain.step), SmoothDistance())

    def apply(self, value: Array, space: Space) -> tuple[int, Fraction]:
        """Sort, in grid steps, and read both numbers off the order."""
        domain, bounds = bounded_column(self, space)
        steps = column_steps(value, domain, missing=nearest_step(Fraction(0), bounds, domain.step))
        ranked = Ranked(np.sort(steps), *ends_in_steps(bounds, domain.step))
        spread = ranked.by_row if replaced(space, 1) is None else ranked.by_replacement
        largest = smooth_maximum(spread, len(ranked.rows), ranked.high - ranked.low, self.beta)
        return ranked.at(ranked.middle), largest * domain.step

    def stability(self, d_in: int, space: Space) -> int:
        """A row, or a replacement if the size is public, leads to one neighbour."""
        return records_changed(space, d_in)


@final
@frozen(eq=False)
class Ranked:
    """A sorted column in grid steps, continued by the lower bound before it and the upper bound after it."""

    rows: Array
    low: int
    high: int

    @property
    def middle(self) -> int:
        """Return the rank of the lower median, from one; zero without rows."""
        return (len(self.rows) + 1) // 2

    def at(self, rank: int) -> int:
        """Return the row of a rank."""
        if rank < 1:
            return self.low
        return self.high if rank > len(self.rows) else int(self.rows[rank - 1])

    def by_row(self, k: int) -> int:
        """Return A_k if rows are added and removed: k removals empty the middle."""
        rows = len(self.rows)
        return self.at((rows + k) // 2 + 1) - self.at((rows - k) // 2)

    def by_replacement(self, k: int) -> int:
        """Return A_k if rows are replaced: the widest window of k + 1 gaps that touches the middle."""
        first, last = self.middle - k - 1, self.middle + k + 1
        rows = self.rows[max(first, 1) - 1 : max(last, 0)]
        before = min(max(1 - first, 0), last - first + 1)
        window = np.concatenate(
            [np.full(before, self.low), rows, np.full(last - first + 1 - before - len(rows), self.high)]
        )
        ordered = window.astype(np.int64).view(np.uint64)  # differences below 2^64 are right for all signs
        return int((ordered[k + 1 :] - ordered[: -k - 1]).max())


def smooth_maximum(spread: Callable[[int], int], last: int, most: int, beta: Fraction) -> Fraction:
    """Return max over k of w_k spread(k), or ``FLOOR`` if that is larger, with e^(-beta k) <= w_k <= e^beta w_(k+1).

    The second property makes the maximum smooth, and rounding each e^(-beta k) by itself would break it. So the weights
    are e^(-b k) rounded up by a factor of at most 1 + t, with b + t <= beta: then w_k / w_(k+1) is at most
    e^b (1 + t) <= e^beta.

    Args:
        spread: The local sensitivity at distance k, which does not decrease in k.
        last: From this k on the local sensitivity is ``most``.
        most: The width of the bounds.
        beta: The smoothness.
    """
    steep = min(beta, Fraction(_STEEPEST))  # a smaller beta is a stronger property
    # beyond this k the weighted width is below the floor, by a factor larger than any rounding
    end = min(last, math.ceil(Fraction(math.log(most) - math.log(FLOOR) + 2) / steep))
    weight, reach = cache(partial(_weight, steep)), cache(spread)
    best, ranges = FLOOR, [(0, end)]
    while ranges:
        low, high = ranges.pop()
        if weight(low) * reach(high) <= best:
            continue  # no k in between gives more: weights fall and spreads rise
        best = max(best, weight(low) * reach(low), weight(high) * reach(high))
        if high - low > 1:
            middle = (low + high) // 2
            ranges += [(middle, high), (low, middle)]
    return best


def _weight(beta: Fraction, k: int) -> Fraction:
    if k == 0:
        return Fraction(1)
    slack = min(beta, Fraction(1)) / 2**32
    # the relative width of the ball is below beta k 2^(4 - bits), less than the slack
    bits = 64 + math.ceil(1 / slack).bit_length() + math.ceil(beta * k).bit_length()
    with precision(bits):
        return ends(ball((slack - beta) * k).exp())[1]
