"""The union of the parts of a partition."""

from typing import Any, final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Parts, Space
from privet.transforms import concatenate, partition_metric, partition_of


@final
@frozen(kw_only=True)
class Union(Transformation):
    """Concatenate the parts of a partition.

    Guarantee: ``d_out = l1``.
    Proof: docs/transforms/union.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.partition_by_key import PartitionByKey
    >>> chain = vector(str) >> PartitionByKey(categories=["a", "b"]) >> Union()
    >>> chain(["b", "a", "b", "c"]).tolist()
    ['a', 'b', 'b']
    """

    def output(self, space: Space) -> Space:
        """One data set, with the metric of the parts."""
        return Space(partition_of(self, space).inner, partition_metric(self, space))

    def apply(self, value: tuple[Any, ...], space: Space) -> Any:
        """Concatenate the parts."""
        return concatenate(value)

    def stability(self, d_in: Parts, space: Space) -> int:
        """A record added to or removed from a part is added to or removed from the union."""
        return d_in.l1.numerator // d_in.l1.denominator
