"""Shuffling: the same records in a random order."""

from typing import Any, ClassVar, final

import numpy as np
from attrs import frozen

from privet.core import Array, Records, Space
from privet.transforms import KeyedTransformation, table, take


@final
@frozen(kw_only=True)
class Shuffle(KeyedTransformation):
    """Put the records in a uniformly random order.

    The metric does not change: ``RandomOrder`` and ``RandomPositions`` shuffle and change it.

    Guarantee: ``d_out = d_in``, for every metric on records. No amplification is claimed.
    Proof: docs/transforms/shuffle.md.

    >>> from privet.core.space import vector
    >>> sorted((vector(int) >> Shuffle())([3, 1, 2]).tolist())
    [1, 2, 3]
    """

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        """The same space."""
        table(self, space)
        return space

    def combine(self, value: Records | Array, coins: Array, space: Space) -> Any:
        """Sort by key."""
        return take(value, np.argsort(coins))

    def stability(self, d_in: int, space: Space) -> int:
        """Rows that both tables share have the same keys, and so the same relative order."""
        return d_in
