"""How far the numbers of a vector can move within a distance: the moves that no other move exceeds."""

import math
from collections.abc import Iterator
from fractions import Fraction

from privet.core import Parts

Move = tuple[int, ...]  # whole steps above zero, falling: how far each number moves
_MOST = 12  # moves that are worth comparing
_TRIED = 2000


def longest_moves(distance: Parts, step: Fraction) -> list[Move]:
    """Give the moves by whole steps that fit into a distance and cannot grow; an empty list if there are many.

    >>> longest_moves(Parts(l0=4, l1=4, l2_squared=4, linf=2), Fraction(1))
    [(2,), (1, 1, 1, 1)]
    """
    limits = _Limits(distance, step)
    longest: list[Move] = []
    for tried, move in enumerate(limits.moves()):
        if tried >= _TRIED or len(longest) > _MOST:
            return []
        if limits.is_longest(move):
            longest.append(move)
    return longest


def all_longest_moves(distance: Parts) -> list[Move]:
    """Return the moves by whole numbers that fit into a distance and cannot grow, however many there are."""
    limits = _Limits(distance, Fraction(1))
    return [move for move in limits.moves() if limits.is_longest(move)]


class _Limits:
    """The limits of a move, in whole steps."""

    def __init__(self, distance: Parts, step: Fraction) -> None:
        self._count, self._total = distance.l0, math.floor(distance.l1 / step)
        self._squares, self._largest = math.floor(distance.l2_squared / step**2), math.floor(distance.linf / step)

    def is_longest(self, move: Move) -> bool:
        """Tell whether a move cannot grow."""
        return move != () and not any(self.holds(larger) for larger in _larger(move))

    def holds(self, move: Move) -> bool:
        """Tell whether a move fits."""
        fits = len(move) <= self._count and sum(move) <= self._total and max(move, default=0) <= self._largest
        return fits and sum(far * far for far in move) <= self._squares

    def moves(self, before: Move = ()) -> Iterator[Move]:
        """Give every move that fits and begins with these steps."""
        yield before
        if len(before) == self._count:
            return
        squares, total = self._squares - sum(far * far for far in before), self._total - sum(before)
        # all of these fit: on a fine grid, trying those that do not would take seconds
        for far in range(min(before[-1] if before else self._largest, math.isqrt(squares), total), 0, -1):
            yield from self.moves((*before, far))


def _larger(move: Move) -> Iterator[Move]:
    """Give the moves that are one step larger."""
    yield (*move, 1)
    for index, far in enumerate(move):
        yield (*move[:index], far + 1, *move[index + 1 :])
