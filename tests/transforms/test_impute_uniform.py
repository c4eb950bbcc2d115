"""Uniform draws in place of missing values."""

import math
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.frames import MatrixDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.transforms.columns import missing
from tests.laws import Case, Twin
from tests.noise.chi_square import chi_square_upper
from tests.transforms.random_twins import RandomTwinOf

NAN = float("nan")
REALS = pc.vector(float, bounds=(-1, 0.1))
CASES = [
    Case(name="uniform reals", chain=REALS >> pc.ImputeUniform()),
    Case(name="uniform integers", chain=pc.vector(int, bounds=(0, 9), size=4) >> pc.ImputeUniform(bounds=(3, 7))),
    Case(name="uniform 64 bits", chain=pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> pc.ImputeUniform()),
    Case(name="uniform matrix", chain=pc.matrix(2, bounds=[(0, 1), (5, 900)]) >> pc.ImputeUniform()),
]


@frozen
class NaNByEquality(RandomTwinOf):
    """Looks for NaN with ==, which finds none."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        filled = np.ma.filled(value, -1.0)
        return np.where(filled == NAN, 0.0, filled)


@frozen
class UpperAsLower(RandomTwinOf):
    """Takes the upper bound for the lower one of the draws."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return np.where(missing(value), 9 + coins[0], value.data)


@frozen
class CoinsInTurn(RandomTwinOf):
    """Uses the coins for the missing rows in turn: one more row gives every later row another coin."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone = missing(value)
        turn = np.zeros(len(value), dtype=np.int64)
        turn[gone] = np.arange(int(gone.sum()))
        return self.right.combine(value, (coins[0][turn],), space)


@frozen
class HotDeck(RandomTwinOf):
    """Draws one of the rows that are there: another number of them gives other draws."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone = missing(value)
        seen = value.data[~gone] if (~gone).any() else np.array([0])
        return np.where(gone, seen[coins[0] % len(seen)], value.data)


RIGHT = pc.ImputeUniform()
SMALL = pc.vector(int, bounds=(0, 9))
TWINS = [
    Twin(law="map", case=Case(name="NaN found by equality", chain=REALS >> NaNByEquality(RIGHT))),
    Twin(law="map", case=Case(name="the upper bound below", chain=SMALL >> UpperAsLower(RIGHT))),
    Twin(law="map", case=Case(name="coins taken in turn", chain=REALS >> CoinsInTurn(RIGHT))),
    Twin(law="map", case=Case(name="drawn from the data", chain=pc.vector(int, bounds=(-99, 99)) >> HotDeck(RIGHT))),
]


def test_every_coin_is_another_grid_point_so_the_draw_is_uniform() -> None:
    """Coins are uniform below the number of grid points; each stands for one of them."""
    chain = pc.vector(float, bounds=(-0.3, 1.1), grid=0.25) >> RIGHT
    value = chain.input.domain.admit([None] * 6)
    filled = RIGHT.combine(value, (np.arange(6),), chain.input)
    assert filled.tolist() == [-0.25, 0.0, 0.25, 0.5, 0.75, 1.0]


def test_draws_reach_every_value_as_often() -> None:
    """A right unit fails with probability below 1e-6; one that never gives one of the ten values always does."""
    drawn = (SMALL >> RIGHT)([None] * 10_000)
    counts = np.bincount(drawn, minlength=10)
    assert chi_square_upper(float(((counts - 1000.0) ** 2 / 1000).sum()), 9) > 1e-6


def test_present_values_stay() -> None:
    filled = (pc.matrix(2, bounds=[(0, 1), (5, 9)]) >> pc.ImputeUniform(bounds=[(0.5, 1), (6, 7)]))(
        [[1, None], [None, 9]]
    )
    assert (filled[0, 0], filled[1, 1]) == (1.0, 9.0)
    assert 6 <= filled[0, 1] <= 7
    assert 0.5 <= filled[1, 0] <= 1


def test_the_widest_integers_are_drawn() -> None:
    drawn = (pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> RIGHT)([None] * 200)
    assert drawn.dtype == np.int64
    assert len(set(drawn.tolist())) == 200


def test_nothing_is_missing_in_the_output_space() -> None:
    domain = (pc.matrix(2, bounds=(0, 1)) >> RIGHT).output.domain
    assert isinstance(domain, MatrixDomain)
    assert not domain.nan


def test_an_empty_column_stays_empty() -> None:
    assert (REALS >> RIGHT)([]).tolist() == []


@pytest.mark.parametrize(
    ("space", "bounds", "error", "message"),
    [
        (pc.vector(float), None, MismatchError, "put Clamp"),
        (pc.matrix(2), None, MismatchError, "put Clamp"),
        (pc.vector(str), None, MismatchError, "reads numbers"),
        (REALS, (0, 1), InvalidError, r"must lie within those of the column, \(-1, 0.1\), got \(0, 1\)"),
        (SMALL, (0.1, 0.2), InvalidError, "must hold a point of the grid"),
        (pc.matrix(2, bounds=(0, 1)), [(0, 1)], WrongTypeError, "a list of 2 pairs"),
    ],
)
def test_draws_that_do_not_fit_are_refused(space: Space, bounds: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> pc.ImputeUniform(bounds=bounds)


def test_wrong_bounds_are_named() -> None:
    with pytest.raises(NotExactError, match=r"ImputeUniform.bounds\[1\]\[0\]"):
        pc.ImputeUniform(bounds=[(0, 1), (math.nan, 2)])
