"""Noise scaled to a smooth bound."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.planning.smooth import GeneralisedCauchy, SmoothLaw, StudentT
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, UnavailableError, WrongTypeError
from privet.transforms.smooth_pairs import SmoothDomain, smooth
from tests.laws import Case, Twin
from tests.laws.masses import Masses
from tests.mechanisms.twins import TwinOf
from tests.noise.test_generalised_cauchy import within as cauchy_within
from tests.noise.test_student_t import within as student_within


def exactly(law: SmoothLaw, alpha: Any, reach: int) -> Any:
    """The distribution of the rounded release, from differences of the distribution function of the real noise."""

    def below(z: Fraction) -> arb:
        """P(|Z| <= z)."""
        return cauchy_within(law.gamma, z) if isinstance(law, GeneralisedCauchy) else student_within(law.degrees, z)  # type: ignore[attr-defined]

    def at(value: Any, space: Space) -> Masses:
        domain = space.domain
        assert isinstance(domain, SmoothDomain)
        steps, bound = value
        scale = bound / (Fraction(str(alpha)) * domain.grid)
        edges = [below(Fraction(2 * k + 1, 2) / scale) for k in range(reach + 1)]
        sides = [(upper - lower) / 2 for lower, upper in pairwise(edges)]
        inside = {domain.answer(steps): edges[0]}
        for k, mass in enumerate(sides, start=1):
            inside |= {domain.answer(steps + k): mass, domain.answer(steps - k): mass}
        return Masses(inside, 1 - edges[-1])

    return at


BETA = 0.6932  # a little above ln 2: one step may double the bound
STUDENT, CAUCHY = StudentT(degrees=3), GeneralisedCauchy(gamma=2.2)
PAIRS = [((0, 60), (-30, 30)), ((0, 60), (0, 30)), ((5, 30), (35, 30)), ((1, 1), (1, 1)), ((0, 20), (40, 40))]
MEDIAN = pc.vector(int, bounds=(0, 20)) >> pc.SmoothMedian(beta=0.3)
NO_LAW: Any = "student"
CASES = [
    Case(
        name="smooth noise, student",
        chain=smooth(int, beta=BETA) >> pc.SmoothNoise(law=STUDENT, alpha=1),
        pairs=PAIRS,
        masses=exactly(STUDENT, 1, 300),
        tight="epsilon",
        input=(0, 60),
    ),
    Case(
        name="smooth noise, cauchy",
        chain=smooth(int, beta=BETA) >> pc.SmoothNoise(law=CAUCHY, alpha=0.9),
        pairs=PAIRS[:3],
        masses=exactly(CAUCHY, 0.9, 500),
        tight="epsilon",
        input=(0, 60),
    ),
    Case(
        name="smooth noise, heavy tails",
        chain=smooth(int, beta=BETA) >> pc.SmoothNoise(law=StudentT(degrees=0.5), alpha=1),
        pairs=[((0, 60), (60, 120)), *PAIRS],
        masses=exactly(StudentT(degrees=0.5), 1, 200),
        tight="epsilon",
        input=(0, 60),
    ),
    Case(
        name="smooth noise, draws of student",
        chain=smooth(int, beta=0.1) >> pc.SmoothNoise(law=STUDENT, alpha=0.5),
        masses=exactly(STUDENT, 0.5, 60),
        sample=2500,
        pairs=[((7, 2), (8, 2))],
        input=(7, 2),
    ),
    Case(
        name="smooth noise, draws of cauchy on a grid",
        chain=smooth(float, beta=0.1, grid=0.25) >> pc.SmoothNoise(law=CAUCHY, alpha=0.5),
        masses=exactly(CAUCHY, 0.5, 60),
        sample=2500,
        pairs=[((0.75, 0.5), (1.0, 0.5))],
        input=(0.75, 0.5),
    ),
    Case(
        name="median >> smooth noise",
        chain=MEDIAN >> pc.SmoothNoise(law=STUDENT, alpha=1),
        pairs=[([1, 2, 3], [1, 2, 3, 20]), ([], [20]), ([5] * 6, [5] * 5), ([0, 20], [0, 20, 20, 20])],
        masses=exactly(STUDENT, 1, 150),
        sample=1500,
        input=[4, 5, 6, 8],
    ),
]


@frozen
class ClaimOfTheSource(TwinOf):
    """Claims half of epsilon for the shift and half for the dilation, below where that was proved."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(0.5).group(d_in)


@frozen
class ShiftBoundOfTheSource(TwinOf):
    """Claims (gamma - 1) alpha for the shift, which is too small below gamma = 2, and all of the dilation."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(1, 2) + Fraction(1, 1000)).group(d_in)


@frozen
class DilationForgotten(TwinOf):
    """Costs the shift alone, as if the scale were public."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(self.right.law.cost(1, Fraction(1, 10**9))).group(d_in)  # type: ignore[attr-defined]


@frozen
class OneStepAtMost(TwinOf):
    """Charges one step however many there are."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return self.right.loss(min(d_in, 1), space)


@frozen
class PublishesItsScale(TwinOf):
    """Gives the half-width of an interval with the answer, which tells S."""

    def release(self, value: Any, space: Space) -> Any:
        return self.right.release(value, space), float(value[1])


def with_scale(law: SmoothLaw, alpha: Any, reach: int) -> Any:
    """The distribution of an answer and its half-width."""
    plain = exactly(law, alpha, reach)

    def at(value: Any, space: Space) -> Masses:
        found = plain(value, space)
        shown = {(key, scale): arb(0) for key in found.inside for scale in (30.0, 60.0)}
        return Masses(shown | {(key, float(value[1])): mass for key, mass in found.inside.items()}, found.outside)

    return at


@frozen
class NoiseTooSmall(TwinOf):
    """Draws at half the scale: 2500 draws add hundreds to the statistic, whose bound is near 70."""

    def release(self, value: Any, space: Space) -> Any:
        return value[0] + STUDENT.rounded(value[1] / 2)


@frozen
class RefusesLargeScales(TwinOf):
    """Refuses to release where the scale is large, which tells that it is."""

    def release(self, value: Any, space: Space) -> Any:
        if value[1] > 50:
            raise InvalidError("the scale is too large.")
        return self.right.release(value, space)


def broken(name: str, unit: Any, beta: Any = BETA, **more: Any) -> Case:
    return Case(name=name, chain=smooth(int, beta=beta) >> unit, input=more.pop("input", (0, 60)), **more)


AT_HALF = GeneralisedCauchy(gamma=1 + Fraction(1, 2) / (2 * Fraction(str(BETA))))
SLOW = GeneralisedCauchy(gamma=1.5)
PLAIN = pc.SmoothNoise(law=STUDENT, alpha=1)
TWINS = [
    Twin(
        law="loss",
        case=broken(
            "the source's claim at one half",
            ClaimOfTheSource(pc.SmoothNoise(law=AT_HALF, alpha=BETA)),
            pairs=PAIRS[:2],
            masses=exactly(AT_HALF, BETA, 200),
        ),
    ),
    Twin(
        law="loss",
        case=broken(
            "the source's bound of the shift",
            ShiftBoundOfTheSource(pc.SmoothNoise(law=SLOW, alpha=1)),
            beta=Fraction(1, 1000),
            pairs=[((0, 60), (60, 60))],
            masses=exactly(SLOW, 1, 200),
        ),
    ),
    Twin(
        law="loss",
        case=broken("dilation forgotten", DilationForgotten(PLAIN), pairs=PAIRS[:1], masses=exactly(STUDENT, 1, 300)),
    ),
    Twin(
        law="loss",
        case=broken(
            "one step at most", OneStepAtMost(PLAIN), pairs=[((0, 30), (90, 30))], masses=exactly(STUDENT, 1, 150)
        ),
    ),
    Twin(
        law="loss",
        case=broken(
            "scale published in the interval",
            PublishesItsScale(PLAIN),
            pairs=PAIRS[1:2],
            masses=with_scale(STUDENT, 1, 200),
        ),
    ),
    Twin(
        law="samples",
        case=broken(
            "noise of half the scale", NoiseTooSmall(PLAIN), masses=exactly(STUDENT, 1, 60), sample=2500, input=(7, 2)
        ),
    ),
    Twin(law="parity", case=broken("large scales refused", RefusesLargeScales(PLAIN), pairs=PAIRS[:1])),
]


def test_the_median_with_its_noise() -> None:
    noise = pc.SmoothNoise.costing(epsilon=1, beta=0.1)
    chain = pc.vector(float, bounds=(0, 100)) >> pc.SmoothMedian(beta=0.1) >> noise
    assert Fraction(999, 1000) < chain.map(1).epsilon() <= 1
    assert chain.map(2).epsilon() == 2 * chain.map(1).epsilon()
    assert chain.map(0).epsilon() == 0
    released = [chain([50.0] * 2000) for _ in range(20)]
    assert all(type(item) is float for item in released)
    assert sorted(released)[10] == 50.0, "equal rows leave next to no noise"


def test_the_scale_is_private() -> None:
    chain = pc.vector(int, bounds=(0, 100)) >> pc.SmoothMedian(beta=0.1) >> pc.SmoothNoise(law=STUDENT, alpha=0.5)
    with pytest.raises(UnavailableError, match="its scale is computed from the data"):
        chain.accuracy(0.05)
    with pytest.raises(UnavailableError, match="its scale is computed from the data"):
        chain.interval(50)


def test_the_smoothness_is_that_of_the_input() -> None:
    """A smoother input costs less with the same noise: the mechanism has no beta of its own to get wrong."""
    costs = [(smooth(int, beta=beta) >> PLAIN).map(1).epsilon() for beta in (0.01, 0.1, 1)]
    assert costs == sorted(costs)
    assert costs[0] < costs[2]


@pytest.mark.parametrize("value", [(10**40, 1), (0, 10**40), (None, None), (math.inf, math.inf), (-1, -1)])
def test_any_pair_is_released(value: Any) -> None:
    assert type((smooth(int, beta=0.1) >> PLAIN)(value)) is int
    assert type((smooth(float, beta=0.1, grid=0.5) >> PLAIN)(value)) is float


def test_the_tails_saturate() -> None:
    heavy = smooth(float, beta=0.1, grid=1) >> pc.SmoothNoise(law=GeneralisedCauchy(gamma=1.01), alpha=1)
    assert {type(heavy((0, 1))) for _ in range(5)} == {float}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pc.SmoothNoise(law=STUDENT, alpha=0), InvalidError, "SmoothNoise.alpha must be above zero, got 0."),
        (lambda: pc.SmoothNoise(law=STUDENT, alpha="1"), NotExactError, "SmoothNoise.alpha"),
        (lambda: pc.SmoothNoise(law=NO_LAW, alpha=1), WrongTypeError, "SmoothNoise.law must be a noise such as"),
        (lambda: pc.scalar(int) >> PLAIN, MismatchError, "put SmoothMedian\\(beta=...\\) before it"),
        (lambda: pc.SmoothNoise.costing(epsilon=1, beta=2), InvalidError, "below epsilon"),
        (lambda: PLAIN.map(1), WrongTypeError, "needs an input space"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
