"""Gaussian draws, censored at the bounds, in place of missing values."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.transforms.columns import missing
from tests.laws import Case, Twin
from tests.noise.chi_square import chi_square_upper
from tests.transforms.random_twins import RandomTwinOf

REALS = pc.vector(float, bounds=(-1, 0.1))
SMALL = pc.vector(int, bounds=(0, 9))
CASES = [
    Case(name="Gaussian reals", chain=REALS >> pc.ImputeGaussian(shift=0, scale=0.5)),
    Case(name="Gaussian integers", chain=pc.vector(int, bounds=(0, 9), size=4) >> pc.ImputeGaussian(shift=4, scale=3)),
    Case(
        name="Gaussian in order",
        chain=pc.vector(float, bounds=(0, 2), grid=0.5, size=2, ordered=True) >> pc.ImputeGaussian(shift=1, scale=1),
    ),
    Case(
        name="Gaussian matrix",
        chain=pc.matrix(2, bounds=[(0, 1), (5, 900)]) >> pc.ImputeGaussian(shift=[0.5, 40], scale=[1, 100]),
    ),
]


@frozen
class Uncensored(RandomTwinOf):
    """Leaves the draws where they fall."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return np.where(missing(value), 4 + coins[0], value.data)


@frozen
class AroundTheMean(RandomTwinOf):
    """Draws around the mean of the rows that are there."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone = missing(value)
        seen = value.data[~gone]
        mean = int(seen.mean()) if len(seen) else 4
        return np.where(gone, np.clip(mean + coins[0], -9999, 9999), value.data)


@frozen
class CoinsInTurn(RandomTwinOf):
    """Uses the coins for the missing rows in turn: one more row gives every later row another coin."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone = missing(value)
        turn = np.zeros(len(value), dtype=np.int64)
        turn[gone] = np.arange(int(gone.sum()))
        return self.right.combine(value, (coins[0][turn],), space)


RIGHT = pc.ImputeGaussian(shift=4, scale=3)
TWINS = [
    Twin(
        law="map",
        case=Case(name="not censored", chain=SMALL >> Uncensored(pc.ImputeGaussian(shift=4, scale=300))),
    ),
    Twin(
        law="map",
        case=Case(name="around the observed mean", chain=pc.vector(int, bounds=(-9999, 9999)) >> AroundTheMean(RIGHT)),
    ),
    Twin(
        law="map",
        case=Case(name="noise taken in turn", chain=REALS >> CoinsInTurn(pc.ImputeGaussian(shift=0, scale=0.5))),
    ),
]


def test_a_draw_is_the_shift_plus_noise_censored_at_the_bounds() -> None:
    chain = pc.vector(float, bounds=(-0.3, 1.1), grid=0.25) >> pc.ImputeGaussian(shift=0.45, scale=1)
    unit, value = pc.ImputeGaussian(shift=0.45, scale=1), chain.input.domain.admit([None] * 7)
    noise = np.array([-9, -3, -1, 0, 1, 2, 9])
    assert unit.combine(value, (noise,), chain.input).tolist() == [-0.25, -0.25, 0.25, 0.5, 0.75, 1.0, 1.0]


def test_the_noise_has_the_stated_scale_in_grid_steps() -> None:
    """A right unit fails with probability below 1e-6; noise of twice the scale would fail almost surely."""
    unit = pc.ImputeGaussian(shift=0, scale=Fraction(1, 2))
    space = pc.vector(float, bounds=(-8, 8), grid=0.25)  # a scale of two steps
    steps = (space >> unit)([None] * 20_000) * 4
    weights = np.exp(-(np.arange(-6.0, 7.0) ** 2) / 8)
    expected = 20_000 * weights / np.exp(-(np.arange(-40.0, 41.0) ** 2) / 8).sum()
    counts = np.array([(steps == at).sum() for at in range(-6, 7)])
    assert chi_square_upper(float(((counts - expected) ** 2 / expected).sum()), 13) > 1e-6


def test_a_shift_beyond_the_bounds_gives_the_bound() -> None:
    chain = pc.vector(float, bounds=(0, 1)) >> pc.ImputeGaussian(shift=1e300, scale=1)
    assert chain([None, 0.5]).tolist() == [1.0, 0.5]


def test_each_column_of_a_matrix_has_its_own_shift_and_scale() -> None:
    chain = pc.matrix(2, bounds=(0, 1000)) >> pc.ImputeGaussian(shift=[100, 900], scale=[1, 2])
    filled = chain([[None, None]])
    assert abs(filled[0, 0] - 100) < 20
    assert abs(filled[0, 1] - 900) < 40


def test_a_scale_of_more_than_64_bits_of_steps_is_drawn() -> None:
    chain = pc.vector(float, bounds=(-1, 1), grid=2**-40) >> pc.ImputeGaussian(shift=0, scale=2**20)
    assert set(np.abs(chain([None] * 20)).tolist()) == {1.0}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"shift": 0, "scale": 0}, InvalidError, "ImputeGaussian.scale must be above zero, got 0."),
        ({"shift": 0, "scale": [1, -2]}, InvalidError, "above zero, got -2"),
        ({"shift": "a", "scale": 1}, NotExactError, "ImputeGaussian.shift: expected a number"),
        ({"shift": [0, None], "scale": 1}, NotExactError, r"ImputeGaussian.shift\[1\]"),
    ],
)
def test_wrong_parameters_are_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.ImputeGaussian(**arguments)


@pytest.mark.parametrize(
    ("space", "unit", "error", "message"),
    [
        (pc.vector(float), RIGHT, MismatchError, "put Clamp"),
        (pc.vector(bool), RIGHT, MismatchError, "reads numbers"),
        (pc.matrix(3, bounds=(0, 1)), pc.ImputeGaussian(shift=[1, 2], scale=1), WrongTypeError, "shift .* a list of 3"),
        (
            pc.matrix(2, bounds=(0, 1)),
            pc.ImputeGaussian(shift=1, scale=[1] * 3),
            WrongTypeError,
            "scale .* a list of 2",
        ),
    ],
)
def test_draws_that_do_not_fit_are_refused(space: Space, unit: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> unit
