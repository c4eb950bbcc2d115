"""Above threshold: which answer of a stream is the first to exceed a public threshold."""

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
)
from privet.transforms.stream_space import StreamDomain


@final
@frozen(kw_only=True)
class AboveThreshold(Measurement):
    """Compare answers with a threshold, and stop at the first that is above.

    The threshold gets discrete Laplace noise of ``scale``, once; each answer gets noise of ``2 scale``. Behind a
    stream of queries the release is a ``Queryable`` that says False until it says True, once; behind a vector of
    numbers it is the position of the first number above, or the length where there is none.

    Args:
        threshold: What answers are compared with, in the units of the data.
        scale: Spread of the threshold's noise, above zero.

    Guarantee: ``epsilon = 2 d_in / scale``, and ``1.5 d_in / scale`` where all answers move one way, however many
        answers are below.
    Proof: docs/mechanisms/above_threshold.md.

    >>> from privet.core.space import Space
    >>> from privet.transforms.stream_space import MonotonicStreamDistance, StreamDomain
    >>> stream = Space(StreamDomain(), MonotonicStreamDistance())
    >>> (stream >> AboveThreshold(threshold=100, scale=3)).map(1).epsilon()
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
            return next((position for position, gap in enumerate(gaps) if gap >= 0), len(gaps))
        finished = False

        def answer(question: Any) -> bool:
            nonlocal finished
            if finished:
                raise UnavailableError("this above-threshold has given its one True and answers no more questions.")
            above = comparisons.gap(value.ask(question)) >= 0
            if above:  # never back to False
                finished = True
            return above

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The threshold's noise follows the largest rise, one answer's noise makes up for the rest."""
        return loss_of_comparisons(d_in, space, self.scale, 2 * self.scale, 1)

    def margin(self, beta: Any, *, questions: int, grid: Any = 1) -> Fraction:
        """How far from the threshold a comparison can be wrong, but for probability ``beta``.

        With probability ``1 - beta`` or more every answer said to be above is at least ``threshold - margin``, and
        every one said to be below is at most ``threshold + margin``.

        Args:
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> AboveThreshold(threshold=100, scale=4).margin(0.05, questions=100)
        Fraction(81, 1)
        """
        return margin("AboveThreshold", self.scale, 2, beta, questions, grid)

    @staticmethod
    def scale_for(margin: Any, beta: Any, *, questions: int, grid: Any = 1) -> Fraction:
        """The largest scale whose ``margin`` is at most the wanted one.

        Args:
            margin: In the units of the data, zero or more.
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> scale = AboveThreshold.scale_for(50, 0.05, questions=100)
        >>> AboveThreshold(threshold=100, scale=scale).margin(0.05, questions=100)
        Fraction(50, 1)
        """
        return scale_within("AboveThreshold", margin, 2, beta, questions, grid)
