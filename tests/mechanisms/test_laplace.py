"""The Laplace mechanism."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf


def exactly(scale: Any, reach: int = 60) -> Any:
    """The output distribution at a value, in the units of the release."""

    def at(value: Any, space: Space) -> masses.Masses:
        step = masses.grid_of(space)
        first = int(value[0]) if isinstance(value, np.ndarray) else value
        found = masses.laplace(Fraction(scale) / step, first, reach)
        if space.domain.kind is int:  # type: ignore[attr-defined]
            return found
        return masses.Masses({float(key * step): mass for key, mass in found.inside.items()}, found.outside)

    return at


def jointly(scale: int, reach: int) -> Any:
    """The joint distribution of two coordinates."""

    def at(value: Any, space: Space) -> masses.Masses:
        first, second = (masses.laplace(Fraction(scale), int(item), reach) for item in value)
        inside = {(a, b): p * q for a, p in first.inside.items() for b, q in second.inside.items()}
        return masses.Masses(inside, first.outside + second.outside)

    return at


def as_tuple(release: Any) -> Any:
    return tuple(release.tolist())


MANY = 200_000
NUMBERS = pc.numbers(length=MANY)
CASES = [
    Case(
        name="laplace, two integers",
        chain=pc.numbers(length=2) >> pc.Laplace(scale=2) >> as_tuple,
        pairs=[([0, 0], [1, 1]), ([3, 4], [3, 5]), ([0, 2], [2, 0])],
        masses=jointly(2, 16),
        tight="epsilon",
        sample=20_000,
        input=[1, 2],
    ),
    Case(
        name="laplace, two integers, exactly",
        chain=pc.numbers(length=2) >> pc.Laplace(scale=1) >> as_tuple,
        pairs=[([0, 0], [2, 1]), ([0, 3], [2, 1]), ([1, 1], [0, 4])],
        masses=jointly(1, 30),
        tight="delta",
        sample=20_000,
        input=[1, 2],
    ),
    Case(
        name="laplace, one integer",
        chain=pc.scalar(int) >> pc.Laplace(scale=2),
        pairs=[(0, 3), (5, 5), (-1, 1), (0, 40)],
        masses=exactly(2),
        tight="delta",
        sample=20_000,
    ),
    Case(
        name="laplace, small scale",
        chain=pc.scalar(int) >> pc.Laplace(scale=Fraction(1, 3)),
        pairs=[(0, 1), (2, 0)],
        masses=exactly(Fraction(1, 3), 30),
        tight="delta",
        sample=20_000,
    ),
    Case(
        name="laplace, a grid of reals",
        chain=pc.scalar(float, grid=0.25) >> pc.Laplace(scale=1),
        pairs=[(0.0, 0.5), (1.0, 0.0)],
        masses=exactly(1),
        tight="epsilon",
        sample=20_000,
    ),
    Case(
        name="laplace, a grid of thirds",
        chain=pc.scalar(float, grid=Fraction(1, 3)) >> pc.Laplace(scale=1),
        pairs=[(0, 1)],
        masses=exactly(1),
        tight="delta",
        sample=20_000,
    ),
    Case(
        name="laplace, many integers",
        chain=NUMBERS >> pc.Laplace(scale=7),
        pairs=[],
        masses=exactly(7, 120),
        sample=MANY,
        input=np.full(MANY, 3),
    ),
    Case(
        name="sum >> laplace",
        chain=pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum() >> pc.Laplace(scale=20),
        pairs=[([1, 2], [1, 2, 10]), ([], [None]), ([50], [9, 50, 3])],
        masses=exactly(20, 400),
        tight="epsilon",
        sample=20_000,
        input=[3, 4, 99],
    ),
]


@frozen
class Scaled(TwinOf):
    """Draws noise of another scale than it claims."""

    factor: Fraction

    def release(self, value: Any, space: Space) -> Any:
        noise = discrete_laplace(7 * self.factor, size=MANY)
        return value + noise


@frozen
class Biased(TwinOf):
    """Draws the sign after rejecting nothing, so that zero comes too often or a sign too rarely."""

    def release(self, value: Any, space: Space) -> Any:
        noise = discrete_laplace(7, size=MANY)
        noise[(noise == -1) & (discrete_laplace(1, size=MANY) > 0)] = 1
        return value + noise


@frozen
class TwoZeros(TwinOf):
    """Draws magnitude and sign independently, so that zero has twice its probability."""

    def release(self, value: Any, space: Space) -> Any:
        magnitude = pv.noise.geometric(7, size=MANY)
        sign = 1 - 2 * pv.noise.uniform_below(2, size=MANY)
        return value + sign * magnitude


@frozen
class Shifted(TwinOf):
    """Has its noise one step to the right."""

    def release(self, value: Any, space: Space) -> Any:
        return value + discrete_laplace(7, size=MANY) + 1


@frozen
class Floored(TwinOf):
    """Rounds continuous noise down, which is not symmetric."""

    def release(self, value: Any, space: Space) -> Any:
        fine = discrete_laplace(7 * 64, size=MANY)
        return value + fine // 64


@frozen
class HalfLoss(TwinOf):
    """Claims half of what it costs."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(d_in / 4)


@frozen
class RoundedDown(TwinOf):
    """Rounds epsilon to the float below."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(math.nextafter(float(d_in) / 2, 0)))


@frozen(order=False)
class ContinuousCurve(Loss):
    """The delta of continuous Laplace noise, which discrete noise exceeds."""

    ratio: Fraction

    def pure(self) -> Any:
        return pc.PureLoss(self.ratio).pure()

    def concentrated(self) -> Any:
        return pc.PureLoss(self.ratio).concentrated()

    def delta(self, epsilon: Any) -> Fraction:
        return Fraction(max(-math.expm1(float(epsilon - self.ratio) / 2), 0.0))


@frozen
class Continuous(TwinOf):
    """Claims the curve of continuous noise."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ContinuousCurve(d_in / 2)


@frozen
class FloatWhenLarge(TwinOf):
    """Gives a float for large numbers, an integer otherwise."""

    def release(self, value: Any, space: Space) -> Any:
        released = self.right.release(value, space)
        return float(released) if abs(value) > 1000 else released


@frozen
class DrawsMoreWhenNegative(TwinOf):
    """Takes more randomness for negative numbers: time and stream position tell the sign."""

    def release(self, value: Any, space: Space) -> Any:
        if value < 0:
            pv.noise.uniform_below(2)
        return self.right.release(value, space)


@frozen
class Spread(TwinOf):
    """Takes moves of one step each for the worst, where a few long ones are."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return LaplaceLoss(distance=1, scale=1, step=1) * int(d_in.l1)


def broken(name: str, unit: Any, **more: Any) -> Case:
    return Case(name=name, chain=more.pop("space", NUMBERS) >> unit, **more)


DRAWN: dict[str, Any] = {"masses": exactly(7, 120), "sample": MANY, "input": np.full(MANY, 3)}
PAIRED: dict[str, Any] = {"masses": exactly(2), "pairs": [(0, 3), (0, 1)], "space": pc.scalar(int)}
SEVEN, TWO = pc.Laplace(scale=7), pc.Laplace(scale=2)
TWINS = [
    Twin(law="samples", case=broken("noise 5 % too small", Scaled(SEVEN, Fraction(95, 100)), **DRAWN)),
    Twin(law="samples", case=broken("noise 5 % too large", Scaled(SEVEN, Fraction(105, 100)), **DRAWN)),
    Twin(law="samples", case=broken("sign bias at zero", Biased(SEVEN), **DRAWN)),
    Twin(law="samples", case=broken("two zeros", TwoZeros(SEVEN), **DRAWN)),
    Twin(law="samples", case=broken("noise off by one", Shifted(SEVEN), **DRAWN)),
    Twin(law="samples", case=broken("noise rounded down", Floored(SEVEN), **DRAWN)),
    Twin(law="loss", case=broken("half the loss", HalfLoss(TWO), **PAIRED)),
    Twin(
        law="loss",
        case=broken(
            "epsilon one ulp low",
            RoundedDown(TWO),
            **PAIRED | {"pairs": [(0, Fraction(7, 5))], "space": pc.scalar(float, grid=Fraction(1, 5))},
        ),
    ),
    Twin(law="loss", case=broken("the curve of continuous noise", Continuous(TWO), **PAIRED)),
    Twin(
        law="loss",
        case=Case(
            name="moves spread over many numbers",
            chain=pc.numbers(length=2) >> Spread(pc.Laplace(scale=1)) >> as_tuple,
            pairs=[([0, 3], [2, 1])],
            masses=jointly(1, 30),
        ),
    ),
    Twin(law="parity", case=broken("dtype depends on the value", FloatWhenLarge(TWO), space=pc.scalar(int))),
    Twin(
        law="parity", case=broken("randomness depends on the value", DrawsMoreWhenNegative(TWO), space=pc.scalar(int))
    ),
]


def test_the_epsilon_of_the_issue() -> None:
    chain = pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum() >> pc.Laplace(scale=20)
    assert chain.map(2).epsilon() == 1
    assert chain.map(0).epsilon() == 0


def test_a_pipeline_is_placed_later_and_grouping_does_not_matter() -> None:
    pipeline = pc.Clamp(bounds=(0, 10)) >> pc.Sum() >> pc.Laplace(scale=20)
    step_by_step = pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum() >> pc.Laplace(scale=20)
    assert pc.vector(int) >> pipeline == step_by_step
    assert pc.vector(int) >> (pc.Clamp(bounds=(0, 10)) >> (pc.Sum() >> pc.Laplace(scale=20))) == step_by_step


@pytest.mark.parametrize("value", [10**40, -(10**40), None, math.nan, math.inf])
def test_any_number_is_released(value: Any) -> None:
    assert type(pc.Laplace(scale=3)(value)) is int


def test_reals_are_released_as_floats_on_their_grid() -> None:
    released = (pc.scalar(float, grid=0.125) >> pc.Laplace(scale=10))(0.3)
    assert type(released) is float
    assert released * 8 == round(released * 8)


def test_vectors_are_released_whole() -> None:
    released = (pc.numbers(length=4, kind=float, grid=0.5) >> pc.Laplace(scale=1))([1, 2, None, 1e308])
    assert released.dtype == np.float64
    assert released.shape == (4,)
    extreme = (pc.numbers(length=2) >> pc.Laplace(scale=1))(np.array([2**63 - 1, -(2**63)]))
    assert extreme.dtype == np.int64
    assert abs(extreme).max() > 2**62, "saturates, does not wrap"
    assert (pc.numbers(length=0) >> pc.Laplace(scale=1))([]).tolist() == []


def test_a_vector_pays_for_its_l1_distance() -> None:
    chain = pc.numbers(length=3) >> pc.Laplace(scale=4)
    assert chain.map(Parts(l0=3, l1=6, l2_squared=12, linf=2)).epsilon() == Fraction(3, 2)
    one = chain.map(Parts(l0=1, l1=2, l2_squared=4, linf=2))
    assert one == LaplaceLoss(distance=2, scale=4, step=1)


@pytest.mark.parametrize(("accuracy", "grid"), [(10, 1), (0, 1), (Fraction(5, 2), Fraction(1, 8))])
def test_a_mechanism_is_made_for_an_accuracy(accuracy: Any, grid: Any) -> None:
    unit = pc.Laplace.for_accuracy(accuracy, beta=0.05, grid=grid)
    space = pc.scalar(float, grid=grid)
    assert (space >> unit).accuracy(0.05) <= accuracy
    wider = pc.Laplace(scale=unit.scale * Fraction(1001, 1000))
    assert (space >> wider).accuracy(0.05) > accuracy, "no more noise would do"
    with pytest.raises(InvalidError, match="for_accuracy.beta must be between zero and one, got 1."):
        pc.Laplace.for_accuracy(1, beta=1)
    with pytest.raises(InvalidError, match="for_accuracy.accuracy must be zero or more, got -1."):
        pc.Laplace.for_accuracy(-1, beta=0.1)


def test_the_accuracy_is_the_exact_tail() -> None:
    chain = pc.scalar(int) >> pc.Laplace(scale=5)
    half = chain.accuracy(0.05)
    ratio = math.exp(-1 / 5)
    tail = [2 * ratio ** (k + 1) / (1 + ratio) for k in (int(half) - 1, int(half))]
    assert tail[0] > 0.05 >= tail[1]
    assert chain.interval(7, 0.95) == (7 - half, 7 + half)


@pytest.mark.parametrize(
    ("scale", "error", "message"),
    [
        (0, InvalidError, "Laplace.scale must be above zero, got 0."),
        (-1, InvalidError, "Laplace.scale must be above zero, got -1."),
        (math.nan, NotExactError, "Laplace.scale: expected a finite number, got nan."),
        (math.inf, NotExactError, "expected a finite number, got inf."),
        ("1", NotExactError, "got str"),
        (None, NotExactError, "got NoneType"),
        (True, NotExactError, "got a boolean"),
    ],
)
def test_wrong_scales_are_refused(scale: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Laplace(scale=scale)


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(MismatchError, match="put an aggregate such as Sum\\(\\) before it"):
        pc.vector(int) >> pc.Laplace(scale=1)
    with pytest.raises(WrongTypeError, match="Parts"):
        (pc.numbers(length=2) >> pc.Laplace(scale=1)).map(1)
    with pytest.raises(WrongTypeError, match="expected a number, got str"):
        pc.Laplace(scale=1)("5")


def test_only_functions_follow_a_release() -> None:
    chain = pc.scalar(int) >> pc.Laplace(scale=1)
    assert (chain >> abs)(-1000) > 0
    assert (chain >> abs).map(1).epsilon() == 1
    with pytest.raises(WrongTypeError, match="already private"):
        chain >> pc.Laplace(scale=1)
    with pytest.raises(WrongTypeError, match="is a class"):
        chain >> pc.Laplace
    with pytest.raises(WrongTypeError, match="only a function"):
        chain >> 3
    with pytest.raises(pv.errors.UnavailableError, match="before post-processing"):
        (chain >> abs).accuracy(0.05)
