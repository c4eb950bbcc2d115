"""Counting different values."""

import math
from typing import Any

import pytest
from attrs import frozen

import privet as pv
from privet.core.space import Space
from privet.errors import Mismatch
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

WORDS = pv.vector(str)
SIZED = pv.vector(int, size=4)
CASES = [
    Case(name="distinct words", chain=WORDS >> pv.CountDistinct()),
    Case(name="distinct reals", chain=pv.vector(float) >> pv.CountDistinct()),
    Case(name="distinct integers of known size", chain=SIZED >> pv.CountDistinct()),
    Case(name="distinct categories", chain=pv.vector(str, categories=["a", "b"]) >> pv.CountDistinct()),
    Case(name="distinct in order", chain=pv.vector(float, size=3, ordered=True) >> pv.CountDistinct()),
]


@frozen
class ReplacementsAreFree(TwinOf):
    """Takes the count of values for a count of rows, which a replacement does not change."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return 0


@frozen
class OneValueLess(TwinOf):
    """Forgets that a column may also hold no value at all."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return min(d_in, 1)


TWINS = [
    Twin(law="map", case=Case(name="free replacements", chain=SIZED >> ReplacementsAreFree(pv.CountDistinct()))),
    Twin(law="map", case=Case(name="one value less", chain=pv.vector(bool) >> OneValueLess(pv.CountDistinct()))),
]


def test_missing_values_are_no_values() -> None:
    assert (pv.vector(float) >> pv.CountDistinct())([1.0, 1.0, math.nan, None, 2.0]) == 2
    assert (WORDS >> pv.CountDistinct())(["", None, "a", ""]) == 2


def test_zero_has_one_sign() -> None:
    assert (pv.vector(float) >> pv.CountDistinct())([0.0, -0.0]) == 1


def test_the_map_stops_at_the_values_that_there_are() -> None:
    assert (WORDS >> pv.CountDistinct()).map(9) == 9
    assert (pv.vector(str, categories=["a", "b", "c"]) >> pv.CountDistinct()).map(9) == 3
    assert (pv.vector(int, bounds=(1, 6)) >> pv.CountDistinct()).map(9) == 6
    assert (SIZED >> pv.CountDistinct()).map(4) == 2


def test_what_is_not_a_column_is_refused() -> None:
    with pytest.raises(Mismatch, match="reads a column of records"):
        pv.scalar(int) >> pv.CountDistinct()
