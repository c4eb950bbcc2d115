"""A private upper bound of S, and intervals of totals."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.planning.smooth import GeneralisedCauchy, StudentT
from privet.core.exact import ball, ends, precision
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError
from privet.imputation.bound_release import BoundRelease, ReleasedBound, certain_half_width, log_steps
from privet.transforms.smooth_pairs import smooth
from tests.laws import Case, Twin
from tests.laws.masses import Masses, laplace
from tests.mechanisms.twins import TwinOf

BETA = Fraction(1, 2)
PAIRS = smooth(int, beta=BETA)


def exactly(unit: BoundRelease, reach: int) -> Any:
    """The distribution of the released number of steps, from the logarithm in high precision."""

    def at(value: Any, space: Space) -> Masses:
        step = BETA / unit.fineness
        with precision(400):
            whole = math.floor(ends(ball(value[1]).log() / ball(step))[0])
        found = laplace(unit.scale, whole, reach)
        inside = {ReleasedBound(steps=steps, step=step, scale=unit.scale): mass for steps, mass in found.inside.items()}
        return Masses(inside, found.outside)

    return at


COARSE, FINE = BoundRelease(epsilon=1, fineness=4), BoundRelease(epsilon=Fraction(1, 2), fineness=64)
# e^(1/2) = 1.6487...
CASES = [
    Case(
        name="bound release",
        chain=PAIRS >> COARSE,
        pairs=[((0, 10), (5, Fraction("16.487"))), ((0, 1), (0, Fraction("1.6487"))), ((0, 7), (7, 7))],
        masses=exactly(COARSE, 60),
        tight="epsilon",
        sample=3000,
        input=(0, 10),
    ),
    Case(
        name="bound release, fine steps",
        chain=PAIRS >> FINE,
        pairs=[((0, 1000), (0, 1648)), ((0, 1), (0, 1))],
        masses=exactly(FINE, 400),
        sample=500,
        input=(0, 10),
    ),
]


@frozen
class HalfTheSensitivity(TwinOf):
    """Thinks that ln S moves by half of beta."""

    def loss(self, d_in: Any, space: Space) -> Any:
        return pc.PureLoss(self.right.epsilon / 2).group(d_in)  # type: ignore[attr-defined]


@frozen
class StepsOfTheBound(TwinOf):
    """Adds noise of a fixed scale to S itself, which moves by a factor and not by a step."""

    def release(self, value: Any, space: Space) -> Any:
        return ReleasedBound(steps=int(value[1]) + pv.noise.discrete_laplace(4), step=BETA / 4, scale=Fraction(4))


def steps_of_the_bound(value: Any, space: Space) -> Masses:
    found = laplace(Fraction(4), int(value[1]), 60)
    return Masses(
        {ReleasedBound(steps=k, step=BETA / 4, scale=Fraction(4)): mass for k, mass in found.inside.items()},
        found.outside,
    )


@frozen
class NoNoise(TwinOf):
    """Publishes the steps as they are."""

    def release(self, value: Any, space: Space) -> Any:
        return ReleasedBound(steps=log_steps(value[1], BETA / 4), step=BETA / 4, scale=Fraction(4))


def twin(law: Any, name: str, unit: Any, **more: Any) -> Twin:
    return Twin(law=law, case=Case(name=name, chain=PAIRS >> unit, input=(0, 10), **more))


TWINS = [
    twin(
        "loss",
        "half the sensitivity",
        HalfTheSensitivity(COARSE),
        pairs=[((0, 10), (5, Fraction("16.487")))],
        masses=exactly(COARSE, 60),
    ),
    twin("loss", "steps of S", StepsOfTheBound(COARSE), pairs=[((0, 30), (0, 49))], masses=steps_of_the_bound),
    twin("samples", "no noise", NoNoise(COARSE), masses=exactly(COARSE, 60), sample=3000),
]


@settings(max_examples=200, deadline=None)
@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**9), st.fractions(Fraction(1, 10**4), 3))
def test_steps_are_the_floor_of_the_logarithm(bound: Fraction, step: Fraction) -> None:
    found = log_steps(bound, step)
    with precision(300):
        assert ends(ball(found * step).exp())[0] <= bound
        assert ends(ball((found + 1) * step).exp())[1] > bound


def test_a_bound_of_one_has_no_steps() -> None:
    assert log_steps(Fraction(1), Fraction(1, 7)) == 0
    assert log_steps(1 + Fraction(1, 10**80), Fraction(1, 7)) == 0
    assert log_steps(1 - Fraction(1, 10**80), Fraction(1, 7)) == -1


@pytest.mark.parametrize("miss", [Fraction(1, 20), Fraction(3, 10), Fraction(6, 10)])
def test_the_upper_bound_holds_as_often_as_it_says(miss: Fraction) -> None:
    """Exactly: the probability of all releases whose upper bound lies below S."""
    bound = Fraction(123, 10)
    with precision(128):
        masses = exactly(COARSE, 80)((0, bound), PAIRS)
        missed = sum(ends(mass)[1] for release, mass in masses.inside.items() if release.upper(miss) < bound)
        assert missed + ends(masses.outside)[1] <= miss


@pytest.mark.parametrize("law", [StudentT(degrees=1.15), StudentT(degrees=3.3), GeneralisedCauchy(gamma=2.2)])
@pytest.mark.parametrize("miss", [Fraction(1, 20), Fraction(1, 1000)])
def test_half_widths_are_certain(law: Any, miss: Fraction) -> None:
    found = certain_half_width(law, miss)
    with precision(300):
        assert ends(law.magnitude().below(ball(found))[1])[1] <= miss
    assert float(found) <= law.half_width(1 - miss) * 1.00001


def test_intervals_hold_the_total() -> None:
    """400 intervals of 90 %: a right one misses more than 80 times with a probability below 1e-8."""
    noise = pc.SmoothNoise.costing(epsilon=2, beta=BETA)
    total, bound = PAIRS >> noise, PAIRS >> BoundRelease(epsilon=1)
    pair, missed = (1000, 50), 0
    for _ in range(400):
        low, high = bound(pair).interval(total(pair), noise, level=0.9)
        missed += not low <= 1000 <= high
    assert missed <= 80


def test_a_release_beyond_the_floats_has_an_interval() -> None:
    released = ReleasedBound(steps=0, step=Fraction(1, 2048), scale=Fraction(1024))
    assert released.interval(math.inf, pc.SmoothNoise(law=StudentT(degrees=3), alpha=1)) == (-math.inf, math.inf)


def test_an_interval_is_wide_by_its_bound() -> None:
    noise = pc.SmoothNoise(law=StudentT(degrees=3), alpha=1)
    released = ReleasedBound(steps=0, step=Fraction(1, 2048), scale=Fraction(1024))
    low, high = released.interval(7.5, noise, grid=0.25)
    narrow = released.upper(Fraction(1, 20)) * certain_half_width(noise.law, Fraction(1, 20))
    assert math.isclose(low + high, 15.0)
    assert high - 7.5 > float(narrow)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: BoundRelease(epsilon=0), InvalidError, "BoundRelease.epsilon must be above zero"),
        (lambda: BoundRelease(epsilon=math.nan), NotExactError, "BoundRelease.epsilon"),
        (lambda: BoundRelease(epsilon=1, fineness=0), InvalidError, "BoundRelease.fineness must be above zero"),
        (lambda: pc.scalar(int) >> COARSE, MismatchError, "put ImputedTotal"),
        (lambda: ReleasedBound(steps=1, step=BETA, scale=BETA).upper(0), InvalidError, "upper.miss must be between"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
