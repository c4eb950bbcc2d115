"""The mean of a column of private size."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

SPACE = pc.vector(int) >> pc.Clamp(bounds=(0, 2))


def both(value: Any, space: Space) -> masses.Masses:
    """The joint distribution of the two noisy sums, exactly."""
    low, high = (int(item) for item in pc.EndpointSums().apply(value, space))
    first, second = masses.laplace(Fraction(2), low, 14), masses.laplace(Fraction(2), high, 14)
    inside = {(a, b): p * q for a, p in first.inside.items() for b, q in second.inside.items()}
    return masses.Masses(inside, first.outside + second.outside)


def pair(release: Any) -> tuple[int, int]:
    return int(release.toward_lower), int(release.toward_upper)


NOISY = pc.NoisyMean(noise=pc.Laplace(scale=2))
CASES = [
    Case(
        name="noisy mean",
        chain=SPACE >> NOISY >> pair,
        pairs=[([1], [1, 2]), ([], [0]), ([2, None, 1], [0, None, 1])],
        masses=both,
        tight="epsilon",
        sample=20_000,
        input=[1, 2, 5],
    ),
]


@frozen
class OneSumOnly(TwinOf):
    """Charges for one of the two sums."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in) / 2)


@frozen
class ExactCount(TwinOf):
    """Raises when there is nothing to average."""

    def release(self, value: Any, space: Space) -> Any:
        if len(value) == 0:
            raise ZeroDivisionError("mean of no rows")
        return self.right.release(value, space)


TWINS = [
    Twin(
        law="loss",
        case=Case(name="one of two sums charged", chain=SPACE >> OneSumOnly(NOISY), pairs=CASES[0].pairs, masses=both),
    ),
    Twin(law="parity", case=Case(name="no mean of no rows", chain=SPACE >> ExactCount(NOISY))),
]


def test_the_interval_holds_the_mean_as_often_as_it_says() -> None:
    rows = np.tile([20.0, 30.0, 70.0, np.nan], 50)
    chain = pc.vector(float) >> pc.Clamp(bounds=(0, 100)) >> pc.NoisyMean(noise=pc.Laplace(scale=100))
    releases = [chain(rows) for _ in range(400)]
    held = sum(low <= 40 <= high for low, high in (release.interval(0.9) for release in releases))
    assert held >= 320, "a 90 % interval holds at least 80 % of the time in 400 draws, but for one run in a million"
    assert abs(np.mean([release.mean for release in releases]) - 40) < 2
    assert abs(np.mean([release.count for release in releases]) - 150) < 2


def test_the_mean_stays_within_the_bounds_whatever_the_noise() -> None:
    chain = pc.vector(float, bounds=(5, 6)) >> pc.NoisyMean(noise=pc.Gaussian(scale=1000))
    for rows in ([], [5.5], [None] * 3):
        released = chain(rows)
        low, high = released.interval(0.95)
        assert 5 <= released.mean <= 6
        assert 5 <= low <= released.mean <= high <= 6
        assert released.count >= 0


def test_the_loss_is_that_of_the_width() -> None:
    chain = pc.vector(float, bounds=(-10, 30)) >> pc.NoisyMean(noise=pc.Laplace(scale=80))
    assert chain.map(1).epsilon() == Fraction(1, 2)
    concentrated = pc.vector(float, bounds=(-10, 30)) >> pc.NoisyMean(noise=pc.Gaussian(scale=40))
    assert concentrated.map(1).rho() == Fraction(1, 2)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="NoisyMean.noise must be Laplace\\(...\\) or Gaussian\\(...\\), got int."):
        pc.NoisyMean(noise=3)  # type: ignore[arg-type]
    with pytest.raises(MismatchError, match="put Clamp"):
        pc.vector(float) >> NOISY
    released = (pc.vector(float, bounds=(0, 1)) >> NOISY)([0.5])
    with pytest.raises(InvalidError, match="between zero and one"):
        released.interval(1)
    with pytest.raises(InvalidError, match="finite"):
        released.interval(math.nan)
