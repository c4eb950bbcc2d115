"""Part streams: the sums of the parts of a partition, one after the other."""

from fractions import Fraction
from typing import Any, final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Bounds, Parts, Space, VectorDomain, nearest_step
from privet.transforms import bounded_column, partition_metric, partition_of, total
from privet.transforms.stream_space import Stream, StreamDistance, StreamDomain, in_turn


@final
@frozen(kw_only=True)
class PartStream(Transformation):
    """Answer any queries with the exact sums of the parts, in order: for example the sales of each day.

    After the last part all answers are zero. A null or NaN counts as in ``Sum``.

    Guarantee: ``d_out = linf max(|lower|, |upper|)``.
    Proof: docs/transforms/part_stream.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.partition_by_key import PartitionByKey
    >>> stream = (vector(int, bounds=(0, 9)) >> PartitionByKey(categories=[1, 2, 5]) >> PartStream())([5, 1, 5])
    >>> [stream.ask("next") for _ in range(4)]
    [1, 0, 10, 0]
    """

    def output(self, space: Space) -> Space:
        """Streams of numbers on the grid of the column."""
        domain, _ = self._column(space)
        return Space(StreamDomain(kind=domain.kind, grid=domain.step), StreamDistance())

    def _column(self, space: Space) -> tuple[VectorDomain, Bounds]:
        return bounded_column(self, Space(partition_of(self, space).inner, partition_metric(self, space)))

    def apply(self, value: tuple[Any, ...], space: Space) -> Stream:
        """Add up each part, in grid steps."""
        domain, bounds = self._column(space)
        missing = nearest_step(Fraction(0), bounds, domain.step)
        return in_turn([total(part, domain, bounds, missing=missing) for part in value])

    def stability(self, d_in: Parts, space: Space) -> Fraction:
        """Each record added to or removed from a part changes its sum by at most the larger bound."""
        _, (lower, upper) = self._column(space)
        return d_in.linf * max(abs(lower), abs(upper))
