"""A quantile, selected from all points of a bounded column's grid."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Space, number, positive, probability, short
from privet.mechanisms.pieces import draw, sorted_steps, written
from privet.transforms import bounded_column, replaced
from privet.transforms.quantile_scores import split_range, swap_range


@final
@frozen(kw_only=True)
class QuantileInterval(Measurement):
    """Select a point between the bounds that splits the rows well into shares alpha and 1 - alpha.

    Every point of the column's grid is a candidate, with the score of ``QuantileScores``; nulls and NaN are left out.

    Args:
        alpha: The share of rows below the quantile, from zero to one.
        temperature: In rows, above zero. Twice the temperature, half the loss.

    Guarantee: ``epsilon = 2 max(alpha, 1 - alpha) d_in / temperature`` and ``rho = epsilon² / 8``; where the size is
        public, ``epsilon = 2 ceil(d_in / 2) / temperature``; for alpha zero or one, half of both epsilons.
    Proof: docs/mechanisms/quantile_interval.md.

    >>> from privet.core.space import vector
    >>> median = vector(float, bounds=(0, 100)) >> QuantileInterval(alpha=0.5, temperature=2)
    >>> 0 <= median([1.0, 2.0, 3.0]) <= 100
    True
    """

    alpha: Fraction = field(converter=number, validator=probability, repr=short)
    temperature: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A bounded column of numbers."""
        bounded_column(self, space)

    def release(self, value: Array, space: Space) -> int | float:
        """Draw a point of the grid."""
        rows, low, high = sorted_steps(value, self, space)
        domain, _ = bounded_column(self, space)
        return written(draw(rows, low, high, self.alpha, self.temperature), domain)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the exponential mechanism at the range of the scores."""
        swaps = replaced(space, d_in)
        moved = split_range(self.alpha) * d_in if swaps is None else swap_range(self.alpha) * swaps
        return BoundedRangeLoss(moved / self.temperature)
