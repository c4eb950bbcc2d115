"""The Gaussian mechanism."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError
from privet.noise import discrete_gaussian
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf


def exactly(scale: Any, reach: int) -> Any:
    def at(value: Any, space: Space) -> masses.Masses:
        step = masses.grid_of(space)
        first = int(value[0]) if isinstance(value, np.ndarray) else value
        found = masses.gaussian(Fraction(scale) / step, first, reach)
        if space.domain.kind is int:  # type: ignore[attr-defined]
            return found
        return masses.Masses({float(key * step): mass for key, mass in found.inside.items()}, found.outside)

    return at


def jointly(scale: int, reach: int) -> Any:
    """The joint distribution of two coordinates."""

    def at(value: Any, space: Space) -> masses.Masses:
        first, second = (masses.gaussian(Fraction(scale), int(item), reach) for item in value)
        inside = {(a, b): p * q for a, p in first.inside.items() for b, q in second.inside.items()}
        return masses.Masses(inside, first.outside + second.outside)

    return at


def as_tuple(release: Any) -> Any:
    return tuple(release.tolist())


MANY = 200_000
NUMBERS = pc.numbers(length=MANY)
CASES = [
    Case(
        name="gaussian, two integers",
        chain=pc.numbers(length=2) >> pc.Gaussian(scale=2) >> as_tuple,
        pairs=[([0, 0], [1, 1]), ([3, 4], [3, 5]), ([0, 2], [2, 0])],
        masses=jointly(2, 16),
        tight="rho",
        sample=20_000,
        input=[1, 2],
    ),
    Case(
        name="gaussian, two integers that move differently",
        chain=pc.numbers(length=2) >> pc.Gaussian(scale=1) >> as_tuple,
        pairs=[([0, 0], [2, 1]), ([0, 3], [2, 1]), ([1, 1], [0, 4])],
        masses=jointly(1, 16),
        tight="rho",
        sample=20_000,
        input=[1, 2],
    ),
    Case(
        name="gaussian, one integer",
        chain=pc.scalar(int) >> pc.Gaussian(scale=3),
        pairs=[(0, 2), (1, 0), (4, 4), (0, 9)],
        masses=exactly(3, 60),
        tight="rho",
        sample=20_000,
    ),
    Case(
        name="gaussian, small scale",
        chain=pc.scalar(int) >> pc.Gaussian(scale=Fraction(1, 2)),
        pairs=[(0, 1), (0, 2)],
        masses=exactly(Fraction(1, 2), 15),
        sample=20_000,
    ),
    Case(
        name="gaussian, a grid of reals",
        chain=pc.scalar(float, grid=0.25) >> pc.Gaussian(scale=1),
        pairs=[(0.0, 0.5), (1.0, 0.0)],
        masses=exactly(1, 60),
        tight="rho",
        sample=20_000,
    ),
    Case(
        name="gaussian, many integers",
        chain=NUMBERS >> pc.Gaussian(scale=7),
        masses=exactly(7, 90),
        sample=MANY,
        input=np.full(MANY, -2),
    ),
    Case(
        name="mean >> gaussian",
        chain=pc.vector(int, size=2, bounds=(0, 4)) >> pc.Mean() >> pc.Gaussian(scale=2),
        pairs=[([0, 3], [4, 3]), ([0, 0], [4, 4])],
        masses=exactly(2, 60),
        tight="rho",
        sample=20_000,
        input=[1, 4],
    ),
]


@frozen
class Scaled(TwinOf):
    """Draws noise that is too narrow."""

    def release(self, value: Any, space: Space) -> Any:
        return value + discrete_gaussian(Fraction(665, 100), size=MANY)


@frozen
class Rounded(TwinOf):
    """Rounds wider noise: a rounded Gaussian is not the discrete Gaussian at small scales."""

    def release(self, value: Any, space: Space) -> Any:
        return value + np.rint(discrete_gaussian(64 * Fraction(1, 2), size=MANY) / 64).astype(np.int64)


@frozen
class HalfRho(TwinOf):
    """Forgets a factor of two."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ConcentratedLoss(d_in**2 / (4 * Fraction(9)))


@frozen
class LinearRho(TwinOf):
    """Uses the distance where its square belongs."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ConcentratedLoss(d_in / (2 * Fraction(9)))


@frozen(order=False)
class ContinuousCurve(Loss):
    """The delta of continuous Gaussian noise, which discrete noise exceeds."""

    shift: Fraction

    def pure(self) -> Any:
        return pc.ConcentratedLoss(self.shift**2 / 2).pure()

    def concentrated(self) -> Any:
        return pc.ConcentratedLoss(self.shift**2 / 2).concentrated()

    def delta(self, epsilon: Any) -> Fraction:
        mu, eps = float(self.shift), float(epsilon)
        tails = [math.erfc(z / math.sqrt(2)) / 2 for z in (eps / mu - mu / 2, eps / mu + mu / 2)]
        return Fraction(max(tails[0] - math.exp(eps) * tails[1], 0.0))


@frozen
class Continuous(TwinOf):
    """Claims the curve of continuous noise."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ContinuousCurve(d_in)


def broken(name: str, unit: Any, space: Space, **more: Any) -> Case:
    return Case(name=name, chain=space >> unit, **more)


ONE = pc.scalar(int)
PAIRED: dict[str, Any] = {"masses": exactly(3, 60), "pairs": [(0, 2), (0, 9)]}


@frozen
class Longest(TwinOf):
    """Takes the number that moves farthest for all."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.GaussianLoss(distance=d_in.linf, scale=1, step=1)


TWINS = [
    Twin(
        law="loss",
        case=Case(
            name="only the number that moves farthest",
            chain=pc.numbers(length=2) >> Longest(pc.Gaussian(scale=1)) >> as_tuple,
            pairs=[([0, 0], [2, 2])],
            masses=jointly(1, 16),
        ),
    ),
    Twin(
        law="samples",
        case=broken(
            "gaussian 5 % too small",
            Scaled(pc.Gaussian(scale=7)),
            NUMBERS,
            masses=exactly(7, 90),
            sample=MANY,
            input=np.full(MANY, -2),
        ),
    ),
    Twin(
        law="samples",
        case=broken(
            "a rounded gaussian",
            Rounded(pc.Gaussian(scale=Fraction(1, 2))),
            NUMBERS,
            masses=exactly(Fraction(1, 2), 15),
            sample=MANY,
            input=np.zeros(MANY, dtype=np.int64),
        ),
    ),
    Twin(law="loss", case=broken("half of rho", HalfRho(pc.Gaussian(scale=3)), ONE, **PAIRED)),
    Twin(law="loss", case=broken("rho without a square", LinearRho(pc.Gaussian(scale=3)), ONE, **PAIRED)),
    Twin(
        law="loss",
        case=broken(
            "the curve of a continuous gaussian",
            Continuous(pc.Gaussian(scale=1)),
            ONE,
            masses=exactly(1, 20),
            pairs=[(0, 1)],
        ),
    ),
]


def test_rho_is_exact() -> None:
    assert pc.Gaussian(scale=2).map(1).rho() == Fraction(1, 8)
    assert (pc.scalar(float, grid=0.1) >> pc.Gaussian(scale=0.1)).map(0.1).rho() == Fraction(1, 2)
    assert pc.Gaussian(scale=2).map(0).rho() == 0
    assert pc.Gaussian(scale=2).map(0).epsilon() == 0
    assert pc.Gaussian(scale=2).map(1).epsilon() == math.inf


def test_a_vector_pays_for_its_l2_distance() -> None:
    chain = pc.numbers(length=3) >> pc.Gaussian(scale=2)
    assert chain.map(Parts(l0=3, l1=6, l2_squared=12, linf=2)).rho() == Fraction(3, 2)


@pytest.mark.parametrize(("accuracy", "grid"), [(10, 1), (0, 1), (Fraction(5, 2), Fraction(1, 8))])
def test_a_mechanism_is_made_for_an_accuracy(accuracy: Any, grid: Any) -> None:
    unit = pc.Gaussian.for_accuracy(accuracy, beta=0.05, grid=grid)
    space = pc.scalar(float, grid=grid)
    assert (space >> unit).accuracy(0.05) <= accuracy
    wider = pc.Gaussian(scale=unit.scale * Fraction(1001, 1000))
    assert (space >> wider).accuracy(0.05) > accuracy, "no more noise would do"
    with pytest.raises(InvalidError, match="for_accuracy.beta must be between zero and one, got 1."):
        pc.Gaussian.for_accuracy(1, beta=1)
    with pytest.raises(InvalidError, match="for_accuracy.accuracy must be zero or more, got -1."):
        pc.Gaussian.for_accuracy(-1, beta=0.1)


def test_the_accuracy_is_the_exact_tail() -> None:
    half = int((pc.scalar(int) >> pc.Gaussian(scale=5)).accuracy(0.05))
    weights = {z: math.exp(-z * z / 50) for z in range(-200, 201)}
    tails = [sum(w for z, w in weights.items() if abs(z) > k) / sum(weights.values()) for k in (half - 1, half)]
    assert tails[0] > 0.05 >= tails[1]


def test_a_fine_grid_has_nearly_the_continuous_accuracy() -> None:
    half = (pc.scalar(float, grid=2.0**-32) >> pc.Gaussian(scale=1)).accuracy(0.05)
    assert abs(float(half) - 1.959964) < 1e-5


@pytest.mark.parametrize(
    ("scale", "error", "message"),
    [
        (0, InvalidError, "Gaussian.scale must be above zero, got 0."),
        (-0.5, InvalidError, "Gaussian.scale must be above zero, got -0.5."),
        (math.nan, NotExactError, "Gaussian.scale: expected a finite number"),
        ([1], NotExactError, "got list"),
    ],
)
def test_wrong_scales_are_refused(scale: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Gaussian(scale=scale)


def test_what_is_not_a_number_is_refused() -> None:
    with pytest.raises(MismatchError, match="put an aggregate"):
        pc.choice(["a", "b"]) >> pc.Gaussian(scale=1)
