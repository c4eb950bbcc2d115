"""Randomised response."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

COLOURS = ("red", "green", "blue")


def exactly(truth: Any) -> Any:
    def at(value: Any, space: Space) -> masses.Masses:
        return masses.response(Fraction(truth), value, space.domain.categories)  # type: ignore[attr-defined]

    return at


CASES = [
    Case(
        name="randomised response, yes or no",
        chain=pc.choice((False, True)) >> pc.RandomizedResponse(truth=0.75),
        pairs=[(False, True), (True, True), (None, True)],
        masses=exactly("3/4"),
        tight="delta",
        sample=20_000,
        input=True,
    ),
    Case(
        name="randomised response, three colours",
        chain=pc.choice(COLOURS) >> pc.RandomizedResponse(truth=0.6),
        pairs=[("red", "blue"), ("green", "no colour"), ("red", "green")],
        masses=exactly("3/5"),
        tight="delta",
        sample=20_000,
        input="green",
    ),
    Case(
        name="randomised response that tells nothing",
        chain=pc.choice(COLOURS) >> pc.RandomizedResponse(truth=Fraction(1, 3)),
        pairs=[("red", "blue")],
        masses=exactly("1/3"),
        sample=20_000,
        input="red",
    ),
]


@frozen
class ForgetsOthers(TwinOf):
    """Takes the odds of two answers where there are three."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.RandomizedResponseLoss(truth=Fraction(3, 5), other=Fraction(2, 5))


@frozen
class LiesIncludeTruth(TwinOf):
    """Draws the lie among all answers, so that the truth is told more often than stated."""

    def release(self, value: Any, space: Space) -> Any:
        honest = pv.noise.bernoulli(Fraction(3, 5))
        return value if honest else COLOURS[pv.noise.uniform_below(3)]


@frozen
class CoinForLiesOnly(TwinOf):
    """Draws the second coin for one of the answers only."""

    def release(self, value: Any, space: Space) -> Any:
        if value == "red":
            pv.noise.uniform_below(2)
        return self.right.release(value, space)


@frozen
class RefusesUnknown(TwinOf):
    """Raises for one category: the answer is told by the error."""

    def release(self, value: Any, space: Space) -> Any:
        if value == "green":
            raise KeyError("unknown category")
        return self.right.release(value, space)


RIGHT = pc.RandomizedResponse(truth=0.6)
BASE: dict[str, Any] = {
    "pairs": [("red", "blue"), ("red", "green")],
    "masses": exactly("3/5"),
    "sample": 20_000,
    "input": "green",
}
TWINS = [
    Twin(law="loss", case=Case(name="odds of two for three", chain=pc.choice(COLOURS) >> ForgetsOthers(RIGHT), **BASE)),
    Twin(
        law="samples", case=Case(name="lies that are true", chain=pc.choice(COLOURS) >> LiesIncludeTruth(RIGHT), **BASE)
    ),
    Twin(
        law="parity",
        case=Case(name="a coin for one answer", chain=pc.choice(COLOURS) >> CoinForLiesOnly(RIGHT), **BASE),
    ),
    Twin(
        law="parity",
        case=Case(name="an error for one answer", chain=pc.choice(COLOURS) >> RefusesUnknown(RIGHT), **BASE),
    ),
]


def test_epsilon_is_the_logarithm_of_the_odds() -> None:
    loss = (pc.choice(COLOURS) >> pc.RandomizedResponse(truth=0.6)).map(1)
    assert math.isclose(float(loss.epsilon()), math.log(3))
    assert loss.epsilon() > Fraction(math.log(3)) - Fraction(1, 2**50)
    assert (pc.choice(COLOURS) >> pc.RandomizedResponse(truth=0.6)).map(0).epsilon() == 0


def test_an_unknown_answer_counts_as_the_first() -> None:
    chain = pc.choice(COLOURS) >> pc.RandomizedResponse(truth=Fraction(999_999, 10**6))
    assert [chain(value) for value in ("magenta", None, 7, float("nan"))].count("red") >= 3


@pytest.mark.parametrize(
    ("truth", "error", "message"),
    [
        (0, InvalidError, "RandomizedResponse.truth must be above zero and below one, got 0."),
        (1, InvalidError, "below one, got 1."),
        (math.nan, NotExactError, "finite number"),
        ("a", NotExactError, "got str"),
    ],
)
def test_wrong_probabilities_are_refused(truth: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.RandomizedResponse(truth=truth)


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MismatchError, match="at least 1/3 for 3 categories, got 1/4"):
        pc.choice(COLOURS) >> pc.RandomizedResponse(truth=0.25)
    with pytest.raises(MismatchError, match="start from pc.choice"):
        pc.vector(str) >> pc.RandomizedResponse(truth=0.5)
    with pytest.raises(pv.errors.UnavailableError, match="no accuracy"):
        pc.RandomizedResponse(truth=0.5).on_default().accuracy(0.5)


def test_estimates_undo_the_lies_on_average() -> None:
    estimate = pc.RandomizedResponse(truth=0.6).estimate(["red"] * 50 + ["green"] * 30 + ["blue"] * 20, COLOURS)
    assert estimate.counts == (Fraction(75), Fraction(25), Fraction(0))
    assert sum(estimate.counts) == estimate.total == 100
    assert estimate.proportions == (Fraction(3, 4), Fraction(1, 4), Fraction(0))
    expected = (75 * Fraction(6, 25) + 25 * Fraction(4, 25)) / Fraction(2, 5) ** 2
    assert estimate.variances[0] == expected


@pytest.mark.parametrize("truth", [0.4, 0.6, 0.95])
def test_estimates_are_without_bias_and_have_the_stated_variance(truth: float) -> None:
    # exactly, over all outcomes of three answers of which two are red
    unit, found = pc.RandomizedResponse(truth=truth), []
    other = (1 - unit.truth) / 2
    for answers in product(COLOURS, repeat=3):
        chance = Fraction(1)
        for answer, true in zip(answers, ("red", "red", "blue"), strict=True):
            chance *= unit.truth if answer == true else other
        found.append((chance, unit.estimate(answers, COLOURS)))
    for at, true_count in enumerate((2, 0, 1)):
        assert sum(chance * estimate.counts[at] for chance, estimate in found) == true_count
        spread = sum(chance * (estimate.counts[at] - true_count) ** 2 for chance, estimate in found)
        assert sum(chance * estimate.variances[at] for chance, estimate in found) == spread


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    unit = pc.RandomizedResponse(truth=0.75)
    chain = pc.choice((False, True)) >> unit
    estimate = unit.estimate([chain(row < 120) for row in range(400)])
    low, high = estimate.interval(True, 1 - 1e-7)
    assert 0 <= low <= 120 <= high <= 400
    assert estimate.error(0.05) < 55


def test_estimates_of_nothing_and_of_what_was_not_released() -> None:
    unit = pc.RandomizedResponse(truth=0.75)
    assert unit.estimate([]).proportions == (Fraction(0), Fraction(0))
    with pytest.raises(pv.errors.WrongTypeError, match="each one of the categories"):
        unit.estimate(["yes"])
    with pytest.raises(InvalidError, match="these answers reveal nothing"):
        pc.RandomizedResponse(truth=0.5).estimate([True])
    with pytest.raises(InvalidError, match="truth=0.25 does not fit 2 categories"):
        pc.RandomizedResponse(truth=0.25).estimate([True])
    with pytest.raises(InvalidError, match="between zero and one"):
        unit.estimate([True]).interval(True, 1)
    with pytest.raises(InvalidError, match="between zero and one"):
        unit.estimate([True]).error(0)


def test_an_interval_is_never_upside_down() -> None:
    """With a truth near one half, all answers equal are an estimate far outside of what is possible."""
    unit = pc.RandomizedResponse(truth=Fraction(51, 100))
    estimate = unit.estimate([True] * 1000)
    assert estimate.counts[1] > 20_000
    assert estimate.interval(True, Fraction(1, 2)) == (Fraction(1000), Fraction(1000))
    assert estimate.interval(False, Fraction(1, 2)) == (Fraction(0), Fraction(0))
