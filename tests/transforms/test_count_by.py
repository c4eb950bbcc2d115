"""Counting rows by category."""

import math
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

WORDS = pc.vector(str)
SIZED = pc.vector(int, size=3)
BY_WORD = pc.CountBy(categories=["a", "b", ""])
BY_NUMBER = pc.CountBy(categories=[0, 7, -1], null_bin=True)
CASES = [
    Case(name="count by word", chain=WORDS >> BY_WORD),
    Case(name="count by word and the rest", chain=WORDS >> pc.CountBy(categories=["a", "b"], null_bin=True)),
    Case(name="count by integer of known size", chain=SIZED >> BY_NUMBER),
    Case(name="count one category of known size", chain=SIZED >> pc.CountBy(categories=[7])),
    Case(name="count by real", chain=pc.vector(float) >> pc.CountBy(categories=[1.0, 0.0, 0.1])),
    Case(name="count booleans in order", chain=pc.vector(bool, size=4, ordered=True) >> pc.CountBy(categories=[True])),
]


def parts(unit: TwinOf, d_in: Any, space: Space) -> Parts:
    right = unit.right.stability(d_in, space)
    assert isinstance(right, Parts)
    return right


@frozen
class OneBinMoves(TwinOf):
    """Believes that a replaced row moves one bin, as an added one does."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = parts(self, d_in, space)
        return evolve(right, l1=right.l1 / 2, l2_squared=right.l2_squared / 2)


@frozen
class SquaresAddUp(TwinOf):
    """Lets the squared distance grow with the number of rows instead of its square."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        return evolve(parts(self, d_in, space), l2_squared=d_in)


@frozen
class RestCountedTwice(TwinOf):
    """Counts an unknown value as the first category and as one of the rest."""

    def apply(self, value: Any, space: Space) -> Any:
        counts = self.right.apply(value, space).copy()
        counts[0] += counts[-1]
        return counts


TWINS = [
    Twin(law="map", case=Case(name="a replacement in one bin", chain=SIZED >> OneBinMoves(BY_NUMBER))),
    Twin(law="map", case=Case(name="squares of counts add up", chain=WORDS >> SquaresAddUp(BY_WORD))),
    Twin(law="map", case=Case(name="the rest counted twice", chain=pc.vector(int) >> RestCountedTwice(BY_NUMBER))),
]


def test_counts_come_in_the_order_of_the_categories() -> None:
    assert (WORDS >> BY_WORD)(["b", "b", "a", "z", None]).tolist() == [1, 2, 0]
    assert (pc.vector(int) >> BY_NUMBER)([7, 7, -1, 5, None, 2**63 - 1]).tolist() == [0, 2, 1, 3]
    assert (pc.vector(bool) >> pc.CountBy(categories=[True, False]))([True, True, None]).tolist() == [2, 0]


def test_nan_is_among_the_rest() -> None:
    chain = pc.vector(float) >> pc.CountBy(categories=[0.0, 1e308], null_bin=True)
    assert chain([-0.0, math.nan, math.inf, None, 1e308]).tolist() == [1, 1, 3]


@given(st.lists(st.integers(-3, 3), max_size=30))
def test_the_rest_is_what_the_categories_leave(rows: list[int]) -> None:
    counts = (pc.vector(int) >> BY_NUMBER)(rows).tolist()
    assert counts == [rows.count(0), rows.count(7), rows.count(-1), sum(row not in (0, 7, -1) for row in rows)]


def test_long_columns_are_counted_as_arrays() -> None:
    rows = np.arange(1_000_000) % 10
    assert (pc.vector(int) >> pc.CountBy(categories=list(range(10))))(rows).tolist() == [100_000] * 10


def test_the_maps_are_those_of_additions_and_of_replacements() -> None:
    assert (WORDS >> BY_WORD).map(5) == Parts(l0=3, l1=5, l2_squared=25, linf=5)
    assert (SIZED >> BY_NUMBER).map(4) == Parts(l0=4, l1=4, l2_squared=8, linf=2)
    assert (SIZED >> pc.CountBy(categories=[7])).map(4) == Parts(l0=1, l1=2, l2_squared=4, linf=2)


@pytest.mark.parametrize(
    ("categories", "kind", "message"),
    [
        ("abc", WrongTypeError, "CountBy.categories must be a list of one or more values"),
        ([], WrongTypeError, "a list of one or more values"),
        ([1, "a"], WrongTypeError, "must all be of one kind"),
        (["a", "a"], InvalidError, "must be different values, got 2"),
        ([math.nan], InvalidError, "NaN is not a category"),
        ([2**63], InvalidError, "within 64-bit integers"),
    ],
)
def test_wrong_categories_are_refused(categories: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        pc.CountBy(categories=categories)


def test_categories_of_another_kind_are_refused() -> None:
    with pytest.raises(MismatchError, match="CountBy.categories must be of kind str, the kind of the column"):
        WORDS >> BY_NUMBER
