"""Sums of powers."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

BOTH_SIGNS = pc.vector(int, bounds=(-3, 2))
SIZED = pc.vector(int, bounds=(-3, 2), size=3)
UNIT = pc.RawMoments(order=4)
CASES = [
    Case(name="moments of integers", chain=BOTH_SIGNS >> UNIT),
    Case(name="moments of known size", chain=SIZED >> UNIT),
    Case(name="moments of reals", chain=pc.vector(float) >> pc.Clamp(bounds=(-0.1, 0.7)) >> pc.RawMoments(order=3)),
    Case(name="moments of the widest reals", chain=pc.vector(float, bounds=(-1e308, 1e308)) >> pc.RawMoments(order=2)),
    Case(
        name="moments of 64 bits in order",
        chain=pc.vector(int, bounds=(-(2**63), -5), size=2, ordered=True) >> pc.RawMoments(order=3),
    ),
]


@frozen
class PowersOfTheEnds(TwinOf):
    """Takes the powers of the bounds for the bounds of the powers, also where an even power starts at zero."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        return Parts.of(Fraction(d_in // 2) * abs(2**power - (-3) ** power) for power in range(1, 5))


@frozen
class UpperBoundOnly(TwinOf):
    """Takes the upper bound for the largest magnitude."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        return Parts.of(Fraction(d_in) * 2**power for power in range(1, 5))


TWINS = [
    Twin(law="map", case=Case(name="powers of the ends", chain=SIZED >> PowersOfTheEnds(UNIT))),
    Twin(law="map", case=Case(name="moments by the upper bound", chain=BOTH_SIGNS >> UpperBoundOnly(UNIT))),
]


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=8))
def test_powers_of_integers_add_up(rows: list[int]) -> None:
    chain = pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> UNIT
    assert numbers_of(chain, rows) == [sum(row**power for row in rows) for power in (1, 2, 3, 4)]


def test_powers_of_reals_add_up_on_one_grid() -> None:
    chain = pc.vector(float, bounds=(-1, 1), grid=Fraction(1, 4)) >> pc.RawMoments(order=3)
    assert numbers_of(chain, [0.25, -0.5]) == [Fraction(-1, 4), Fraction(5, 16), Fraction(-7, 64)]
    assert chain([0.25, -0.5]).tolist() == [-0.25, 0.3125, -0.109375]


def test_the_maps_follow_the_range_of_each_power() -> None:
    assert (BOTH_SIGNS >> pc.RawMoments(order=2)).map(1) == Parts(l0=2, l1=12, l2_squared=90, linf=9)
    assert (SIZED >> pc.RawMoments(order=2)).map(2) == Parts(l0=2, l1=14, l2_squared=106, linf=9)


def test_missing_values_count_as_the_value_nearest_to_zero() -> None:
    assert (pc.vector(float, bounds=(2, 3)) >> pc.RawMoments(order=2))([math.nan, None]).tolist() == [4.0, 8.0]


@pytest.mark.parametrize("order", [0, 17])
def test_the_order_is_small_and_above_zero(order: int) -> None:
    with pytest.raises(InvalidError, match="RawMoments.order must be"):
        pc.RawMoments(order=order)


def test_bounds_come_first() -> None:
    with pytest.raises(MismatchError, match="put Clamp"):
        pc.vector(int) >> UNIT
