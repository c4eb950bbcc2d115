"""Weighted draws from a list in place of missing values."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.transforms.columns import missing
from tests.laws import Case, Twin
from tests.noise.chi_square import chi_square_upper
from tests.transforms.random_twins import RandomTwinOf

RIGHT = pc.ImputeCategories(categories=["x", "y", "z"], weights=[0.5, 0.3, 0.2], null_value="b")
KNOWN = pc.vector(str, categories=["a", "b"])
CASES = [
    Case(name="impute text", chain=pc.vector(str) >> RIGHT),
    Case(name="impute known categories", chain=KNOWN >> RIGHT),
    Case(
        name="impute integers",
        chain=pc.vector(int, size=3) >> pc.ImputeCategories(categories=range(10, 99), null_value={0, 7}),
    ),
]


@frozen
class Commonest(RandomTwinOf):
    """Imputes the most frequent value of the column."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone, filled = missing(value), value.data.copy()
        seen = Counter(filled[~gone].tolist())
        filled[gone] = max(("a", "ä"), key=lambda item: seen[item])
        return filled


@frozen
class NullValueKept(RandomTwinOf):
    """Fills nulls, and forgets the null value that it promised to fill."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        filled = value.data.copy()
        filled[missing(value)] = "x"
        return filled


@frozen
class CoinsInTurn(RandomTwinOf):
    """Uses the coins for the missing rows in turn: one more row gives every later row another coin."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone = missing(value)
        turn = np.zeros(len(value), dtype=np.int64)
        turn[gone] = np.arange(int(gone.sum()))
        return self.right.combine(value, coins[turn], space)


TWINS = [
    Twin(
        law="map",
        case=Case(
            name="the commonest filled in",
            chain=pc.vector(str) >> Commonest(pc.ImputeCategories(categories=["a", "ä"])),
        ),
    ),
    Twin(law="map", case=Case(name="a null value kept", chain=KNOWN >> NullValueKept(RIGHT))),
    Twin(
        law="map",
        case=Case(
            name="categories drawn in turn",
            chain=pc.vector(int) >> CoinsInTurn(pc.ImputeCategories(categories=range(1000))),
        ),
    ),
]


def test_every_category_has_exactly_its_weight_of_the_coins() -> None:
    """Coins are uniform below 10, so the probabilities are 5/10, 3/10 and 2/10 exactly."""
    space = pc.vector(str)
    filled = RIGHT.combine(space.domain.admit([None] * 10), np.arange(10), space)
    assert filled.tolist() == ["x"] * 5 + ["y"] * 3 + ["z"] * 2


def test_weights_of_any_size_are_exact() -> None:
    weights = [Fraction(1, 3**50), Fraction(1)]
    unit, space = pc.ImputeCategories(categories=[1, 2], weights=weights), pc.vector(int)
    coins = np.array([0, 1, 3**50], dtype=object)
    assert unit.combine(space.domain.admit([None] * 3), coins, space).tolist() == [1, 2, 2]
    assert (space >> unit)([None] * 50).tolist() == [2] * 50


def test_draws_follow_the_weights() -> None:
    """A right unit fails with probability below 1e-6."""
    drawn = Counter((pc.vector(str) >> RIGHT)([None] * 10_000).tolist())
    expected = {"x": 5000, "y": 3000, "z": 2000}
    assert chi_square_upper(sum((drawn[at] - mean) ** 2 / mean for at, mean in expected.items()), 2) > 1e-6


def test_nulls_nan_and_null_values_are_filled() -> None:
    unit = pc.ImputeCategories(categories=[5.0], null_value=[-1.0, -2.0])
    assert (pc.vector(float) >> unit)([None, math.nan, -1.0, -2.0, 3.0]).tolist() == [5.0, 5.0, 5.0, 5.0, 3.0]


def test_a_category_of_weight_zero_is_never_drawn() -> None:
    unit = pc.ImputeCategories(categories=["a", "b", "c"], weights=[0, 1, 0])
    assert set((pc.vector(str) >> unit)([None] * 100)) == {"b"}


def test_known_categories_lose_the_null_value_and_gain_what_is_drawn() -> None:
    domain = (KNOWN >> RIGHT).output.domain
    assert isinstance(domain, VectorDomain)
    assert (domain.categories, domain.nullable) == (("a", "x", "y", "z"), False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"categories": []}, WrongTypeError, "ImputeCategories.categories must be a list"),
        ({"categories": ["a", "b"], "weights": [1]}, WrongTypeError, "weights must be a list of 2, one for each"),
        ({"categories": ["a", "b"], "weights": [1, -1]}, InvalidError, "zero or more, and not all zero"),
        ({"categories": ["a", "b"], "weights": [0, 0]}, InvalidError, "not all zero"),
        (
            {"categories": ["a", "b"], "weights": [1, math.inf]},
            NotExactError,
            r"weights\[1\]: expected a finite number",
        ),
        (
            {"categories": ["a", "b"], "null_value": []},
            WrongTypeError,
            "null_value must be a value or a list of one or more",
        ),
        ({"categories": ["a", "b"], "null_value": set()}, WrongTypeError, "got an empty list"),
        ({"categories": ["a", "b"], "null_value": "a"}, InvalidError, "must not be one of the categories"),
    ],
)
def test_wrong_parameters_are_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.ImputeCategories(**arguments)


@pytest.mark.parametrize(
    ("space", "unit", "error", "message"),
    [
        (pc.vector(int), RIGHT, MismatchError, "must be of kind int"),
        (
            pc.vector(int),
            pc.ImputeCategories(categories=[1], null_value="?"),
            MismatchError,
            "null_value must be of kind",
        ),
        (pc.vector(int, bounds=(0, 5)), pc.ImputeCategories(categories=[9]), InvalidError, "within the bounds"),
        (pc.vector(float, bounds=(0, 5)), pc.ImputeCategories(categories=[0.1]), InvalidError, "on its grid"),
    ],
)
def test_categories_must_fit_the_column(space: Space, unit: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> unit
