"""Where a falling cost meets a limit: a search over the points of a grid with few evaluations.

Floats choose where to look next; the caller decides, in exact numbers, whether a point fits. The answer is two
neighbouring points of the grid, one that fits and one that does not. Method: docs/accounting/planning/calibrate.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import final

from attrs import frozen

_DECADES = 40  # powers of ten on either side of one
_WHOLES = 10**15
_SPARE = 3  # how many more questions than bisection the worst case may take
_PUSH = 0.02  # how far an estimate is moved to the middle, so that the end it would creep to is replaced as well
_JUMP = math.log(64)  # the first step of a walk goes no farther: far out, losses are slow to compute


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
    """Decimals with so many significant digits."""

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
    seen = look(start)
    for power in range(1, 25):
        for side in (1, -1):
            if not seen.refused:
                return seen
            seen = look(grid.near(grid.log(start) + side * power * math.log(2)))
    return None if seen.refused else seen


def _walk(look: Probe, grid: Grid, start: Seen, direction: int) -> tuple[Seen, Seen] | None:
    """Walk until what fits changes: (the point beyond, the last one before it); or None at the end of the grid."""
    before, here = None, start
    end = grid.last if direction > 0 else grid.first
    for turn in range(64):
        if here.index == end:
            return None
        jump = _jump(grid, before, here, turn)
        index = grid.near(grid.log(here.index) + direction * jump)
        # at least one point, and more on every turn
        index = max(index, here.index + (1 << turn)) if direction > 0 else min(index, here.index - (1 << turn))
        found = look(min(max(index, grid.first), grid.last))
        if found.refused and not here.fits:
            return _before_refusal(look, here, found)
        if found.fits != here.fits:
            return found, here
        before, here = here, found
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
        found = look((known.index + refused.index) // 2)
        if found.fits:
            return found, known
        known, refused = (known, found) if found.refused else (found, refused)
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
        found = look(min(max(_whole(aim, inside.index), low + 1), high - 1))
        outside, inside = (outside, found) if found.fits else (found, inside)
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
