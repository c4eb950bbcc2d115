"""Pairs of an answer and a smooth bound on its local sensitivity: their domain and their distance."""

import math
import sys
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

from attrs import frozen

from privet.core import (
    LARGEST,
    Domain,
    GridDomain,
    Metric,
    Space,
    ball,
    ends,
    grid_step,
    precision,
    read_exactly,
    read_positive,
    saturated,
    short,
    to_steps,
)
from privet.errors import MismatchError, WrongTypeError

FLOOR = Fraction(1, 2**20)
"""A bound is at least this part of a grid step: smaller noise would be rounded away."""
_BITS = 256
_LARGEST = Fraction(sys.float_info.max)


@final
@frozen(kw_only=True)
class SmoothDomain(GridDomain):
    """An answer in steps of a public grid, and a bound S above zero in the units of the data.

    Args:
        kind: ``int`` or ``float``: the type of a release.
        beta: The bounds of neighbours are within a factor of e^beta, their answers at most the smaller bound apart.
        grid: The grid step.
    """

    kind: type
    beta: Fraction
    grid: Fraction = Fraction(1)

    @property
    def floor(self) -> Fraction:
        """Return the smallest bound; a public lower limit keeps S smooth."""
        return self.grid * FLOOR

    def member(self, value: object) -> bool:
        """Return whether the value is a pair of a whole number of grid steps and a bound at or above the floor."""
        if not isinstance(value, tuple) or len(value) != 2 or type(value[0]) is not int:
            return False
        return isinstance(value[1], Fraction) and value[1] >= self.floor

    def admit(self, data: object) -> tuple[int, Fraction]:
        """Round the answer to the grid; raise the bound by one grid step, which rounding may add to a difference."""
        if not isinstance(data, tuple | list) or len(data) != 2:
            raise WrongTypeError(f"expected a pair (answer, smooth bound), got {type(data).__name__}.")
        number = read_exactly(data[1])  # anything that is not a number becomes the floor
        infinite = isinstance(number, float) and number > 0
        bound = number if isinstance(number, Fraction) else (_LARGEST if infinite else Fraction(0))
        rounding = self.grid if self.kind is float else Fraction(0)
        far = math.floor(LARGEST // 2 / self.grid)  # then answers are never further apart than the largest bound
        return min(max(to_steps(data[0], self.grid), -far), far), max(bound, self.floor) + rounding

    def describe(self) -> str:
        """Name the kind, the smoothness and the grid."""
        return f"smooth({self.kind.__name__}, beta={short(self.beta)}{self.describe_grid()})"

    def release(self, value: tuple[int, Fraction]) -> tuple[Any, float]:
        """Convert a private pair to the units of the data."""
        return self.answer(value[0]), saturated(value[1])


@final
@frozen
class SmoothDistance(Metric):
    """The smallest number of moves between neighbours that can lead from one pair to the other."""

    def distance(self, x: tuple[int, Fraction], y: tuple[int, Fraction], domain: Domain) -> int:
        """Count moves, each within a factor e^beta and the smaller bound; round up if balls cannot decide."""
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
    """Return the largest change of an answer in this many moves while the bound goes from s to t, rounded down.

    In between, the bound grows by the factor e^beta from both ends as far as it can; a move is at most the smaller of
    two adjacent bounds.
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


def smooth(kind: type = float, *, beta: object, grid: object = None) -> Space:
    """Describe an answer with a smooth bound on its local sensitivity, as a pair ``(answer, S)``.

    A caller who passes such pairs to a chain asserts that the bounds of neighbours are within a factor of e^beta, and
    their answers (on the grid, for whole numbers) at most the smaller bound apart.

    Args:
        kind: ``int`` or ``float``: the type of a release.
        beta: The smoothness, above zero.
        grid: The grid step of releases; for whole numbers it is 1.

    >>> smooth(int, beta=0.1).domain
    SmoothDomain(kind=<class 'int'>, beta=Fraction(1, 10), grid=Fraction(1, 1))
    """
    step = grid_step("smooth", kind, grid)
    return Space(SmoothDomain(kind=kind, beta=read_positive("smooth.beta", beta), grid=step), SmoothDistance())
