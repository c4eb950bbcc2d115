"""Report noisy max with Gumbel noise."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen
from flint import arb

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, ball, number, positive, precision, short
from privet.mechanisms.selection import accept_scores, gaps_of, scale_within, shortfall
from privet.noise import current
from privet.noise.drawing import LazyUniform

_SPARE = 64  # bits beyond those of the uniform number, so that two logarithms cost none of them


@final
@frozen(kw_only=True)
class GumbelMax(Measurement):
    """Add Gumbel noise to every score and release the position of the largest.

    The noise is ``-scale ln(-ln U)`` with a uniform real U, of which as many bits are drawn as the comparison needs.
    The result has the distribution of ``Exponential(temperature=scale)``, which is faster.

    Args:
        scale: In the units of the scores, above zero. Twice the scale, half the loss.

    Guarantee: ``epsilon = d_in / scale`` and ``rho = epsilon² / 8``, where ``d_in`` is the range distance.
    Proof: docs/mechanisms/gumbel_max.md.

    >>> from privet.core.grid_domains import NumbersDomain
    >>> from privet.core.metric import RangeDistance
    >>> scores = Space(NumbersDomain(length=3, kind=int), RangeDistance())
    >>> round(float((scores >> GumbelMax(scale=4)).map(2).rho()), 5)
    0.03114
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """The scores of one or more candidates."""
        accept_scores(self, space)

    def release(self, value: Array, space: Space) -> int:
        """Narrow the noisy scores until one is certainly the largest."""
        rate = accept_scores(self, space).grid / self.scale
        behind = [int(gap) * rate for gap in gaps_of(value).tolist()]
        source = current()
        noise = [LazyUniform(source, int(word), 64) for word in source.words(len(behind), np.uint64)]
        running = list(range(len(behind)))
        while True:
            with precision(noise[running[0]].bits + _SPARE):
                running = _leaders({at: _gumbel(noise[at]) - ball(behind[at]) for at in running})
            if len(running) == 1:
                return running[0]
            for at in running:
                noise[at].extend()

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the exponential mechanism, which has the same distribution."""
        return BoundedRangeLoss(Fraction(d_in) / self.scale)

    def shortfall(self, beta: object, *, candidates: int) -> Fraction:
        """The shortfall from the best score that the selected one exceeds with probability at most ``beta``.

        Args:
            beta: Between zero and one.
            candidates: How many there are.
        """
        return shortfall(self, self.scale, beta, candidates)

    @classmethod
    def for_shortfall(cls, shortfall: object, beta: object, candidates: int) -> "GumbelMax":
        """The selection with the largest scale whose ``shortfall`` is at most the given one.

        Args:
            shortfall: In the units of the scores, above zero.
            beta: Between zero and one.
            candidates: How many there are, two or more.

        >>> GumbelMax.for_shortfall(15, 0.05, 101).shortfall(0.05, candidates=101)
        Fraction(15, 1)
        """
        return cls(scale=scale_within(cls, shortfall, beta, candidates))


def _gumbel(uniform: LazyUniform) -> arb:
    return -(-uniform.enclosure().log()).log()


def _leaders(keys: dict[int, arb]) -> list[int]:
    """Give the candidates that may still be the largest; a key that is not finite yet may be anything."""
    known = [key.lower() for key in keys.values() if key.is_finite()]
    if not known:
        return list(keys)
    best = known[0]
    for low in known[1:]:
        best = low if low > best else best
    return [at for at, key in keys.items() if not key.is_finite() or not key.upper() < best]
