"""What compositions answer: on the right side of exact answers, close to them, and for every question."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from attrs import evolve
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.composition.composition import (
    ComposedDirections,
    Composition,
    MomentScan,
    PairTerms,
    Plan,
    certified_epsilon,
    curve_above,
    delta_below,
    plan_for_delta,
    plan_for_epsilon,
    surely_exceeded,
)
from privet.accounting.numerics.convert import normal_delta
from privet.accounting.pairs.laplace_pair import laplace_pair
from privet.accounting.pairs.normal_pair import discrete_normal_pair, normal_pair
from privet.accounting.pairs.pair import AtomPair, MixedPair, Pair, nothing_private, range_pair, response_pair
from privet.core.exact import ball, ends, precision
from tests.accounting.exact_losses import BITS, Changed

HALF = Fraction(1, 2)


def response_delta(cost: Fraction, times: int, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """The exact delta of randomised response so many times (Kairouz, Oh and Viswanath 2015, theorem 3.3)."""
    with precision(4 * BITS):
        high = 1 / (1 + (-ball(cost)).exp())
        total = arb(0)
        for heads in range(times + 1):
            gap = epsilon - (2 * heads - times) * cost
            if gap < 0:
                total += arb(math.comb(times, heads)) * high**heads * (1 - high) ** (times - heads) * -ball(gap).expm1()
        return ends(total)


@pytest.mark.parametrize("times", [1, 2, 10, 100])
@pytest.mark.parametrize("cost", [Fraction(1, 100), Fraction(1, 3), Fraction(2)])
def test_randomised_response_is_enclosed(cost: Fraction, times: int) -> None:
    terms = [(response_pair(cost, Fraction(0)), times)]
    for share in (Fraction(1, 50), Fraction(1, 7), HALF):
        epsilon = cost * times * share
        least, most = response_delta(cost, times, epsilon)
        if least < Fraction(1, 10**200):
            continue
        high, low = curve_above([terms], epsilon)(epsilon), delta_below([terms], epsilon)
        assert least <= high <= least * (1 + Fraction(1, 10**4))
        assert most * (1 - Fraction(1, 10)) <= low <= most


@pytest.mark.parametrize("times", [1, 3, 30, 1000, 10**4])
@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**12)])
def test_normal_laws_are_enclosed(times: int, delta: Fraction) -> None:
    """Composed one by one, not fused: together they are one normal law."""
    mu = Fraction(1, 4) if times < 100 else Fraction(1, 100)
    terms = [(normal_pair(mu**2), times)]
    plan = plan_for_delta(terms, float(delta))
    composition = Composition(terms, plan)
    high = certified_epsilon(composition.above, delta)
    low = surely_exceeded(composition.below, delta)
    together = mu * Fraction(math.isqrt(times * 10**20) + 1, 10**10)
    assert isinstance(high, Fraction)
    assert normal_delta(together, high) <= delta * (1 + Fraction(1, 10**8))
    assert low == 0 or normal_delta(together, low) >= delta
    assert float(high - low) < 2e-3 * float(high) + 1e-6


def enumerated(pairs: Sequence[tuple[AtomPair, int]], epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Sum over all sequences of outcomes."""
    each = [pair for pair, times in pairs for _ in range(times)]
    outcomes = [
        [(Fraction(float(x)), Fraction(float(m))) for x, m in zip(pair.losses, pair.masses, strict=True)]
        for pair in each
    ]
    finite = Fraction(1)
    for pair in each:
        finite *= 1 - Fraction(pair.only_p)
    with precision(BITS):
        total = ball(1 - finite)
        for combination in product(*outcomes):
            gap = epsilon - sum((loss for loss, _ in combination), Fraction(0))
            if gap < 0:
                total += ball(math.prod((mass for _, mass in combination), start=Fraction(1))) * -ball(gap).expm1()
        return ends(total)


@st.composite
def terms_of_atoms(draw: st.DrawFn) -> list[tuple[AtomPair, int]]:
    """Draw up to two pairs that are laws: weights of P and Q on a few outcomes."""
    found = []
    for _ in range(draw(st.integers(1, 2))):
        count = draw(st.integers(2, 3))
        weights = st.lists(st.integers(1, 60), min_size=count, max_size=count)
        p, q = draw(weights), draw(weights)
        infinite = draw(st.sampled_from([0.0, 2.0**-10]))
        losses = {math.log(a * sum(q) / (b * sum(p))): 0.0 for a, b in zip(p, q, strict=True)}
        for a, b in zip(p, q, strict=True):
            losses[math.log(a * sum(q) / (b * sum(p)))] += a / sum(p) * (1 - infinite)
        ordered = sorted(losses)
        masses = np.array([losses[loss] for loss in ordered])
        pair = AtomPair(np.array(ordered), masses, infinite, 0.0, 0.0, 0.0)
        found.append((pair, draw(st.integers(1, 3))))
    return found


@settings(max_examples=25, deadline=None)
@given(terms_of_atoms(), st.floats(0, 4))
def test_all_small_compositions_are_enclosed(terms: list[tuple[AtomPair, int]], epsilon: float) -> None:
    wanted = Fraction(epsilon)
    least, most = enumerated(terms, wanted)
    # read the plan's own bounds: how good they are is another matter
    assert curve_above([terms], wanted)(wanted) >= min(least, Fraction(1))
    assert delta_below([terms], wanted) <= most
    if 0 < least < 1:
        delta = least * Fraction(999, 1000)
        assert ComposedDirections([terms], delta).above > wanted


def test_a_pair_with_a_mistake_is_caught() -> None:
    cost, times, epsilon = Fraction(1, 3), 10, Fraction(1)
    for change in (
        lambda cells: evolve(cells, p=cells.p * 0.999),
        lambda cells: evolve(cells, p=cells.q, q=cells.p),
    ):
        terms: PairTerms = [(Changed(range_pair(cost), change), times)]
        right = curve_above([[(range_pair(cost), times)]], epsilon)(epsilon)
        assert curve_above([terms], epsilon)(epsilon) < right


EXTREME: dict[str, PairTerms] = {
    "nothing private": [(nothing_private(), 3)],
    "nothing lost": [(AtomPair.of_one(), 3)],
    "tiny": [(response_pair(Fraction(1, 10**322), Fraction(0)), 5)],
    "tiny Laplace": [(laplace_pair(Fraction(1, 10**200), Fraction(1), 0), 5)],
    "huge": [(response_pair(Fraction(599), Fraction(0)), 1000)],
    "Laplace of 500": [(laplace_pair(Fraction(500), Fraction(1), 0), 3)],
    "one step": [(laplace_pair(Fraction(1), Fraction(1), 1), 100)],
    "many steps": [(laplace_pair(Fraction(1), Fraction(1), 5000), 100)],
    "rare": [(MixedPair(response_pair(Fraction(1), Fraction(0)), Fraction(1, 10**9)), 1000)],
    "hardly ever": [(MixedPair(normal_pair(Fraction(400)), Fraction(1, 10**320)), 10)],
    "nearly always": [(MixedPair(normal_pair(Fraction(1)), 1 - Fraction(1, 10**6)), 100)],
    "rare but huge": [(MixedPair(normal_pair(Fraction(600)), Fraction(1, 10**9)), 100)],
    "rare with slack": [(MixedPair(response_pair(Fraction(1), Fraction(1, 10)), Fraction(1, 100)), 30)],
    "added": [(MixedPair(normal_pair(Fraction(1)), Fraction(1, 100)).reverse(), 1000)],
    "coarse noise": [(discrete_normal_pair(1, Fraction(1, 400)), 10)],
    "discrete": [(discrete_normal_pair(300, Fraction(10**4)), 10)],
    "a million": [(response_pair(Fraction(1, 1000), Fraction(1, 10**10)), 10**6)],
    "mostly infinite": [(response_pair(Fraction(1), 1 - Fraction(1, 10**6)), 2)],
    "all kinds": [
        (response_pair(Fraction(1, 10), Fraction(1, 10**9)), 3),
        (normal_pair(Fraction(1, 4)), 2),
        (laplace_pair(Fraction(1, 2), Fraction(1), 7), 5),
        (range_pair(Fraction(1, 3)), 4),
        (MixedPair(normal_pair(Fraction(1)), Fraction(1, 20)).reverse(), 20),
    ],
}
DELTAS = [Fraction(1, 10**300), Fraction(999, 1000)]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("terms", EXTREME.values(), ids=EXTREME)
@pytest.mark.parametrize("delta", DELTAS, ids=["1e-300", "0.999"])
@pytest.mark.share(5)
def test_every_question_has_an_answer(terms: PairTerms, delta: Fraction) -> None:
    found = ComposedDirections([terms], delta)
    assert 0 <= found.below <= found.above


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("terms", EXTREME.values(), ids=EXTREME)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(10**400)])
@pytest.mark.share(3)
def test_every_epsilon_has_an_answer(terms: PairTerms, epsilon: Fraction) -> None:
    assert 0 <= delta_below([terms], epsilon) <= curve_above([terms], epsilon)(epsilon) <= 1


def test_a_curve_may_be_read_anywhere() -> None:
    """Far from where it was asked for a curve is loose, and falls."""
    terms = [(response_pair(Fraction(1, 3), Fraction(0)), 20)]
    curve = curve_above([terms], Fraction(5))
    values = [curve(Fraction(k, 2)) for k in range(20)]
    for index, value in enumerate(values):
        assert value >= response_delta(Fraction(1, 3), 20, Fraction(index, 2))[0]
    assert values == sorted(values, reverse=True)


def test_both_directions_count() -> None:
    pair = MixedPair(response_pair(Fraction(2), Fraction(0)), HALF)
    forward, turned = [(pair, 5)], [(pair.reverse(), 5)]
    delta = Fraction(1, 100)
    both = ComposedDirections([forward, turned], delta).above
    single = [ComposedDirections([way], delta).above for way in (forward, turned)]
    assert both >= min(max(single), both)
    assert abs(float(both) - float(max(single))) < 1e-3
    near = Fraction(1)
    assert curve_above([forward, turned], near)(near) >= max(delta_below([forward], near), delta_below([turned], near))


@pytest.mark.parametrize("terms", EXTREME.values(), ids=EXTREME)
def test_grids_and_windows_are_bounded(terms: PairTerms) -> None:
    for plan in (plan_for_delta(terms, 1e-9), plan_for_epsilon(terms, 1.0)):
        assert plan.tilt > 0
        assert plan.step > 0
        assert plan.window[1] - plan.window[0] <= 2**22 * plan.step * (1 + 1e-9)
        for pair, _ in terms:
            low, high = pair.span(plan.tail)
            assert high - low <= 2**22 * plan.step * (1 + 1e-9)


def test_a_bad_plan_is_harmless() -> None:
    """Whatever was chosen, answers are bounds."""
    terms: list[tuple[Pair, int]] = [(response_pair(Fraction(1, 3), Fraction(0)), 20)]
    good = plan_for_epsilon(terms, 2.0)
    least, most = response_delta(Fraction(1, 3), 20, Fraction(2))
    bad: list[Plan] = [
        evolve(good, tilt=1e-3),
        evolve(good, tilt=900.0),
        evolve(good, step=0.3),
        evolve(good, step=5.0),
        evolve(good, window=(2.0, 2.01)),
        evolve(good, window=(-50.0, -40.0)),
        evolve(good, window=(40.0, 41.0)),
        evolve(good, tail=0.3),
        evolve(good, rate=1e-9),
        evolve(good, rate=1e9),
    ]
    for plan in bad:
        composition = Composition(terms, plan)
        assert composition.above.delta_above(Fraction(2)) >= least
        assert composition.below.delta_below(Fraction(2)) <= most


def test_a_first_look_knows_the_moments() -> None:
    look = MomentScan.at([(normal_pair(Fraction(1)), 4)], 1e-12)
    log, mean, variance = look.moments(1.0)
    assert log == pytest.approx(4, rel=1e-2)  # mu² tilt (tilt + 1) / 2 each
    assert mean == pytest.approx(6, rel=1e-2)
    assert variance == pytest.approx(4, rel=1e-2)
