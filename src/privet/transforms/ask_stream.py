"""A public list of queries put to a stream: a vector of answers."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, Parts, Space, VectorDistance, is_a
from privet.transforms import as_tuple
from privet.transforms.stream_space import Stream, stream_of


@final
@frozen(kw_only=True)
class AskStream(Transformation):
    """Ask a stream a fixed list of queries, and return all answers at once.

    Args:
        queries: The queries, in order; chosen without looking at the data.

    Guarantee: ``linf = d_in``, ``l1 = k d_in``, ``l2² = k d_in²``, ``l0 <= k``, for k queries.
    Proof: docs/transforms/ask_stream.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.count_stream import CountStream
    >>> (vector(int) >> CountStream() >> AskStream(queries=[(0, 5), {7}]))([1, 2, 7]).tolist()
    [2, 1]
    """

    queries: tuple[Any, ...] = field(converter=as_tuple, validator=is_a(tuple, "a list of queries"))

    def output(self, space: Space) -> Space:
        """One number for each query, on the grid of the stream."""
        domain = stream_of(self, space)
        return Space(NumbersDomain(length=len(self.queries), kind=domain.kind, grid=domain.grid), VectorDistance())

    def apply(self, value: Stream, space: Space) -> Array:
        """Ask from the start of the stream."""
        fresh = value.again()
        return np.array([fresh.ask(query) for query in self.queries], dtype=object)

    def stability(self, d_in: Fraction, space: Space) -> Parts:
        """Each answer changes by at most the distance."""
        change, count = Fraction(d_in), len(self.queries)
        return Parts(
            l0=count if change else 0, l1=count * change, l2_squared=count * change**2, linf=change if count else 0
        )
