"""The best few candidates, selected one after the other."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, number, positive, short, whole
from privet.errors import MismatchError
from privet.mechanisms.selection import accept_scores, gaps_of, select


@final
@frozen(kw_only=True)
class TopK(Measurement):
    """Select several candidates by their scores, best first, each at most once.

    The result has the distribution of the ``count`` largest scores after Gumbel noise is added once to each, in order.

    Args:
        count: How many to select, one or more and at most the number of candidates.
        temperature: In the units of the scores, above zero. Twice the temperature, half the loss.

    Guarantee: ``count`` times that of ``Exponential``: ``epsilon = count d_in / temperature`` and ``rho = count (d_in /
        temperature)² / 8``.
    Proof: docs/mechanisms/top_k.md.

    >>> from privet.core.grid_domains import NumbersDomain
    >>> from privet.core.metric import RangeDistance
    >>> scores = Space(NumbersDomain(length=9, kind=int), RangeDistance())
    >>> (scores >> TopK(count=3, temperature=4)).map(1).epsilon()
    Fraction(3, 4)
    """

    count: int = field(converter=whole, validator=positive)
    temperature: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """The scores of at least as many candidates as are selected."""
        domain = accept_scores(self, space)
        if domain.length < self.count:
            raise MismatchError(
                f"TopK.count must be at most the number of candidates, {domain.length}, got {self.count}."
            )

    def release(self, value: Array, space: Space) -> Array:
        """Peel: select one, leave it out, select the next."""
        rate = accept_scores(self, space).grid / self.temperature
        left, chosen = np.arange(len(value)), []
        for _ in range(self.count):
            at = select(gaps_of(value[left]), rate)
            chosen.append(int(left[at]))
            left = np.delete(left, at)
        return np.array(chosen, dtype=np.int64)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """As many adaptive selections; the range of a part of the scores is no larger than that of all."""
        return BoundedRangeLoss(Fraction(d_in) / self.temperature) * self.count
