"""Running sums of a stream."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core.checks import positive, whole
from privet.core.space import Space
from privet.transforms.stream_space import Answer, Stream, stream_of


@final
@frozen(kw_only=True)
class SumStream(Transformation):
    """Answer every question with the sum of this and all earlier answers.

    Only the first ``length`` questions are asked of the stream; after them the last sum is repeated. Without a limit
    the sums of neighbouring streams would drift apart without end.

    Args:
        length: How many answers are added up at most.

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
        """Ask the stream while questions are left, and add up."""

        def start() -> Answer:
            source, total, asked = value.again(), 0, 0

            def answer(question: Any) -> int:
                nonlocal total, asked
                if asked < self.length:
                    total, asked = total + source.ask(question), asked + 1
                return total

            return answer

        return Stream(start, value.questions)

    def stability(self, d_in: Any, space: Space) -> Fraction:
        """As many changes add up as there are terms."""
        return self.length * Fraction(d_in)
