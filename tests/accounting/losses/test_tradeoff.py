"""Trade-off curves, against all tests of small pairs."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.tradeoff import TradeoffLoss
from privet.accounting.numerics.renyi_convert import pure_rho
from privet.core.exact import exp_down, exp_up
from privet.errors import InvalidError, WrongTypeError

Law = tuple[Fraction, ...]
Curve = tuple[tuple[Fraction, Fraction], ...]


@st.composite
def laws(draw: st.DrawFn) -> tuple[Law, Law]:
    size = draw(st.integers(2, 4))
    weights = [draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)) for _ in range(2)]
    assume(all(sum(row) for row in weights))
    p, q = (tuple(Fraction(weight, sum(row)) for weight in row) for row in weights)
    assume(any(a and b for a, b in zip(p, q, strict=True)))
    return p, q


def errors_of(p: Law, q: Law) -> list[tuple[Fraction, Fraction]]:
    """The errors of every test without a coin: reject the first law on some set."""
    return [
        (
            sum((mass for mass, chosen in zip(p, sets, strict=True) if chosen), Fraction(0)),
            sum((mass for mass, chosen in zip(q, sets, strict=True) if not chosen), Fraction(0)),
        )
        for sets in product((False, True), repeat=len(p))
    ]


def least(points: list[tuple[Fraction, Fraction]], alpha: Fraction) -> Fraction:
    """The least error of the second kind of tests that toss a coin between two others."""
    best = min(beta for first, beta in points if first <= alpha)
    for left, high in points:
        for right, low in points:
            if left < alpha < right:
                best = min(best, high + (low - high) * (alpha - left) / (right - left))
    return best


def curve_of(p: Law, q: Law) -> Curve:
    """Neyman and Pearson: outcomes in the order of their ratio."""
    alpha, beta = Fraction(0), Fraction(1)
    # what the second law never gives is no reason to say that it was the second
    outcomes = sorted(((a, b) for a, b in zip(p, q, strict=True) if b), key=lambda pair: pair[0] / pair[1])
    corners = [(alpha, beta)]
    for first, second in outcomes:
        alpha, beta = alpha + first, beta - second
        if first == 0:
            corners[-1] = (alpha, beta)
        else:
            corners.append((alpha, beta))
    return tuple(corners)


def divergence(p: Law, q: Law, tilt: Fraction) -> Fraction:
    return sum((max(a - tilt * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


@given(laws(), st.fractions(0, 3))
def test_delta_is_the_worse_of_both_directions(pair: tuple[Law, Law], epsilon: Fraction) -> None:
    p, q = pair
    claimed = TradeoffLoss(curve_of(p, q)).delta(epsilon)
    low, high = exp_down(epsilon), exp_up(epsilon)
    assert claimed >= max(divergence(p, q, high), divergence(q, p, high))
    assert claimed <= max(divergence(p, q, low), divergence(q, p, low))


@given(laws(), st.fractions(0, 1, max_denominator=40))
def test_beta_is_below_every_test_in_both_directions(pair: tuple[Law, Law], alpha: Fraction) -> None:
    p, q = pair
    claimed = TradeoffLoss(curve_of(p, q)).beta(alpha)
    assert claimed <= min(least(errors_of(p, q), alpha), least(errors_of(q, p), alpha))


@given(laws(), st.fractions(0, 1, max_denominator=40))
def test_beta_is_exact_where_the_directions_agree(pair: tuple[Law, Law], alpha: Fraction) -> None:
    p, q = pair[0] + pair[1], pair[1] + pair[0]  # a fair coin says which law is which
    p, q = tuple(mass / 2 for mass in p), tuple(mass / 2 for mass in q)
    found = TradeoffLoss(curve_of(p, q))
    assert found.beta(alpha) == least([*found.points, (Fraction(1), Fraction(0))], alpha)


@given(laws(), st.fractions(0, 1))
def test_epsilon_is_delta_backwards(pair: tuple[Law, Law], delta: Fraction) -> None:
    loss = TradeoffLoss(curve_of(*pair))
    epsilon = loss.epsilon(delta)
    if epsilon == math.inf:
        assert loss.delta(40) > delta
    else:
        assert loss.delta(epsilon) <= delta + Fraction(1, 10**20)
        assert epsilon == 0 or loss.delta(Fraction(epsilon) * Fraction(999, 1000)) > delta


@given(laws())
def test_the_pure_point_bounds_the_curve(pair: tuple[Law, Law]) -> None:
    loss = TradeoffLoss(curve_of(*pair))
    point = loss.pure()
    assert loss.delta(point.cost) <= point.delta + Fraction(1, 10**20)
    assert loss.concentrated().cost == pure_rho(Fraction(point.cost))


@given(laws(), st.fractions(0, 3))
@settings(deadline=None, max_examples=12)
def test_the_pair_has_the_same_curve(pair: tuple[Law, Law], epsilon: Fraction) -> None:
    loss = TradeoffLoss(curve_of(*pair))
    assume(loss.pure().cost > 0)
    assert loss.interval(epsilon=epsilon)[0] <= loss.delta(epsilon)
    together = (loss * 2).delta(epsilon)
    double = TradeoffLoss(curve_of(*(tuple(a * b for a in law for b in law) for law in pair)))
    assert together >= double.delta(epsilon) - Fraction(1, 10**9)


def test_the_book_s_example() -> None:
    loss = TradeoffLoss.of(pc.ApproximateLoss(1, 1e-6), [1])
    # 1 - 1e-6 - 0.2 e
    assert float(loss.beta(0.2)) == pytest.approx(0.4563426, abs=1e-7)
    assert loss.beta(0) == 1 - Fraction(1, 10**6)
    assert loss.beta(1) == 0


@pytest.mark.parametrize("loss", [pc.PureLoss(1), pc.LaplaceLoss(distance=3, scale=3), pc.ApproximateLoss(0.5, 0.01)])
def test_a_sampled_curve_is_weaker_than_its_loss(loss: pv.Loss) -> None:
    sampled = TradeoffLoss.of(loss, [Fraction(i, 8) for i in range(41)])
    for epsilon in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)):
        assert loss.delta(epsilon) <= sampled.delta(epsilon) + Fraction(1, 10**20)
    assert float(sampled.delta(1)) == pytest.approx(float(loss.delta(1)))


def test_a_sampled_curve_that_rounds_the_wrong_way_is_noticed() -> None:
    right = TradeoffLoss.of(pc.PureLoss(1), [1])
    # the twin uses a slope below e, which promises more than epsilon = 1 does
    flat = Fraction(27, 10)
    twin = TradeoffLoss(((0, 1), (1 / (1 + flat), 1 / (1 + flat)), (1, 0)))
    assert right.delta(0) >= pc.PureLoss(1).delta(0) > twin.delta(0)


def test_charging_one_direction_only_would_be_wrong() -> None:
    p, q = (Fraction(1, 2), Fraction(1, 2), Fraction(0)), (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))
    curve = curve_of(p, q)
    forward = max(1 - beta - 2 * alpha for alpha, beta in curve)
    backward = max(1 - alpha - 2 * beta for alpha, beta in curve)
    assert forward != backward
    assert TradeoffLoss(curve).delta(0.6931) >= max(forward, backward)


def test_perfect_privacy_and_a_leak() -> None:
    assert TradeoffLoss(((0, 1), (1, 0))).epsilon() == 0
    leak = TradeoffLoss(((0, 0.9), (1, 0)))
    assert leak.delta(0) == leak.delta(50) == Fraction(1, 10)
    assert leak.epsilon(0.05) == math.inf
    assert leak.symmetric() == ((Fraction(0), Fraction(9, 10)), (Fraction(9, 10), Fraction(0)))


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (((0.1, 0.9), (1, 0)), "must begin at alpha = 0"),
        (((0, 1), (0.5, 0.1)), "end at beta = 0"),
        (((0, 1), (0.5, 0.6), (1, 0)), "alpha . beta at most 1 .a coin has 1., got \\(0.5, 0.6\\)"),
        (((0, 0.9), (0.1, 0.8), (0.2, 0.2), (1, 0)), "must be convex"),
        (((0, 0.5), (0.2, 0.5), (1, 0)), "must be points that rise in alpha and fall in beta, got"),
        (((0, 1),), "at least two points"),
        ((0, 1), "must be points .alpha, beta. such as .0.2, 0.4., got int"),
    ],
)
def test_wrong_curves_are_refused(points: object, message: str) -> None:
    with pytest.raises((InvalidError, WrongTypeError), match=message):
        TradeoffLoss(points)


def test_what_cannot_be_sampled_is_refused() -> None:
    with pytest.raises(WrongTypeError, match="a loss is made of losses such as PureLoss"):
        TradeoffLoss.of(1, [1])  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="needs an epsilon at which delta is below one"):
        TradeoffLoss.of(pc.PureLoss(1), [])
    with pytest.raises(InvalidError, match="zero or more"):
        TradeoffLoss.of(pc.PureLoss(1), [-1])


def test_a_curve_of_one_order_is_composed_in_one_order_from_below() -> None:
    """No two laws need have the symmetric curve; those with the stated one are enumerated."""
    loss = TradeoffLoss(((0, 1), (Fraction(1, 10), Fraction(1, 2)), (1, 0)))
    assert not loss.tight
    p, q = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 10), Fraction(9, 10))
    products = [(a * b, c * d) for (a, c), (b, d) in product(zip(p, q, strict=True), repeat=2)]
    tilt = math.exp(0.5)
    exactly = max(sum(max(x - tilt * y, 0) for x, y in products), sum(max(y - tilt * x, 0) for x, y in products))
    lower, upper = (loss * 2).interval(epsilon=0.5)
    assert float(lower) <= exactly <= float(upper)
    assert lower > 0
