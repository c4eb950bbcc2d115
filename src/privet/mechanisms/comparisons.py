"""What the threshold mechanisms share: noisy comparisons of answers with a noisy threshold."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.sparse_vector import comparisons_loss
from privet.core.checks import read_grid, read_number, read_whole, short
from privet.core.domain import NumbersDomain
from privet.core.metric import Parts, VectorDistance
from privet.core.rows import saturated
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.additive import widest_scale
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.stream_space import MonotonicStreamDistance, StreamDistance, StreamDomain


def accept_answers(unit: object, space: Space) -> None:
    """Accept a stream of answers, or a public number of them."""
    name = type(unit).__name__
    if isinstance(space.domain, StreamDomain) and isinstance(space.metric, StreamDistance | MonotonicStreamDistance):
        return
    if isinstance(space.domain, NumbersDomain) and isinstance(space.metric, VectorDistance):
        return
    raise MismatchError(
        f"{name} reads a stream of answers or a vector of numbers, got {type(space.domain).__name__} under "
        f"{type(space.metric).__name__}: put a stream of queries, or aggregates such as counts, before it."
    )


def moves(d_in: Any, space: Space) -> tuple[Fraction, Fraction]:
    """How far answers can rise, and how far the largest rise can be from the deepest fall.

    In a stream whose answers all move one way nothing falls. In a vector the two are different coordinates, so that
    together they are at most the l1 distance.
    """
    if isinstance(d_in, Parts):
        rise = min(d_in.linf, d_in.l1)
        return rise, min(2 * rise, d_in.l1)
    rise = Fraction(d_in)
    return rise, rise if isinstance(space.metric, MonotonicStreamDistance) else 2 * rise


def loss_of_comparisons(d_in: Any, space: Space, scale: Fraction, query_scale: Fraction, count: int) -> Loss:
    """The threshold's noise follows the largest rise, once; each answer above makes up for the rest by its own."""
    rise, spread = moves(d_in, space)
    threshold = LaplaceLoss(distance=rise, scale=scale, step=step_of(space))
    return comparisons_loss(threshold, spread / query_scale, count)


def step_of(space: Space) -> Fraction:
    """The grid of the answers."""
    return space.domain.grid if isinstance(space.domain, StreamDomain | NumbersDomain) else Fraction(1)


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


def written(space: Space, steps: int) -> int | float:
    """Write released steps in the units of the data."""
    domain = space.domain
    if isinstance(domain, StreamDomain):
        return domain.answer(steps)
    if isinstance(domain, NumbersDomain) and domain.kind is float:
        return saturated(steps * domain.grid)
    return steps


def margin(owner: str, scale: Fraction, times: int, beta: Any, questions: Any, grid: Any) -> Fraction:
    """How far comparisons can be wrong, but for probability beta: half of it for the threshold, half for all answers.

    Args:
        owner: Who asks, for messages.
        scale: The noise of the threshold.
        times: How many times that the noise of an answer is.
        beta: The probability, between zero and one.
        questions: How many comparisons.
        grid: The step of the answers.
    """
    share, asked, step = _read(f"{owner}.margin", beta, questions, grid)
    return _reach(scale / step, times, share, asked) * step


def scale_within(owner: str, wanted: Any, times: int, beta: Any, questions: Any, grid: Any) -> Fraction:
    """The largest scale, to 40 bits, whose margin is at most the wanted one."""
    label = f"{owner}.scale_for"
    share, asked, step = _read(label, beta, questions, grid)
    limit = read_number(f"{label}.margin", wanted)
    if limit < 0:
        raise InvalidError(f"{label}.margin must be zero or more, got {short(limit)}.")
    return widest_scale(lambda scale, part: _reach(scale, times, part, asked), limit, share, step)


def _reach(scale: Fraction, times: int, beta: Fraction, questions: int) -> int:
    """In steps: |threshold noise| and every |answer noise| together stay within it."""
    each = discrete_laplace_quantile(times * scale, beta / (2 * questions))
    return discrete_laplace_quantile(scale, beta / 2) + each


def _read(label: str, beta: Any, questions: Any, grid: Any) -> tuple[Fraction, int, Fraction]:
    share, asked = read_number(f"{label}.beta", beta), read_whole(f"{label}.questions", questions)
    step = read_grid(f"{label}.grid", grid)
    if not 0 < share < 1:
        raise InvalidError(f"{label}.beta must be between zero and one, got {short(share)}.")
    if asked < 1:
        raise InvalidError(f"{label}.questions must be one or more, got {asked}.")
    if step <= 0:
        raise InvalidError(f"{label}.grid must be above zero, got {short(step)}.")
    return share, asked, step
