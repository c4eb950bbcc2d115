"""Above threshold with the gap: by how much the first answer above exceeds the threshold, at no further cost."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core.checks import number, positive, readable, short
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import UnavailableError
from privet.mechanisms.comparisons import (
    Comparisons,
    accept_answers,
    loss_of_comparisons,
    margin,
    scale_within,
    step_of,
    written,
)
from privet.transforms.stream_space import StreamDomain


@final
@frozen(kw_only=True)
class AboveThresholdWithGap(Measurement):
    """Compare answers with a threshold, stop at the first above, and tell how far above it was.

    As ``AboveThreshold``, but True comes with the noisy answer less the noisy threshold. Behind a stream of queries
    the release is a ``Queryable`` that says None until it says the gap, once; behind a vector of numbers it is the pair
    (position, gap), or (length, 0) where none is above.

    Args:
        threshold: What answers are compared with, in the units of the data.
        scale: Spread of the threshold's noise, above zero; each answer gets twice that.

    Guarantee: ``epsilon = 2 d_in / scale``, and ``1.5 d_in / scale`` where all answers move one way: the gap is free.
    Proof: docs/mechanisms/above_threshold_with_gap.md.

    >>> from privet.core.space import Space
    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> (Space(StreamDomain(), StreamDistance()) >> AboveThresholdWithGap(threshold=100, scale=4)).map(1).epsilon()
    Fraction(1, 2)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A stream of answers, or a public number of them."""
        accept_answers(self, space)

    def release(self, value: Any, space: Space) -> Any:
        """Compare one by one."""
        comparisons = Comparisons(self.threshold, self.scale, 2 * self.scale, step_of(space))
        if not isinstance(space.domain, StreamDomain):
            gaps = comparisons.gaps(value)
            first = next(((position, gap) for position, gap in enumerate(gaps) if gap >= 0), (len(gaps), 0))
            return first[0], written(space, first[1])
        finished = False

        def answer(question: Any) -> int | float | None:
            nonlocal finished
            if finished:
                raise UnavailableError("this above-threshold has given its one gap and answers no more questions.")
            gap = comparisons.gap(value.ask(question))
            if gap < 0:
                return None
            finished = True
            return written(space, gap)

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The noise that moves one input's outcome to the other's keeps the gap as it is."""
        return loss_of_comparisons(d_in, space, self.scale, 2 * self.scale, 1)

    def margin(self, beta: Any, *, questions: int, grid: Any = 1) -> Fraction:
        """How far from the threshold a comparison can be wrong, but for probability ``beta``.

        With probability ``1 - beta`` or more every answer said to be above is at least ``threshold - margin``, and
        every one said to be below is at most ``threshold + margin``.

        Args:
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> AboveThresholdWithGap(threshold=100, scale=4).margin(0.05, questions=100)
        Fraction(81, 1)
        """
        return margin("AboveThresholdWithGap", self.scale, 2, beta, questions, grid)

    @staticmethod
    def scale_for(margin: Any, beta: Any, *, questions: int, grid: Any = 1) -> Fraction:
        """The largest scale whose ``margin`` is at most the wanted one.

        Args:
            margin: In the units of the data, zero or more.
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> scale = AboveThresholdWithGap.scale_for(50, 0.05, questions=100)
        >>> AboveThresholdWithGap(threshold=100, scale=scale).margin(0.05, questions=100)
        Fraction(50, 1)
        """
        return scale_within("AboveThresholdWithGap", margin, 2, beta, questions, grid)
