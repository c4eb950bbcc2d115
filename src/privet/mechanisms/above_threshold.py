"""Above threshold: which answer of a stream is the first to exceed a public threshold."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.core import Space, number, positive, readable, short
from privet.mechanisms.comparisons import ThresholdMechanism, scale_within


@final
@frozen(kw_only=True)
class AboveThreshold(ThresholdMechanism):
    """Compare answers with a threshold, and stop at the first that is above.

    The threshold gets discrete Laplace noise of ``scale``, once; each answer gets noise of ``2 scale``. Behind a
    stream of queries the release is a ``Queryable`` that gives False until it gives True, once. Behind a vector of
    numbers it is the position of the first number above, or the length if there is none.

    Args:
        threshold: The number that answers are compared with, in the units of the data.
        scale: Spread of the threshold's noise, above zero.

    Guarantee: ``epsilon = 2 d_in / scale``, and ``1.5 d_in / scale`` where all answers move one way, however many
        answers are below.
    Proof: docs/mechanisms/above_threshold.md.

    >>> from privet.core.space import Space
    >>> from privet.transforms.stream_space import MonotonicStreamDistance, StreamDomain
    >>> stream = Space(StreamDomain(), MonotonicStreamDistance())
    >>> (stream >> AboveThreshold(threshold=100, scale=3)).map(1).epsilon()
    Fraction(1, 2)
    >>> AboveThreshold(threshold=100, scale=4).margin(0.05, questions=100)
    Fraction(81, 1)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def answer(self, gap: int, space: Space) -> bool:
        """Whether the answer is above."""
        return gap >= 0

    def answers(self, gaps: list[int], space: Space) -> int:
        """The position of the first that is above."""
        return next((position for position, gap in enumerate(gaps) if gap >= 0), len(gaps))

    @staticmethod
    def scale_for(margin: object, beta: object, *, questions: int, grid: object = 1) -> Fraction:
        """The largest scale whose ``margin`` is at most the given one.

        Args:
            margin: In the units of the data, zero or more.
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> scale = AboveThreshold.scale_for(50, 0.05, questions=100)
        >>> AboveThreshold(threshold=100, scale=scale).margin(0.05, questions=100)
        Fraction(50, 1)
        """
        return scale_within("AboveThreshold", margin, 1, beta, questions, grid)
