"""Pairs of an answer and a smooth bound of its local sensitivity: their domain, and how many steps lie between two."""

import math
import sys
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

from attrs import frozen

from privet.core.checks import read_grid, read_number, short
from privet.core.domain import Domain
from privet.core.exact import ball, ends, precision
from privet.core.metric import Metric
from privet.core.rows import saturated
from privet.core.space import Space
from privet.core.steps import LARGEST, read_exactly, to_steps
from privet.errors import InvalidError, MismatchError, WrongTypeError

FLOOR = Fraction(1, 2**20)
"""A bound is at least this part of a step: smaller noise would be rounded away."""
_BITS = 256
_LARGEST = Fraction(sys.float_info.max)


@final
@frozen(kw_only=True)
class SmoothDomain(Domain):
    """An answer in steps of a public grid, and a bound S above zero in the units of the data.

    Args:
        kind: ``int`` or ``float``: what a release is turned into.
        beta: Neighbours have bounds within a factor of e^beta, and answers at most the smaller bound apart.
        grid: The size of a step.
    """

    kind: type
    beta: Fraction
    grid: Fraction = Fraction(1)

    @property
    def floor(self) -> Fraction:
        """Return the smallest bound; raising S to a public constant keeps it smooth."""
        return self.grid * FLOOR

    def member(self, value: Any) -> bool:
        """Return whether the value is a pair of whole steps and a bound that is not below the floor."""
        if not isinstance(value, tuple) or len(value) != 2 or type(value[0]) is not int:
            return False
        return isinstance(value[1], Fraction) and value[1] >= self.floor

    def admit(self, data: Any) -> tuple[int, Fraction]:
        """Round the answer to the grid, and raise the bound by the step that rounding may add to a difference."""
        if not isinstance(data, tuple | list) or len(data) != 2:
            raise WrongTypeError(f"expected a pair (answer, smooth bound), got {type(data).__name__}.")
        found = read_exactly(data[1])  # what is no number is no bound: the floor then stands
        infinite = isinstance(found, float) and found > 0
        bound = found if isinstance(found, Fraction) else (_LARGEST if infinite else Fraction(0))
        rounding = self.grid if self.kind is float else Fraction(0)
        far = math.floor(LARGEST // 2 / self.grid)  # so that answers are never further apart than the largest bound
        return min(max(to_steps(data[0], self.grid), -far), far), max(bound, self.floor) + rounding

    def describe(self) -> str:
        """Name the kind, the smoothness and the grid."""
        step = "" if self.grid == 1 else f", grid={short(self.grid)}"
        return f"smooth({self.kind.__name__}, beta={short(self.beta)}{step})"

    def release(self, value: Any) -> tuple[Any, float]:
        """Write a private pair in the units of the data."""
        return self.answer(value[0]), saturated(value[1])

    def answer(self, steps: int) -> int | float:
        """Write an answer in the units of the data."""
        return steps if self.kind is int else saturated(steps * self.grid)


@final
@frozen
class SmoothDistance(Metric):
    """The least number of neighbour steps that can lie between two pairs."""

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count steps, each of at most a factor e^beta and the smaller bound; rounded up where that is undecided."""
        if not isinstance(domain, SmoothDomain):
            raise MismatchError(f"SmoothDistance measures pairs of a SmoothDomain, got {type(domain).__name__}.")
        if x == y:
            return 0
        (first, s), (second, t) = x, y
        gap = abs(first - second) * domain.grid
        with precision(_BITS):
            apart = 1 if s == t else math.ceil(ends(abs(ball(s / t).log()) / ball(domain.beta))[1])
        low = high = max(apart, 1)
        while _reach(s, t, high, domain.beta) < gap:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _reach(s, t, middle, domain.beta) < gap else (low, middle)
        return low if _reach(s, t, low, domain.beta) >= gap else high


def _reach(s: Fraction, t: Fraction, steps: int, beta: Fraction) -> Fraction:
    """Return how far an answer can move in so many steps while the bound goes from s to t, rounded down.

    On the way the bound rises from both ends by the factor e^beta as far as it can; a step moves the smaller bound.
    """
    if steps == 1:
        return min(s, t)
    with precision(_BITS):
        factor = ball(beta).exp()
        up, down = [ball(s)], [ball(t)]
        for _ in range(steps):
            up.append(up[-1] * factor)
            down.append(down[-1] * factor)
        tent = [rise.min(fall) for rise, fall in zip(up, reversed(down), strict=True)]
        moves = [a.min(b) for a, b in pairwise(tent)]
        return ends(sum(moves[1:], moves[0]))[0]


def smooth(kind: type = float, *, beta: Any, grid: Any = None) -> Space:
    """Describe an answer with a smooth bound of its local sensitivity, as a pair ``(answer, S)``.

    Calling a chain on such pairs asserts, for the caller's own statistic, that neighbours have bounds within a factor
    of e^beta and answers (on the grid, for whole numbers) at most the smaller bound apart.

    Args:
        kind: ``int`` or ``float``: what a release is written as.
        beta: The smoothness, above zero.
        grid: The step that releases are rounded to; whole numbers have 1.

    >>> smooth(int, beta=0.1).domain
    SmoothDomain(kind=<class 'int'>, beta=Fraction(1, 10), grid=Fraction(1, 1))
    """
    if kind not in (int, float):
        raise WrongTypeError(f"smooth.kind must be int or float, got {kind!r}.")
    rate = read_number("smooth.beta", beta)
    if rate <= 0:
        raise InvalidError(f"smooth.beta must be above zero, got {short(rate)}.")
    if grid is None and kind is float:
        raise WrongTypeError("smooth.grid is needed for real numbers: the step that releases are rounded to.")
    step = Fraction(1) if grid is None else read_grid("smooth.grid", grid)
    if step <= 0 or (kind is int and step != 1):
        raise InvalidError(f"smooth.grid must be above zero, and 1 for whole numbers, got {short(step)}.")
    return Space(SmoothDomain(kind=kind, beta=rate, grid=step), SmoothDistance())
