"""The sparse vector technique: the first few answers of a stream above a public threshold."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core.checks import number, positive, read_whole, readable, short, whole
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import InvalidError, UnavailableError
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
class SparseVector(Measurement):
    """Compare answers with a threshold, and stop after a given number of them was above.

    The threshold gets discrete Laplace noise of ``scale``, drawn once for all comparisons; each answer gets noise of
    ``2 count scale``. Behind a stream of queries the release is a ``Queryable`` of False and True that refuses after
    ``count`` times True; behind a vector of numbers it is an array of booleans, all False after ``count`` times True.

    Args:
        threshold: What answers are compared with, in the units of the data.
        scale: Spread of the threshold's noise, above zero.
        count: How many answers may be above, one or more.

    Guarantee: ``epsilon = 2 d_in / scale``, and ``1.5 d_in / scale`` where all answers move one way, for every count.
    Proof: docs/mechanisms/sparse_vector.md.

    >>> from privet.core.space import Space
    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> (Space(StreamDomain(), StreamDistance()) >> SparseVector(threshold=100, scale=4, count=5)).map(1).epsilon()
    Fraction(1, 2)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    count: int = field(converter=whole, validator=positive)

    def accept(self, space: Space) -> None:
        """A stream of answers, or a public number of them."""
        accept_answers(self, space)

    def release(self, value: Any, space: Space) -> Any:
        """Compare one by one, all with the same noisy threshold."""
        comparisons = Comparisons(self.threshold, self.scale, self.query_scale, step_of(space))
        if not isinstance(space.domain, StreamDomain):
            above = np.array([gap >= 0 for gap in comparisons.gaps(value)], dtype=np.bool_)
            return above & (np.cumsum(above) <= self.count)
        left = self.count

        def answer(question: Any) -> bool:
            nonlocal left
            if left <= 0:
                raise UnavailableError(
                    f"this sparse vector has said True {self.count} times and answers no more questions."
                )
            above = comparisons.gap(value.ask(question)) >= 0
            left -= above
            return above

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The threshold's noise follows the largest rise, once; each answer above makes up for the rest by its own."""
        return loss_of_comparisons(d_in, space, self.scale, self.query_scale, self.count)

    @property
    def query_scale(self) -> Fraction:
        """The noise of each answer."""
        return 2 * self.count * self.scale

    def margin(self, beta: Any, *, questions: int, grid: Any = 1) -> Fraction:
        """How far from the threshold a comparison can be wrong, but for probability ``beta``.

        With probability ``1 - beta`` or more every answer said to be above is at least ``threshold - margin``, and
        every one said to be below is at most ``threshold + margin``.

        Args:
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> SparseVector(threshold=100, scale=4, count=5).margin(0.05, questions=100)
        Fraction(347, 1)
        """
        return margin("SparseVector", self.scale, 2 * self.count, beta, questions, grid)

    @staticmethod
    def scale_for(margin: Any, beta: Any, *, questions: int, count: int, grid: Any = 1) -> Fraction:
        """The largest scale whose ``margin`` is at most the wanted one.

        Args:
            margin: In the units of the data, zero or more.
            beta: Between zero and one.
            questions: How many answers are compared.
            count: How many answers may be above, one or more.
            grid: The step of the answers.

        >>> scale = SparseVector.scale_for(200, 0.05, questions=100, count=5)
        >>> SparseVector(threshold=100, scale=scale, count=5).margin(0.05, questions=100)
        Fraction(200, 1)
        """
        above = read_whole("SparseVector.scale_for.count", count)
        if above < 1:
            raise InvalidError(f"SparseVector.scale_for.count must be one or more, got {above}.")
        return scale_within("SparseVector", margin, 2 * above, beta, questions, grid)
