"""Randomised response."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet as pv
from privet.core.loss import Loss
from privet.core.space import Space
from privet.errors import Invalid, Mismatch, NotExact
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
        chain=pv.choice((False, True)) >> pv.RandomizedResponse(truth=0.75),
        pairs=[(False, True), (True, True), (None, True)],
        masses=exactly("3/4"),
        tight="delta",
        sample=20_000,
        input=True,
    ),
    Case(
        name="randomised response, three colours",
        chain=pv.choice(COLOURS) >> pv.RandomizedResponse(truth=0.6),
        pairs=[("red", "blue"), ("green", "no colour"), ("red", "green")],
        masses=exactly("3/5"),
        tight="delta",
        sample=20_000,
        input="green",
    ),
    Case(
        name="randomised response that tells nothing",
        chain=pv.choice(COLOURS) >> pv.RandomizedResponse(truth=Fraction(1, 3)),
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
        return pv.RandomizedResponseLoss(truth=Fraction(3, 5), other=Fraction(2, 5))


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


RIGHT = pv.RandomizedResponse(truth=0.6)
BASE: dict[str, Any] = {
    "pairs": [("red", "blue"), ("red", "green")],
    "masses": exactly("3/5"),
    "sample": 20_000,
    "input": "green",
}
TWINS = [
    Twin(law="loss", case=Case(name="odds of two for three", chain=pv.choice(COLOURS) >> ForgetsOthers(RIGHT), **BASE)),
    Twin(
        law="samples", case=Case(name="lies that are true", chain=pv.choice(COLOURS) >> LiesIncludeTruth(RIGHT), **BASE)
    ),
    Twin(
        law="parity",
        case=Case(name="a coin for one answer", chain=pv.choice(COLOURS) >> CoinForLiesOnly(RIGHT), **BASE),
    ),
    Twin(
        law="parity",
        case=Case(name="an error for one answer", chain=pv.choice(COLOURS) >> RefusesUnknown(RIGHT), **BASE),
    ),
]


def test_epsilon_is_the_logarithm_of_the_odds() -> None:
    loss = (pv.choice(COLOURS) >> pv.RandomizedResponse(truth=0.6)).map(1)
    assert math.isclose(float(loss.epsilon()), math.log(3))
    assert loss.epsilon() > Fraction(math.log(3)) - Fraction(1, 2**50)
    assert (pv.choice(COLOURS) >> pv.RandomizedResponse(truth=0.6)).map(0).epsilon() == 0


def test_an_unknown_answer_counts_as_the_first() -> None:
    chain = pv.choice(COLOURS) >> pv.RandomizedResponse(truth=Fraction(999_999, 10**6))
    assert [chain(value) for value in ("magenta", None, 7, float("nan"))].count("red") >= 3


@pytest.mark.parametrize(
    ("truth", "error", "message"),
    [
        (0, Invalid, "RandomizedResponse.truth must be above zero and below one, got 0."),
        (1, Invalid, "below one, got 1."),
        (math.nan, NotExact, "finite number"),
        ("a", NotExact, "got str"),
    ],
)
def test_wrong_probabilities_are_refused(truth: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pv.RandomizedResponse(truth=truth)


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(Mismatch, match="at least 1/3 for 3 categories, got 1/4"):
        pv.choice(COLOURS) >> pv.RandomizedResponse(truth=0.25)
    with pytest.raises(Mismatch, match="start from pv.choice"):
        pv.vector(str) >> pv.RandomizedResponse(truth=0.5)
    with pytest.raises(pv.errors.Unavailable, match="no accuracy"):
        pv.RandomizedResponse(truth=0.5)._on_default().accuracy(0.5)
