"""The privacy loss at an outcome, against exact probabilities that are written down elsewhere."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ends, precision
from privet.errors import InvalidError, NotExactError, UnavailableError, WrongTypeError
from tests.laws import masses

TINY = Fraction(1, 2**150)


def close(loss: Loss, outcome: Any, own: Any, other: Any) -> None:
    """The value is the logarithm of the ratio, and not below it."""
    value = loss.at(outcome)
    with precision(256):
        low, high = ends((own / other).log())
    assert isinstance(value, Fraction)
    assert low - TINY <= value <= high + Fraction(1, 2**40)
    assert value >= high - TINY  # never below, but for the width of the balls


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(7, 3)])
def test_laplace_on_a_grid(steps: int, scale: Fraction) -> None:
    with precision(256):
        own, other = masses.laplace(scale, 0, 12), masses.laplace(scale, steps, 12)
    for step in (1, Fraction(1, 4)):
        loss = pc.LaplaceLoss(distance=steps * step, scale=scale * step, step=step)
        for at in range(-8, 9):
            close(loss, at * step, own.inside[at], other.inside[at])


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_gaussian_on_a_grid(steps: int) -> None:
    with precision(256):
        own, other = masses.gaussian(Fraction(3, 2), 0, 40), masses.gaussian(Fraction(3, 2), steps, 40)
    loss = pc.GaussianLoss(distance=steps, scale=Fraction(3, 2), step=1)
    for at in range(-8, 9):
        value = loss.at(at)
        assert value == pytest.approx(float((own.inside[at] / other.inside[at]).log().mid()), abs=1e-9)


def test_an_irrational_distance_is_rounded_up() -> None:
    loss = pc.GaussianLoss(squared=2, scale=1)
    with precision(256):
        for place in (-3, -1, 0, 1, 4):
            exactly = 1 - place * 2 * Fraction(2).__float__() ** 0.5 / 2
            assert float(loss.at(place)) == pytest.approx(exactly, rel=1e-12)
            # (1 - at) / place is a bound of the root, on the side that makes the loss larger
            if place:
                root = (1 - Fraction(loss.at(place))) / place
                assert root**2 <= 2 if place > 0 else root**2 >= 2


def test_several_coordinates_are_read_along_the_shift() -> None:
    assert pc.GaussianLoss(distance=5, scale=1, coordinates=3).at(Fraction(1, 3)) == Fraction(25, 2) - Fraction(5, 3)
    assert pc.GaussianLoss(distance=5, scale=1, coordinates=3, step=1).at(0.5) == 10


def test_a_grid_holds_whole_steps_only() -> None:
    """Members of a grid at distance 1.5 are one step apart; the loss is never above epsilon."""
    loss = pc.LaplaceLoss(distance=1.5, scale=1, step=1)
    assert [loss.at(place) for place in (-4, 0, 1, 4)] == [1, 1, -1, -1]
    assert pc.GaussianLoss(distance=1.5, scale=1, step=1).at(0) == Fraction(1, 2)
    assert pc.TruncatedLaplaceLoss(distance=1.5, scale=1, radius=4).at(0) == 1


def test_truncated_laplace_is_infinite_where_only_one_can_give_the_outcome() -> None:
    loss = pc.TruncatedLaplaceLoss(distance=2, scale=4, radius=3)
    half = Fraction(1, 2)
    assert [loss.at(place) for place in range(-3, 6)] == [
        math.inf, math.inf, half, half, 0, -half, -half, -math.inf, -math.inf,
    ]  # fmt: skip
    for impossible in (-4, 6):
        with pytest.raises(InvalidError, match="TruncatedLaplaceLoss.at must be between -3 and 5"):
            loss.at(impossible)
    with pytest.raises(InvalidError, match="outside the gap"):
        pc.TruncatedLaplaceLoss(distance=9, scale=1, radius=3).at(4)


def test_randomized_response() -> None:
    with precision(256):
        own, other = (masses.response(Fraction(1, 2), item, ("a", "b", "c")) for item in "ab")
    loss = pc.RandomizedResponseLoss(truth=Fraction(1, 2), other=Fraction(1, 4))
    for answer, name in enumerate("abc"):
        close(loss, answer, own.inside[name], other.inside[name])
    two = pc.RandomizedResponseLoss(truth=Fraction(3, 4), other=Fraction(1, 4))
    with pytest.raises(InvalidError, match="RandomizedResponseLoss.at must be 0 .* no other, got 2"):
        two.at(2)


@pytest.mark.parametrize(
    "loss",
    [
        pc.LaplaceLoss(distance=1, scale=2, step=1),
        pc.TruncatedLaplaceLoss(distance=2, scale=1, radius=9),
        pc.RandomizedResponseLoss(truth=0.5, other=0.25),
    ],
    ids=repr,
)
def test_the_largest_value_is_epsilon(loss: Loss) -> None:
    places = range(3) if isinstance(loss, pc.RandomizedResponseLoss) else range(-7, 8)
    assert max(loss.at(place) for place in places) == loss.pure().cost


CURVE = pc.LaplaceLoss(distance=3, scale=2, step=1)


def delta_by(at: Any, epsilon: float = 0.4) -> float:
    """The definition of the curve, from the values at outcomes and their probabilities."""
    own = masses.laplace(Fraction(2), 0, 200)
    return sum(
        float(mass.mid()) * max(0.0, 1 - math.exp(epsilon - float(at(place)))) for place, mass in own.inside.items()
    )


def test_delta_is_the_mean_of_what_exceeds_epsilon() -> None:
    assert delta_by(CURVE.at) == pytest.approx(float(CURVE.delta(0.4)), rel=1e-9)


@pytest.mark.parametrize(
    "twin",
    [
        lambda place: -CURVE.at(place),  # the ratio turned round
        lambda place: CURVE.at(place + 1),  # one grid step off
        lambda place: abs(CURVE.at(place)),  # a loss that is never negative
        lambda place: CURVE.pure().cost,  # epsilon everywhere
    ],
)
def test_another_value_at_outcomes_is_caught(twin: Any) -> None:
    assert delta_by(twin) != pytest.approx(float(CURVE.delta(0.4)), rel=1e-3)


def test_outcomes_of_a_sum() -> None:
    laplace, gaussian = pc.LaplaceLoss(distance=1, scale=2, step=1), pc.GaussianLoss(distance=1, scale=1)
    loss = laplace * 2 + gaussian
    assert loss.at([0, 1, 3]) == laplace.at(0) + laplace.at(1) + gaussian.at(3)
    with pytest.raises(WrongTypeError, match="SumLoss.at must be a list of 3 outcomes, one for each release"):
        loss.at([0, 1])
    cut = pc.TruncatedLaplaceLoss(distance=1, scale=2, radius=3)
    assert (cut * 2).at((-3, 0)) == math.inf
    with pytest.raises(InvalidError, match="neither input can give these outcomes together"):
        (cut * 2).at((-3, 4))


def test_an_assertion_keeps_the_outcomes() -> None:
    loss = pc.AssertedLoss(pc.LaplaceLoss(distance=1, scale=1), ("a sample",))
    assert loss.at(-1) == 1


@pytest.mark.parametrize(
    "loss",
    [
        pc.PureLoss(1),
        pc.BoundedRangeLoss(1),
        pc.ConcentratedLoss(1),
        pc.LaplaceLoss(distance=1, scale=1).group(2),
        pc.LaplaceLoss(distance=1, scale=1).amplify(pv.Poisson(0.1)),
        pc.LaplaceLoss(distance=1, scale=1) + pc.PureLoss(1),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_a_bound_has_no_value_at_an_outcome(loss: Loss) -> None:
    with pytest.raises(UnavailableError, match="bounds the loss of many mechanisms"):
        loss.at([0, 0] if isinstance(loss, pc.SumLoss) else 0)


def test_outcomes_are_read_exactly() -> None:
    loss = pc.LaplaceLoss(distance=1, scale=1, step=Fraction(1, 10))
    assert loss.at(0.3) == Fraction(4, 10)
    with pytest.raises(InvalidError, match=r"LaplaceLoss.at must be a multiple of the step 0\.1, got 0\.25\."):
        loss.at(0.25)
    with pytest.raises(NotExactError, match="LaplaceLoss.at"):
        loss.at("much")
