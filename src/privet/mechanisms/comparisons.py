"""What the threshold mechanisms share: noisy comparisons of answers with a noisy threshold."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privet.core.domain import NumbersDomain
from privet.core.metric import Parts, VectorDistance
from privet.core.space import Space
from privet.errors import Mismatch
from privet.noise import discrete_laplace
from privet.transforms.stream_space import MonotonicStreamDistance, StreamDistance, StreamDomain


def accept_answers(unit: object, space: Space) -> None:
    """Accept a stream of answers, or a public number of them."""
    name = type(unit).__name__
    if isinstance(space.domain, StreamDomain) and isinstance(space.metric, StreamDistance | MonotonicStreamDistance):
        return
    if isinstance(space.domain, NumbersDomain) and isinstance(space.metric, VectorDistance):
        return
    raise Mismatch(
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
        return float(steps * domain.grid)
    return steps
