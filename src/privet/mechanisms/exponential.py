"""The exponential mechanism over a finite list of candidates."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, number, positive, short
from privet.mechanisms.selection import accept_scores, gaps_of, scale_within, select, shortfall


@final
@frozen(kw_only=True)
class Exponential(Measurement):
    """Select a candidate by its score; better candidates have a higher probability.

    Releases position ``i`` with probability proportional to ``exp(score_i / temperature)``.

    Args:
        temperature: In the units of the scores, above zero. Twice the temperature, half the loss.

    Guarantee: ``epsilon = d_in / temperature`` and ``rho = epsilon² / 8``, where ``d_in`` is the range distance.
    Proof: docs/mechanisms/exponential.md.

    >>> from privet.core.grid_domains import NumbersDomain
    >>> from privet.core.metric import RangeDistance
    >>> scores = Space(NumbersDomain(length=3, kind=int), RangeDistance())
    >>> (scores >> Exponential(temperature=4)).map(2).epsilon()
    Fraction(1, 2)
    """

    temperature: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """The scores of one or more candidates."""
        accept_scores(self, space)

    def release(self, value: Array, space: Space) -> int:
        """Draw a position with its exact probability."""
        return select(gaps_of(value), accept_scores(self, space).grid / self.temperature)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The logarithm of a weight and that of the sum of weights both move within a range of d / temperature."""
        return BoundedRangeLoss(Fraction(d_in) / self.temperature)

    def shortfall(self, beta: object, *, candidates: int) -> Fraction:
        """The shortfall from the best score that the selected one exceeds with probability at most ``beta``.

        Args:
            beta: Between zero and one.
            candidates: How many there are.

        >>> round(float(Exponential(temperature=2).shortfall(0.05, candidates=101)), 2)
        15.2
        """
        return shortfall(self, self.temperature, beta, candidates)

    @classmethod
    def for_shortfall(cls, shortfall: object, beta: object, candidates: int) -> "Exponential":
        """The selection with the largest temperature whose ``shortfall`` is at most the given one.

        Args:
            shortfall: In the units of the scores, above zero.
            beta: Between zero and one.
            candidates: How many there are, two or more.

        >>> Exponential.for_shortfall(15, 0.05, 101).shortfall(0.05, candidates=101)
        Fraction(15, 1)
        """
        return cls(temperature=scale_within(cls, shortfall, beta, candidates))
