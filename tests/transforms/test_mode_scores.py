"""Scores for the mode."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

LETTERS = pc.ModeScores(categories=["a", "b", ""])
CASES = [
    Case(name="mode of words", chain=pc.vector(str) >> LETTERS),
    Case(name="mode of integers", chain=pc.vector(int) >> pc.ModeScores(categories=[0, 7, -1])),
    Case(name="mode of reals", chain=pc.vector(float) >> pc.ModeScores(categories=[0.1, 0.0, 1e308])),
    Case(name="mode of booleans", chain=pc.vector(bool) >> pc.ModeScores(categories=[True, False])),
    Case(name="mode of known size", chain=pc.vector(str, size=3) >> LETTERS),
    Case(name="mode in order", chain=pc.vector(int, size=3, ordered=True) >> pc.ModeScores(categories=[0, 1])),
    Case(name="mode of one category", chain=pc.vector(int) >> pc.ModeScores(categories=[0])),
]


@frozen
class HalfAReplacement(TwinOf):
    """Charges a replacement one, as if no count fell when another rises."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction(d_in, 2)


@frozen
class UnseenRaises(TwinOf):
    """Raises where a row is in no category."""

    def apply(self, value: Any, space: Space) -> Any:
        if any(item not in ("a", "b", "") for item in value.compressed().tolist()):
            raise KeyError("unknown category")
        return self.right.apply(value, space)


TWINS = [
    Twin(
        law="map",
        case=Case(name="mode at half a replacement", chain=pc.vector(str, size=3) >> HalfAReplacement(LETTERS)),
    ),
    Twin(law="parity", case=Case(name="unseen categories raise", chain=pc.vector(str) >> UnseenRaises(LETTERS))),
]


def test_the_mode_has_the_best_score() -> None:
    chain = pc.vector(str) >> LETTERS >> pc.Exponential(temperature=1)
    assert chain(["b"] * 100 + ["a", "zzz", None]) == 1
    assert chain.map(1).epsilon() == 1


def test_unseen_missing_and_nan_rows_are_left_out() -> None:
    chain = pc.vector(float) >> pc.ModeScores(categories=[1.0, 2.0])
    assert chain([1.0, 3.0, math.nan, None, math.inf, 1.0]).tolist() == [2, 0]


def test_counts_do_not_depend_on_the_order() -> None:
    rows = np.array([0, 7, 7, 5] * 1000)
    chain = pc.vector(int) >> pc.ModeScores(categories=[7, 0])
    assert chain(rows).tolist() == chain(rows[::-1]).tolist() == [2000, 1000]


@pytest.mark.parametrize(
    ("categories", "error"),
    [
        ([], WrongTypeError),
        ([1, 1], InvalidError),
        ([1, "a"], WrongTypeError),
        ([math.nan], InvalidError),
        (None, WrongTypeError),
    ],
)
def test_categories_must_be_different_values(categories: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="ModeScores.categories must"):
        pc.ModeScores(categories=categories)


def test_categories_must_be_of_the_column() -> None:
    with pytest.raises(MismatchError, match="ModeScores.categories must be of kind int, the kind of the column"):
        pc.vector(int) >> LETTERS
