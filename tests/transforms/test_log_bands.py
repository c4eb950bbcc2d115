"""Bands of magnitudes."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

BANDS = pc.LogBands()
CASES = [
    Case(name="bands of reals", chain=pc.vector(float) >> BANDS),
    Case(name="bands of integers", chain=pc.vector(int) >> pc.LogBands(exponents=(-3, 63))),
    Case(name="bands without nulls", chain=pc.vector(float, nullable=False, size=2) >> pc.LogBands(exponents=(0, 4))),
]


@frozen
class BesideTheLargest(TwinOf):
    """Counts bands from the largest value of the column, so that one row moves all others."""

    def apply(self, value: Any, space: Space) -> Any:
        bands = self.right.apply(value, space)
        return bands - (bands.max() if bands.count() else 0) % 2099


@frozen
class LogarithmOfZero(TwinOf):
    """Takes the logarithm of every number, as if none were zero or infinite."""

    def apply(self, value: Any, space: Space) -> Any:
        for item in value.compressed().tolist():
            int(math.log2(abs(item)))
        return self.right.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="bands beside the largest", chain=pc.vector(float) >> BesideTheLargest(BANDS))),
    Twin(law="parity", case=Case(name="the logarithm of zero", chain=pc.vector(float) >> LogarithmOfZero(BANDS))),
]


def band(unit: Any, item: Any, kind: type = float) -> Any:
    return (pc.vector(kind) >> unit)([item]).tolist()[0]


def test_rows_at_nine_lie_within_the_edges_of_their_bands() -> None:
    """Edges a factor of two too small would report bounds of -8 and 8 for rows at -9 and 9."""
    low, high = band(BANDS, -9.0), band(BANDS, 9.0)
    assert BANDS.edges(low)[0] == -16
    assert BANDS.edges(high)[1] == 16


@given(st.floats(allow_nan=False))
def test_every_float_lies_within_its_band(item: float) -> None:
    lower, upper = BANDS.edges(band(BANDS, item))
    if math.isinf(item):
        assert (lower is None) == (item < 0)
        assert (upper is None) == (item > 0)
        return
    assert lower is not None
    assert upper is not None
    assert lower <= Fraction(item) <= upper
    assert item <= 0 or item < upper, "a band does not hold its outer edge"


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_integer_lies_within_its_band(item: int) -> None:
    lower, upper = BANDS.edges(band(BANDS, item, int))
    assert lower is not None
    assert upper is not None
    assert lower <= item <= upper
    assert abs(item) != 2**63 - 1 or upper == 2**63 or lower == -(2**63), "as a float it would be 2^63"


@pytest.mark.parametrize(
    ("item", "expected"),
    [(0.0, 0), (-0.0, 0), (5e-324, 1), (-5e-324, -1), (1.0, 1075), (1.7e308, 2098), (math.inf, 2099), (math.nan, None)],
)
def test_edges_of_the_floats(item: float, expected: int | None) -> None:
    assert band(BANDS, item) == expected


def test_narrow_exponents_gather_what_is_outside() -> None:
    unit = pc.LogBands(exponents=(0, 3))
    assert (pc.vector(float) >> unit)([0.99, 1, 2, 4, 7.9, 8, 1e300, -8, None]).tolist() == [
        0,
        1,
        2,
        3,
        3,
        4,
        4,
        -4,
        None,
    ]
    assert unit.edges(0) == (Fraction(-1), Fraction(1))
    assert unit.edges(4) == (Fraction(8), None)
    assert unit.edges(-4) == (None, Fraction(-8))


def test_bands_of_numpy_columns_are_integers() -> None:
    assert (pc.vector(int) >> BANDS)(np.array([-(2**63), 2**63 - 1])).tolist() == [-(1075 + 63), 1075 + 62]


@pytest.mark.parametrize("exponents", [(3, 3), (-2000, 0), (0, 2000)])
def test_exponents_out_of_range_are_refused(exponents: Any) -> None:
    with pytest.raises(InvalidError, match="LogBands.exponents must be low below high"):
        pc.LogBands(exponents=exponents)


def test_wrong_types_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="must be a pair"):
        pc.LogBands(exponents=3)
    with pytest.raises(MismatchError, match="reads numbers, got a column of str"):
        pc.vector(str) >> BANDS
    with pytest.raises(InvalidError, match="LogBands.band must lie between -2099 and 2099"):
        BANDS.edges(2100)
