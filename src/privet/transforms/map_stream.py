"""Streams whose answers are scaled and clamped."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import converters, field, frozen

from privet.chains.transformation import Transformation
from privet.core import Bounds, Space, bounds, must_be, number, readable, short
from privet.errors import InvalidError
from privet.transforms.stream_space import Answer, Stream, StreamDomain, stream_of


@final
@frozen(kw_only=True)
class MapStream(Transformation):
    """Multiply every answer of a stream by a number, then clamp it.

    Args:
        factor: The number, not zero. The grid is multiplied by its magnitude, so that nothing is rounded.
        bounds: Clamp answers to this interval, in the units of the result; None does not clamp.

    Guarantee: ``d_out = |factor| d_in``, for both metrics on streams.
    Proof: docs/transforms/map_stream.md.

    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> chain = Space(StreamDomain(), StreamDistance()) >> MapStream(factor=-2, bounds=(-10, 0))
    >>> answers = chain([1, 3, 30])
    >>> [chain.output.domain.answer(answers.ask("next")) for _ in range(4)]
    [-2.0, -6.0, -10.0, 0.0]
    """

    factor: Fraction = field(
        default=Fraction(1),
        converter=number,
        validator=must_be(lambda factor: factor != 0, "other than zero (all answers would be zero)"),
        repr=short,
    )
    bounds: Bounds | None = field(default=None, converter=converters.optional(bounds), validator=readable, repr=short)

    def output(self, space: Space) -> Space:
        """Streams on the scaled grid, with the same metric."""
        domain = stream_of(self, space)
        grid = domain.grid * abs(self.factor)
        if self.bounds is not None and math.ceil(self.bounds[0] / grid) > math.floor(self.bounds[1] / grid):
            raise InvalidError(f"MapStream.bounds must hold a multiple of the grid, {short(grid)}.")
        return Space(StreamDomain(kind=domain.kind if abs(self.factor) == 1 else float, grid=grid), space.metric)

    def apply(self, value: Stream, space: Space) -> Stream:
        """Ask the stream, then scale and clamp."""
        target: Any = self.output(space).domain
        sign = 1 if self.factor > 0 else -1
        ends = None if self.bounds is None else (self.bounds[0] / target.grid, self.bounds[1] / target.grid)

        def start() -> Answer:
            source = value.again()

            def answer(query: object) -> int:
                steps = sign * source.ask(query)
                return steps if ends is None else min(max(steps, math.ceil(ends[0])), math.floor(ends[1]))

            return answer

        return Stream(start, value.queries)

    def stability(self, d_in: Fraction, space: Space) -> Fraction:
        """Scaling multiplies every change by the factor, and clamping enlarges none."""
        return Fraction(d_in) * abs(self.factor)
