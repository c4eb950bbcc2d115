"""Permute-and-flip: report noisy max with exponential noise."""

from fractions import Fraction
from functools import partial
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, number, positive, short
from privet.mechanisms.selection import accept_scores, gaps_of, scale_within, shortfall
from privet.noise import current, shuffle
from privet.noise.drawing import LazyUniform, exp_bounds


@final
@frozen(kw_only=True)
class PermuteAndFlip(Measurement):
    """Select a candidate by its score; never worse than ``Exponential`` at the same epsilon.

    Goes through the candidates in random order and takes the first whose coin of probability
    ``exp((score - best) / scale)`` shows heads: the candidate whose score plus exponential noise is largest.

    Args:
        scale: In the units of the scores, above zero. Twice the scale, half the loss.

    Guarantee: ``epsilon = d_in / scale``, where ``d_in`` is the range distance.
    Proof: docs/mechanisms/permute_and_flip.md.

    >>> from privet.core.grid_domains import NumbersDomain
    >>> from privet.core.metric import RangeDistance
    >>> scores = Space(NumbersDomain(length=3, kind=int), RangeDistance())
    >>> (scores >> PermuteAndFlip(scale=4)).map(2).epsilon()
    Fraction(1, 2)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """The scores of one or more candidates."""
        accept_scores(self, space)

    def release(self, value: Array, space: Space) -> int:
        """Draw the order and all coins first, whatever the scores, then look at the coins one by one."""
        rate = accept_scores(self, space).grid / self.scale
        gaps, source = gaps_of(value), current()
        order, words = shuffle(len(gaps), entropy=source), source.words(len(gaps), np.uint64)
        heads = (
            position
            for position in map(int, order)
            if LazyUniform(source, int(words[position]), 64).below(partial(exp_bounds, int(gaps[position]) * rate))
        )
        return next(heads)  # the best candidate has a coin that always shows heads

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Raise the largest noisy score by d, and every comparison that it won is won again."""
        return PureLoss(Fraction(d_in) / self.scale)

    def shortfall(self, beta: object, *, candidates: int) -> Fraction:
        """The shortfall from the best score that the selected one exceeds with probability at most ``beta``.

        Args:
            beta: Between zero and one.
            candidates: How many there are.
        """
        return shortfall(self, self.scale, beta, candidates)

    @classmethod
    def for_shortfall(cls, shortfall: object, beta: object, candidates: int) -> "PermuteAndFlip":
        """The selection with the largest scale whose ``shortfall`` is at most the given one.

        Args:
            shortfall: In the units of the scores, above zero.
            beta: Between zero and one.
            candidates: How many there are, two or more.

        >>> PermuteAndFlip.for_shortfall(15, 0.05, 101).shortfall(0.05, candidates=101)
        Fraction(15, 1)
        """
        return cls(scale=scale_within(cls, shortfall, beta, candidates))
