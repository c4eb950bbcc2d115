"""Report noisy max, with the gap to the next candidate."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen
from flint import arb, ctx

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, ball, number, positive, saturated, short
from privet.errors import MismatchError
from privet.mechanisms.selection import accept_scores, gaps_of, select, uniform
from privet.noise.drawing import certified_bounds, invert

_NEVER = -(2**20)  # exp of it is below any bit that is ever drawn


@final
@frozen(kw_only=True)
class NoisyMaxWithGap(Measurement):
    """Select a candidate as ``GumbelMax`` does, and release how far its noisy score lies above the next.

    Releases a pair (position, gap), the gap rounded down to the grid. The gap costs no epsilon.

    Args:
        scale: In the units of the scores, above zero. Twice the scale, half the loss.
        grid: The step that the gap is rounded to, above zero.

    Guarantee: ``epsilon = d_in / scale``, where ``d_in`` is the range distance.
    Proof: docs/mechanisms/noisy_max_with_gap.md.

    >>> from privet.core.grid_domains import NumbersDomain
    >>> from privet.core.metric import RangeDistance
    >>> scores = Space(NumbersDomain(length=3, kind=int), RangeDistance())
    >>> (scores >> NoisyMaxWithGap(scale=4, grid=1)).map(2).epsilon()
    Fraction(1, 2)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    grid: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """The scores of two or more candidates."""
        if accept_scores(self, space).length < 2:
            raise MismatchError("NoisyMaxWithGap needs two candidates or more: one alone has no gap to the next.")

    def release(self, value: Array, space: Space) -> tuple[int, float]:
        """Select, then draw the gap from its distribution given the selected candidate."""
        rate = accept_scores(self, space).grid / self.scale
        gaps = gaps_of(value)
        chosen = select(gaps, rate)
        behind = [int(gap) - int(gaps[chosen]) for gap in gaps.tolist()]
        del behind[chosen]
        lead = min(behind)
        law = _GapLaw(
            step=self.grid / self.scale, lead=lead * rate, others=tuple((item - lead) * rate for item in behind)
        )
        steps = invert(law, uniform(), max(math.floor(law.lead / law.step), 0))
        return chosen, saturated(steps * self.grid)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The difference of the best two is logistic around a centre that moves by at most d."""
        return PureLoss(Fraction(d_in) / self.scale)


@final
@frozen(kw_only=True)
class _GapLaw:
    """The whole part of a logistic number given that it is above zero, with certified bounds.

    Args:
        step: The grid, in scales.
        lead: How far the selected score lies above the best of the others, in scales; negative if it is not the best.
        others: How far the other scores lie below the best of them, in scales.
    """

    step: Fraction
    lead: Fraction
    others: tuple[Fraction, ...]
    sums: dict[int, arb] = field(
        factory=dict, init=False, eq=False, repr=False
    )  # private, so it must not outlive this law

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket the probability of at most k steps: (1 - exp(-x)) / (1 + exp(centre - x)) at x = (k + 1) step."""
        x = (k + 1) * self.step
        if x - self.lead < _NEVER:  # exp(lead - x) would not fit, and what is sought is below exp(x - lead) * others
            return 0, 1
        return certified_bounds(lambda: -(-ball(x)).expm1() / (1 + ball(self.lead - x).exp() / self._crowd()), bits)

    def _crowd(self) -> arb:
        """Sum the weights of the others; the best of them has weight one."""
        bits = int(ctx.prec)
        if bits not in self.sums:
            self.sums[bits] = sum(((-ball(item)).exp() for item in self.others), arb(0))
        return self.sums[bits]
