"""The covariance of two columns of public size."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.exactly import number_of
from tests.transforms.twins import TwinOf

UNIT = pc.Covariance()
SIZED = pc.matrix(2, bounds=[(0, 10), (-1, 1)], size=3)
CASES = [
    Case(name="covariance of known size", chain=SIZED >> UNIT),
]


@frozen
class HalfTheProduct(TwinOf):
    """Takes the mean to lie in the middle, where products move by half as much."""

    def stability(self, d_in: Any, space: Space) -> Any:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Fraction)
        return right / 2


@frozen
class OtherDegrees(TwinOf):
    """Divides by one row less than the map says."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return pc.Covariance(ddof=0).stability(d_in, space)


TWINS = [
    Twin(law="map", case=Case(name="half the product", chain=SIZED >> HalfTheProduct(UNIT))),
    Twin(law="map", case=Case(name="degrees of covariance forgotten", chain=SIZED >> OtherDegrees(UNIT))),
]


@given(st.lists(st.tuples(st.integers(0, 10), st.integers(-1, 1)), min_size=3, max_size=3))
def test_the_covariance_is_exact(rows: list[tuple[int, int]]) -> None:
    x, y = (Fraction(sum(row[at] for row in rows), 3) for at in (0, 1))
    assert number_of(SIZED >> UNIT, rows) == sum((row[0] - x) * (row[1] - y) for row in rows) / 2


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_map_is_the_largest_move(size: int) -> None:
    """All rows at the corners: the covariance is linear in each number, so it moves most between corners."""
    chain = pc.matrix(2, bounds=(0, 1), size=size, ordered=True, grid=1) >> UNIT
    corners = list(product((0.0, 1.0), repeat=2))
    data = {rows: number_of(chain, list(rows)) for rows in product(corners, repeat=size)}
    furthest = dict.fromkeys(range(size + 1), Fraction(0))
    for one, first in data.items():
        for other, second in data.items():
            swaps = sum(a != b for a, b in zip(one, other, strict=True))
            furthest[swaps] = max(furthest[swaps], abs(first - second))
    assert [chain.map(swaps) for swaps in range(size + 1)] == [furthest[swaps] for swaps in range(size + 1)]


def test_several_replacements_may_turn_the_sign() -> None:
    """Two rows of four: the covariance moves further than a variance in the same place could."""
    chain = pc.matrix(2, bounds=(0, 1), size=4, grid=1) >> pc.Covariance(ddof=0)
    up, down = [[0, 0], [0, 0], [1, 1], [1, 1]], [[0, 0], [0, 0], [1, 0], [0, 1]]
    assert number_of(chain, up) - number_of(chain, down) == chain.map(4) == Fraction(5, 16)
    assert (pc.vector(int, bounds=(0, 1), size=4) >> pc.Variance(ddof=0)).map(4) == Fraction(4, 16)


def test_missing_numbers_count_as_the_midpoint() -> None:
    assert number_of(SIZED >> UNIT, [[math.nan, 1], [None, -1], [5, 0]]) == 0


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (pc.matrix(3, bounds=(0, 1), size=3), "reads two columns, got 3"),
        (pc.matrix(2, bounds=(0, 1)), "needs a public size"),
        (pc.matrix(2, bounds=(0, 1), size=1), "needs more than 1 row"),
        (pc.matrix(2, size=3), "needs bounded columns"),
        (pc.vector(int, size=3), "start from pc.matrix"),
    ],
)
def test_spaces_without_a_covariance_are_refused(space: Space, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> UNIT


def test_degrees_of_freedom_are_zero_or_one() -> None:
    with pytest.raises(InvalidError, match="Covariance.ddof must be one of 0, 1"):
        pc.Covariance(ddof=2)
