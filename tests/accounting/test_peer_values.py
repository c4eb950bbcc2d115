"""Upper bounds are never below dp_accounting's optimistic answers, and not far above its pessimistic ones.

The answers are stored in bench/values. Every eleventh of the thousand mixtures and a few hard ones run here, all of
them in ``python -m bench accounting``.
"""

import math
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from bench.accounting_losses import Amount, answers, composed, stored, too_high, too_low
from bench.dp_accounting_cases import Part, headline, mixtures

SAID = stored()
MIXTURES = SAID["mixtures"]
HARD = (91, 113, 202, 235, 313, 359, 505, 685)  # far atoms of small weight: easily loose, or too large for a float
CHOSEN = (*range(0, len(MIXTURES), 11), *HARD)
CLOSE = Fraction(1, 50)  # relative to the pessimistic answer, whose own grid costs up to one percent


@cache
def bounds(number: int) -> list[tuple[Amount, Amount]]:
    """Privet's bounds of epsilon of one mixture, at each of its deltas; one computation for all tests."""
    loss = composed(MIXTURES[number]["parts"])
    return [loss.interval(delta=Fraction(delta)) for delta, _, _ in answers(MIXTURES[number])]


def forgetful(parts: list[Part]) -> list[Part]:
    """The twin that forgets a tenth of the uses."""
    return [{**part, "times": math.floor(0.9 * int(part["times"]))} for part in parts]


def test_the_stored_cases_are_those_of_the_seed() -> None:
    made = mixtures()
    assert [case["parts"] for case in MIXTURES] == [case["parts"] for case in made]
    assert [[delta for delta, _, _ in answers(case)] for case in MIXTURES] == [case["deltas"] for case in made]


@pytest.mark.parametrize("number", CHOSEN)
@pytest.mark.share(3)
def test_an_upper_bound_is_never_below_the_optimistic_answer(number: int) -> None:
    for (_, high), (_, optimistic, _) in zip(bounds(number), answers(MIXTURES[number]), strict=True):
        assert not too_low(high, optimistic)


@pytest.mark.parametrize("number", CHOSEN)
@pytest.mark.share(3)
def test_an_upper_bound_is_close_to_the_pessimistic_answer(number: int) -> None:
    for (_, high), (_, _, pessimistic) in zip(bounds(number), answers(MIXTURES[number]), strict=True):
        assert high <= pessimistic * (1 + CLOSE)


@pytest.mark.parametrize("number", CHOSEN)
@pytest.mark.share(3)
def test_a_lower_bound_is_never_above_the_pessimistic_answer(number: int) -> None:
    for (low, _), (_, _, pessimistic) in zip(bounds(number), answers(MIXTURES[number]), strict=True):
        assert not too_high(low, pessimistic)


@pytest.mark.parametrize("number", CHOSEN[:5])
def test_the_epsilon_in_use_is_the_upper_bound(number: int) -> None:
    delta = Fraction(answers(MIXTURES[number])[0][0])
    assert composed(MIXTURES[number]["parts"]).epsilon(delta) == bounds(number)[0][1]


def test_a_loss_that_forgets_some_uses_is_noticed() -> None:
    alone = [case for case in MIXTURES if len(case["parts"]) == 1 and case["parts"][0]["times"] >= 20]
    finite = [case for case in alone if answers(case)[0][1] < math.inf]
    assert len(finite) >= 10
    for case in finite[:10]:
        delta, optimistic, _ = answers(case)[0]
        assert too_low(composed(forgetful(case["parts"])).epsilon(Fraction(delta)), optimistic)


@pytest.mark.parametrize("answer", SAID["1,000 sampled Gaussians"]["1e-05"], ids=lambda answer: str(answer["delta"]))
def test_a_thousand_sampled_gaussians(answer: dict[str, Any]) -> None:
    low, high = composed(headline()["1,000 sampled Gaussians"]).interval(delta=Fraction(answer["delta"]))
    assert answer["optimistic"] <= high <= answer["pessimistic"] + 0.001
    assert answer["pessimistic"] - 0.01 <= low <= high


@pytest.mark.parametrize("name", ["100 different Laplace", "one Gaussian"])
def test_a_headline_is_within_a_thousandth(name: str) -> None:
    [answer] = SAID[name]["0.0001"]
    epsilon = composed(headline()[name]).epsilon(Fraction(answer["delta"]))
    assert answer["optimistic"] <= epsilon <= 1.001 * answer["pessimistic"]
