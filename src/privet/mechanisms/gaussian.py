"""The Gaussian mechanism on integers and on a public grid."""

import math
from collections import Counter
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.alternatives import LeastLoss, WorstLoss
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Loss
from privet.core import Parts, Space, number, positive, short
from privet.mechanisms.additive import AdditiveMechanism, grid_of, noisy, size_of, widest_scale
from privet.mechanisms.moves import Move, longest_moves
from privet.noise import discrete_gaussian, discrete_gaussian_quantile


@final
@frozen(kw_only=True)
class Gaussian(AdditiveMechanism):
    """Add discrete Gaussian noise to a number, or to each of several.

    Releases ``x + Z`` where ``P(Z = z)`` is proportional to ``exp(-z² / (2 scale²))`` on the grid of ``x``.

    Args:
        scale: Spread of the noise in the units of the data, above zero. Twice the scale, a quarter of rho.

    Guarantee: ``rho = d_in² / (2 scale²)``, where a vector's ``d_in`` is its l2 distance.
    Proof: docs/mechanisms/gaussian.md.

    >>> Gaussian(scale=2).map(1).rho()
    Fraction(1, 8)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)

    @classmethod
    def for_accuracy(cls, accuracy: object, beta: object, grid: object = 1) -> "Gaussian":
        """Make the mechanism with the most noise that exceeds ``accuracy`` with probability at most ``beta``.

        Its loss, ``chain.map(d_in)``, is the smallest that allows this accuracy.

        Args:
            accuracy: The half-width in the units of the data.
            beta: The probability that the noise exceeds it.
            grid: The step of the data: 1 for whole numbers.
        """
        return cls(scale=widest_scale(discrete_gaussian_quantile, accuracy, beta, grid))

    def release(self, value: Any, space: Space) -> Any:
        """Add whole steps of noise."""
        return noisy(value, discrete_gaussian(self.scale / grid_of(space), size=size_of(space)), space)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The Rényi divergence of order alpha is at most alpha d²/(2 scale²), coordinate by coordinate."""
        step = grid_of(space)
        if not isinstance(d_in, Parts):
            return GaussianLoss(distance=d_in, scale=self.scale, step=step)
        if d_in.linf <= step and d_in.l0 > 1:  # up to l0 numbers move by one step each, and none by more
            moved = min(d_in.l0, math.floor(d_in.l1 / step), math.floor(d_in.l2_squared / step**2))
            return GaussianLoss(distance=step, scale=self.scale, step=step) * moved
        squared = min(d_in.l2_squared, d_in.l0 * d_in.linf**2)
        whole = GaussianLoss(squared=squared, scale=self.scale, step=step, coordinates=max(d_in.l0, 1))
        moves = longest_moves(d_in, step) if whole.by_curve else []
        if not moves:
            return whole
        ways = [self._moved(move, step) for move in moves]
        # where there are several, none of them is the worst at every epsilon
        return ways[0] if len(ways) == 1 else LeastLoss.of([WorstLoss.of(ways), whole])

    def _moved(self, move: Move, step: Fraction) -> Loss:
        """The loss if the numbers move by these steps."""
        numbers = (
            GaussianLoss(distance=far * step, scale=self.scale, step=step) * often
            for far, often in Counter(move).items()
        )
        return reduce(add, numbers)

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The smallest number of steps that the noise exceeds with probability at most beta."""
        step = grid_of(space)
        return discrete_gaussian_quantile(self.scale / step, beta) * step
