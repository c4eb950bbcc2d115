"""Searches in one dimension.

Floats choose where to look. Every choice is valid, or the caller certifies it. ``boundary`` finds
where a falling cost meets a limit, as two neighbouring points of a grid: one that fits and one that does not. Method:
docs/accounting/planning/calibrate.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import chain
from typing import Any, TypeVar, final

from attrs import frozen

Number = TypeVar("Number", float, Fraction)
End = tuple[Fraction, float]  # a place, and the excess there, which is not zero

GOLDEN = (math.sqrt(5) - 1) / 2
_GRID = tuple(-10.0 + index for index in range(31))  # ln(order - 1)
_FINE = 24
_FARTHEST = 10**300  # beyond it, floats could not even choose
_ROUNDS = 60  # far more than a search for a change of sign takes
_DECADES = 40  # powers of ten on either side of one
_WHOLES = 10**15
_SPARE = 3  # how many more questions than bisection the worst case may take
_PUSH = 0.02  # how far an estimate is moved to the middle, so that the end it would creep to is replaced as well
_JUMP = math.log(64)  # the first step of a walk goes no farther: far out, losses are slow to compute


def golden_section(cost: Callable[[float], Any], low: float, high: float, rounds: int) -> tuple[float, float]:
    """Narrow an interval around the lowest point of a function with one valley."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    for _ in range(rounds):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = cost(right)
    return low, high


def valley(cost: Callable[[float], Any], low: float, high: float, rounds: int) -> float:
    """Give the middle of what ``golden_section`` leaves.

    >>> round(valley(lambda x: (x - 1) ** 2, -5, 5, 32), 4)
    1.0
    """
    return math.fsum(golden_section(cost, low, high, rounds)) / 2


def bisect(before: Callable[[Number], bool], low: Number, high: Number, rounds: int) -> tuple[Number, Number]:
    """Halve an interval around the place up to which something is true.

    >>> bisect(lambda x: x * x < 2, 1.0, 2.0, 3)
    (1.375, 1.5)
    """
    for _ in range(rounds):
        middle = (low + high) / 2
        low, high = (middle, high) if before(middle) else (low, middle)
    return low, high


def regula_falsi(
    excess: Callable[[Fraction], float], left: End, right: End, *, bits: int, guesses: Iterable[Fraction] = ()
) -> tuple[Fraction, Fraction]:
    """Narrow an interval around the place where a falling excess changes its sign, to ``bits`` bits.

    Secants need far fewer values than halving. The height at an end that stays is halved, so that it does not stay for
    ever (the Illinois variant). The caller's exact comparison decides each sign.

    Args:
        excess: Above zero on the left and below on the right; never zero.
        left: A place with excess.
        right: A place without.
        bits: How narrow the interval becomes, relative to its right end.
        guesses: Places to try first.

    >>> low, high = regula_falsi(lambda x: float(2 - x * x) or -1.0, (Fraction(1), 1.0), (Fraction(2), -2.0), bits=20)
    >>> low * low < 2 <= high * high
    True
    """
    (low, above), (high, below), first, stayed = left, right, iter(guesses), 0
    for _ in range(_ROUNDS):
        if high - low <= high / 2**bits:
            break
        # kept off the ends, so that the interval shrinks from both sides
        share = min(max(above / (above - below), 2.0**-20), 1 - 2.0**-20)
        guess = next(first, None)
        middle = Fraction(float(low + (high - low) * Fraction(share))) if guess is None else guess
        if not low < middle < high:
            if guess is None:
                break
            continue
        value = excess(middle)
        if value < 0:
            high, below, stayed = middle, value, max(stayed, 0) + 1
            above = above / 2 if stayed > 1 else above
        else:
            low, above, stayed = middle, value, min(stayed, 0) - 1
            below = below / 2 if stayed < -1 else below
    return low, high


def lower_hull(points: Iterable[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Give the corners of the lower convex hull of points with rising first coordinates.

    >>> lower_hull([(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1)), (Fraction(2), Fraction(1))])
    [(Fraction(0, 1), Fraction(0, 1)), (Fraction(2, 1), Fraction(1, 1))]
    """
    hull: list[tuple[Fraction, Fraction]] = []
    for x, y in points:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def best_order(cost: Callable[[Fraction], Fraction | float]) -> Fraction:
    """Find a Rényi order above one at which a cost is nearly smallest: first on a coarse grid, then nearby.

    >>> round(float(best_order(lambda order: order + 9 / (order - 1))), 3)
    4.0
    """
    seen: dict[float, float] = {}

    def at(t: float) -> float:
        value = cost(order_at(t))
        return seen.setdefault(t, float(value) if -_FARTHEST < value < _FARTHEST else math.inf)

    middle = min(_GRID, key=at)
    golden_section(at, middle - 1, middle + 1, _FINE)
    return order_at(min(seen, key=seen.__getitem__))


def order_at(t: float) -> Fraction:
    """Give one plus e^t, as a short fraction."""
    return 1 + Fraction(math.exp(t)).limit_denominator(2**24) if t > -10 else 1 + Fraction(1, 2**16)


class Grid(ABC):
    """Numbers above zero in rising order, by index."""

    first: int
    last: int

    @abstractmethod
    def value(self, index: int) -> Fraction | int:
        """Give the number at an index."""

    @abstractmethod
    def position(self, value: float) -> float:
        """Give the index of a number, with a part for how far it lies on the way to the next."""

    def log(self, index: int) -> float:
        """Give the logarithm of a number."""
        return log(Fraction(self.value(index)))

    def near(self, logarithm: float) -> int:
        """Give an index in the grid next to the number with this logarithm."""
        limit = min(max(logarithm, -90 * math.log(10)), 90 * math.log(10))
        return min(max(round(self.position(math.exp(limit))), self.first), self.last)


@final
class Decimals(Grid):
    """Decimals with a number of significant digits."""

    def __init__(self, digits: int) -> None:
        self._low: int = 10 ** (digits - 1)
        self._count = 9 * self._low  # numbers in a decade
        self.first, self.last = -_DECADES * self._count, _DECADES * self._count

    def value(self, index: int) -> Fraction:
        """Count decades, then places within one."""
        decade, place = divmod(index, self._count)
        return Fraction(Fraction(10) ** decade * (self._low + place) / self._low)

    def position(self, value: float) -> float:
        """The decade and the share of it."""
        decade = math.floor(math.log10(value))
        return float(decade * self._count) + (value / math.pow(10, decade) - 1) * self._low


@final
class Wholes(Grid):
    """Whole numbers from one."""

    first, last = 1, _WHOLES

    def value(self, index: int) -> int:
        """The number itself."""
        return index

    def position(self, value: float) -> float:
        """The number itself."""
        return value


@final
@frozen
class Seen:
    """The evaluation of one point of the grid.

    Args:
        index: The point.
        excess: The logarithm of cost over limit; infinite where there is no finite cost. A float that decides nothing.
        fits: Whether the cost is within the limit.
        refused: Whether this point cannot be evaluated.
    """

    index: int
    excess: float
    fits: bool
    refused: bool = False


Probe = Callable[[int], Seen]


def log(value: Fraction) -> float:
    """Give the logarithm of a fraction of zero or more that may be too large or too small for a float."""
    return math.log(value.numerator) - math.log(value.denominator) if value else -math.inf


def boundary(look: Probe, grid: Grid, start: int, private: int) -> tuple[Seen | None, Seen | None]:
    """Give neighbours (does not fit, fits), with the second in the direction ``private`` (1 or -1) of the first.

    A side is None where no point fits, or where every point does.
    """
    first = _somewhere(look, grid, start)
    if first is None:
        return None, None
    if first.fits:
        outside = _walk(look, grid, first, -private)
        return (None, first) if outside is None else _narrow(look, grid, *outside)
    inside = _walk(look, grid, first, private)
    return (first, None) if inside is None else _narrow(look, grid, *inside[::-1])


def _somewhere(look: Probe, grid: Grid, start: int) -> Seen | None:
    """Evaluate the start or, where that is refused, points around it."""
    around = (grid.near(grid.log(start) + side * power * math.log(2)) for power in range(1, 25) for side in (1, -1))
    return next((seen for seen in map(look, chain([start], around)) if not seen.refused), None)


def _walk(look: Probe, grid: Grid, start: Seen, direction: int) -> tuple[Seen, Seen] | None:
    """Walk until what fits changes: (the point beyond, the last one before it); or None at the end of the grid."""
    before, here = None, start
    end = grid.last if direction > 0 else grid.first
    for turn in range(64):
        if here.index == end:
            return None
        index = grid.near(grid.log(here.index) + direction * _jump(grid, before, here, turn))
        # at least one point, and more on every turn
        index = max(index, here.index + (1 << turn)) if direction > 0 else min(index, here.index - (1 << turn))
        beyond = look(min(max(index, grid.first), grid.last))
        if beyond.refused and not here.fits:
            return _before_refusal(look, here, beyond)
        if beyond.fits != here.fits:
            return beyond, here
        before, here = here, beyond
    return None


def _jump(grid: Grid, before: Seen | None, here: Seen, turn: int) -> float:
    """Estimate how far away the limit is, on a logarithmic scale; farther on every turn that has not met it."""
    farthest = math.ldexp(_JUMP, turn)
    if not math.isfinite(here.excess):
        return min(math.ldexp(math.log(4), turn), farthest)
    slope = 1.0  # noise twice as large usually costs half
    if before is not None and math.isfinite(before.excess) and before.excess != here.excess:
        slope = abs((here.excess - before.excess) / (grid.log(here.index) - grid.log(before.index)))
    return min(max(abs(here.excess) / slope, math.ldexp(0.01, 2 * turn) if turn else 0.0) * max(turn, 1), farthest)


def _before_refusal(look: Probe, known: Seen, refused: Seen) -> tuple[Seen, Seen] | None:
    """Search for a point that fits, between one that does not fit and one that is refused."""
    while abs(refused.index - known.index) > 1:
        middle = look((known.index + refused.index) // 2)
        if middle.fits:
            return middle, known
        known, refused = (known, middle) if middle.refused else (middle, refused)
    return None


def _narrow(look: Probe, grid: Grid, outside: Seen, inside: Seen) -> tuple[Seen, Seen]:
    """Interpolate, truncate and project (Oliveira and Takahashi 2020) until the two are neighbours."""
    width = first_width = abs(inside.index - outside.index)
    left = width.bit_length() + _SPARE
    while width > 1:
        middle = (outside.index + inside.index) / 2
        aim = _interpolated(grid, outside, inside, middle)
        push = min(_PUSH * width * width / first_width, abs(middle - aim))
        aim += math.copysign(push, middle - aim)
        # so near the middle that bisection from there on ends in time
        reach = max(2.0 ** min(left, 1000) - width, 0) / 2
        aim = min(max(aim, middle - reach), middle + reach)
        low, high = sorted((outside.index, inside.index))
        between = look(min(max(_whole(aim, inside.index), low + 1), high - 1))
        outside, inside = (outside, between) if between.fits else (between, inside)
        width, left = abs(inside.index - outside.index), left - 1
    return outside, inside


def _interpolated(grid: Grid, outside: Seen, inside: Seen, middle: float) -> float:
    """Draw a line through both on logarithmic scales."""
    if not (math.isfinite(outside.excess) and math.isfinite(inside.excess)) or outside.excess == inside.excess:
        return middle
    share = outside.excess / (outside.excess - inside.excess)
    start, stop = grid.log(outside.index), grid.log(inside.index)
    return grid.position(math.exp(start + share * (stop - start)))


def _whole(position: float, inside: int) -> int:
    """Round to the side that fits, unless the position is a point of the grid up to rounding."""
    nearest = round(position)
    if abs(position - nearest) < 2.0**-10:
        return nearest
    return math.ceil(position) if inside > position else math.floor(position)
