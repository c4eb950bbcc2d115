"""Calibration: what is found fits, one step further does not, and what cannot be found is told."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics.search import Decimals, Seen, Wholes, boundary
from privet.accounting.planning.calibrate import calibrate, calibrate_largest, calibrate_rounds
from privet.errors import InvalidError, UnavailableError, WrongTypeError

SUM = pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum()
ONE = pv.budget(epsilon=1)
SMALL = pv.budget(epsilon=1, delta=1e-6)


def laplace(scale: Fraction) -> Loss:
    return pc.LaplaceLoss(distance=3, scale=scale)


def gaussian(scale: Fraction) -> Loss:
    return pc.GaussianLoss(distance=1, scale=scale)


def sampled(scale: Fraction) -> Loss:
    return gaussian(scale).amplify(pv.Poisson(0.01)) * 100


def pure(scale: Fraction) -> Loss:
    return pc.PureLoss(1 / scale)


def within(low: Any, high: Any) -> Callable[[Fraction], Loss]:
    """Make noise only between two scales."""

    def make(scale: Fraction) -> Loss:
        if not low <= scale <= high:
            raise InvalidError(f"within.scale must be between {low} and {high}, got {scale}.")
        return pure(scale)

    return make


def unit(value: Fraction | int, digits: int) -> Fraction:
    """The step of decimals with so many digits, below a value."""
    return Fraction(10) ** (math.floor(math.log10(float(value) * (1 - 1e-13))) - digits + 1)


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "3", "75"])
def test_laplace_noise_is_the_distance_over_epsilon(epsilon: str) -> None:
    found = calibrate(laplace, budget=pv.budget(epsilon=Fraction(epsilon)))
    assert found.value == 3 / Fraction(epsilon)
    assert found.loss.epsilon() == Fraction(epsilon)


def test_what_floats_cannot_tell_apart_is_decided_exactly() -> None:
    almost = Fraction(3) - Fraction(1, 10**30)
    assert calibrate(laplace, budget=pv.budget(epsilon=3)).value == 1
    assert calibrate(laplace, budget=pv.budget(epsilon=almost)).value == Fraction("1.0001")


def test_gaussian_noise_for_rho_is_a_square_root_rounded_up() -> None:
    found = calibrate(gaussian, budget=pv.budget(rho=0.1))
    assert found.value == Fraction("2.2361")  # the square root of 5 is 2.236067...


def test_gaussian_noise_is_that_of_balle_and_wang() -> None:
    assert calibrate(gaussian, budget=SMALL).value == Fraction("4.2247")


def test_a_chain_needs_a_distance() -> None:
    found = calibrate(lambda scale: SUM >> pc.Laplace(scale=scale), 2, ONE)
    assert found.value == 20
    assert repr(found.made) == repr(SUM >> pc.Laplace(scale=20))
    assert found.loss == found.made.map(2)


def test_a_mechanism_with_a_default_space_is_measured_there() -> None:
    found = calibrate(lambda scale: pc.Laplace(scale=scale), 1, ONE)
    assert found.value == 1


@pytest.mark.parametrize("digits", [1, 3, 5, 12])
@pytest.mark.parametrize(
    ("make", "budget"),
    [
        (laplace, pv.budget(epsilon=0.7)),
        (gaussian, SMALL),
        (gaussian, pv.budget(rho=0.3)),
        (gaussian, pv.budget(mu=0.7)),
        (gaussian, pv.budget(order=8, renyi=0.3)),
    ],
)
def test_one_step_less_does_not_fit(make: Callable[[Fraction], Loss], budget: Budget, digits: int) -> None:
    found = calibrate(make, budget=budget, digits=digits)
    assert found.loss <= budget
    assert (found.value * 10**20) % unit(found.value, digits) == 0
    assert not make(found.value - unit(found.value, digits)) <= budget


def test_sampled_gaussians_take_few_questions() -> None:
    budget = pv.budget(epsilon=0.5, delta=1e-6)
    found = calibrate(sampled, budget=budget, digits=4)
    assert found.loss <= budget
    assert not sampled(found.value - Fraction(1, 1000)) <= budget
    assert len(found.tried) <= 10
    assert found.monotone


def test_the_start_does_not_matter() -> None:
    values = {calibrate(gaussian, budget=SMALL, start=start).value for start in (1e-9, 0.01, 4.2247, 4.2246, 5, 1e12)}
    assert values == {Fraction("4.2247")}


@given(
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
    st.integers(1, 12),
)
def test_what_is_found_always_fits(distance: Fraction, epsilon: Fraction, digits: int) -> None:
    budget = pv.budget(epsilon=epsilon)
    found = calibrate(lambda scale: pc.LaplaceLoss(distance=distance, scale=scale), budget=budget, digits=digits)
    assert found.loss <= budget
    assert distance / epsilon <= found.value < distance / epsilon * (1 + Fraction(10) ** (1 - digits))
    assert len(found.tried) <= 20


@given(st.dictionaries(st.integers(-9, 9), st.fractions(0, 4)), st.integers(-9, 9))
def test_a_function_without_order_never_gives_what_does_not_fit(bumps: dict[int, Fraction], start: int) -> None:
    def make(scale: Fraction) -> Loss:
        return pc.PureLoss(bumps.get(math.floor(math.log2(float(scale))), 1 / scale))

    try:
        found = calibrate(make, budget=ONE, start=Fraction(2) ** start)
    except UnavailableError:
        return
    assert found.loss <= ONE
    assert make(Fraction(found.value)).epsilon() == found.loss.epsilon()


def test_costs_that_rise_and_fall_are_told() -> None:
    found = calibrate(lambda scale: pc.PureLoss(2 + scale if scale < 4 else 1 / scale), budget=ONE)
    assert found.loss <= ONE
    assert not found.monotone


def test_a_function_that_changes_its_answers_is_held_to_the_one_that_is_returned() -> None:
    answers = iter([5, 3, 1, 4, *[2] * 60])
    found = calibrate(lambda scale: pc.PureLoss(next(answers)), budget=ONE)
    assert found.made is found.loss
    assert found.loss == pc.PureLoss(1)


@pytest.mark.parametrize("threshold", ["7.1234", "7.12345", "1000", "1e-7"])
def test_a_cost_with_a_jump_is_bisected(threshold: str) -> None:
    edge = Fraction(threshold)
    found = calibrate(lambda scale: pc.PureLoss(1 if scale >= edge else 3), budget=ONE)
    assert edge <= found.value < edge * (1 + Fraction(1, 10**4))
    assert len(found.tried) <= 40


@pytest.mark.parametrize(
    ("low", "high", "epsilon", "value"),
    [
        (0, "3.3", "0.4", "2.5"),  # refused above: the search turns back
        (5, 9, "0.4", "5"),  # refused below: the smallest that is not
        (1000, 10000, "0.4", "1000"),  # refused where it starts
        ("1e-4", "1e-3", "2000", "0.0005"),
    ],
)
def test_refused_scales_do_not_fit(low: Any, high: Any, epsilon: str, value: str) -> None:
    found = calibrate(within(Fraction(low), Fraction(high)), budget=pv.budget(epsilon=Fraction(epsilon)))
    assert found.value == Fraction(value)


def test_a_refusal_before_the_first_fit_is_told() -> None:
    with pytest.raises(
        UnavailableError, match=r"smallest loss .* 0\.47619, and beyond that: within\.scale must be"
    ) as told:
        calibrate(within(0, Fraction("2.1")), budget=pv.budget(epsilon=0.4))
    assert isinstance(told.value.__cause__, InvalidError)


def test_what_is_refused_everywhere_is_told() -> None:
    with pytest.raises(
        UnavailableError, match=r"every scale around 1 was refused: within\.scale must .* another start"
    ):
        calibrate(within(10**9, 10**10), budget=ONE)
    assert calibrate(within(10**9, 10**10), budget=ONE, start=2 * 10**9).value == 10**9


@pytest.mark.parametrize(
    ("make", "budget", "told"),
    [
        (gaussian, ONE, "infinite in this form. Use a budget in another form"),
        (laplace, pv.budget(epsilon=0), "a budget of zero allows no release"),
        (gaussian, pv.budget(rho=0), "a budget of zero allows no release"),
        (lambda scale: pc.PureLoss(3), ONE, "the smallest loss of all that were tried is 3."),
        (lambda scale: pc.PureLoss(0), ONE, "every scale fits .* Check that make uses its parameter, and d_in"),
        (lambda scale: pc.PureLoss(3 * scale), ONE, "rises with it. Did you mean calibrate_largest"),
        (pc.PureLoss, pv.budget(epsilon=2), "rises with it. Did you mean calibrate_largest"),
    ],
)
def test_without_a_smallest_scale_the_reason_is_told(make: Any, budget: Budget, told: str) -> None:
    with pytest.raises(UnavailableError, match=told):
        calibrate(make, budget=budget)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((2, None, ONE), "make must be a function of the parameter"),
        ((laplace, None, 1), "budget must be a budget such as"),
        ((laplace, 1, ONE), "Leave d_in out"),
        ((lambda scale: SUM >> pc.Laplace(scale=scale), None, ONE), "d_in is missing"),
        ((lambda scale: None, 1, ONE), "a function that gives a measurement on a space, or a loss, got NoneType"),
        ((lambda scale: SUM, 1, ONE), "put a mechanism behind it"),
        ((lambda scale: pc.Sum() >> pc.Laplace(scale=scale), 1, ONE), "measurement on a space"),
    ],
)
def test_wrong_types(arguments: tuple[Any, Any, Any], told: str) -> None:
    with pytest.raises(WrongTypeError, match=told):
        calibrate(*arguments)


@pytest.mark.parametrize("options", [{"digits": 0}, {"digits": 13}, {"start": 0}, {"start": math.nan}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidError, match=r"calibrate\.(digits|start)"):
        calibrate(laplace, budget=ONE, **options)


def test_other_errors_of_the_function_are_not_swallowed() -> None:
    with pytest.raises(KeyError, match="scale"):
        calibrate(lambda scale: dict[str, Any]()["scale"], budget=ONE)


def test_the_largest_rate_is_rounded_down() -> None:
    def make(rate: Fraction) -> Loss:
        return pc.PureLoss(2).amplify(pv.Poisson(rate))

    found = calibrate_largest(make, budget=ONE)
    assert found.loss <= ONE
    assert not make(found.value + Fraction(1, 10**5)) <= ONE
    assert found.value == Fraction("0.26894")  # (e - 1) / (e^2 - 1)


def test_a_rate_of_one_is_the_largest_there_is() -> None:
    assert calibrate_largest(lambda rate: pc.PureLoss(1).amplify(pv.Poisson(rate)), budget=ONE).value == 1


def test_a_scale_is_no_parameter_to_maximise() -> None:
    with pytest.raises(UnavailableError, match="falls with it. Did you mean calibrate?"):
        calibrate_largest(pure, budget=ONE)


@pytest.mark.parametrize(("cost", "rounds"), [(1, 1), ("0.5", 2), ("0.3", 3), ("1e-3", 1000), ("1e-9", 10**9)])
def test_rounds_fill_the_budget(cost: Any, rounds: int) -> None:
    found = calibrate_rounds(lambda times: pc.PureLoss(Fraction(cost)) * times, budget=ONE)
    assert found.value == rounds
    assert isinstance(found.value, int)


def test_rounds_of_sampled_gaussians() -> None:
    step = gaussian(Fraction(1)).amplify(pv.Poisson(0.01))
    budget = pv.budget(epsilon=0.9, delta=1e-6)
    found = calibrate_rounds(lambda times: step * times, budget=budget)
    assert found.loss <= budget
    assert not step * (found.value + 1) <= budget


def test_rounds_of_a_chain() -> None:
    chain = SUM >> pc.Laplace(scale=100)
    assert calibrate_rounds(lambda times: chain.map(1) * times, budget=ONE).value == 10


def test_not_even_one_round() -> None:
    with pytest.raises(UnavailableError, match="no number of rounds fits .* smallest loss of all that were tried is 3"):
        calibrate_rounds(lambda times: pc.PureLoss(3) * times, budget=ONE)


def test_rounds_without_end() -> None:
    with pytest.raises(UnavailableError, match="every number of rounds fits"):
        calibrate_rounds(lambda times: pc.PureLoss(0) * times, budget=ONE)


@final
@frozen
class _Even(Budget):
    """A budget of which nothing is known but what it covers."""

    limit: Fraction

    def covers(self, loss: Loss) -> bool:
        return loss.epsilon() <= self.limit


def test_a_budget_in_a_form_of_its_own_is_bisected() -> None:
    assert calibrate(laplace, budget=_Even(Fraction(2))).value == Fraction(3, 2)


class _Fickle(Budget):
    """A budget that covers everything but what is certified at the end."""

    def __init__(self) -> None:
        self.seen: set[Loss] = set()

    def covers(self, loss: Loss) -> bool:
        again = loss in self.seen
        self.seen.add(loss)
        return not again and loss.epsilon() <= 1


def test_the_result_is_certified_at_the_end() -> None:
    with pytest.raises(UnavailableError, match="does not stay the same"):
        calibrate(laplace, budget=_Fickle())


def test_a_result_is_short_to_read() -> None:
    found = calibrate(pure, budget=pv.budget(epsilon=0.5))
    assert repr(found) == "Calibrated(value=2, made=PureLoss(cost=0.5), loss=PureLoss(cost=0.5))"


@given(st.integers(-(10**6), 10**6), st.integers(1, 12))
def test_decimals_are_counted_in_order(index: int, digits: int) -> None:
    grid = Decimals(digits)
    assert grid.first <= index % grid.last
    place = index % grid.last
    assert grid.value(place) < grid.value(place + 1)
    assert abs(grid.position(float(grid.value(place))) - place) < 0.51


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_the_search_ends_soon_whatever_the_excess_says(edge: int, seed: int) -> None:
    asked = []

    def look(index: int) -> Seen:  # the excess is noise: only what fits is right
        asked.append(index)
        noise = math.sin(seed * (index % 1000 + 1)) + 1
        return Seen(index, -noise if index <= edge else noise, fits=index <= edge)

    outside, inside = boundary(look, Wholes(), 1, -1)
    assert outside is not None
    assert inside is not None
    assert (inside.index, outside.index) == (edge, edge + 1)
    assert len(asked) <= 64 + 48
