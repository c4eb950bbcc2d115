"""Composition of (epsilon, delta) sequences against enumeration, and against each other."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.numerics.convert import Point, pure_delta
from privet.accounting.planning.optimal import (
    OptimalCurve,
    advanced,
    basic,
    improved_advanced,
    optimal_heterogeneous,
    optimal_homogeneous,
)
from privet.core.exact import exp_down, exp_up, log_down, log_up
from privet.errors import InvalidError, WrongTypeError

ODDS = st.fractions(Fraction(101, 100), 9)  # e^epsilon, so that enumeration is exact
SLACKS = st.sampled_from([Fraction(0), Fraction(1, 10**6), Fraction(1, 7)])


def enumerated(parts: Sequence[tuple[Fraction, Fraction]], tilt: Fraction) -> Fraction:
    """The exact divergence of responses with these odds and failures, at e^epsilon = tilt, by all their outcomes."""
    truths = [odds / (1 + odds) for odds, _ in parts]
    inside = Fraction(0)
    for outcome in product((True, False), repeat=len(parts)):
        first = math.prod((t if true else 1 - t for t, true in zip(truths, outcome, strict=True)), start=Fraction(1))
        second = math.prod((1 - t if true else t for t, true in zip(truths, outcome, strict=True)), start=Fraction(1))
        inside += max(first - tilt * second, Fraction(0))
    kept = math.prod((1 - failure for _, failure in parts), start=Fraction(1))
    return 1 - kept * (1 - inside)


def between(parts: Sequence[tuple[Fraction, Fraction]], epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """The same at a rational epsilon, from below and above."""
    return enumerated(parts, exp_up(epsilon)), enumerated(parts, exp_down(epsilon))


@settings(deadline=None)
@given(ODDS, SLACKS, st.integers(0, 7), st.fractions(0, 6))
def test_equal_parts_are_enumerated(odds: Fraction, slack: Fraction, times: int, epsilon: Fraction) -> None:
    low, high = between([(odds, slack)] * times, epsilon)
    near = Fraction(1, 2**70)
    assert low <= optimal_homogeneous(log_up(odds), slack, times).delta(epsilon) <= high + near
    assert low - near <= optimal_homogeneous(log_down(odds), slack, times).delta_below(epsilon) <= high


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(ODDS, SLACKS), min_size=1, max_size=6), st.fractions(0, 6))
def test_different_parts_lie_between_the_bounds(parts: list[tuple[Fraction, Fraction]], epsilon: Fraction) -> None:
    low, high = between(parts, epsilon)
    above = optimal_heterogeneous([(log_up(odds), slack) for odds, slack in parts], cells=2**11)
    below = optimal_heterogeneous([(log_down(odds), slack) for odds, slack in parts], cells=2**11)
    assert low <= above.delta(epsilon) <= high + Fraction(1, 500)
    assert low - Fraction(1, 100) <= below.delta_below(epsilon) <= high


@pytest.mark.parametrize(("cells", "within"), [(2**9, 0.06), (2**11, 0.004), (2**13, 0.0003)])
def test_a_grid_four_times_as_fine_is_sixteen_times_as_near(cells: int, within: float) -> None:
    exactly = optimal_heterogeneous([(Fraction(i, 100), 0) for i in range(1, 51)])
    # a shift too small to matter takes the epsilons off every short grid
    shifted = optimal_heterogeneous([(Fraction(i, 100) + Fraction(1, 10**12), 0) for i in range(1, 51)], cells=cells)
    truth = float(exactly.epsilon(1e-6))
    assert truth <= float(shifted.epsilon(1e-6)) <= truth + within
    assert float(shifted.epsilon_below(1e-6)) <= truth + 1e-9


def test_rounding_down_and_claiming_it_would_be_caught() -> None:
    parts = [(Fraction(3, 2), Fraction(0)), (Fraction(5, 3), Fraction(0)), (Fraction(7, 4), Fraction(0))]
    pairs = [(log_up(odds), slack) for odds, slack in parts]
    curve = optimal_heterogeneous(pairs)
    truth = enumerated(parts, Fraction(1))
    twin = OptimalCurve(curve.kept, curve.lower, curve.lower)
    assert curve.delta(0) >= truth
    assert twin.delta(0) < truth


def test_fifty_different_epsilons_on_a_grid_are_exact() -> None:
    curve = optimal_heterogeneous([(Fraction(i, 100), 0) for i in range(1, 51)])
    assert curve.delta(5) - curve.delta_below(5) < Fraction(1, 2**90)
    assert curve.epsilon(0) == Fraction(51, 4), "nothing fails: all of them"


NEAR_ONE = Fraction(491166285999985579, 491166286000000000)


@settings(deadline=None)
@example(epsilon=Fraction(14, 5), slack=Fraction(1, 7), times=32, delta=NEAR_ONE)
@given(
    epsilon=st.fractions(Fraction(1, 100), 3),
    slack=SLACKS,
    times=st.integers(1, 60),
    delta=st.fractions(Fraction(1, 10**9), 1),
)
def test_backwards(epsilon: Fraction, slack: Fraction, times: int, delta: Fraction) -> None:
    """Both ends enclose the epsilon closely. Near delta = 1, A - delta in e^epsilon = (A - delta) / B cancels."""
    curve = optimal_homogeneous(epsilon, slack, times)
    answer, below = curve.epsilon(delta), curve.epsilon_below(delta)
    if answer == math.inf:
        assert 1 - (1 - slack) ** times > delta
        return
    assert curve.delta(answer) <= delta + Fraction(1, 2**90)
    assert answer - below >= 0
    assert answer - below < Fraction(1, 2**80) or (answer - below) * (1 - delta) < Fraction(1, 2**108)
    if answer > Fraction(1, 1000):
        assert curve.delta_below(answer - Fraction(1, 1000)) > delta


@settings(deadline=None)
@given(
    st.fractions(Fraction(1, 1000), 3),
    SLACKS,
    st.integers(1, 500),
    st.sampled_from([Fraction(1, 10**d) for d in (1, 2, 4, 6, 9, 12)]),
)
def test_closed_forms_are_never_below_the_best(epsilon: Fraction, slack: Fraction, times: int, left: Fraction) -> None:
    first, second = advanced(epsilon, slack, times, left), improved_advanced(epsilon, slack, times, left)
    exactly = optimal_homogeneous(epsilon, slack, times)
    assert exactly.epsilon_below(second.delta) <= second.cost <= min(first.cost, times * epsilon)
    assert second.delta <= first.delta


def test_the_book_on_two_releases() -> None:
    """Truncated Laplace noise, epsilon = 0.01 and radius of ten scales each: 0.08 against 0.02."""
    failure = Fraction("2.2814879780062904e-7")
    both = advanced(0.01, failure, 2, 1e-7)
    assert 0.0804 < both.cost < 0.0805
    assert 5.5629e-7 < both.delta < 5.563e-7
    assert basic([(0.01, failure)] * 2) == Point(Fraction(1, 50), 2 * failure)
    best = optimal_homogeneous(0.01, failure, 2)
    assert best.epsilon(both.delta) < Fraction(1, 50)
    assert best.delta(0.02) < 2 * failure


def test_one_part_is_its_own_curve() -> None:
    curve = optimal_homogeneous(1, Fraction(1, 10**6), 1)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
        exactly = pure_delta(Point(Fraction(1), Fraction(1, 10**6)), epsilon)
        assert abs(curve.delta(epsilon) - exactly) < Fraction(1, 2**70)


def test_ten_thousand_parts() -> None:
    curve = optimal_homogeneous(0.01, 1e-9, 10_000)
    assert 3.8319 < curve.epsilon(1e-4) < 3.832
    assert curve.epsilon(1e-6) == math.inf, "all together reveal everything with probability 1e-5"
    assert curve.epsilon(1e-4) < improved_advanced(0.01, 1e-9, 10_000, 9e-5).cost


def test_nothing_costs_nothing() -> None:
    for curve in (
        optimal_homogeneous(1, 0, 0),
        optimal_homogeneous(0, 0, 5),
        optimal_heterogeneous([]),
        optimal_heterogeneous([(0, 0), (0, 0)]),
    ):
        assert curve.delta(0) == 0
        assert curve.epsilon(0) == 0
    assert basic([]) == Point(Fraction(0), Fraction(0))
    assert optimal_heterogeneous([(0, 0.5), (1, 1)]).delta(3) == 1
    assert optimal_heterogeneous([(0, 0.5), (1, 1)]).epsilon(0.9) == math.inf
    assert optimal_heterogeneous([(0, 0.5), (1, 1)]).epsilon(1) == 0
    assert optimal_heterogeneous([(0.5, 0.1)] * 3).delta(1) == optimal_homogeneous(0.5, 0.1, 3).delta(1)


def test_tiny_failures_are_kept() -> None:
    tiny = Fraction(1, 10**300)
    curve = optimal_homogeneous(0.1, tiny, 1000)
    assert 999 * tiny < curve.delta(100) <= 1000 * tiny * (1 + Fraction(1, 2**90))
    assert curve.epsilon(1001 * tiny) <= 100


@pytest.mark.parametrize("pair", [3, (1,), (1, 2, 3), "ab c"])
def test_other_things_than_pairs_are_refused(pair: object) -> None:
    with pytest.raises(WrongTypeError, match=r"pairs \(epsilon, delta\)"):
        basic([pair])


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="slack must be above zero and at most one, got 0."):
        advanced(1, 0, 2, 0)
    with pytest.raises(InvalidError, match="times must be zero or more, got -1."):
        optimal_homogeneous(1, 0, -1)
    with pytest.raises(InvalidError, match="cells must be one or more, got 0."):
        optimal_heterogeneous([(1, 0)], cells=0)
    with pytest.raises(InvalidError, match="Loss.epsilon must be zero or more, got -1."):
        optimal_heterogeneous([(-1, 0)])
    with pytest.raises(InvalidError, match="Loss.delta must be between zero and one, got 2."):
        basic([(1, 2)])


@pytest.mark.parametrize("delta", [1e-2, 1e-6])
def test_sums_of_points_agree(delta: float) -> None:
    """A sum composes the same pairs by Fourier transform: two programs, one curve."""
    total = pc.ApproximateLoss(0.1, 1e-9) * 50
    exactly = optimal_homogeneous(0.1, 1e-9, 50)
    low, high = total.interval(delta=delta)
    assert low <= exactly.epsilon(delta)
    assert exactly.epsilon_below(delta) <= high <= exactly.epsilon(delta) * Fraction(1001, 1000)
