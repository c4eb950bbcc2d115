"""The loss of the best of a secret number of candidates, against exact enumeration."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from attrs import frozen
from flint import arb

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.forms import AssertedLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Point
from privet.accounting.numerics.search import best_order
from privet.accounting.sampling.repetitions import (
    GeometricRepetitions,
    NegativeBinomialRepetitions,
    PoissonRepetitions,
    Repetitions,
)
from privet.accounting.sampling.selection import SelectionLoss
from privet.core.exact import ball, ends, exp_down, log_up, precision
from privet.core.exact import exact as read_exact
from tests.accounting.exact_selection import Generating, best_of, negative_binomial, poisson

Pair = tuple[list[Fraction], list[Fraction]]
NUMBERS: list[tuple[Repetitions, Generating]] = [
    (GeometricRepetitions(0.5), negative_binomial(Fraction(1), Fraction(1, 2))),
    (GeometricRepetitions(0.01), negative_binomial(Fraction(1), Fraction(1, 100))),
    (NegativeBinomialRepetitions(0, 0.05), negative_binomial(Fraction(0), Fraction(1, 20))),
    (NegativeBinomialRepetitions(-0.5, 0.001), negative_binomial(Fraction(-1, 2), Fraction(1, 1000))),
    (NegativeBinomialRepetitions(3, 0.2), negative_binomial(Fraction(3), Fraction(1, 5))),
    (PoissonRepetitions(0.5), poisson(Fraction(1, 2))),
    (PoissonRepetitions(3), poisson(Fraction(3))),
    (PoissonRepetitions(40), poisson(Fraction(40))),
]
TRUTHS = [Fraction(51, 100), Fraction(3, 5), Fraction(4, 5), Fraction(99, 100)]
ORDERS = [Fraction(21, 20), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(50)]


def pairs(truth: Fraction) -> list[Pair]:
    """Randomised response with two outcomes, with three, and with a rare one between two sets."""
    other, third = 1 - truth, (1 - truth) / 2
    rare = Fraction(1, 10**6)
    return [
        ([truth, other], [other, truth]),
        ([truth, third, third], [third, truth, third]),
        ([third, truth, third], [third, third, truth]),
        ([truth - rare * truth, rare * truth, other], [other - rare * other, rare * other, truth]),
    ]


def cost(pair: Pair) -> Fraction:
    """Epsilon of a pair of distributions, rounded up."""
    return max(log_up(max(a / b, b / a)) for a, b in zip(*pair, strict=True))


def renyi(p: list[arb], q: list[arb], order: Fraction) -> Fraction:
    total = arb(0)
    for a, b in zip(p, q, strict=True):
        if not a.is_zero():
            total += (ball(order) * a.log() + ball(1 - order) * b.log()).exp()
    return ends(total.log() / ball(order - 1))[0]


def worst(pair: Pair, generating: Generating, order: Fraction) -> Fraction:
    with precision(256):
        p, q = (best_of(side, generating) for side in pair)
        return max(renyi(p, q, order), renyi(q, p, order))


def largest_ratio(pair: Pair, generating: Generating) -> Fraction:
    with precision(256):
        p, q = (best_of(side, generating) for side in pair)
        return max(abs(ends((a / b).log())[0]) for a, b in zip(p, q, strict=True) if not a.is_zero())


def known(pair: Pair) -> Loss:
    """What a mechanism would say of the pair: its epsilon and nothing more."""
    return pc.PureLoss(cost(pair))


CASES = [
    (repetitions, generating, pair)
    for (repetitions, generating), truth in product(NUMBERS, TRUTHS)
    for pair in pairs(truth)
]


def test_epsilon_is_never_below_the_largest_ratio() -> None:
    for repetitions, generating, pair in CASES:
        claimed = SelectionLoss(known(pair), repetitions).epsilon()
        assert claimed >= largest_ratio(pair, generating)


def test_no_renyi_divergence_is_above_the_claimed_one() -> None:
    for repetitions, generating, pair in CASES[::3]:
        loss = SelectionLoss(known(pair), repetitions)
        for order in ORDERS:
            assert loss.renyi(order) >= worst(pair, generating, order) - Fraction(1, 2**150)


def test_a_rare_outcome_comes_close_to_the_pure_bound() -> None:
    """So (2 + shape) epsilon is not needed, and less than the bound is not enough."""
    for success in (Fraction(1, 2), Fraction(1, 10)):
        pair = pairs(Fraction(4, 5))[3]
        claimed = Fraction(SelectionLoss(known(pair), GeometricRepetitions(success)).epsilon())
        exactly = largest_ratio(pair, negative_binomial(Fraction(1), success))
        assert exactly <= claimed <= exactly * Fraction(1001, 1000)
        assert claimed < 3 * cost(pair)
    pair = pairs(Fraction(4, 5))[3]
    claimed = Fraction(SelectionLoss(known(pair), PoissonRepetitions(5)).epsilon())
    assert claimed <= largest_ratio(pair, poisson(Fraction(5))) * Fraction(1001, 1000)


def test_twice_epsilon_would_be_caught() -> None:
    pair = pairs(Fraction(4, 5))[3]
    assert largest_ratio(pair, negative_binomial(Fraction(1), Fraction(1, 100))) > 2 * cost(pair)


def test_the_theorem_without_its_excess_would_be_caught() -> None:
    """A charge of the candidate and the logarithm of the mean alone is below the exact divergence."""
    pair, success, order = pairs(Fraction(4, 5))[3], Fraction(1, 10), Fraction(200)
    short = cost(pair) + log_up(1 / success) / (order - 1)
    assert short < worst(pair, negative_binomial(Fraction(1), success), order)


def corrected(base: Loss, shape: Fraction, success: Fraction, order: Fraction) -> float:
    """The book's map with the errata's terms: the theorem with the same order twice."""
    mean = NegativeBinomialRepetitions(shape, success).mean()
    one = float(base.renyi(order))
    first = (1 + shape) * (1 - 1 / order) * Fraction(one)
    return one + float(first + (1 + shape) * log_up(1 / success) / order + log_up(mean) / (order - 1))


def printed(base: Loss, shape: Fraction, success: Fraction, order: Fraction) -> float:
    """The book's map as printed: the wrong parameter before the logarithm, and no logarithm of the mean."""
    mean = NegativeBinomialRepetitions(shape, success).mean()
    one = float(base.renyi(order))
    first = (1 + shape) * (1 - 1 / order) * Fraction(one)
    return one + float(first + (1 + success) * log_up(1 / success) / order + mean / (order - 1))


def test_the_printed_map_is_too_small_where_the_errata_say() -> None:
    nothing = pc.PureLoss(0)
    args: tuple[Fraction, Fraction, Fraction] = (Fraction(100), Fraction(9, 10), Fraction(50))
    assert printed(nothing, *args) == pytest.approx(0.231, abs=5e-4)
    assert corrected(nothing, *args) == pytest.approx(0.262, abs=5e-4)


@pytest.mark.parametrize("order", [2, 10, 50])
def test_a_free_second_order_is_never_worse_than_the_same_twice(order: int) -> None:
    for shape, success, rho in product((0, 1, 5), (0.01, 0.3), (0.001, 0.1)):
        base = pc.ConcentratedLoss(rho)
        ours = SelectionLoss(base, NegativeBinomialRepetitions(shape, success)).renyi(order)
        assert float(ours) <= corrected(base, Fraction(shape), read_exact(success), Fraction(order)) + 1e-6


def test_a_concentrated_candidate_has_the_closed_form_of_the_paper() -> None:
    """At the best second order the excess is (1 + shape)(2 sqrt(rho ln(1/success)) - rho)."""
    rho, success = 0.01, 0.001
    excess = GeometricRepetitions(success).largest_excess(pc.ConcentratedLoss(rho))
    assert float(excess) == pytest.approx(2 * (2 * math.sqrt(rho * math.log(1 / success)) - rho), rel=1e-6)


def test_no_repetition_is_counted_by_the_poisson_map() -> None:
    """Without P(K = 0) the logarithm is negative for a mean below one, and the claim below the truth."""
    pair, order = pairs(Fraction(51, 100))[0], Fraction(3, 2)
    exactly = worst(pair, poisson(Fraction(1, 2)), order)
    base = pc.PureLoss(cost(pair))
    without = float(base.renyi(order)) + math.log(0.5) / 0.5
    assert without < exactly <= SelectionLoss(base, PoissonRepetitions(0.5)).renyi(order)


def test_delta_and_epsilon_agree() -> None:
    for repetitions, _ in NUMBERS:
        loss = SelectionLoss(pc.ConcentratedLoss(0.01), repetitions)
        for delta in (1e-3, 1e-9):
            assert loss.delta(loss.epsilon(delta)) <= Fraction(delta) * Fraction(1001, 1000)


def test_divergences_grow_with_the_order_and_stay_under_rho() -> None:
    loss = SelectionLoss(pc.ConcentratedLoss(0.02), GeometricRepetitions(0.05))
    values = [loss.renyi(order) for order in (1.01, 1.5, 2, 4, 16, 64, 256)]
    assert values == sorted(values)
    rho = loss.rho()
    cheapest = best_order(loss._bound)
    for order in map(Fraction, (1, 2, 4, 16, 64, 256, 10**6)):  # not by way of rho itself
        assert loss._bound(max(order, cheapest)) <= order * Fraction(rho)


def test_a_delta_of_the_candidate_counts_once_for_each_repetition() -> None:
    base = pc.ApproximateLoss(1, 1e-9)
    loss = SelectionLoss.of(base, GeometricRepetitions(0.1))
    plain = SelectionLoss.of(pc.PureLoss(1), GeometricRepetitions(0.1)).epsilon()
    assert loss.epsilon(1e-8) == plain
    assert loss.epsilon(Fraction(99, 10**10)) == math.inf
    noisy = SelectionLoss.of(pc.ApproximateConcentratedLoss(0.01, 1e-9), GeometricRepetitions(0.1))
    clean = SelectionLoss.of(pc.ConcentratedLoss(0.01), GeometricRepetitions(0.1))
    assert clean.epsilon(1e-6) < noisy.epsilon(1e-6) <= Fraction(clean.epsilon(9.9e-7))
    assert noisy.renyi(2) == math.inf


def test_nothing_lost_stays_nothing() -> None:
    for repetitions, _ in NUMBERS:
        for base in (pc.PureLoss(0), pc.ConcentratedLoss(0)):
            loss = SelectionLoss.of(base, repetitions)
            assert loss.epsilon() == 0
            assert loss.renyi(3) == 0


def test_a_pure_candidate_gives_a_pure_loss() -> None:
    assert isinstance(SelectionLoss.of(pc.PureLoss(1), GeometricRepetitions(0.1)), pc.PureLoss)
    assert isinstance(SelectionLoss.of(pc.ConcentratedLoss(1), GeometricRepetitions(0.1)), SelectionLoss)


def test_a_candidate_without_any_bound_has_none() -> None:
    class Unknown(Loss):
        def pure(self) -> Any:
            return Point(math.inf, Fraction(0))

        def concentrated(self) -> Any:
            return Point(math.inf, Fraction(0))

    loss = SelectionLoss.of(Unknown(), GeometricRepetitions(0.1))
    assert loss.epsilon(1e-6) == math.inf
    assert loss.renyi(2) == math.inf
    assert loss.delta(1) == 1


def test_the_search_finds_the_best_order() -> None:
    found = best_order(lambda order: order / 100 + 1 / (order - 1))
    assert float(found) == pytest.approx(11, rel=1e-3)


def test_a_quick_curve_is_never_below_the_sharp_one() -> None:
    loss = SelectionLoss(pc.ConcentratedLoss(0.02), GeometricRepetitions(0.1))
    curve = loss.curve(Fraction(1))
    for epsilon in (Fraction(1, 2), Fraction(2), Fraction(5)):
        assert loss.delta(epsilon) * Fraction(999, 1000) <= curve(epsilon) <= 2 * loss.delta(epsilon)


@pytest.mark.parametrize(
    "base", [pc.PureLoss(0.01) * 100, pc.ConcentratedLoss(0.01), pc.ApproximateConcentratedLoss(0.01, 1e-9)], ids=str
)
def test_several_selections_cost_no_more_than_their_epsilons_added_up(base: Loss) -> None:
    """Their points alone would say two to four times as much."""
    loss, delta = SelectionLoss.of(base, GeometricRepetitions(0.1)), Fraction(1, 10**6)
    assert (loss * 3).epsilon(delta) <= 3 * loss.epsilon(delta / 3)


@pytest.mark.parametrize("base", [pc.PureLoss(10**320), pc.ConcentratedLoss(10**320), pc.ConcentratedLoss(1)], ids=str)
def test_what_is_beyond_the_floats_has_a_curve_too(base: Loss) -> None:
    loss = SelectionLoss(base, GeometricRepetitions(0.1))
    curve = loss.curve(Fraction(1))
    assert Fraction(99, 100) < curve(Fraction(0)) <= 1
    assert 0 <= curve(Fraction(10**330)) <= curve(Fraction(10**300))
    assert (loss * 2).delta(1) <= 1


def test_no_lower_bound_is_claimed() -> None:
    loss = SelectionLoss.of(pc.PureLoss(0.01) * 100, GeometricRepetitions(0.1))
    assert loss.interval(delta=1e-6)[0] <= loss.epsilon(1e-6)


def test_candidates_meet_one_sample() -> None:
    """So the loss of one release alone, amplified by a secret sample, is no base: neither is its delta."""
    alone = pc.ConcentratedLoss(0.5).amplify(pv.Population(rate=0.01))
    for repetitions in (PoissonRepetitions(3), GeometricRepetitions(0.1)):
        assert SelectionLoss(alone, repetitions) == SelectionLoss(pc.ConcentratedLoss(0.5), repetitions)


def test_what_a_candidate_asserts_is_kept() -> None:
    told = AssertedLoss(pc.PureLoss(1), ("a random sample",))
    assert SelectionLoss.of(told, GeometricRepetitions(0.1)).assumptions() == ("a random sample",)


@frozen(order=False)
class OnlyCurves(Loss):
    """A candidate of which nothing but exact divergences are known: no epsilon and no rho."""

    pair_of_laws: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]

    def pure(self) -> Point:
        return Point(math.inf, Fraction(0))

    def concentrated(self) -> Point:
        return Point(math.inf, Fraction(0))

    def renyi(self, order: Any) -> Fraction:
        p, q = self.pair_of_laws
        with precision(256):
            totals = [_power_sum(a, b, Fraction(order)).log() / ball(Fraction(order) - 1) for a, b in ((p, q), (q, p))]
            return max(ends(total)[1] for total in totals)

    def delta(self, epsilon: Any) -> Fraction:
        return max(stick(*self.pair_of_laws, Fraction(epsilon)), stick(*self.pair_of_laws[::-1], Fraction(epsilon)))


def _power_sum(p: tuple[Fraction, ...], q: tuple[Fraction, ...], order: Fraction) -> arb:
    terms = [(ball(order) * ball(a).log() + ball(1 - order) * ball(b).log()).exp() for a, b in zip(p, q, strict=True)]
    return sum(terms, arb(0))


def stick(p: Any, q: Any, epsilon: Fraction) -> Fraction:
    """The hockey-stick divergence, rounded up."""
    low = exp_down(epsilon)
    return sum((max(a - low * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


def test_the_theorem_alone_is_never_below_the_exact_divergence() -> None:
    for repetitions, generating, pair in CASES[::5]:
        loss = SelectionLoss(OnlyCurves((tuple(pair[0]), tuple(pair[1]))), repetitions)
        for order in (Fraction(21, 20), Fraction(2), Fraction(50)):
            assert loss.renyi(order) >= worst(pair, generating, order) - Fraction(1, 2**150)


def test_delta_by_the_theorem_alone_is_never_below_the_exact_one() -> None:
    for repetitions, generating, pair in CASES[::13]:
        loss = SelectionLoss(OnlyCurves((tuple(pair[0]), tuple(pair[1]))), repetitions)
        with precision(256):
            p, q = ([ends(mass)[0] for mass in best_of(side, generating)] for side in pair)
        for epsilon in (Fraction(0), Fraction(1), Fraction(4)):
            assert loss.delta(epsilon) >= max(stick(p, q, epsilon), stick(q, p, epsilon)) - Fraction(1, 2**60)


def test_rho_by_the_theorem_alone_is_never_below_the_exact_one() -> None:
    for repetitions, generating, pair in CASES[::5]:
        loss = SelectionLoss(pc.ConcentratedLoss(cost(pair) ** 2 / 2), repetitions)
        for order in (Fraction(1001, 1000), Fraction(2), Fraction(50)):
            assert loss.rho() * order >= worst(pair, generating, order)


def test_the_repetitions_are_said_to_be_bounded_from_above_only() -> None:
    assert SelectionLoss(pc.PureLoss(1), GeometricRepetitions(0.5)).interval(delta=1e-3)[0] == 0
