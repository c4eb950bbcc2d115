"""The most frequent item of a column, if it is stable."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Space, number, positive, short
from privet.mechanisms.stable_keys import accept_keys, counted, smallest_threshold
from privet.mechanisms.tails import laplace_reaches
from privet.noise import discrete_laplace
from privet.transforms import rows_changed


@final
@frozen(kw_only=True)
class MostFrequentItem(Measurement):
    """Release the most frequent item without noise, if it leads the second by a clear margin; otherwise nothing.

    The lead of the first over the second gets discrete Laplace noise; if it reaches the threshold the release is the
    tuple ``(item,)``, otherwise the empty tuple. A null is not an item. The first in sorted order wins a tie.

    Args:
        scale: Spread of the noise, in rows, above zero.
        threshold: The smallest noisy lead at which the item is released; ``threshold_for`` finds it for a delta.

    Guarantee: ``epsilon = d_in / scale`` with ``delta = P(d_in + Z >= threshold)``, whatever the outcome.
    Proof: docs/mechanisms/most_frequent_item.md.

    >>> from privet.core.space import vector
    >>> bar = MostFrequentItem.threshold_for(scale=1, delta=1e-6)
    >>> chain = vector(str) >> MostFrequentItem(scale=1, threshold=bar)
    >>> bar, chain.map(1).pure().cost, chain(["oak"] * 900 + ["elm"] * 100)
    (15, Fraction(1, 1), ('oak',))
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A column of text, whole numbers or booleans."""
        accept_keys(self, space)

    def release(self, value: Any, space: Space) -> tuple[Any, ...]:
        """Test the lead; the item is looked up whether or not it will be released."""
        keys, counts = counted(value)
        first, second, *_ = [*sorted(counts, reverse=True), 0, 0]
        at = counts.index(first) if keys else 0
        leader = tuple(keys[at : at + 1])
        stable = first - second + discrete_laplace(self.scale) >= math.ceil(self.threshold)
        return leader if stable else ()

    def loss(self, d_in: Any, space: Space) -> Loss:
        """If two inputs have different items, both leads are at most the distance."""
        moved = rows_changed(space, d_in)
        if moved == 0:
            return ApproximateLoss(0, 0)
        return ApproximateLoss(moved / self.scale, laplace_reaches(self.scale, math.ceil(self.threshold) - moved))

    @staticmethod
    def threshold_for(*, scale: object, delta: object, d_in: int = 1) -> int:
        """The smallest threshold with this delta for inputs that differ in ``d_in`` added or removed rows."""
        return smallest_threshold(lambda width, bar: laplace_reaches(width, bar - d_in), scale, delta, d_in)
