"""A random order of rows, so that units that read rows in order may follow."""

from typing import Any, ClassVar, final

import numpy as np
from attrs import frozen

from privet.core import Array, InsertDelete, Records, Space
from privet.transforms import KeyedTransformation, rows_changed, size_of, table, take, with_size


@final
@frozen(kw_only=True)
class RandomOrder(KeyedTransformation):
    """Put the records in a uniformly random order, and count insertions and deletions of rows from here on.

    Guarantee: ``d_out = d_in`` under ``InsertDelete``; a replaced row counts two.
    Proof: docs/transforms/random_order.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> RandomOrder()).output.metric
    InsertDelete()
    """

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        """The same table under the insert/delete distance; a public size stays public."""
        domain = table(self, space)
        return with_size(domain, size_of(domain), InsertDelete())

    def combine(self, value: Records | Array, coins: Array, space: Space) -> Any:
        """Sort by key."""
        return take(value, np.argsort(coins))

    def stability(self, d_in: int, space: Space) -> int:
        """Rows that both tables share have the same keys, and so the same relative order."""
        return rows_changed(space, d_in)
