"""Partitioning at random."""

from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import RandomTransformation
from privet.core.checks import positive, whole
from privet.core.metric import Parts
from privet.core.rows import Array
from privet.core.space import Space
from privet.noise.uniform import uniform_below
from privet.transforms.columns import replaced
from privet.transforms.partitions import parted
from privet.transforms.tables import take


@final
@frozen(kw_only=True)
class PartitionRandomly(RandomTransformation):
    """Give each record to one of a public number of parts, by a coin of its own.

    The parts have random sizes. Parts of equal size, cut from a shuffled data set, would not do: one record more moves
    where they are cut, and other records with it.

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
        """As many parts as stated."""
        return parted(self, space, self.parts)

    def coins(self, rows: int, space: Space) -> Array:
        """Draw the part of each record."""
        return uniform_below(self.parts, rows)

    def combine(self, value: Any, coins: Any, space: Space) -> tuple[Any, ...]:
        """Give each record to its part."""
        return tuple(take(value, coins == part) for part in range(self.parts))

    def stability(self, d_in: int, space: Space) -> Parts:
        """A record is in one part, and so is the one that replaces it: it takes over the coin."""
        swapped = replaced(space, d_in)
        touched, moved = (d_in, d_in) if swapped is None else (swapped, 2 * swapped)
        return Parts(l0=min(touched, self.parts), l1=moved, l2_squared=moved**2, linf=moved)
