"""Sums of rows."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

UNIT = pc.VectorSum()
AROUND = pc.ClampNorm(radius=2, order=2, origin=[90, 0])
DISC = pc.ClampNorm(radius=2, order=2)
CASES = [
    Case(name="sum of rows in a diamond", chain=pc.matrix(2) >> pc.ClampNorm(radius=0.3, order=1) >> UNIT),
    Case(name="sum of rows around an origin", chain=pc.matrix(2) >> AROUND >> UNIT),
    Case(name="sum of rows of known size", chain=pc.matrix(1, size=2) >> pc.ClampNorm(radius=2, origin=[90]) >> UNIT),
    Case(name="sum of bounded columns", chain=pc.matrix(2, bounds=[(-5, 3), (90, 100)]) >> UNIT),
    Case(name="sum of bounded columns in order", chain=pc.matrix(1, bounds=(90, 100), size=2, ordered=True) >> UNIT),
]


@frozen
class OriginForgotten(TwinOf):
    """Adds up the rows themselves and charges for what they lie away from the origin."""

    def apply(self, value: Any, space: Space) -> Any:
        centre = [int(90 / space.domain.grid), 0]  # type: ignore[attr-defined]
        return self.right.apply(value, space) + [len(value) * item for item in centre]


@frozen
class OneRadius(TwinOf):
    """Charges one radius for a replacement, which may cross the whole ball."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        return Parts(l0=2, l1=d_in * 3, l2_squared=d_in**2, linf=d_in) if d_in else Parts.of(())


@frozen
class OneNormForAnother(TwinOf):
    """Takes the Euclidean radius for a bound of the sum of magnitudes."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l1=right.linf)


TWINS = [
    Twin(law="map", case=Case(name="the origin forgotten", chain=pc.matrix(2) >> AROUND >> OriginForgotten(UNIT))),
    Twin(law="map", case=Case(name="one radius each way", chain=pc.matrix(2, size=2) >> DISC >> OneRadius(UNIT))),
    Twin(law="map", case=Case(name="one norm for another", chain=pc.matrix(2) >> DISC >> OneNormForAnother(UNIT))),
]


def test_the_maps_of_balls() -> None:
    assert (pc.matrix(4) >> DISC >> UNIT).map(3) == Parts(l0=4, l1=12, l2_squared=36, linf=6)
    assert (pc.matrix(4, size=9) >> DISC >> UNIT).map(2) == Parts(l0=4, l1=8, l2_squared=16, linf=4)
    diamond = pc.ClampNorm(radius=2, order=1)
    assert (pc.matrix(4) >> diamond >> UNIT).map(3) == Parts(l0=4, l1=6, l2_squared=36, linf=6)


def test_the_maps_of_bounded_columns() -> None:
    assert (pc.matrix(2, bounds=[(-5, 3), (0, 1)]) >> UNIT).map(1) == Parts(l0=2, l1=6, l2_squared=26, linf=5)
    assert (pc.matrix(2, bounds=[(-5, 3), (0, 1)], size=3) >> UNIT).map(2) == Parts(l0=2, l1=9, l2_squared=65, linf=8)


def test_an_irrational_bound_is_rounded_up() -> None:
    moved = (pc.matrix(2) >> DISC >> UNIT).map(1)
    assert isinstance(moved, Parts)
    assert 8 < moved.l1**2 < 8 + Fraction(1, 10**9)


def test_the_origin_is_added_back_where_the_size_is_public() -> None:
    rows = [[91, 1], [89, 1]]
    assert numbers_of(pc.matrix(2) >> AROUND >> UNIT, rows) == [0, 2]
    assert numbers_of(pc.matrix(2, size=2) >> AROUND >> UNIT, rows) == [180, 2]


def test_missing_numbers_lie_at_the_origin_or_nearest_to_zero() -> None:
    assert numbers_of(pc.matrix(2) >> AROUND >> UNIT, [[math.nan, 1], [91, 0]]) == [1, 0]
    assert numbers_of(pc.matrix(2, bounds=(5, 9)) >> UNIT, [[math.nan, 6]]) == [5, 6]


@given(st.lists(st.tuples(st.integers(-(2**52), 2**52), st.integers(-(2**52), 2**52)), max_size=30), st.randoms())
def test_rows_add_up_exactly_in_any_order(rows: list[tuple[int, int]], order: Any) -> None:
    chain = pc.matrix(2, bounds=(-(2**52), 2**52), grid=1) >> UNIT
    exactly = [sum(row[at] for row in rows) for at in (0, 1)]
    assert numbers_of(chain, rows) == exactly
    order.shuffle(rows)
    assert numbers_of(chain, rows) == exactly


def test_rows_without_bounds_are_refused() -> None:
    with pytest.raises(MismatchError, match="VectorSum needs bounded columns"):
        pc.matrix(2) >> UNIT
