"""The choice of noise: certified, from public guesses, and as good as the figures that are known."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.accounting.planning.smooth import GeneralisedCauchy, StudentT, calibrate_smooth
from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.imputation.influence import Influence
from privet.imputation.noise_search import best_noise
from privet.imputation.smooth_calibration import Guess, NoiseChoice, choose_noise

ONE = Influence(own=1, donee=1)
STATE = Guess(incomplete=100_000, changes=40)
SIX_LN_2 = 6 * math.log(2)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.5, 1, 2, SIX_LN_2, 20, 400])
@pytest.mark.parametrize("aim", ["half_width", "variance"])
@pytest.mark.share(2)
def test_what_is_chosen_costs_no_more_than_epsilon(epsilon: float, aim: Any) -> None:
    found = choose_noise(epsilon, ONE, STATE, aim=aim)
    wanted = Fraction(repr(epsilon))
    assert wanted * Fraction(999999, 1000000) <= found.calibration.cost <= wanted
    assert found.calibration.law.cost(found.calibration.alpha, found.beta) == found.calibration.cost


def test_the_deviation_at_six_ln_2_is_two_fifths_of_the_bound() -> None:
    found = choose_noise(SIX_LN_2, ONE, STATE, aim="variance")
    assert found.deviation() / 41 <= 0.3915  # the source's noise has 1.443
    assert isinstance(found.calibration.law, StudentT)


def test_the_half_width_at_one_is_eleven_times_the_bound() -> None:
    assert choose_noise(1, ONE, STATE).half_width() / 41 <= 10.74  # the source's noise has 59.9


def best_by_hand(epsilon: float, guess: Guess, laws: list[Any], betas: list[float]) -> float:
    """The smallest certified half-width on a grid of laws and smoothness."""
    found: list[float] = []
    for beta in betas:
        bound = float(ONE.smooth(changes=guess.changes, incomplete=guess.incomplete, beta=beta))
        possible = [law for law in laws if law.least(Fraction(str(beta))) < epsilon]
        found += [calibrate_smooth(epsilon, beta, law=law).half_width() * bound for law in possible]
    return min(found)


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
@pytest.mark.parametrize("guess", [STATE, Guess(incomplete=50, changes=3)], ids=["state", "village"])
@pytest.mark.share(2)
def test_no_law_on_a_grid_is_narrower(epsilon: float, guess: Guess) -> None:
    laws: list[Any] = [StudentT(degrees=tail) for tail in (0.7, 1, 1.2, 1.6, 2.2, 3, 4)]
    laws += [GeneralisedCauchy(gamma=1 + tail) for tail in (0.7, 1, 1.2, 1.6, 2.2, 3, 4)]
    betas = [round(epsilon * share, 4) for share in (0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.69, 0.8, 0.91)]
    assert choose_noise(epsilon, ONE, guess).half_width() <= best_by_hand(epsilon, guess, laws, betas) * 1.0005


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
def test_each_aim_is_best_at_its_own(epsilon: float) -> None:
    width, variance = (choose_noise(epsilon, ONE, STATE, aim=aim) for aim in ("half_width", "variance"))
    assert width.half_width() <= variance.half_width()
    assert variance.deviation() <= width.deviation()
    assert math.isfinite(variance.deviation())


def test_small_epsilons_are_served_by_a_small_smoothness() -> None:
    betas = [choose_noise(epsilon, ONE, Guess(incomplete=100, changes=3)).beta for epsilon in (0.01, 0.1)]
    assert all(beta < Fraction(1, 10) for beta in betas)


def test_the_units_of_the_total_do_not_count() -> None:
    one, thousand = (choose_noise(1, Influence(own=own, donee=own), STATE) for own in (1, 1000))
    assert one.calibration == thousand.calibration
    assert math.isclose(thousand.half_width(), 1000 * one.half_width())


@pytest.mark.parametrize(
    "influence", [Influence(own=0, donee=1), Influence(own=1, donee=0), Influence(own=10**400, donee=1)]
)
def test_extreme_influences_are_served(influence: Influence) -> None:
    found = choose_noise(1, influence, STATE)
    assert isinstance(found, NoiseChoice)
    assert found.half_width() > 0


def test_a_choice_is_made_once() -> None:
    assert choose_noise(1, ONE) is choose_noise(1, ONE)


def test_the_search_gives_short_numbers() -> None:
    law, beta = best_noise(1.0, own=1.0, donee=1.0, incomplete=100, changes=3, aim="half_width")
    assert isinstance(law, StudentT | GeneralisedCauchy)
    assert beta.denominator <= 10**7


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: choose_noise(0, ONE), InvalidError, "choose_noise.epsilon must be above zero"),
        (lambda: choose_noise(1000, ONE), InvalidError, "at most 500"),
        (lambda: choose_noise("1", ONE), NotExactError, "choose_noise.epsilon"),  # type: ignore[arg-type]
        (lambda: choose_noise(1, 2), InvalidError, "choose_noise.influence must be an Influence"),  # type: ignore[arg-type]
        (lambda: choose_noise(1, ONE, aim="width"), InvalidError, "choose_noise.aim must be"),  # type: ignore[arg-type]
        (lambda: Guess(changes=0), InvalidError, "Guess.changes must be one or more"),
        (lambda: Guess(incomplete=10**400), InvalidError, "at most 10"),
        (lambda: Guess(incomplete=1.5), WrongTypeError, "Guess.incomplete must be a whole number"),  # type: ignore[arg-type]
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def laplace_delta(epsilon: float, alpha: float, beta: float) -> float:
    """The exact delta of Laplace noise of scale S / alpha around a beta-smooth S, as the page derives it."""
    growth = math.expm1(beta)
    near, far = ((epsilon + beta - sign * alpha) / growth for sign in (1, -1))
    return (1 - math.exp(-beta)) * (math.exp(-near) + math.exp(-far)) / 2


def divergence(epsilon: float, dilation: float, shift: float) -> float:
    """The integral of the density less e^epsilon times that of a neighbour, where it is positive, by many points."""
    points = np.linspace(-60, 60, 1_200_001)
    first = np.exp(-np.abs(points)) / 2
    second = np.exp(-dilation - np.abs(points + shift) * math.exp(-dilation)) / 2
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum() * (points[1] - points[0]))


@pytest.mark.parametrize(("epsilon", "alpha", "beta"), [(1, 0.6, 0.3), (1, 0.5, 0.45), (2, 1.5, 0.6), (0.5, 0.3, 0.2)])
def test_the_exact_delta_of_laplace_noise_is_attained_and_never_exceeded(
    epsilon: float, alpha: float, beta: float
) -> None:
    claimed = laplace_delta(epsilon, alpha, beta)
    assert divergence(epsilon, -beta, alpha * math.exp(-beta)) == pytest.approx(claimed, rel=1e-5)
    for dilation in np.linspace(-beta, beta, 9):
        for part in (-1, -0.4, 0, 0.7, 1):
            shift = part * alpha * min(1, math.exp(dilation))
            assert divergence(epsilon, float(dilation), shift) <= claimed * (1 + 1e-5)


def with_laplace_noise(epsilon: float, delta: float, guess: Guess) -> float:
    """The smallest 95 % half-width of Laplace noise with a delta, over many beta, in floats."""
    best = math.inf
    for beta in np.geomspace(1e-4 * epsilon, 0.9 * epsilon, 150).tolist():
        low, high = 0.0, min(epsilon, (epsilon - beta) * math.exp(beta))
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if laplace_delta(epsilon, middle, beta) <= delta else (low, middle)
        bound = float(ONE.smooth(changes=guess.changes, incomplete=guess.incomplete, beta=Fraction(f"{beta:.6g}")))
        best = min(best, math.log(20) / low * bound) if low else best
    return best


@pytest.mark.parametrize(
    ("epsilon", "incomplete", "changes", "pure", "laplace"),
    [
        (1, 10_000, 10, 116, 29_360),
        (1, 100, 10, 113, 326),
        (1, 100, 50, 349, 326),
        (4, 10_000, 10, 8.6, 2_395),
        (8, 100, 100, 19, 38),
    ],
)
def test_a_delta_does_not_make_the_noise_of_one_number_smaller(
    epsilon: float, incomplete: int, changes: int, pure: float, laplace: float
) -> None:
    """The table of the page."""
    guess = Guess(incomplete=incomplete, changes=changes)
    assert choose_noise(epsilon, ONE, guess).half_width() == pytest.approx(pure, rel=0.02)
    assert with_laplace_noise(epsilon, 1e-6, guess) == pytest.approx(laplace, rel=0.02)
