"""The sizes of the parts of a partition."""

from typing import Any, final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, Parts, Space, VectorDistance
from privet.transforms import partition_of


@final
@frozen(kw_only=True)
class GroupSize(Transformation):
    """Count the records of each part.

    Guarantee: the norms of the partition, and ``l2² <= linf min(l1, l0 linf)`` if that is less.
    Proof: docs/transforms/group_size.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.partition_by_key import PartitionByKey
    >>> chain = vector(str) >> PartitionByKey(categories=["a", "b"]) >> GroupSize()
    >>> chain(["b", "a", "b", "c"]).tolist()
    [1, 2]
    """

    def output(self, space: Space) -> Space:
        """One whole number for each part."""
        return Space(NumbersDomain(length=partition_of(self, space).parts, kind=int), VectorDistance())

    def apply(self, value: tuple[Any, ...], space: Space) -> Array:
        """Count part by part."""
        return np.array([len(part) for part in value], dtype=np.int64)

    def stability(self, d_in: Parts, space: Space) -> Parts:
        """The size of a part changes by at most the distance of the part."""
        squares = min(d_in.l2_squared, d_in.linf * d_in.l1, d_in.l0 * d_in.linf**2)
        return Parts(l0=d_in.l0, l1=d_in.l1, l2_squared=squares, linf=d_in.linf)
