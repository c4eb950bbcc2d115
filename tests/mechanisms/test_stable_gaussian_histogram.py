"""Histograms over unknown keys with Gaussian noise and a threshold."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.approximate_concentrated import ApproximateConcentratedLoss
from privet.accounting.losses.loss import Loss
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.stable_keys import any_of
from privet.mechanisms.tails import gaussian_reaches
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.keys import as_pairs, histogram
from tests.mechanisms.twins import TwinOf


def exactly(value: Any, space: Space) -> masses.Masses:
    return histogram(value, 4, lambda count: masses.gaussian(Fraction(2), count, 30))


UNIT = pc.StableGaussianHistogram(scale=2, threshold=4)
CASES = [
    Case(
        name="stable Gaussian histogram",
        chain=pc.vector(str) >> UNIT >> as_pairs,
        pairs=[
            (["a"] * 3, ["a"] * 3 + ["b"]),
            ([], ["a", "b"]),
            ([], ["a"] * 3),
            (["a"] * 2, ["a"] * 4),
            (["a", "b"], ["a", "a", "b", None]),
        ],
        masses=exactly,
        sample=6_000,
        input=["a", "b", "a", None, "a"],
        orders=(),
    ),
]


@frozen
class NoDelta(TwinOf):
    """Charges the noise alone: a new key shows for certain that it is there."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ConcentratedLoss(Fraction(d_in) ** 2 / 8)


@frozen
class DeltaOfOneKey(TwinOf):
    """Takes the delta of one key of one row whatever the distance."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ApproximateConcentratedLoss(Fraction(d_in) ** 2 / 8, gaussian_reaches(Fraction(2), 3))


@frozen
class LaplaceNoise(TwinOf):
    """Draws Laplace noise of the same scale."""

    def release(self, value: Any, space: Space) -> Any:
        return {"a": count} if (count := 3 + discrete_laplace(2)) >= 4 else {}


@frozen
class CountsNulls(TwinOf):
    """Raises where a row is null."""

    def release(self, value: Any, space: Space) -> Any:
        if value.mask.any():
            raise KeyError("null")
        return self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.vector(str) >> unit >> as_pairs,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=6_000,
        input=["a"] * 3,
        orders=(),
    )


TWINS = [
    Twin(law="loss", case=broken("Gaussian keys without delta", NoDelta(UNIT))),
    Twin(law="loss", case=broken("Gaussian keys with the delta of one", DeltaOfOneKey(UNIT))),
    Twin(law="samples", case=broken("Gaussian keys with Laplace noise", LaplaceNoise(UNIT))),
    Twin(law="parity", case=broken("nulls refused", CountsNulls(UNIT))),
]


def test_the_loss_of_rows_replacements_and_parts() -> None:
    free, sized = (space >> UNIT for space in (pc.vector(int), pc.vector(int, size=9)))
    assert free.map(2).concentrated().cost == Fraction(1, 2)
    assert sized.map(2).concentrated().cost == Fraction(1, 4)
    assert sized.map(2).concentrated().delta == free.map(1).concentrated().delta == gaussian_reaches(Fraction(2), 3)
    parts = UNIT.loss_of(Parts(l0=3, l1=3, l2_squared=3, linf=1)).concentrated()
    assert parts.cost == Fraction(3, 8)
    assert parts.delta == any_of([(gaussian_reaches(Fraction(2), 3), 3)])


def test_the_threshold_for_a_delta_is_the_smallest() -> None:
    bar = pc.StableGaussianHistogram.threshold_for(scale=5, delta=1e-6, d_in=3)
    deltas = [
        (pc.vector(str) >> pc.StableGaussianHistogram(scale=5, threshold=at)).map(3).concentrated().delta
        for at in (bar - 1, bar)
    ]
    assert deltas[0] > Fraction(1, 10**6) >= deltas[1]


def test_frequent_keys_are_released_in_sorted_order() -> None:
    released = (pc.vector(str) >> pc.StableGaussianHistogram(scale=3, threshold=60))(["z", "a"] * 500 + ["rare"])
    assert list(released) == ["a", "z"]
    assert all(abs(count - 500) < 60 for count in released.values())


def test_the_scale_for_an_accuracy_is_the_largest() -> None:
    scale = pc.StableGaussianHistogram.scale_for(accuracy=30, beta=0.05)
    chains = [
        pc.vector(str) >> pc.StableGaussianHistogram(scale=scale * more, threshold=9)
        for more in (1, Fraction(1001, 1000))
    ]
    assert [chain.accuracy(0.05) for chain in chains] == [30, 31]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="got a column of float"):
        pc.vector(float) >> UNIT
    with pytest.raises(InvalidError, match="threshold_for.scale must be above zero, got 0."):
        pc.StableGaussianHistogram.threshold_for(scale=0, delta=0.1)
