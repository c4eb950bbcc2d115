"""Losses for a population of which the data are a secret sample."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.sampling.population import Population, PopulationLoss
from privet.accounting.sampling.sampling import Poisson
from privet.accounting.sampling.simple_sampling import SimpleSampling
from privet.core.exact import exp_up
from privet.errors import InvalidError, NotExactError, WrongTypeError

TENTH = Population(size=10, population=100)
COIN = Population(rate=0.1)


def test_the_example_of_the_book() -> None:
    loss = pc.PureLoss(2).amplify(TENTH)
    assert loss.epsilon() <= Fraction(4941, 10_000)
    assert math.isclose(float(loss.epsilon()), math.log1p(0.1 * math.expm1(2)))


@pytest.mark.parametrize(("asserted", "design"), [(TENTH, SimpleSampling(rate=0.1)), (COIN, Poisson(0.1))])
def test_answers_are_those_of_the_asserted_design(asserted: Population, design: pv.Loss) -> None:
    base = pc.ApproximateLoss(1, 1e-6)
    loss, plain = base.amplify(asserted), base.amplify(design)  # type: ignore[arg-type]
    assert loss.delta(0.1) == plain.delta(0.1)
    assert loss.epsilon(1e-6) == plain.epsilon(1e-6)
    assert loss <= pv.budget(epsilon=0.2, delta=1e-6)


def test_the_assertion_shows_wherever_the_loss_is_shown() -> None:
    simple, poisson = pc.PureLoss(2).amplify(TENTH), pc.PureLoss(2).amplify(COIN)
    assert "asserted=Population(size=10, population=100)" in repr(simple)
    assert "asserted=Population(rate=0.1)" in repr(poisson)
    assert isinstance(simple, PopulationLoss)
    assert isinstance(poisson, PopulationLoss)
    assert simple.assumptions() == (
        "the data are a secret simple random sample of at most 10 of at least 100 persons (asserted, not checked)",
    )
    assert poisson.assumptions() == (
        "the data are a secret Poisson sample, each person with probability at most 0.1 (asserted, not checked)",
    )


def two_answers(rate: Fraction, odds: Fraction, tilt: Fraction) -> Fraction:
    """The divergence of two randomised responses on whether one person is in a sample that is drawn once."""
    total = Fraction(0)
    for answers in product((True, False), repeat=2):
        there, away = Fraction(1), Fraction(1)
        for answer in answers:
            there *= (odds if answer else 1) / (1 + odds)
            away *= (1 if answer else odds) / (1 + odds)
        total += max(rate * there + (1 - rate) * away - tilt * away, Fraction(0))
    return total


def test_two_releases_are_amplified_together() -> None:
    loss = pc.PureLoss(1).amplify(COIN)
    both = pc.PureLoss(1) * 2
    assert loss + loss == loss * 2 == 2 * loss == sum([loss, loss]) == both.amplify(COIN)
    epsilon, odds = Fraction(1, 3), exp_up(1)
    exactly = two_answers(Fraction(1, 10), odds, exp_up(epsilon))
    assert exactly <= (loss + loss).delta(epsilon)


def test_releases_amplified_one_by_one_are_caught() -> None:
    """The sample is drawn once: the second release tells about the sample that the first one used."""
    fresh = pc.PureLoss(1).amplify(Poisson(0.1)) * 2  # right only if each release had a sample of its own
    epsilon = Fraction(fresh.epsilon())
    assert two_answers(Fraction(1, 10), exp_up(1), exp_up(epsilon)) > fresh.delta(epsilon)


@given(st.fractions(Fraction(1, 50), 1), st.fractions(0, 3), st.integers(1, 5))
def test_what_is_added_to_others_is_not_amplified(rate: Fraction, cost: Fraction, times: int) -> None:
    loss, other = pc.PureLoss(cost).amplify(Population(rate=rate)), pc.PureLoss(1)
    assert loss.pure() == pc.PureLoss(cost).pure()
    assert loss.concentrated() == pc.PureLoss(cost).concentrated()
    assert loss.renyi(2) == pc.PureLoss(cost).renyi(2)
    assert (other + loss * times).epsilon() == 1 + cost * times
    assert (loss * times + other).epsilon() == 1 + cost * times


def test_a_sum_that_is_not_amplified_asserts_nothing() -> None:
    mixed = pc.PureLoss(1).amplify(COIN) + pc.ConcentratedLoss(1)
    assert mixed == pc.PureLoss(1) + pc.ConcentratedLoss(1)
    assert mixed.assumptions() == ()


def test_different_assertions_are_added_without_amplification() -> None:
    loss = pc.PureLoss(1).amplify(COIN) + pc.PureLoss(1).amplify(TENTH)
    assert loss.epsilon() == 2


def test_groups_are_taken_after_the_sampling() -> None:
    one = pc.PureLoss(1).amplify(COIN)
    assert math.isclose(float(one.group(3).epsilon()), 3 * math.log1p(0.1 * math.expm1(1)))
    assert one.group(2).group(3) == one.group(6)
    assert one.group(3).pure().cost == 3
    assert one.group(0).epsilon() == 0
    assert (one * 0).epsilon() == 0
    assert (one.group(2) + one).epsilon() == 3  # not the same relation


def test_a_sample_of_everybody_asserts_nothing() -> None:
    assert pc.PureLoss(1).amplify(Population(rate=1)) == pc.PureLoss(1)
    assert pc.PureLoss(1).amplify(Population(size=5, population=5)) == pc.PureLoss(1)


def test_wrong_populations_are_refused() -> None:
    for wrong in ({}, {"size": 5}, {"population": 5}, {"rate": 0.5, "size": 1, "population": 2}):
        with pytest.raises(
            InvalidError, match="Population takes rate=... where persons came into the data independently"
        ):
            Population(**wrong)
    with pytest.raises(InvalidError, match="Population.rate must be above zero and at most one, got 0."):
        Population(rate=0)
    with pytest.raises(InvalidError, match="Population.size must be at most population=5, got 6."):
        Population(size=6, population=5)
    with pytest.raises(NotExactError, match="Population.rate"):
        Population(rate="tenth")
    with pytest.raises(WrongTypeError, match="Population.size must be a whole number, got float."):
        Population(size=1.5, population=3)
    with pytest.raises(WrongTypeError, match="Population.population must be a whole number, got float."):
        Population(size=1, population=3.5)


SINGLE = pc.PureLoss(1).amplify(COIN)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda loss: loss.amplify(SimpleSampling(rate=0.5)),
        lambda loss: loss.amplify(Poisson(0.5)).undirected(),
        lambda loss: loss.amplify(Population(rate=0.5)),
        lambda loss: pc.GroupLoss(loss, 2),
        lambda loss: pc.LeastLoss((loss, pc.PureLoss(3))),
        lambda loss: pc.WorstLoss((loss, pc.PureLoss(0.1))),
        lambda loss: pc.AssertedLoss(loss, ()),
        lambda loss: pc.RenyiLoss(((2, 1),), known=loss),
        lambda loss: pc.PureForm().restate(loss),
        lambda loss: pc.ApproximateForm(delta=1e-9).restate(loss),
        lambda loss: pc.TradeoffLoss.of(loss, [0, 0.1, 0.5, 1]),
    ],
)
def test_what_is_made_of_it_and_added_to_others_is_not_amplified(wrap: Callable[[pv.Loss], pv.Loss]) -> None:
    """One sample, many releases: nothing that is multiplied may rest on the amplification."""
    made, plain = wrap(SINGLE), wrap(pc.PureLoss(1))
    other = pc.PureLoss(0.25)
    assert (made * 8 + other).epsilon(1e-6) >= (plain * 8 + other).epsilon(1e-6) * Fraction(999, 1000)
    assert made._additive().epsilon(1e-6) >= plain._additive().epsilon(1e-6)


def test_two_samples_are_not_one() -> None:
    """Each tells everything about whoever was drawn: 0.19 in all, where one sample of a tenth would cost 0.1."""
    everything = pc.ApproximateLoss(0, 1)
    first, second = (everything.amplify(Population(rate=0.1, name=name)) for name in ("2023", "2024"))
    assert float((first + second).delta(1)) >= 1 - 0.9**2
    assert float((first + first).delta(1)) == pytest.approx(0.1)
    assert "2023" in repr(first)
    assert first.assumptions()[0].startswith("the data '2023' are a secret Poisson sample")
    with pytest.raises(WrongTypeError, match="Population.name must be text, got int."):
        Population(rate=0.1, name=2023)  # type: ignore[arg-type]
