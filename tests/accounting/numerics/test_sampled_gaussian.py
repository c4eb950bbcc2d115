"""The Rényi divergence of sampled Gaussian noise, against integration and sums of 60 digits."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.numerics.sampled_gaussian import sampled_gaussian_renyi
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, NotExactError

DIGITS = Fraction(1, 10**55)
NEAR = Fraction(1, 2**70)
POINTS = [(Fraction(1, 100), Fraction(1)), (Fraction(1, 2), Fraction(1, 4)), (Fraction(9, 10), Fraction(2))]


def integral(rate: Fraction, spread: Fraction, order: Fraction, *, removal: bool) -> Fraction:
    """Integrate by the trapezoidal rule, which errs by less than e^-(2 pi² / (step distance)) on these functions."""
    with precision(300):
        distance, step = ball(spread).sqrt(), Fraction(1, 16)
        power = ball(order if removal else 1 - order)
        total = arb(0)
        for place in range(-24 * 16, 16 * (24 + math.ceil(order * math.sqrt(spread)))):
            x = ball(place * step)
            weight = ball(1 - rate) + ball(rate) * (x * distance - ball(spread / 2)).exp()
            total += (-x * x / 2).exp() * (power * weight.log()).exp()
        moment = total * ball(step) / (2 * arb.pi()).sqrt()
        low, high = ends(moment.log() / ball(order - 1))
    assert high - low < DIGITS
    return low


@pytest.mark.parametrize(("rate", "spread"), POINTS)
@pytest.mark.parametrize("order", [2, 3, 8, 20])
def test_whole_orders_are_exact(rate: Fraction, spread: Fraction, order: int) -> None:
    exactly = integral(rate, spread, Fraction(order), removal=True)
    found = sampled_gaussian_renyi(rate, spread, order)
    assert exactly - DIGITS <= found <= exactly * (1 + NEAR)


@pytest.mark.parametrize(("rate", "spread"), POINTS)
@pytest.mark.parametrize("order", [Fraction("1.01"), Fraction("1.5"), Fraction("2.5"), Fraction("7.25")])
def test_other_orders_are_bounded_in_both_directions(rate: Fraction, spread: Fraction, order: Fraction) -> None:
    found = sampled_gaussian_renyi(rate, spread, order)
    removal = integral(rate, spread, order, removal=True)
    assert integral(rate, spread, order, removal=False) <= removal <= found
    assert found <= Fraction(5, 2) * removal  # nearly twice towards order one, and close above two


@pytest.mark.parametrize(("rate", "spread"), POINTS)
def test_the_other_direction_alone_is_caught(rate: Fraction, spread: Fraction) -> None:
    """Adding a record is less than removing it, so that a claim of that alone is too small."""
    added = integral(rate, spread, Fraction(3), removal=False)
    assert added < integral(rate, spread, Fraction(3), removal=True) - NEAR


def test_the_chord_of_the_divergence_itself_is_caught() -> None:
    """(order - 1) D is convex and D is not, so that its own chord can be too low."""
    rate, spread = Fraction(1, 100), Fraction(9)
    low, middle, high = (sampled_gaussian_renyi(rate, spread, order) for order in (2, 3, 4))
    assert (low + high) / 2 < middle - NEAR
    assert (low + 3 * high) / 2 >= 2 * middle


@given(st.fractions(Fraction(1, 1000), Fraction(999, 1000)), st.fractions(Fraction(1, 1000), 9), st.integers(2, 12))
def test_the_sum_in_so_many_words(rate: Fraction, spread: Fraction, order: int) -> None:
    with precision(300):
        moment = sum(
            (
                ball(math.comb(order, k) * (1 - rate) ** (order - k) * rate**k) * ball((k * k - k) * spread / 2).exp()
                for k in range(order + 1)
            ),
            arb(0),
        )
        low, high = ends(moment.log() / (order - 1))
    found = sampled_gaussian_renyi(rate, spread, order)
    assert low <= found <= high * (1 + NEAR)


@pytest.mark.parametrize("order", [2, 5])
def test_discrete_noise_has_the_same_divergence_at_whole_orders_and_steps(order: int) -> None:
    rate, variance, steps = Fraction(1, 5), Fraction(3), 2
    with precision(300):
        mass = {z: ball(-Fraction(z * z) / (2 * variance)).exp() for z in range(-60, 61)}
        whole, moment = sum(mass.values(), arb(0)), arb(0)
        for z, here in mass.items():
            weight = 1 - ball(rate) + ball(rate) * ball(Fraction(2 * z * steps - steps**2) / (2 * variance)).exp()
            moment += here / whole * weight**order
        exactly = ends(moment.log() / (order - 1))[0]
    found = sampled_gaussian_renyi(rate, steps**2 / variance, order)
    assert abs(found - exactly) < NEAR


@given(st.fractions(0, 1), st.fractions(0, 20), st.fractions(Fraction(11, 10), 300))
def test_sampling_never_hurts(rate: Fraction, spread: Fraction, order: Fraction) -> None:
    found = sampled_gaussian_renyi(rate, spread, order)
    assert 0 <= found <= order * spread / 2


@given(st.fractions(Fraction(1, 100), 1), st.fractions(Fraction(1, 10), 4), st.fractions(Fraction(3, 2), 40))
def test_it_grows_with_rate_distance_and_order(rate: Fraction, spread: Fraction, order: Fraction) -> None:
    found = sampled_gaussian_renyi(rate, spread, order) * (1 - NEAR)
    assert sampled_gaussian_renyi((1 + rate) / 2, spread, order) >= found
    assert sampled_gaussian_renyi(rate, spread + 1, order) >= found
    assert sampled_gaussian_renyi(rate, spread, order + 1) >= found


def test_ends() -> None:
    assert sampled_gaussian_renyi(0, 1, 2) == 0
    assert sampled_gaussian_renyi(1, 3, 2) == 3
    assert sampled_gaussian_renyi(0.5, 0, 2) == 0
    assert sampled_gaussian_renyi(0.01, 1, 10**6) == 500_000
    assert 0 < sampled_gaussian_renyi(Fraction(1, 10**30), Fraction(1, 10**30), 2) < Fraction(2, 10**90)
    assert 0 < sampled_gaussian_renyi(0.01, 10**6, 256) < 128 * 10**6


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="rate must be between zero and one, got 2."):
        sampled_gaussian_renyi(2, 1, 2)
    with pytest.raises(InvalidError, match="squared_distance_over_variance must be zero or more, got -1."):
        sampled_gaussian_renyi(0.1, -1, 2)
    with pytest.raises(InvalidError, match="order must be above one, got 1."):
        sampled_gaussian_renyi(0.1, 1, 1)
    with pytest.raises(NotExactError, match="sampled_gaussian_renyi.rate"):
        sampled_gaussian_renyi("a", 1, 2)
