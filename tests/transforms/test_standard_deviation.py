"""The standard deviation of a column of public size."""

import math
from fractions import Fraction
from statistics import variance
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.grid_domains import ScalarDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.exactly import number_of
from tests.transforms.twins import TwinOf

SIZED = pc.vector(int, bounds=(0, 10), size=3)
UNIT = pc.StandardDeviation()
CASES = [
    Case(name="standard deviation of integers", chain=SIZED >> UNIT),
    Case(name="standard deviation of these rows", chain=SIZED >> pc.StandardDeviation(ddof=0)),
    Case(name="standard deviation of reals", chain=pc.vector(float, bounds=(-0.1, 0.7), size=4) >> UNIT),
    Case(name="standard deviation of 64 bits", chain=pc.vector(int, bounds=(-(2**63), 2**63 - 1), size=2) >> UNIT),
]


@frozen
class OverTheSize(TwinOf):
    """Charges like a mean: the width over the size, not over its root."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in // 2 * 10, 3)


@frozen
class RoundingIsFree(TwinOf):
    """Rounds the root up and charges a lower bound of the root."""

    def apply(self, value: Any, space: Space) -> Any:
        return self.right.apply(value, space) + bool(value.sum() % 7)

    def stability(self, d_in: Any, space: Space) -> Any:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Fraction)
        return max(right - Fraction(1, 2**12), Fraction(0))


TWINS = [
    Twin(law="map", case=Case(name="deviation over the size", chain=SIZED >> OverTheSize(UNIT))),
    Twin(law="map", case=Case(name="deviation rounded for free", chain=SIZED >> RoundingIsFree(UNIT))),
]


@given(st.lists(st.integers(0, 10), min_size=3, max_size=3))
def test_the_root_is_the_nearest_step(rows: list[int]) -> None:
    chain = SIZED >> UNIT
    domain = chain.output.domain
    assert isinstance(domain, ScalarDomain)
    root, half = number_of(chain, rows), domain.grid / 2
    exactly = variance([Fraction(row) for row in rows])
    assert max(root - half, Fraction(0)) ** 2 <= exactly <= (root + half) ** 2


@pytest.mark.parametrize("size", [2, 3, 10, 100])
def test_the_map_is_attained_up_to_a_grid_step(size: int) -> None:
    chain = pc.vector(int, bounds=(0, 10), size=size) >> UNIT
    domain = chain.output.domain
    assert isinstance(domain, ScalarDomain)
    claimed = chain.map(2)
    assert isinstance(claimed, Fraction)
    moved = number_of(chain, [10] + [0] * (size - 1)) - number_of(chain, [0] * size)
    assert claimed - domain.grid <= moved <= claimed
    assert (claimed - domain.grid) ** 2 < Fraction(100, size) <= claimed**2


def test_huge_numbers_have_an_exact_root() -> None:
    chain = pc.vector(int, bounds=(-(2**62), 2**62), size=2) >> pc.StandardDeviation(ddof=0)
    assert number_of(chain, [-(2**62), 2**62]) == 2**62


def test_missing_values_count_as_the_midpoint() -> None:
    chain = pc.vector(float, bounds=(0, 10), size=3) >> UNIT
    assert number_of(chain, [5.0, None, math.nan]) == 0


def test_a_private_size_is_refused() -> None:
    with pytest.raises(MismatchError, match="StandardDeviation needs a public size"):
        pc.vector(int, bounds=(0, 1)) >> UNIT


def test_degrees_of_freedom_are_zero_or_one() -> None:
    with pytest.raises(InvalidError, match="StandardDeviation.ddof must be one of 0, 1"):
        pc.StandardDeviation(ddof=3)
