"""The variance of a column of public size."""

import math
from fractions import Fraction
from statistics import pvariance, variance
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.exactly import number_of
from tests.transforms.twins import TwinOf

SIZED = pc.vector(int, bounds=(0, 10), size=4)
UNIT = pc.Variance()
CASES = [
    Case(name="variance of integers", chain=SIZED >> UNIT),
    Case(name="variance of these rows", chain=SIZED >> pc.Variance(ddof=0)),
    Case(name="variance of reals", chain=pc.vector(float, bounds=(-0.1, 0.7), size=3) >> UNIT),
    Case(name="variance in order", chain=pc.vector(float, bounds=(90, 100), size=3, ordered=True) >> UNIT),
]


@frozen
class RangeOfTheVariance(TwinOf):
    """Takes the largest variance that there is, a quarter of the squared width, for the move of all rows."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in // 2 * 100, 4 * 4)


@frozen
class OtherDegrees(TwinOf):
    """Divides by one row less than the map says."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return pc.Variance(ddof=0).stability(d_in, space)


TWINS = [
    Twin(law="map", case=Case(name="a quarter of the width", chain=SIZED >> RangeOfTheVariance(UNIT))),
    Twin(law="map", case=Case(name="degrees of freedom forgotten", chain=SIZED >> OtherDegrees(UNIT))),
]


@given(st.lists(st.integers(0, 10), min_size=4, max_size=4))
def test_both_variances_are_exact(rows: list[int]) -> None:
    plain = [Fraction(row) for row in rows]
    assert number_of(SIZED >> UNIT, rows) == variance(plain)
    assert number_of(SIZED >> pc.Variance(ddof=0), rows) == pvariance(plain)


@pytest.mark.parametrize("size", [2, 3, 10, 100])
def test_one_replacement_moves_the_unbiased_variance_by_the_squared_width_over_the_size(size: int) -> None:
    """Not over size less one, as is often written: that is never reached."""
    chain = pc.vector(int, bounds=(0, 10), size=size) >> UNIT
    moved = number_of(chain, [10] + [0] * (size - 1)) - number_of(chain, [0] * size)
    assert moved == chain.map(2) == Fraction(100, size)


def test_several_replacements_cost_less_than_one_times_their_number() -> None:
    chain = pc.vector(int, bounds=(0, 1), size=10) >> pc.Variance(ddof=0)
    assert chain.map(2) == Fraction(9, 100)
    assert chain.map(6) == Fraction(21, 100)
    assert chain.map(10) == chain.map(20) == Fraction(25, 100), "a variance is at most a quarter"


def test_missing_values_count_as_the_midpoint() -> None:
    assert number_of(SIZED >> UNIT, [5, None, 5, None]) == 0
    assert number_of(pc.vector(float, bounds=(0, 2), size=2) >> UNIT, [math.nan, 2.0]) == Fraction(1, 2)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (pc.vector(int, bounds=(0, 1)), "use SumOfSquaredDeviations"),
        (pc.vector(int, bounds=(0, 1), size=1), "needs more than 1 row, got a public size of 1"),
        (pc.vector(int, size=3), "put Clamp"),
    ],
)
def test_spaces_without_a_variance_are_refused(space: Space, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> UNIT


@pytest.mark.parametrize(("ddof", "kind"), [(2, InvalidError), (-1, InvalidError), (0.5, WrongTypeError)])
def test_degrees_of_freedom_are_zero_or_one(ddof: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="Variance.ddof must be"):
        pc.Variance(ddof=ddof)
