"""The sparse vector technique, composed: above-threshold again and again, with a fresh threshold after each True."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core.checks import number, positive, read_grid, read_number, read_whole, readable, short, whole
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import InvalidError, UnavailableError
from privet.mechanisms.above_threshold import AboveThreshold
from privet.mechanisms.comparisons import Comparisons, accept_answers, step_of
from privet.noise import discrete_laplace_quantile
from privet.transforms.stream_space import StreamDomain


@final
@frozen(kw_only=True)
class SparseVectorTechnique(Measurement):
    """Compare answers with a threshold that gets new noise after each True, and stop after a number of them.

    It is ``count`` times ``AboveThreshold``, one behind the other. Behind a stream of queries the release is a
    ``Queryable`` of False and True that refuses after ``count`` times True; behind a vector of numbers it is an array
    of booleans, all False after ``count`` times True.

    Args:
        threshold: What answers are compared with, in the units of the data.
        scale: Spread of each threshold's noise, above zero; each answer gets twice that.
        count: How many answers may be above, one or more.

    Guarantee: ``count`` times the loss of ``AboveThreshold``, as a sum: its rho and its epsilon at a delta grow slower.
    Proof: docs/combinators/sparse_vector_technique.md.

    >>> from privet.transforms.stream_space import StreamDistance, StreamDomain
    >>> stream = Space(StreamDomain(), StreamDistance())
    >>> loss = (stream >> SparseVectorTechnique(threshold=100, scale=400, count=100)).map(1)
    >>> loss.epsilon(), loss.rho() <= Fraction(1, 800)
    (Fraction(1, 2), True)
    """

    threshold: Fraction = field(converter=number, validator=readable, repr=short)
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    count: int = field(converter=whole, validator=positive)

    @property
    def one(self) -> AboveThreshold:
        """The mechanism that is composed."""
        return AboveThreshold(threshold=self.threshold, scale=self.scale)

    def accept(self, space: Space) -> None:
        """A stream of answers, or a public number of them."""
        accept_answers(self, space)

    def release(self, value: Any, space: Space) -> Any:
        """Start over after each True."""
        if not isinstance(space.domain, StreamDomain):
            return self._all(value, space)
        left, current = self.count, self.one.release(value, space)

        def answer(question: Any) -> bool:
            nonlocal left, current
            if not left:
                raise UnavailableError(
                    f"this technique has said True {self.count} times and answers no more questions."
                )
            above = bool(current.ask(question))
            if above:
                left -= 1
                current = self.one.release(value, space)
            return above

        return Queryable(answer)

    def _all(self, value: Any, space: Space) -> Any:
        """Draw the noise of every comparison of every round, whatever the outcome, and look at those in turn."""
        above = np.zeros(len(value), dtype=np.bool_)
        start = 0
        for _ in range(self.count):
            comparisons = Comparisons(self.threshold, self.scale, 2 * self.scale, step_of(space))
            gaps = comparisons.gaps(value)
            first = next((at for at in range(start, len(gaps)) if gaps[at] >= 0), len(gaps))
            above[first : first + 1] = True
            start = first + 1
        return above

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Fixed losses, one after the other."""
        return self.one.loss(d_in, space) * self.count

    def margin(self, beta: Any, *, questions: int, grid: Any = 1) -> Fraction:
        """How far from the threshold a comparison can be wrong, but for probability ``beta``.

        With probability ``1 - beta`` or more every answer said to be above is at least ``threshold - margin``, and
        every one said to be below, while questions are answered, is at most ``threshold + margin``.

        Args:
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.

        >>> SparseVectorTechnique(threshold=100, scale=4, count=5).margin(0.05, questions=100)
        Fraction(87, 1)
        """
        label = "SparseVectorTechnique.margin"
        share, asked = read_number(f"{label}.beta", beta), read_whole(f"{label}.questions", questions)
        step = read_grid(f"{label}.grid", grid)
        if not 0 < share < 1:
            raise InvalidError(f"{label}.beta must be between zero and one, got {short(share)}.")
        if asked < 1:
            raise InvalidError(f"{label}.questions must be one or more, got {asked}.")
        if step <= 0:
            raise InvalidError(f"{label}.grid must be above zero, got {short(step)}.")
        rounds = discrete_laplace_quantile(self.scale / step, share / (2 * self.count))
        return (rounds + discrete_laplace_quantile(2 * self.scale / step, share / (2 * asked))) * step
