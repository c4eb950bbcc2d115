"""Every edge between forms of loss against 200 digits, computed another way: from the worst pair, or over all orders.

A certified answer lies above the value (below it, for a trade-off curve) and within a stated relative distance of it.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.renyi import RenyiLoss
from privet.accounting.numerics.convert import Point, concentrated_delta, concentrated_epsilon, pure_gaussian
from privet.accounting.numerics.renyi_convert import pure_renyi, pure_rho, range_rho, renyi_delta, renyi_epsilon
from privet.core.exact import ball, ends, precision

BITS = 700  # more than 200 digits
NEAR = Fraction(1, 10**9)
MILLIONTH = Fraction(1, 10**6)
NONE = Fraction(0)
RHOS = [Fraction(1, 10**12), Fraction(1, 10**4), Fraction(1, 2), Fraction(7), Fraction(100)]
EPSILONS = [Fraction(0), Fraction(1, 10**3), Fraction(1), Fraction(17), Fraction(300)]
DELTAS = [Fraction(1, 10**300), Fraction(1, 10**12), Fraction(1, 10**3), Fraction(1, 2), Fraction(999, 1000)]
MANY = settings(deadline=None, max_examples=60)


def close(answer: object, value: arb, within: Fraction = NEAR) -> None:
    """Check that a certified answer is not below a value, nor far above it."""
    assert isinstance(answer, Fraction)
    low, high = ends(value)
    assert low <= answer
    assert answer <= max(high, NONE) * (1 + within)


def lowest(function: Callable[[arb], arb]) -> arb:
    """Find the smallest value over orders above one, by thirds of ln(order - 1): good to half of all digits squared."""
    low, high = arb(-80), arb(80)
    for _ in range(180):
        third = (high - low) / 3
        left, right = (low + third).mid(), (high - third).mid()
        if function(1 + left.exp()) <= function(1 + right.exp()):
            high = right
        else:
            low = left
    return function(1 + ((low + high) / 2).exp())


def response(cost: Fraction, slack: Fraction) -> list[tuple[arb, arb]]:
    """The worst pair of a pure point: randomised response that reveals everything with probability slack."""
    truth = 1 / (1 + ball(-cost).exp())
    keep = 1 - ball(slack)
    return [
        (ball(slack), arb(0)),
        (arb(0), ball(slack)),
        (keep * truth, keep - keep * truth),
        (keep - keep * truth, keep * truth),
    ]


def stick(pair: list[tuple[arb, arb]], epsilon: Fraction) -> arb:
    """The hockey-stick divergence of a pair."""
    gains = (p - ball(epsilon).exp() * q for p, q in pair)
    return sum((gain for gain in gains if gain > 0), arb(0))


def moment_delta(rho: Fraction, epsilon: Fraction) -> arb:
    """The bound by one moment, over all orders."""
    power = lowest(lambda a: (a - 1) * (a * ball(rho) - ball(epsilon)) + (a - 1) * (1 - 1 / a).log() - a.log())
    return power.exp()


def moment_epsilon(rho: Fraction, delta: Fraction) -> arb:
    """The same for epsilon."""
    return lowest(lambda a: a * ball(rho) + (1 - 1 / a).log() - (ball(delta).log() + a.log()) / (a - 1))


def normal_delta(rho: Fraction, epsilon: Fraction) -> arb:
    """The curve of two normal laws with this rho: no conversion of rho may lie below it."""
    mu = ball(2 * rho).sqrt()
    tails = [(ball(epsilon) / mu + sign * mu / 2) / arb(2).sqrt() for sign in (-1, 1)]
    return (tails[0].erfc() - ball(epsilon).exp() * tails[1].erfc()) / 2


def worst_of_one_order(order: Fraction, cost: Fraction, epsilon: Fraction) -> Fraction:
    """The largest delta of two distributions on two outcomes with this divergence: a truth, rounded down."""
    with precision(BITS):
        alpha, tilt, moment = ball(order), ball(epsilon).exp(), (ball(order - 1) * ball(cost)).exp()
        if cost - epsilon >= Fraction(math.log1p(1 / (order - 1))):  # all the mass of the first on one outcome
            return ends(1 - ball(epsilon - cost).exp())[0]

        def at(ratio: arb) -> arb:
            """Give delta where one outcome has this ratio, and as much mass as the divergence allows."""

            def reached(mass: arb) -> arb:
                return mass * ratio**alpha + (1 - mass) ** (1 - alpha) * (1 - mass * ratio) ** alpha

            mass = ((moment - 1) / ratio**alpha).mid()
            for _ in range(100):  # Newton's method on a rising convex function
                inside = (1 - mass * ratio) / (1 - mass)
                slope = ratio**alpha + (alpha - 1) * inside**alpha - alpha * ratio * inside ** (alpha - 1)
                step = ((reached(mass) - moment) / slope).mid()
                mass = min((mass - step).mid(), ((mass + 1 / ratio) / 2).mid())
                if abs(step) < mass * arb(2) ** -120:
                    break
            mass = (mass * (1 - arb(2) ** -90)).mid()
            assert reached(mass) <= moment
            return mass * (ratio - tilt)

        low, high = ball(max(epsilon, cost)), ball(epsilon) + (alpha / (alpha - 1)).log()
        for _ in range(100):
            third = (high - low) / 3
            left, right = (low + third).mid(), (high - third).mid()
            low, high = (left, high) if at(left.exp()) < at(right.exp()) else (low, right)
        return max(ends(at(low.exp()))[0], NONE)


@MANY
@given(st.fractions(Fraction(1, 10**6), 60), st.fractions(0, Fraction(1, 2)), st.fractions(0, 70))
def test_approximate_at_another_epsilon(cost: Fraction, slack: Fraction, epsilon: Fraction) -> None:
    with precision(BITS):
        close(pc.ApproximateLoss(cost, slack).delta(epsilon), stick(response(cost, slack), epsilon))


@MANY
@given(st.fractions(Fraction(1, 100), 60), st.fractions(0, Fraction(1, 2)), st.fractions(0, 1))
def test_approximate_at_another_delta(cost: Fraction, slack: Fraction, share: Fraction) -> None:
    with precision(BITS):
        truth = 1 / (1 + ball(-cost).exp())
        delta = slack + (1 - slack) * share * ends(2 * truth - 1)[0]
        answer = pc.ApproximateLoss(cost, slack).epsilon(delta)
        assert isinstance(answer, Fraction)
        assert ends(stick(response(cost, slack), answer))[0] <= delta
        if answer > NEAR:
            assert ends(stick(response(cost, slack), answer - NEAR))[1] > delta


@MANY
@given(st.fractions(Fraction(1, 10**6), 100), st.fractions(Fraction(1001, 1000), 500))
def test_pure_to_renyi(cost: Fraction, order: Fraction) -> None:
    with precision(BITS):
        moment = sum((p ** ball(order) * q ** ball(1 - order) for p, q in response(cost, NONE)[2:]), arb(0))
        value = moment.log() / ball(order - 1)
        close(pure_renyi(cost, order), value)
        answer = pc.PureLoss(cost).renyi(order)
        assert ends(value)[0] <= answer <= min(cost, order * cost**2 / 2)


@pytest.mark.parametrize("cost", [Fraction(1, 10**6), Fraction(1, 10), Fraction(1), Fraction(5), Fraction(40)])
def test_pure_to_concentrated(cost: Fraction) -> None:
    with precision(BITS):
        pair = response(cost, NONE)[2:]

        def negative(alpha: arb) -> arb:
            moment = sum((p**alpha * q ** (1 - alpha) for p, q in pair), arb(0))
            return -moment.log() / (alpha * (alpha - 1))

        # the supremum is the limit at order one, of which the search comes within e^-80
        close(pure_rho(cost), -lowest(negative), Fraction(1, 10**20))
        assert ends(-lowest(negative))[0] <= pc.PureLoss(cost).rho() <= cost**2 / 2


@MANY
@given(
    st.fractions(Fraction(1, 100), 20),
    st.fractions(Fraction(1, 100), Fraction(99, 100)),
    st.fractions(Fraction(11, 10), 60),
)
def test_bounded_range_to_pure_and_concentrated(eta: Fraction, place: Fraction, order: Fraction) -> None:
    with precision(BITS):
        # two outcomes whose losses are eta apart; any place of them that adds up to one
        top, bottom = (ball(eta * place)).exp(), (ball(eta * place - eta)).exp()
        mass = (1 - bottom) / (top - bottom)
        divergence = (mass * top ** ball(order) + (1 - mass) * bottom ** ball(order)).log() / ball(order - 1)
        loss = pc.BoundedRangeLoss(eta)
        assert ends(divergence)[0] <= loss.renyi(order)
        assert ends(divergence / ball(order))[0] <= range_rho(eta) <= eta**2 / 8
        assert ends(divergence / ball(order))[0] <= loss.rho()
    assert eta * place <= loss.epsilon()


def test_an_eighth_of_the_range_squared_is_attained() -> None:
    with precision(BITS):
        eta, order = Fraction(1, 1000), 1 + Fraction(1, 1000)
        top, bottom = ball(eta / 2).exp(), ball(-eta / 2).exp()
        mass = (1 - bottom) / (top - bottom)
        divergence = (mass * top ** ball(order) + (1 - mass) * bottom ** ball(order)).log() / ball(order - 1)
        close(pc.BoundedRangeLoss(eta).rho(), divergence / ball(order), Fraction(1, 10**5))


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_concentrated_to_delta(rho: Fraction, epsilon: Fraction) -> None:
    with precision(BITS):
        value = moment_delta(rho, epsilon)
        answer = concentrated_delta(Point(rho, NONE), epsilon)
        if value < arb(2) ** -65536:  # what is smaller is rounded up to this
            assert answer == Fraction(1, 2**65536)
            return
        if value > 1:
            assert answer == 1
        else:
            close(answer, value)
        assert answer >= ends(normal_delta(rho, epsilon))[0]


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", DELTAS)
def test_concentrated_to_epsilon(rho: Fraction, delta: Fraction) -> None:
    with precision(BITS):
        value = moment_epsilon(rho, delta)
        answer = concentrated_epsilon(Point(rho, NONE), delta)
        if value < 0:
            assert answer == 0
        else:
            close(answer, value)
        assert ends(normal_delta(rho, Fraction(answer)))[0] <= delta


@MANY
@given(st.fractions(Fraction(1, 10), 5), st.fractions(0, Fraction(1, 2)), st.fractions(0, 20))
def test_approximate_concentrated_to_delta(rho: Fraction, slack: Fraction, epsilon: Fraction) -> None:
    with precision(BITS):
        inside = moment_delta(rho, epsilon)
        value = ball(slack) + (1 - ball(slack)) * (inside if inside < 1 else arb(1))
        close(pc.ApproximateConcentratedLoss(rho, slack).delta(epsilon), value)


@MANY
@given(st.fractions(0, 20), st.fractions(Fraction(11, 10), 60))
def test_concentrated_to_renyi(rho: Fraction, order: Fraction) -> None:
    assert pc.ConcentratedLoss(rho).renyi(order) == order * rho


SINGLE = [Fraction(65, 64), Fraction(2), Fraction(33, 2), Fraction(500)]
SPENT = [Fraction(1, 10**12), Fraction(1, 100), Fraction(2), Fraction(100)]


@pytest.mark.parametrize("order", SINGLE)
@pytest.mark.parametrize("cost", SPENT)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 10), Fraction(3), Fraction(120)])
def test_renyi_to_delta(order: Fraction, cost: Fraction, epsilon: Fraction) -> None:
    answer = renyi_delta(order, cost, epsilon)
    if (order - 1) * (epsilon - cost) > 200:
        assert answer < Fraction(1, 10**80)
        return
    value = worst_of_one_order(order, cost, epsilon)
    assert value <= answer <= value * (1 + MILLIONTH)


@pytest.mark.parametrize("order", SINGLE)
@pytest.mark.parametrize("cost", SPENT)
@pytest.mark.parametrize("delta", [Fraction(1, 10**12), Fraction(1, 10**3), Fraction(1, 2), Fraction(999, 1000)])
def test_renyi_to_epsilon(order: Fraction, cost: Fraction, delta: Fraction) -> None:
    answer = renyi_epsilon(order, cost, delta)
    assert isinstance(answer, Fraction)
    # the answer, put into the worst pair, needs this delta; a millionth less needs more
    assert worst_of_one_order(order, cost, answer) <= delta
    if answer > MILLIONTH:
        assert worst_of_one_order(order, cost, answer * (1 - MILLIONTH)) > delta * (1 - MILLIONTH)


def test_renyi_to_epsilon_at_a_tiny_delta() -> None:
    order, cost, tiny = Fraction(2), Fraction(1), Fraction(1, 10**300)
    answer = Fraction(renyi_epsilon(order, cost, tiny))
    assert worst_of_one_order(order, cost, answer) <= tiny
    assert worst_of_one_order(order, cost, answer * (1 - MILLIONTH)) > tiny


@MANY
@given(st.fractions(Fraction(1, 1000), 30))
def test_pure_to_gaussian(cost: Fraction) -> None:
    with precision(BITS):
        truth = 1 / (1 + ball(-cost).exp())
        # the normal tail of mu / 2 is 1 - truth
        squared = pure_gaussian(cost)
        assert isinstance(squared, Fraction)
        half = ball(squared).sqrt() / 2
        assert ends((half / arb(2).sqrt()).erfc() / 2 - (1 - truth))[0] <= 0
        less = half * (1 - ball(NEAR))
        assert (less / arb(2).sqrt()).erfc() / 2 > 1 - truth


@MANY
@given(st.fractions(Fraction(1, 100), 20), st.fractions(0, Fraction(1, 10)), st.fractions(0, 1))
def test_approximate_to_a_trade_off_curve(cost: Fraction, slack: Fraction, alpha: Fraction) -> None:
    answer = pc.ApproximateLoss(cost, slack).beta(alpha)
    with precision(BITS):
        free = 1 - ball(slack)
        lines = (free - ball(cost).exp() * ball(alpha), ball(-cost).exp() * (free - ball(alpha)), arb(0))
        value = max(ends(line)[1] for line in lines)
    assert value * (1 - NEAR) - NEAR <= answer <= value + NEAR**2


def test_a_curve_of_orders_is_as_good_as_its_best_order() -> None:
    points = tuple((Fraction(a), Fraction(a, 2)) for a in (2, 3, 5, 8, 12, 20))
    answer = RenyiLoss(points).delta(4)
    best = min(worst_of_one_order(order, cost, Fraction(4)) for order, cost in points)
    assert answer <= best * (1 + MILLIONTH)


def test_a_failure_probability_is_no_epsilon_exceeded_probability() -> None:
    """Approximate privacy does not imply probabilistic privacy: a loss just above epsilon is likely, delta tiny."""
    loss = pc.RandomizedResponseLoss(truth=Fraction(3, 4), other=Fraction(1, 4))
    epsilon = Fraction(109, 100)  # ln 3 = 1.0986...
    exceeded = Fraction(3, 4)
    assert loss.delta(epsilon) < Fraction(1, 100)
    assert exceeded <= loss.delta(epsilon) / (1 - Fraction(math.exp(-0.0086))), "what the converse costs"
