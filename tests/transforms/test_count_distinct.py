"""Counting different values."""

import math
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

WORDS = pc.vector(str)
SIZED = pc.vector(int, size=4)
CASES = [
    Case(name="distinct words", chain=WORDS >> pc.CountDistinct()),
    Case(name="distinct reals", chain=pc.vector(float) >> pc.CountDistinct()),
    Case(name="distinct integers of known size", chain=SIZED >> pc.CountDistinct()),
    Case(name="distinct categories", chain=pc.vector(str, categories=["a", "b"]) >> pc.CountDistinct()),
    Case(name="distinct in order", chain=pc.vector(float, size=3, ordered=True) >> pc.CountDistinct()),
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
    Twin(law="map", case=Case(name="free replacements", chain=SIZED >> ReplacementsAreFree(pc.CountDistinct()))),
    Twin(law="map", case=Case(name="one value less", chain=pc.vector(bool) >> OneValueLess(pc.CountDistinct()))),
]


def test_missing_values_are_no_values() -> None:
    assert (pc.vector(float) >> pc.CountDistinct())([1.0, 1.0, math.nan, None, 2.0]) == 2
    assert (WORDS >> pc.CountDistinct())(["", None, "a", ""]) == 2


def test_zero_has_one_sign() -> None:
    assert (pc.vector(float) >> pc.CountDistinct())([0.0, -0.0]) == 1


def test_the_map_stops_at_the_values_that_there_are() -> None:
    assert (WORDS >> pc.CountDistinct()).map(9) == 9
    assert (pc.vector(str, categories=["a", "b", "c"]) >> pc.CountDistinct()).map(9) == 3
    assert (pc.vector(int, bounds=(1, 6)) >> pc.CountDistinct()).map(9) == 6
    assert (SIZED >> pc.CountDistinct()).map(4) == 2


def test_only_columns_are_read() -> None:
    with pytest.raises(MismatchError, match="reads a column of records"):
        pc.scalar(int) >> pc.CountDistinct()
