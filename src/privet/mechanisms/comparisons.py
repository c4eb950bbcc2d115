"""What the threshold mechanisms share: noisy comparisons of answers with a noisy threshold."""

import math
from abc import abstractmethod
from fractions import Fraction
from typing import Any

import numpy as np

from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.sparse_vector import comparisons_loss
from privet.chains.measurement import Measurement
from privet.core import (
    GridDomain,
    NumbersDomain,
    Parts,
    Queryable,
    Space,
    VectorDistance,
    read_amount,
    read_count,
    read_share,
    read_step,
)
from privet.errors import MismatchError, UnavailableError
from privet.mechanisms.additive import grid_of, widest_scale
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.stream_space import MonotonicStreamDistance, StreamDistance, StreamDomain


class ThresholdMechanism(Measurement):
    """Compare answers with one noisy threshold until ``limit`` of them are above; a subclass says what is released.

    A subclass has the fields ``threshold`` and ``scale``, in the units of the data. The threshold gets discrete Laplace
    noise of ``scale``, once; each answer gets noise of ``query_scale``.
    """

    threshold: Fraction
    scale: Fraction

    @property
    def limit(self) -> int:
        """How many answers may be above."""
        return 1

    @property
    def query_scale(self) -> Fraction:
        """The noise of each answer."""
        return 2 * self.limit * self.scale

    @abstractmethod
    def answer(self, gap: int, space: Space) -> Any:
        """What one comparison of a stream releases; a gap of zero or more is above the threshold."""

    @abstractmethod
    def answers(self, gaps: list[int], space: Space) -> Any:
        """What the comparisons of a vector release together."""

    def accept(self, space: Space) -> None:
        """A stream of answers, or a public number of them."""
        accept_answers(self, space)

    def release(self, value: Any, space: Space) -> Any:
        """Compare one by one, all with the same noisy threshold."""
        comparisons = Comparisons(self.threshold, self.scale, self.query_scale, grid_of(space))
        if not isinstance(space.domain, StreamDomain):
            return self.answers(comparisons.gaps(value), space)
        left = self.limit

        def compare(question: Any) -> Any:
            nonlocal left
            if left <= 0:
                raise no_more_answers(self, self.limit)
            gap = comparisons.gap(value.ask(question))
            left -= gap >= 0
            return self.answer(gap, space)

        return Queryable(compare)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The threshold's noise covers the largest rise, once; the noise of each answer above covers the rest."""
        rise, spread = moves(d_in, space)
        threshold = LaplaceLoss(distance=rise, scale=self.scale, step=grid_of(space))
        return comparisons_loss(threshold, spread / self.query_scale, self.limit)

    def margin(self, beta: object, *, questions: int, grid: object = 1) -> Fraction:
        """How far from the threshold a comparison can be wrong, except with probability ``beta``.

        With probability ``1 - beta`` or more, every answer said to be above is at least ``threshold - margin``, and
        every answer said to be below is at most ``threshold + margin``.

        Args:
            beta: Between zero and one.
            questions: How many answers are compared.
            grid: The step of the answers.
        """
        share, number, step = read_margin(f"{type(self).__name__}.margin", beta, questions, grid)
        return _reach(self.scale / step, 2 * self.limit, share, number) * step


def no_more_answers(unit: object, limit: int) -> UnavailableError:
    """Make the error of a question after the last answer above."""
    reported = "its one answer" if limit == 1 else f"its {limit} answers"
    return UnavailableError(f"this {type(unit).__name__} has reported {reported} above and answers no more questions.")


def accept_answers(unit: object, space: Space) -> None:
    """Accept a stream of answers, or a public number of them."""
    domain, metric = space.domain, space.metric
    stream = isinstance(domain, StreamDomain) and isinstance(metric, StreamDistance | MonotonicStreamDistance)
    numbers = isinstance(domain, NumbersDomain) and domain.weights is None and isinstance(metric, VectorDistance)
    if not stream and not numbers:
        raise MismatchError(
            f"{type(unit).__name__} reads a stream of answers or a vector of numbers, got {type(domain).__name__} "
            f"under {type(metric).__name__}: put a stream of queries, or aggregates such as counts, before it."
        )


def moves(d_in: Any, space: Space) -> tuple[Fraction, Fraction]:
    """How far answers can rise, and how far the largest rise can be from the deepest fall.

    In a stream whose answers all move one way, nothing falls. In a vector, the rise and the fall are of different
    coordinates, so together they are at most the l1 distance.
    """
    if isinstance(d_in, Parts):
        rise = min(d_in.linf, d_in.l1)
        return rise, min(2 * rise, d_in.l1)
    rise = Fraction(d_in)
    return rise, rise if isinstance(space.metric, MonotonicStreamDistance) else 2 * rise


class Comparisons:
    """A threshold with its noise, drawn once, and the noise of each comparison with it.

    Args:
        threshold: In the units of the data; a fraction of a step counts as the step above.
        scale: The noise of the threshold.
        query_scale: The noise of each answer.
        step: The grid of the answers.
    """

    __slots__ = ("_bar", "_scale")

    def __init__(self, threshold: Fraction, scale: Fraction, query_scale: Fraction, step: Fraction) -> None:
        self._bar = math.ceil(threshold / step) + discrete_laplace(scale / step)
        self._scale = query_scale / step

    def gap(self, answer: int) -> int:
        """How far a noisy answer lies above the noisy threshold, in steps."""
        return answer + discrete_laplace(self._scale) - self._bar

    def gaps(self, answers: Any) -> list[int]:
        """The same for each of several answers; all noise is drawn, whatever the outcome."""
        noise = discrete_laplace(self._scale, size=len(answers))
        return [int(x) + int(z) - self._bar for x, z in zip(np.asarray(answers).tolist(), noise.tolist(), strict=True)]


def answer_of(space: Space, steps: int) -> int | float:
    """Return one answer, or a difference of two, in the units of the data."""
    return space.domain.answer(steps) if isinstance(space.domain, GridDomain) else steps


def scale_within(unit: str, margin: object, limit: int, beta: object, questions: Any, grid: object) -> Fraction:
    """The largest scale, to 40 bits, whose margin is at most the given one.

    Args:
        unit: The unit, for messages.
        margin: In the units of the data, zero or more.
        limit: How many answers may be above.
        beta: The probability of a larger error, between zero and one.
        questions: How many answers are compared.
        grid: The step of the answers.
    """
    label = f"{unit}.scale_for"
    share, number, step = read_margin(label, beta, questions, grid)
    most = read_amount(f"{label}.margin", margin)
    return widest_scale(lambda scale, part: _reach(scale, 2 * limit, part, number), most, share, step)


def _reach(scale: Fraction, times: int, beta: Fraction, questions: int) -> int:
    """In steps, a bound of |threshold noise| plus every |answer noise|; each part fails with probability beta / 2."""
    each = discrete_laplace_quantile(times * scale, beta / (2 * questions))
    return discrete_laplace_quantile(scale, beta / 2) + each


def read_margin(label: str, beta: object, questions: Any, grid: object) -> tuple[Fraction, int, Fraction]:
    """Read the arguments of a margin: a probability, a number of answers and their step."""
    share, step = read_share(f"{label}.beta", beta), read_step(f"{label}.grid", grid)
    return share, read_count(f"{label}.questions", questions, least=1), step
