"""Random positions for the rows of a table of public size, so that units that compare positions may follow."""

from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core import Array, HammingDistance, Records, Space
from privet.transforms import KeyedTransformation, replaced, sized_table, take, with_size


@final
@frozen(kw_only=True)
class RandomPositions(KeyedTransformation):
    """Put a table of public size in a uniformly random order, and count rows replaced in place from here on.

    Guarantee: ``d_out = ceil(d_in / 2)`` under ``HammingDistance``; from ``HammingDistance``, ``d_out = d_in``.
    Proof: docs/transforms/random_positions.md.

    >>> from privet.core.space import vector
    >>> (vector(int, size=10) >> RandomPositions()).map(2)
    1
    """

    def output(self, space: Space) -> Space:
        """The same table under the Hamming distance."""
        domain, size = sized_table(self, space, "write size=... on the space, or put Resize before it")
        return with_size(domain, size, HammingDistance())

    def combine(self, value: Records | Array, coins: Array, space: Space) -> Any:
        """Sort by key."""
        return take(value, np.argsort(coins))

    def stability(self, d_in: int, space: Space) -> int:
        """A record takes over the key of the record that it replaces, and so its position."""
        return replaced(space, d_in) or 0
