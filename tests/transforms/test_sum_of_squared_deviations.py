"""Sums of squared deviations from the mean."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.exactly import number_of
from tests.transforms.twins import TwinOf

UNIT = pc.SumOfSquaredDeviations()
SIZED = pc.vector(int, bounds=(0, 8), size=4)
PRIVATE = pc.vector(float, bounds=(-5, 3))
FAR = pc.vector(float, bounds=(10**8, 10**8 + 1), size=3)
CASES = [
    Case(name="squared deviations of integers", chain=SIZED >> UNIT),
    Case(name="squared deviations of reals", chain=pc.vector(float, size=3) >> pc.Clamp(bounds=(-0.1, 0.7)) >> UNIT),
    Case(name="squared deviations of private size", chain=PRIVATE >> UNIT),
    Case(name="squared deviations of 64 bits", chain=pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> UNIT),
    Case(name="squared deviations far from zero", chain=FAR >> UNIT),
    Case(name="squared deviations in order", chain=pc.vector(int, bounds=(0, 5), size=3, ordered=True) >> UNIT),
]


@frozen
class AsOnceReleased(TwinOf):
    """Claims 40.6 where 63.9 is possible: the two figures of a released library."""

    def stability(self, d_in: Any, space: Space) -> Any:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Fraction)
        return right * Fraction(406, 639)


@frozen
class AboutAFixedMean(TwinOf):
    """Charges for rows around the middle, as if the mean were known to lie there."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in) * 16


@frozen
class Floating(TwinOf):
    """Subtracts the square of the sum from the sum of squares in floats."""

    def apply(self, value: Any, space: Space) -> Any:
        rows = np.nan_to_num(np.ma.filled(value, 1e8), nan=1e8)
        deviations = float((rows * rows).sum() - rows.sum() ** 2 / 3)
        grid = space.domain.grid  # type: ignore[attr-defined]
        return round(Fraction(deviations) * 3 / grid**2)


TWINS = [
    Twin(law="map", case=Case(name="40.6 of 63.9", chain=SIZED >> AsOnceReleased(UNIT))),
    Twin(law="map", case=Case(name="deviations from a fixed mean", chain=PRIVATE >> AboutAFixedMean(UNIT))),
    Twin(law="map", case=Case(name="deviations in floats", chain=FAR >> Floating(UNIT))),
]


def test_a_claim_of_40_6_would_be_exceeded_by_63_9() -> None:
    """A released library claimed 40.6 where 63.9 was possible; 640 rows within a width of 8 can move so far."""
    chain = pc.vector(int, bounds=(0, 8), size=640) >> UNIT
    moved = number_of(chain, [8] + [0] * 639) - number_of(chain, [0] * 640)
    assert moved == chain.map(2) == Fraction(639, 10)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_for_a_public_size_the_map_is_the_largest_move(size: int) -> None:
    """All columns of rows at the bounds: squares of deviations move most there, being convex in each row."""
    chain = pc.vector(int, bounds=(0, 1), size=size, ordered=True) >> UNIT
    furthest = dict.fromkeys(range(size + 1), Fraction(0))
    columns = {rows: number_of(chain, list(rows)) for rows in product((0, 1), repeat=size)}
    for one, other in product(columns, columns):
        swaps = sum(a != b for a, b in zip(one, other, strict=True))
        furthest[swaps] = max(furthest[swaps], abs(columns[one] - columns[other]))
    reached = [max(furthest[fewer] for fewer in range(swaps + 1)) for swaps in range(size + 1)]
    assert [chain.map(swaps) for swaps in range(size + 1)] == reached


def test_for_a_private_size_the_map_is_approached_by_long_columns() -> None:
    chain = pc.vector(int, bounds=(0, 10)) >> UNIT
    moved = number_of(chain, [10, 10] + [0] * 5000) - number_of(chain, [0] * 5000)
    assert Fraction(999, 1000) * 200 < moved <= 200
    assert chain.map(2) == 200


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4))
def test_deviations_are_exact(rows: list[int]) -> None:
    chain = pc.vector(int, bounds=(-(2**63), 2**63 - 1), size=4) >> UNIT
    mean = Fraction(sum(rows), 4)
    assert number_of(chain, rows) == sum((row - mean) ** 2 for row in rows)


def test_long_columns_of_large_numbers_do_not_wrap() -> None:
    rows = np.full(300_000, 2**62, dtype=np.int64)
    rows[0] = -(2**62)
    chain = pc.vector(int, bounds=(-(2**63), 2**63 - 1), size=300_000) >> UNIT
    assert number_of(chain, rows) == Fraction(299_999, 300_000) * 2**126


def test_missing_values_count_as_the_midpoint() -> None:
    chain = pc.vector(float, bounds=(0, 10)) >> UNIT
    assert number_of(chain, [5.0, None, math.nan]) == 0
    assert number_of(chain, []) == 0


def test_bounds_come_first() -> None:
    with pytest.raises(MismatchError, match="put Clamp"):
        pc.vector(int, size=3) >> UNIT
