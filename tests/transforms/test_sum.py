"""Exact sums."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import SymmetricDistance
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.laws.map import matched
from tests.laws.sizes import read_both
from tests.transforms.twins import TwinOf

UNSIZED = pc.vector(float) >> pc.Clamp(bounds=(-5, 3))
SIZED = pc.vector(int, size=5) >> pc.Clamp(bounds=(90, 100))
CASES = [
    Case(name="sum integers", chain=pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum()),
    Case(name="sum reals", chain=UNSIZED >> pc.Sum()),
    Case(name="sum reals off the grid", chain=pc.vector(float) >> pc.Clamp(bounds=(-0.1, 0.3)) >> pc.Sum()),
    Case(name="sum of known size", chain=SIZED >> pc.Sum()),
    Case(name="sum reals of known size", chain=pc.vector(float, size=4, bounds=(0.1, 0.7)) >> pc.Sum()),
    Case(name="sum in order", chain=pc.vector(float, size=3, ordered=True, bounds=(-2, 2)) >> pc.Sum()),
    Case(name="sum of 64 bits", chain=pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> pc.Sum()),
    Case(name="sum of the widest reals", chain=pc.vector(float, bounds=(-1e308, 1e308)) >> pc.Sum()),
    Case(name="sum of the finest grid", chain=pc.vector(float, bounds=(0, 1), grid=Fraction(1, 2**52)) >> pc.Sum()),
    Case(name="sum away from zero", chain=pc.vector(float, bounds=(90, 100)) >> pc.Sum()),
    Case(name="sum without nulls", chain=pc.vector(int, bounds=(-3, -1), nullable=False) >> pc.Sum()),
]


@frozen
class UpperBoundOnly(TwinOf):
    """Takes the upper bound for the largest magnitude."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in * 3


@frozen
class WidthForAddition(TwinOf):
    """Uses the width, which is right for replacements, where rows are added."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in * 10


@frozen
class OneRowFree(TwinOf):
    """Counts one changed row too few."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return self.right.stability(max(d_in - 1, 0), space)


@frozen
class HalfTheReplacements(TwinOf):
    """Halves the distance twice: a replacement counts half."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in, 4) * 10


@frozen
class Floating(TwinOf):
    """Adds floats, whose rounding depends on the other rows and on their order."""

    def apply(self, value: Any, space: Space) -> int:
        ordinary = np.ma.filled(value, 0.0)
        total = np.float32(0)
        for item in np.where(np.isnan(ordinary), 0.0, ordinary):
            total = np.float32(total + np.float32(item))
        return round(Fraction(float(total)) * 2**29)


@frozen
class Wrapping(TwinOf):
    """Adds 64-bit integers in 64 bits: one row more can turn a huge sum into a huge negative one."""

    def apply(self, value: Any, space: Space) -> int:
        return int(np.ma.filled(value, 0).sum(dtype=np.int64))


@frozen
class NaNKept(TwinOf):
    """Lets NaN through, so that one row decides whether there is an answer."""

    def apply(self, value: Any, space: Space) -> Any:
        total = float(np.ma.filled(value, 0.0).sum())
        return total if math.isnan(total) else self.right.apply(value, space)


@frozen
class NullsAreZero(TwinOf):
    """Counts a null as zero although zero is outside the bounds."""

    def apply(self, value: Any, space: Space) -> int:
        return int(np.ma.filled(value, 0).sum())


@frozen
class Costly(TwinOf):
    """Charges although nothing changed."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in * 10 + 1


@frozen
class Falling(TwinOf):
    """Has a map that falls where it overflows."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in * 10 % 64


TWINS = [
    Twin(law="map", case=Case(name="sum charged by the upper bound", chain=UNSIZED >> UpperBoundOnly(pc.Sum()))),
    Twin(
        law="map",
        case=Case(
            name="width where rows are added", chain=pc.vector(int, bounds=(90, 100)) >> WidthForAddition(pc.Sum())
        ),
    ),
    Twin(law="map", case=Case(name="sum off by one row", chain=UNSIZED >> OneRowFree(pc.Sum()))),
    Twin(law="map", case=Case(name="half a replacement", chain=SIZED >> HalfTheReplacements(pc.Sum()))),
    Twin(law="map", case=Case(name="float rounding of the sum", chain=UNSIZED >> Floating(pc.Sum()))),
    Twin(
        law="map",
        case=Case(name="the sum wraps", chain=pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> Wrapping(pc.Sum())),
    ),
    Twin(law="map", case=Case(name="NaN kept", chain=UNSIZED >> NaNKept(pc.Sum()))),
    Twin(law="map", case=Case(name="nulls count zero out of bounds", chain=SIZED >> NullsAreZero(pc.Sum()))),
    Twin(law="map", case=Case(name="not zero at zero", chain=pc.vector(int, bounds=(0, 10)) >> Costly(pc.Sum()))),
    Twin(law="map", case=Case(name="a map that falls", chain=pc.vector(int, bounds=(0, 10)) >> Falling(pc.Sum()))),
]


def steps(chain: Any, rows: Any) -> Any:
    """The exact result, a number of steps of the grid."""
    return chain.run(chain.input.domain.admit(rows))


def test_the_maps_of_the_issue() -> None:
    assert (pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum()).map(2) == 20
    assert (pc.vector(int, size=100) >> pc.Clamp(bounds=(90, 100)) >> pc.Sum()).map(4) == 20


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_integers_of_any_size_add_up(rows: list[int]) -> None:
    assert (pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> pc.Sum())(rows) == sum(rows)


@given(st.lists(st.floats(-8, 8), max_size=200), st.randoms(use_true_random=False))
def test_reals_add_up_exactly_in_any_order(rows: list[float], order: Any) -> None:
    chain = pc.vector(float, bounds=(-8, 8), grid=Fraction(1, 2**20)) >> pc.Sum()
    exactly = sum(round(Fraction(row) * 2**20) for row in rows)
    assert steps(chain, rows) == exactly
    order.shuffle(rows)
    assert steps(chain, rows) == exactly


def test_long_columns_add_up_exactly() -> None:
    rows = np.full(3_000_000, 0.1)
    rows[::7] = np.nan
    chain = pc.vector(float, bounds=(0, 1), grid=Fraction(1, 2**52)) >> pc.Sum()
    kept = int((~np.isnan(rows)).sum())
    assert steps(chain, rows) == kept * round(Fraction(0.1) * 2**52)


def test_missing_values_count_as_the_value_nearest_to_zero() -> None:
    assert (pc.vector(int, bounds=(0, 10)) >> pc.Sum())([5, None]) == 5
    assert (pc.vector(int, bounds=(90, 100)) >> pc.Sum())([95, None]) == 185
    assert (pc.vector(float, bounds=(-100, -90)) >> pc.Sum())([math.nan, None]) == -180.0


def test_one_row_more_or_less_is_charged_as_a_replacement() -> None:
    chain = pc.vector(int, bounds=(0, 10), size=3) >> pc.Sum()
    assert abs(chain([1, 2, 3, 10]) - chain([2, 3, 10])) <= chain.map(1) == 10
    assert chain.map(2) == 10
    assert chain.map(3) == chain.map(4) == 20


@given(st.lists(st.integers(0, 10), max_size=8), st.lists(st.integers(0, 10), max_size=8), st.integers(0, 10**6))
def test_a_wrong_size_costs_at_most_replacements(x: list[int], y: list[int], seed: int) -> None:
    """Whatever the sizes, rows added or removed act like as many replacements on a column of stated size."""
    chain = pc.vector(int, bounds=(0, 10), size=4) >> pc.Sum()
    metric, domain = SymmetricDistance(), chain.input.domain
    a, b = read_both(domain, x, y, lambda first, second: matched(first, second, metric), seed)
    assert abs(chain.run(a) - chain.run(b)) <= chain.map(2 * metric.distance(x, y, domain))


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (pc.vector(int), "put Clamp\\(bounds=\\(lower, upper\\)\\) before it"),
        (pc.vector(str), "reads numbers, got a column of str"),
        (pc.scalar(int), "start from pc.vector"),
    ],
)
def test_only_bounded_columns_are_read(space: Space, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> pc.Sum()


def test_an_unplaced_sum_says_what_it_needs() -> None:
    with pytest.raises(TypeError, match="write `pc.vector"):
        pc.Sum().map(1)
