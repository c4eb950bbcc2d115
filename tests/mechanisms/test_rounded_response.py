"""Randomised rounding and randomised response."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, UnavailableError, WrongTypeError
from privet.noise import bernoulli
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

UNIT = pc.RoundedResponse(bounds=(-10, 30), truth=0.8)
TENTHS = pc.RoundedResponse(bounds=(0.5, 2), truth=Fraction(2, 3))


def exactly(low: Any, high: Any, truth: Any) -> Any:
    """The output distribution in two stages, as the page states them."""

    def at(value: Any, space: Space) -> masses.Masses:
        lower, upper, honest = Fraction(low), Fraction(high), Fraction(truth)
        clamped = min(max(value * masses.grid_of(space), lower), upper)
        up = (clamped - lower) / (upper - lower)
        ends = [int(end) if end.denominator == 1 else float(end) for end in (lower, upper)]
        above = up * honest + (1 - up) * (1 - honest)
        return masses.Masses({ends[0]: ball(1 - above), ends[1]: ball(above)}, arb(0))

    return at


CASES = [
    Case(
        name="rounded response",
        chain=pc.scalar(int) >> UNIT,
        pairs=[(-10, 30), (-100, 10**30), (0, 20), (5, 5), (-10, -9), (29, 30)],
        masses=exactly(-10, 30, "4/5"),
        tight="delta",
        sample=20_000,
        input=7,
    ),
    Case(
        name="rounded response, close numbers",
        chain=pc.scalar(int) >> UNIT,
        pairs=[(-10, 0), (30, 20), (0, 10)],
        masses=exactly(-10, 30, "4/5"),
        tight="epsilon",
    ),
    Case(
        name="rounded response of reals",
        chain=pc.scalar(float, grid=Fraction(1, 10)) >> TENTHS,
        pairs=[(0, 5.5), (1.2, 1.3), (float("inf"), float("nan"))],
        masses=exactly("1/2", 2, "2/3"),
        tight="delta",
        sample=20_000,
        input=0.9,
    ),
    Case(
        name="rounded response that tells nothing",
        chain=pc.scalar(int) >> pc.RoundedResponse(bounds=(0, 1), truth=0.5),
        pairs=[(0, 1)],
        masses=exactly(0, 1, "1/2"),
        sample=5_000,
        input=1,
    ),
]


@frozen
class RoundsToTheNearest(TwinOf):
    """Rounds to the nearer bound: the mean is biased."""

    def release(self, value: Any, space: Space) -> int:
        return (-10, 30)[bernoulli(Fraction(4, 5) if value >= 10 else Fraction(1, 5))]


@frozen
class NotClamped(TwinOf):
    """Computes a probability from a number outside the bounds."""

    def release(self, value: Any, space: Space) -> int:
        up = Fraction(value + 10, 40)
        return (-10, 30)[bernoulli(Fraction(1, 5) + Fraction(3, 5) * up)]


@frozen
class TwoCoinsForSome(TwinOf):
    """Tosses the rounding coin only where it matters."""

    def release(self, value: Any, space: Space) -> Any:
        if -10 < value < 30:
            bernoulli(Fraction(1, 3))
        return self.right.release(value, space)


@frozen
class DistanceHalved(TwinOf):
    """Takes the largest ratio in the middle of the bounds."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        share = min(Fraction(d_in) / 40, Fraction(1))
        return pc.PureLoss(Fraction(math.log1p(float(Fraction(3, 5) * share / Fraction(1, 2)))))


BASE: dict[str, Any] = {
    "pairs": [(-10, 0), (-10, 30)],
    "masses": exactly(-10, 30, "4/5"),
    "sample": 20_000,
    "input": 7,
}
ONE = pc.scalar(int)
TWINS = [
    Twin(law="samples", case=Case(name="rounds to the nearest", chain=ONE >> RoundsToTheNearest(UNIT), **BASE)),
    Twin(law="parity", case=Case(name="numbers beyond the bounds", chain=ONE >> NotClamped(UNIT), input=0)),
    Twin(law="parity", case=Case(name="a coin for some numbers", chain=ONE >> TwoCoinsForSome(UNIT), input=0)),
    Twin(law="loss", case=Case(name="a ratio in the middle", chain=ONE >> DistanceHalved(UNIT), **BASE)),
]


def test_epsilon_is_that_of_randomized_response() -> None:
    chain = pc.scalar(int) >> UNIT
    assert chain.map(40) == pc.RandomizedResponseLoss(truth=0.8, other=0.2)
    assert chain.map(10**9).epsilon() == pc.RandomizedResponse(truth=0.8).map(1).epsilon()
    assert float(chain.map(10).epsilon()) == pytest.approx(math.log(1 + 3 / 4))
    assert chain.map(10).epsilon() >= pc.PureLoss(Fraction(math.log(1 + 3 / 4)) - Fraction(1, 10**12)).epsilon()
    assert chain.map(0).epsilon() == 0


def test_the_estimate_is_unbiased_on_every_possible_outcome() -> None:
    """Enumerate all answers of three people: their exact probabilities, weighted, give the mean of the numbers."""
    values = [-10, 3, 30]
    ups = [Fraction(1, 5) + Fraction(3, 5) * Fraction(value + 10, 40) for value in values]
    mean = variance = stated = Fraction(0)
    for outcome in range(8):
        bits = [outcome >> place & 1 for place in range(3)]
        weight = math.prod(up if bit else 1 - up for bit, up in zip(bits, ups, strict=True))
        estimate = UNIT.estimate([(-10, 30)[bit] for bit in bits])
        mean += weight * estimate.mean
        variance += weight * estimate.mean**2
        stated += weight * estimate.variance
    assert mean == Fraction(sum(values), 3)
    assert stated >= variance - mean**2
    alike = sum(up * (1 - up) for up in ups) * Fraction(40 * 40 * 25, 9 * 9)
    assert variance - mean**2 == alike


def test_intervals_cover() -> None:
    """Power: Hoeffding at 90 % covers far more often; 200 surveys miss 60 times with probability below 1e-9."""
    values = [(number * 7) % 45 - 8 for number in range(200)]
    clamped = Fraction(sum(min(max(value, -10), 30) for value in values), 200)
    chain = pc.scalar(int) >> UNIT
    missed = 0
    for _ in range(200):
        low, high = UNIT.estimate([chain(value) for value in values]).interval(0.9)
        missed += not low <= clamped <= high
    assert missed < 60


def test_the_interval_is_cut_to_the_bounds() -> None:
    low, high = UNIT.estimate([30] * 4).interval(0.95)
    assert high == 30
    assert -10 <= low <= 30
    assert UNIT.estimate([30] * 4).mean > 30, "an estimate outside the bounds is not cut: that would bias it"


def test_a_release_is_a_bound_in_its_type() -> None:
    assert {type((pc.scalar(int) >> UNIT)(3)) for _ in range(20)} == {int}
    assert {(pc.scalar(float, grid=0.1) >> TENTHS)(1) for _ in range(40)} == {0.5, 2}


def test_answers_are_read() -> None:
    assert UNIT.estimate(np.array([30.0, -10.0])).total == 2
    assert UNIT.estimate(np.array([30, -10])).share == Fraction(1, 2)
    for wrong in ([7], [True], ["30"], [None], [float("nan")]):
        with pytest.raises(WrongTypeError, match="each the lower or the upper bound"):
            UNIT.estimate(wrong)
    with pytest.raises(InvalidError, match="estimate needs one answer or more"):
        UNIT.estimate([])
    with pytest.raises(InvalidError, match="truth above one half"):
        pc.RoundedResponse(bounds=(0, 1), truth=0.5).estimate([1])
    with pytest.raises(UnavailableError, match="two answers or more"):
        _ = UNIT.estimate([30]).variance


def test_parameters_and_spaces_are_checked() -> None:
    with pytest.raises(InvalidError, match="RoundedResponse.truth must be at least one half and below one, got 0.4"):
        pc.RoundedResponse(bounds=(0, 1), truth=0.4)
    with pytest.raises(InvalidError, match="RoundedResponse.bounds: lower must be below upper"):
        pc.RoundedResponse(bounds=(1, 1), truth=0.6)
    with pytest.raises(MismatchError, match="reads one number of one person.*once for each person"):
        pc.vector(int) >> UNIT


def test_the_default_space_is_one_number() -> None:
    assert UNIT.map(40).epsilon() == (pc.scalar(int) >> UNIT).map(40).epsilon()


@pytest.mark.parametrize("wrong", [None, 7, np.array(3)])
def test_answers_that_cannot_be_listed_are_refused_by_an_error_of_ours(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match="estimate takes a list of released answers"):
        UNIT.estimate(wrong)
    with pytest.raises(WrongTypeError, match="estimate takes a list of released answers"):
        pc.RandomizedResponse(truth=0.75).estimate(wrong, ["a", "b"])


def test_bounds_that_are_one_float_are_refused_since_nobody_could_tell_the_answers_apart() -> None:
    with pytest.raises(InvalidError, match="RoundedResponse.bounds must be two different floats"):
        pc.RoundedResponse(bounds=(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)), truth=0.75)
