"""A stream asked a public list of questions: a vector of answers."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core.domain import NumbersDomain
from privet.core.metric import Parts, VectorDistance
from privet.core.rows import Array
from privet.core.space import Space
from privet.errors import WrongTypeError
from privet.transforms.partitions import listed
from privet.transforms.stream_space import stream_of


@final
@frozen(kw_only=True)
class AskStream(Transformation):
    """Ask a stream a fixed list of questions, and give all answers at once.

    Args:
        questions: The questions, in their order; chosen without looking at the data.

    Guarantee: ``linf = d_in``, ``l1 = k d_in``, ``l2² = k d_in²``, ``l0 <= k``, for k questions.
    Proof: docs/transforms/ask_stream.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.count_stream import CountStream
    >>> (vector(int) >> CountStream() >> AskStream(questions=[(0, 5), {7}]))([1, 2, 7]).tolist()
    [2, 1]
    """

    questions: tuple[Any, ...] = field(converter=listed)

    def __attrs_post_init__(self) -> None:
        given: Any = self.questions
        if not isinstance(given, tuple):
            raise WrongTypeError(f"AskStream.questions must be a list of questions, got {type(given).__name__}.")

    def output(self, space: Space) -> Space:
        """One number for each question, on the grid of the stream."""
        domain = stream_of(self, space)
        return Space(NumbersDomain(length=len(self.questions), kind=domain.kind, grid=domain.grid), VectorDistance())

    def apply(self, value: Any, space: Space) -> Array:
        """Ask from the start of the stream."""
        fresh = value.again()
        return np.array([fresh.ask(question) for question in self.questions], dtype=object)

    def stability(self, d_in: Any, space: Space) -> Parts:
        """Each answer moves by the distance at most."""
        moved, count = Fraction(d_in), len(self.questions)
        return Parts(
            l0=count if moved else 0, l1=count * moved, l2_squared=count * moved**2, linf=moved if count else 0
        )
