"""A running total adds up exactly, stays small and belongs to one process."""

import copy
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.numerics.convert import Point
from privet.accounting.planning.running_total import RunningTotal, rounded_up
from privet.errors import UnavailableError, WrongTypeError

WIDE = Fraction(1, 3**3000)


def anything(spent: Point, total: Point) -> None:
    pass


@given(st.integers(1, 10**40), st.integers(0, 6000))
def test_rounding_is_up_and_relative(above: int, shift: int) -> None:
    value = Fraction(above << shift, 3**3000)
    near = Fraction(rounded_up(value, None))
    assert value <= near <= value * (1 + Fraction(1, 2**250))
    assert near.denominator.bit_length() <= 4096 + 2048 or near == value


def test_a_total_of_moderate_size_is_exact() -> None:
    value = Fraction(1, 3**2500)
    assert rounded_up(value, None) == value


def test_a_total_is_not_rounded_past_its_cap() -> None:
    cap = 1 - WIDE
    assert rounded_up(cap, cap) == cap
    assert Fraction(rounded_up(cap, None)) >= cap


def test_infinity_stays_infinity() -> None:
    assert rounded_up(math.inf, None) == math.inf


def test_the_check_sees_both_totals_and_may_refuse() -> None:
    running, heard = RunningTotal("Test"), []
    running.charge(Point(Fraction(1), Fraction(0)), anything)

    def refuse(spent: Point, total: Point) -> None:
        heard.append((spent.cost, total.cost))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        running.charge(Point(Fraction(2), Fraction(0)), refuse)
    assert heard == [(1, 3)]
    assert running.spent.cost == 1
    running.charge(Point(Fraction(2), Fraction(0)), anything)  # a refusal does not leave it busy


def test_a_check_cannot_charge() -> None:
    running = RunningTotal("Test")

    def again(spent: Point, total: Point) -> None:
        running.charge(Point(Fraction(1), Fraction(0)), anything)

    with pytest.raises(UnavailableError, match="Test: a rule that decides on a charge cannot charge itself."):
        running.charge(Point(Fraction(1), Fraction(0)), again)
    assert running.spent.cost == 0


def test_another_process_is_refused() -> None:
    running = RunningTotal("Test")
    running._process += 1
    assert not running.at_home
    with pytest.raises(UnavailableError, match="this Test belongs to the process that opened it"):
        running.charge(Point(Fraction(1), Fraction(0)), anything)
    with pytest.raises(UnavailableError):
        _ = running.spent


def test_a_ledger_cannot_be_copied() -> None:
    with pytest.raises(WrongTypeError, match="a Test cannot be copied"):
        copy.deepcopy(RunningTotal("Test"))


def test_what_follows_a_charge_sees_it_and_cannot_undo_it() -> None:
    running, seen = RunningTotal("Test"), []

    def then() -> None:
        seen.append(running.spent.cost)
        raise KeyError

    with pytest.raises(KeyError):
        running.charge(Point(Fraction(1, 2), Fraction(0)), anything, then=then)
    running.charge(Point(Fraction(1, 2), Fraction(0)), anything)
    assert (seen, running.spent.cost) == ([Fraction(1, 2)], 1)


def test_nothing_follows_a_charge_that_is_refused() -> None:
    running, seen = RunningTotal("Test"), []

    def refuse(_: Point, __: Point) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        running.charge(Point(Fraction(1), Fraction(0)), refuse, then=lambda: seen.append(1))
    assert seen == []
