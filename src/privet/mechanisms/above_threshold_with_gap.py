"""Above threshold with the gap: by how much the first answer above exceeds the threshold, at no further cost."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.core import Space, number, positive, readable, short
from privet.mechanisms.comparisons import ThresholdMechanism, answer_of, scale_within


@final
@frozen(kw_only=True)
class AboveThresholdWithGap(ThresholdMechanism):
    """Compare answers with a threshold, stop at the first above, and release how far above it was.

    As ``AboveThreshold``, but with the gap: the noisy answer minus the noisy threshold. Behind a stream of queries the
    release is a ``Queryable`` that gives None until it gives the gap, once. Behind a vector of numbers it is the pair
    (position, gap), or (length, 0) if none is above.

    Args:
        threshold: The number that answers are compared with, in the units of the data.
        scale: Spread of the threshold's noise, above zero; each answer gets twice that.

    Guarantee: ``epsilon = 2 d_in / scale``, and ``1.5 d_in / scale`` where all answers move one way: the gap is free.
    Proof: docs/mechanisms/above_threshold_with_gap.md.

    >>> from privet.core.space import Space
    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> (Space(StreamDomain(), StreamDistance()) >> AboveThresholdWithGap(threshold=100, scale=4)).map(1).epsilon()
    Fraction(1, 2)
    >>> AboveThresholdWithGap(threshold=100, scale=4).margin(0.05, questions=100)
    Fraction(81, 1)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def answer(self, gap: int, space: Space) -> int | float | None:
        """The gap, where the answer is above. The noise that moves one input's outcome to the other's keeps it."""
        return answer_of(space, gap) if gap >= 0 else None

    def answers(self, gaps: list[int], space: Space) -> tuple[int, int | float]:
        """The position of the first that is above, and its gap."""
        first, gap = next(((position, gap) for position, gap in enumerate(gaps) if gap >= 0), (len(gaps), 0))
        return first, answer_of(space, gap)

    @staticmethod
    def scale_for(margin: object, beta: object, *, questions: int, grid: object = 1) -> Fraction:
        """The largest scale whose ``margin`` is at most the given one.

        Args:
            margin: In the units of the data, zero or more.
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> scale = AboveThresholdWithGap.scale_for(50, 0.05, questions=100)
        >>> AboveThresholdWithGap(threshold=100, scale=scale).margin(0.05, questions=100)
        Fraction(50, 1)
        """
        return scale_within("AboveThresholdWithGap", margin, 1, beta, questions, grid)
