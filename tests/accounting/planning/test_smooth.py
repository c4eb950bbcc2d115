"""What noise scaled to a smooth bound costs."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.planning.smooth import Calibration, GeneralisedCauchy, SmoothLaw, StudentT, calibrate_smooth
from privet.errors import InvalidError, NotExactError

DOUBLING = Fraction("0.6931471805599453")  # ln 2, rounded down


def log_density(law: SmoothLaw, x: Any) -> Any:
    if isinstance(law, GeneralisedCauchy):
        return -np.log1p(np.abs(x) ** float(law.gamma))
    assert isinstance(law, StudentT)
    v = float(law.degrees)
    return -(v + 1) / 2 * np.log1p(np.asarray(x) ** 2 / v)


def searched(law: SmoothLaw, alpha: float, beta: float, points: int = 41) -> float:
    """The supremum on a grid of outputs of both signs, dilations and shifts: the definition, nothing reduced."""
    x = np.concatenate([-np.geomspace(1e-4, 1e4, 400), [0.0], np.geomspace(1e-4, 1e4, 400)])[:, None, None]
    dilation = np.linspace(-beta, beta, points)[None, :, None]
    shift = np.linspace(-1, 1, points)[None, None, :] * alpha * np.minimum(1, np.exp(dilation))
    ratio = dilation + log_density(law, x) - log_density(law, (x + shift) * np.exp(-dilation))
    return float(ratio.max())


LAWS = [
    GeneralisedCauchy(gamma=1.2),
    GeneralisedCauchy(gamma=2),
    GeneralisedCauchy(gamma=3.6),
    GeneralisedCauchy(gamma=8),
    StudentT(degrees=0.3),
    StudentT(degrees=1),
    StudentT(degrees=3.3),
    StudentT(degrees=20),
]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize(("alpha", "beta"), [("0.7", "0.7"), ("2", "0.1"), ("0.05", "0.3"), ("5", "1.5")])
def test_the_cost_is_the_supremum_of_the_definition(law: SmoothLaw, alpha: str, beta: str) -> None:
    """Never below what a search over outputs, dilations and shifts finds, and within what the grid can miss."""
    cost, found = float(law.cost(Fraction(alpha), Fraction(beta))), searched(law, float(alpha), float(beta))
    assert found <= cost * (1 + 1e-12)
    assert found >= cost * (1 - 1e-3)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(1.01, 12), st.floats(0.01, 6), st.floats(0.001, 3), st.floats(-50, 50), st.floats(-1, 1), st.floats(-1, 1)
)
def test_no_output_costs_more(shape: float, alpha: float, beta: float, x: float, dilation: float, shift: float) -> None:
    for law in (GeneralisedCauchy(gamma=shape), StudentT(degrees=shape)):
        log = beta * dilation
        moved = shift * alpha * min(1, math.exp(log))
        ratio = log + log_density(law, x) - log_density(law, (x + moved) * math.exp(-log))
        assert float(ratio) <= float(law.cost(alpha, beta)) + 1e-9


def test_the_choice_of_the_source_costs_less_than_it_says() -> None:
    assert math.isclose(float(GeneralisedCauchy(gamma=4).cost(DOUBLING, DOUBLING)), 2.7395, abs_tol=5e-5)


def test_the_claim_of_the_source_fails_at_one_half() -> None:
    gamma = 1 + Fraction(1, 2) / (2 * DOUBLING)
    assert math.isclose(float(GeneralisedCauchy(gamma=gamma).cost(DOUBLING, DOUBLING)), 0.908, abs_tol=5e-4)


def test_the_shift_alone_is_bounded_by_a_power_of_the_shape() -> None:
    """For small alpha the shift costs (gamma - 1)^(1 - 1/gamma) alpha, not (gamma - 1) alpha."""
    for gamma in (1.5, 2.0, 4.0):
        cost = float(GeneralisedCauchy(gamma=gamma).cost(Fraction(1, 1000), Fraction(1, 10**9)))
        assert math.isclose(cost, (gamma - 1) ** (1 - 1 / gamma) / 1000, rel_tol=1e-3)


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    alpha, beta = Fraction(7, 10), Fraction(1, 3)
    cauchy, student = GeneralisedCauchy(gamma=2).cost(alpha, beta), StudentT(degrees=1).cost(alpha, beta)
    assert math.isclose(float(cauchy), float(student), rel_tol=1e-12)


def test_the_joint_bound_at_six_doublings() -> None:
    epsilon = 6 * DOUBLING
    assert math.isclose(
        calibrate_smooth(epsilon, DOUBLING, law=GeneralisedCauchy(gamma=3.6)).deviation(), 0.468, abs_tol=5e-4
    )
    best = calibrate_smooth(epsilon, DOUBLING, aim="variance")
    assert isinstance(best.law, StudentT)
    assert 0.391 < best.deviation() <= 0.393


def test_the_joint_bound_at_one() -> None:
    assert math.isclose(
        calibrate_smooth(1, DOUBLING, law=GeneralisedCauchy(gamma=2.1)).half_width(), 11.2, abs_tol=0.05
    )
    assert math.isclose(calibrate_smooth(1, DOUBLING, law=StudentT(degrees=1.1)).half_width(), 10.9, abs_tol=0.05)
    assert calibrate_smooth(1, DOUBLING).half_width() < 10.9


@pytest.mark.parametrize(
    ("epsilon", "beta"), [(1, 0.1), (0.1, 0.001), (10, 0.5), (1, 0.99), (50, 1), ("1/1000", "1/1000000")]
)
def test_a_calibration_costs_what_was_wanted(epsilon: Any, beta: Any) -> None:
    wanted, smooth = Fraction(str(epsilon)), Fraction(str(beta))
    found = calibrate_smooth(wanted, smooth)
    assert found.cost == found.law.cost(found.alpha, smooth) <= wanted
    assert found.law.cost(found.alpha * (1 + Fraction(1, 10**9)), smooth) > wanted


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_alpha_is_found_for_every_shape(law: SmoothLaw) -> None:
    beta = Fraction(1, 20)
    epsilon = law.least(beta) * 2
    assert law.cost(law.alpha(epsilon, beta), beta) <= epsilon
    with pytest.raises(InvalidError, match="alpha.epsilon must be above"):
        law.alpha(law.least(beta), beta)


def test_extreme_parameters_have_a_cost() -> None:
    tiny, huge = Fraction(1, 10**9), Fraction(10**9)
    for law in (
        GeneralisedCauchy(gamma=1.01),
        GeneralisedCauchy(gamma=50),
        StudentT(degrees=0.01),
        StudentT(degrees=1000),
    ):
        for alpha in (tiny, huge):
            for beta in (tiny, Fraction(20)):
                assert law.least(beta) < law.cost(alpha, beta)


def test_the_default_is_no_worse_than_other_shapes() -> None:
    best = calibrate_smooth(1, 0.2)
    for law in (StudentT(degrees=2), StudentT(degrees=4), GeneralisedCauchy(gamma=2), GeneralisedCauchy(gamma=4)):
        assert best.half_width() <= calibrate_smooth(1, 0.2, law=law).half_width()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: calibrate_smooth(1, 1), InvalidError, "calibrate_smooth.beta must be above zero and below epsilon"),
        (lambda: calibrate_smooth(1, 0), InvalidError, "calibrate_smooth.beta"),
        (lambda: calibrate_smooth(501, 0.1), InvalidError, "calibrate_smooth.epsilon must be at most 500, got 501."),
        (
            lambda: StudentT(degrees=1).alpha(1 + Fraction(1, 10**300), 1),
            InvalidError,
            "too close to what beta=1 costs",
        ),
        (lambda: calibrate_smooth("1", 0.1), NotExactError, "calibrate_smooth.epsilon"),
        (lambda: calibrate_smooth(1, 0.1, aim="range"), InvalidError, "aim must be 'half_width' or 'variance'"),  # type: ignore[arg-type]
        (lambda: calibrate_smooth(1, 0.9, aim="variance"), InvalidError, "epsilon must be above 2 beta"),
        (lambda: GeneralisedCauchy(gamma=1), InvalidError, "GeneralisedCauchy.gamma must be above one, got 1."),
        (lambda: StudentT(degrees=0), InvalidError, "StudentT.degrees must be above zero, got 0."),
        (lambda: StudentT(degrees=2).cost(Fraction(0), Fraction(1)), InvalidError, "cost.alpha must be above zero"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_a_calibration_says_what_it_found() -> None:
    found = calibrate_smooth(1, 0.1, law=StudentT(degrees=3))
    assert isinstance(found, Calibration)
    assert repr(found).startswith("Calibration(law=StudentT(degrees=3), alpha=0.8")
    assert pc.PureLoss(found.cost).epsilon() <= 1
