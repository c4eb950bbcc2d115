"""Running sums of a stream."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Space, positive, whole
from privet.transforms.stream_space import Answer, Stream, stream_of


@final
@frozen(kw_only=True)
class SumStream(Transformation):
    """Answer every query with the sum of its answer and all earlier answers.

    The stream receives only the first ``length`` queries; later queries repeat the last sum. Without a limit the sums
    of neighbouring streams would drift apart without bound.

    Args:
        length: The largest number of answers that are added up.

    Guarantee: ``d_out = length d_in``, for both metrics on streams.
    Proof: docs/transforms/sum_stream.md.

    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> sums = (Space(StreamDomain(), StreamDistance()) >> SumStream(length=3))([5, 1, 2, 8])
    >>> [sums.ask("next") for _ in range(4)]
    [5, 6, 8, 8]
    """

    length: int = field(converter=whole, validator=positive)

    def output(self, space: Space) -> Space:
        """Streams of the same kind."""
        stream_of(self, space)
        return space

    def apply(self, value: Stream, space: Space) -> Stream:
        """Ask the stream up to ``length`` times, and add up."""

        def start() -> Answer:
            source, total, count = value.again(), 0, 0

            def answer(query: object) -> int:
                nonlocal total, count
                if count < self.length:
                    total, count = total + source.ask(query), count + 1
                return total

            return answer

        return Stream(start, value.queries)

    def stability(self, d_in: Fraction, space: Space) -> Fraction:
        """The changes of at most ``length`` terms add up."""
        return self.length * Fraction(d_in)
