"""Partitioning at random."""

from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import RandomTransformation
from privet.core import Array, Parts, Records, Space, positive, whole
from privet.noise.uniform import uniform_below
from privet.transforms import partition_space, records_changed, rows_changed, take


@final
@frozen(kw_only=True)
class PartitionRandomly(RandomTransformation):
    """Assign each record to one of a public number of parts, by an independent coin.

    The parts have random sizes. Parts of equal size, cut from a shuffled data set, would not be stable: one more record
    shifts the cuts, and so moves other records.

    Args:
        parts: How many parts.

    Guarantee: ``l1 = linf = d_in``, ``l0 <= d_in``, ``l2² <= d_in²``; a replaced record counts two, in one part.
    Proof: docs/transforms/partition_randomly.md.

    >>> from privet.core.space import vector
    >>> chain = vector(int) >> PartitionRandomly(parts=3)
    >>> sum(map(len, chain([1, 2, 3, 4])))
    4
    """

    parts: int = field(converter=whole, validator=positive)

    def output(self, space: Space) -> Space:
        """The stated number of parts."""
        return partition_space(self, space, self.parts)

    def coins(self, rows: int, space: Space) -> Array:
        """Draw the part of each record."""
        return uniform_below(self.parts, rows)

    def combine(self, value: Records | Array, coins: Array, space: Space) -> tuple[Any, ...]:
        """Assign each record to its part."""
        return tuple(take(value, coins == part) for part in range(self.parts))

    def stability(self, d_in: int, space: Space) -> Parts:
        """A record is in one part. A replacement takes over its coin, so it is in the same part."""
        parts, rows = records_changed(space, d_in), rows_changed(space, d_in)
        return Parts(l0=min(parts, self.parts), l1=rows, l2_squared=rows**2, linf=rows)
