"""Ways in which numbers can move."""

from fractions import Fraction
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest

import privet.calculus as pc
from privet.mechanisms.moves import Move, _Limits, longest_moves

ROOMS = [
    pc.Parts(l0=3, l1=5, l2_squared=9, linf=3),
    pc.Parts(l0=2, l1=4, l2_squared=100, linf=3),
    pc.Parts(l0=4, l1=4, l2_squared=4, linf=2),
    pc.Parts(l0=4, l1=100, l2_squared=6, linf=Fraction(5, 2)),
    pc.Parts(l0=1, l1=2, l2_squared=4, linf=2),
]


def fits(move: Move, room: pc.Parts) -> bool:
    return pc.Parts.of([Fraction(far) for far in move]) <= room


@pytest.mark.parametrize("room", ROOMS)
def test_every_move_that_fits_is_within_one_that_is_listed(room: pc.Parts) -> None:
    listed = longest_moves(room, Fraction(1))
    assert all(fits(move, room) for move in listed)
    for steps in product(range(4), repeat=4):
        move = tuple(sorted((far for far in steps if far), reverse=True))
        if fits(move, room):
            assert any(
                len(move) <= len(longer) and all(a <= b for a, b in zip(move, longer, strict=False))
                for longer in listed
            )


def test_steps_are_counted_on_the_grid() -> None:
    room = pc.Parts(l0=2, l1=1, l2_squared=Fraction(1, 2), linf=Fraction(1, 2))
    assert longest_moves(room, Fraction(1, 4)) == [(2, 2)]


def test_too_many_ways_are_not_listed() -> None:
    assert longest_moves(pc.Parts(l0=50, l1=50, l2_squared=50, linf=50), Fraction(1)) == []
    assert longest_moves(pc.Parts(l0=10**6, l1=10**9, l2_squared=10**9, linf=10**6), Fraction(1)) == []


def test_a_fine_grid_takes_no_time() -> None:
    """One number may move by millions of steps, which a second one is not allowed."""
    room = pc.Parts(l0=3, l1=10**9 + 1, l2_squared=10**18 + 1, linf=10**9)
    tried = 0

    def counted(limits: Any, move: Move) -> bool:
        nonlocal tried
        tried += 1
        return original(limits, move)

    original = _Limits.holds
    with patch.object(_Limits, "holds", counted):
        assert longest_moves(room, Fraction(1)) == []
    assert tried < 10_000


def test_nothing_moves_where_there_is_no_room() -> None:
    assert longest_moves(pc.Parts(l0=2, l1=0, l2_squared=0, linf=0), Fraction(1)) == []
