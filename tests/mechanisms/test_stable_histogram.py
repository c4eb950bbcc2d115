"""Histograms over unknown keys with noise and a threshold."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.approximate_concentrated import ApproximateConcentratedLoss
from privet.accounting.losses.loss import Loss
from privet.core.exact import ends, precision
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.key_noise import KeyNoise
from privet.mechanisms.stable_keys import any_of, shows_in_parts, shows_in_rows
from privet.mechanisms.tails import gaussian_reaches, laplace_reaches
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.keys import as_pairs, histogram
from tests.mechanisms.twins import TwinOf


def exactly(scale: int, bar: int, reach: int = 40) -> Any:
    def at(value: Any, space: Space) -> masses.Masses:
        return histogram(value, bar, lambda count: masses.laplace(Fraction(scale), count, reach))

    return at


def exactly_gaussian(value: Any, space: Space) -> masses.Masses:
    return histogram(value, 4, lambda count: masses.gaussian(Fraction(2), count, 30))


UNIT = pc.StableHistogram(scale=1, threshold=4)
GAUSSIAN = pc.StableHistogram(scale=2, threshold=4, noise="gaussian")
CASES = [
    Case(
        name="stable histogram of words",
        chain=pc.vector(str) >> UNIT >> as_pairs,
        pairs=[
            (["a"] * 3, ["a"] * 3 + ["b"]),
            ([], ["a", "b"]),
            ([], ["a", "a"]),
            (["a", "b"], ["a", "a", "b", None]),
            (["a"], ["b"]),
        ],
        masses=exactly(1, 4),
        sample=6_000,
        input=["a", "b", "a", None, "a"],
    ),
    Case(
        name="stable histogram of integers, sized",
        chain=pc.vector(int, size=3) >> UNIT >> as_pairs,
        pairs=[([1, 1, 2], [1, 2, 2]), ([7, 7, 7], [7, 7, 8]), ([5, None, None], [6, None, None])],
        masses=exactly(1, 4, 25),
    ),
    Case(
        name="stable histogram with Gaussian noise",
        chain=pc.vector(str) >> GAUSSIAN >> as_pairs,
        pairs=[
            (["a"] * 3, ["a"] * 3 + ["b"]),
            ([], ["a", "b"]),
            ([], ["a"] * 3),
            (["a"] * 2, ["a"] * 4),
            (["a", "b"], ["a", "a", "b", None]),
        ],
        masses=exactly_gaussian,
        sample=6_000,
        input=["a", "b", "a", None, "a"],
        orders=(),
    ),
]


@frozen
class DeltaOfOneKey(TwinOf):
    """Takes the delta of one new key where there may be as many as rows."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ApproximateLoss(Fraction(d_in), laplace_reaches(Fraction(1), 3))


@frozen
class NewKeysOnly(TwinOf):
    """Forgets that all rows may share one key."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ApproximateLoss(Fraction(d_in), any_of([(laplace_reaches(Fraction(1), 3), d_in)]))


@frozen
class ContinuousTail(TwinOf):
    """Takes the tail of continuous noise, exp(1 - threshold) / 2, for noise on the integers."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ApproximateLoss(Fraction(d_in), Fraction(d_in * math.exp(-3) / 2))


@frozen
class InOrderOfArrival(TwinOf):
    """Gives keys as they came: the order tells which row was first."""

    def release(self, value: Any, space: Space) -> Any:
        released = self.right.release(value, space)
        return dict(sorted(released.items(), reverse=True))


@frozen
class DrawsForEachKey(TwinOf):
    """Draws one number for each key: how many there are is told by the randomness taken."""

    def release(self, value: Any, space: Space) -> Any:
        discrete_laplace(1, size=len(set(value.compressed().tolist())))
        return self.right.release(value, space)


@frozen
class GaussianWithoutDelta(TwinOf):
    """Charges the noise alone: a new key shows for certain that it is there."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ConcentratedLoss(Fraction(d_in) ** 2 / 8)


@frozen
class GaussianDeltaOfOneKey(TwinOf):
    """Takes the delta of one key of one row whatever the distance."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ApproximateConcentratedLoss(Fraction(d_in) ** 2 / 8, gaussian_reaches(Fraction(2), 3))


@frozen
class LaplaceNoise(TwinOf):
    """Draws Laplace noise of the same scale."""

    def release(self, value: Any, space: Space) -> Any:
        return {"a": count} if (count := 3 + discrete_laplace(2)) >= 4 else {}


@frozen
class RefusesNulls(TwinOf):
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
        masses=exactly(1, 4),
        sample=6_000,
        input=["a"] * 4 + ["b"] * 4,
    )


def broken_gaussian(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.vector(str) >> unit >> as_pairs,
        pairs=CASES[2].pairs,
        masses=exactly_gaussian,
        sample=6_000,
        input=["a"] * 3,
        orders=(),
    )


TWINS = [
    Twin(law="loss", case=broken("the delta of one key", DeltaOfOneKey(UNIT))),
    Twin(law="loss", case=broken("new keys only", NewKeysOnly(UNIT))),
    Twin(law="loss", case=broken("the tail of continuous noise", ContinuousTail(UNIT))),
    Twin(law="samples", case=broken("keys in another order", InOrderOfArrival(UNIT))),
    Twin(law="parity", case=broken("a draw for each key", DrawsForEachKey(UNIT))),
    Twin(law="loss", case=broken_gaussian("Gaussian keys without delta", GaussianWithoutDelta(GAUSSIAN))),
    Twin(law="loss", case=broken_gaussian("Gaussian keys with the delta of one", GaussianDeltaOfOneKey(GAUSSIAN))),
    Twin(law="samples", case=broken_gaussian("Gaussian keys with Laplace noise", LaplaceNoise(GAUSSIAN))),
    Twin(law="parity", case=broken_gaussian("nulls refused", RefusesNulls(GAUSSIAN))),
]


@pytest.mark.parametrize("after", [["b"], ["b", "c"], ["b", "b"], ["b", "c", "d"], ["b"] * 5])
def test_delta_is_attained_by_new_keys_or_by_one(after: list[str]) -> None:
    chain = pc.vector(str) >> UNIT
    with precision(128):
        q = exactly(1, 4, 60)(chain.input.domain.admit(after), chain.place).inside
        shown = ends(1 - q[()])[1]
    assert chain.map(len(after)).pure().delta >= shown - Fraction(1, 10**20)
    if len(set(after)) in (1, len(after)):
        worst = max(
            any_of([(laplace_reaches(Fraction(1), 3), len(after))]), laplace_reaches(Fraction(1), 4 - len(after))
        )
        assert abs(chain.map(len(after)).pure().delta - worst) < Fraction(1, 2**60)


@given(st.integers(1, 7), st.integers(1, 12), st.fractions(Fraction(1, 4), 8))
def test_no_way_to_spread_rows_is_worse(rows: int, bar: int, scale: Fraction) -> None:
    chance = {count: laplace_reaches(scale, bar - count) for count in range(1, rows + 1)}
    worst = max(
        any_of([(chance[count], 1) for count in counts])
        for keys in range(1, rows + 1)
        for counts in combinations_with_replacement(range(1, rows + 1), keys)
        if sum(counts) <= rows
    )
    claimed = shows_in_rows(chance.__getitem__, rows)
    assert abs(claimed - worst) <= Fraction(1, 2**60)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 8), st.integers(1, 9), st.fractions(Fraction(1, 4), 4))
def test_no_way_to_spread_rows_within_parts_is_worse(l0: int, linf: int, l1: int, bar: int, scale: Fraction) -> None:
    chance = {count: laplace_reaches(scale, bar - count) for count in range(1, linf + 1)}
    worst = max(
        any_of([(chance[count], 1) for count in counts])
        for keys in range(1, l0 + 1)
        for counts in combinations_with_replacement(range(1, linf + 1), keys)
        if sum(counts) <= l1 or keys == 1
    )
    claimed = shows_in_parts(chance.__getitem__, Parts(l0=l0, l1=l1, l2_squared=l1 * linf, linf=linf))
    assert claimed <= worst + Fraction(1, 2**60)
    if linf <= l1:
        assert claimed >= worst - Fraction(1, 2**60)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("d_in", [1, 2, 5])
def test_the_threshold_for_a_delta_is_the_smallest(d_in: int, noise: KeyNoise) -> None:
    bar = pc.StableHistogram.threshold_for(scale=3, delta=1e-5, d_in=d_in, noise=noise)
    losses = [
        (pc.vector(str) >> pc.StableHistogram(scale=3, threshold=at, noise=noise)).map(d_in) for at in (bar - 1, bar)
    ]
    deltas = [loss.pure().delta if noise == "laplace" else loss.concentrated().delta for loss in losses]
    assert deltas[0] > Fraction(1, 10**5) >= deltas[1]


def test_the_loss_of_rows_and_of_replacements() -> None:
    free, sized = (space >> UNIT for space in (pc.vector(str), pc.vector(str, size=9)))
    assert free.map(2).pure().cost == 2
    assert sized.map(2).pure() == ApproximateLoss(2, free.map(1).pure().delta).pure()
    assert free.map(0).epsilon() == 0


def test_the_loss_of_gaussian_noise_on_rows_replacements_and_parts() -> None:
    free, sized = (space >> GAUSSIAN for space in (pc.vector(int), pc.vector(int, size=9)))
    assert free.map(2).concentrated().cost == Fraction(1, 2)
    assert sized.map(2).concentrated().cost == Fraction(1, 4)
    assert sized.map(2).concentrated().delta == free.map(1).concentrated().delta == gaussian_reaches(Fraction(2), 3)
    parts = GAUSSIAN.loss_of(Parts(l0=3, l1=3, l2_squared=3, linf=1)).concentrated()
    assert parts.cost == Fraction(3, 8)
    assert parts.delta == any_of([(gaussian_reaches(Fraction(2), 3), 3)])


def test_contributions_to_several_keys() -> None:
    unit = pc.StableHistogram(scale=1, threshold=10)
    loss = unit.loss_of(Parts(l0=3, l1=6, l2_squared=12, linf=2))
    one = laplace_reaches(Fraction(1), 8)
    assert loss.pure().cost == 6
    assert loss.pure().delta == any_of([(one, 3)])
    assert loss.pure().delta > one, "all keys count, not one of them"


def test_two_rows_on_one_key_are_not_charged_as_one() -> None:
    # the tail of one row is 0.0049; two rows that come at once show with more than 0.0132
    unit = pc.StableHistogram(scale=1, threshold=6)
    assert round(float(laplace_reaches(Fraction(1), 5)), 4) == 0.0049
    assert unit.loss_of(Parts(l0=1, l1=2, l2_squared=4, linf=2)).pure().delta > Fraction(132, 10**4)
    assert (pc.vector(str) >> unit).map(2).pure().delta > Fraction(132, 10**4)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_frequent_keys_are_released_in_sorted_order(noise: KeyNoise) -> None:
    unit = pc.StableHistogram(scale=1, threshold=60, noise=noise)
    released = (pc.vector(str) >> unit)(["z"] * 1000 + ["a"] * 1000 + ["rare", None])
    assert list(released) == ["a", "z"]
    assert all(abs(count - 1000) < 100 for count in released.values())
    numbers = (pc.vector(int) >> unit)([5, -3] * 500 + [2**63 - 1])
    assert list(numbers) == [-3, 5]
    assert all(type(key) is int for key in numbers)
    assert (pc.vector(bool) >> unit)([]) == {}


def test_the_interval_of_a_count() -> None:
    chain = pc.vector(str) >> pc.StableHistogram(scale=10, threshold=50)
    assert chain.interval(100) == (70, 130)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_scale_for_an_accuracy_is_the_largest(noise: KeyNoise) -> None:
    scale = pc.StableHistogram.scale_for(accuracy=30, beta=0.05, noise=noise)
    chains = [
        pc.vector(str) >> pc.StableHistogram(scale=scale * more, threshold=9, noise=noise)
        for more in (1, Fraction(1001, 1000))
    ]
    assert [chain.accuracy(0.05) for chain in chains] == [30, 31]


@pytest.mark.parametrize("unit", [UNIT, GAUSSIAN], ids=lambda unit: unit.noise)
def test_a_column_of_floats_is_refused(unit: pc.StableHistogram) -> None:
    with pytest.raises(MismatchError, match="StableHistogram counts equal keys, got a column of float"):
        pc.vector(float) >> unit


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidError, match="StableHistogram.threshold must be above zero, got 0."):
        pc.StableHistogram(scale=1, threshold=0)
    with pytest.raises(InvalidError, match="StableHistogram.noise must be one of 'laplace', 'gaussian', got 'normal'."):
        pc.StableHistogram(scale=1, threshold=4, noise="normal")  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="threshold_for.noise must be one of laplace, gaussian, got None."):
        pc.StableHistogram.threshold_for(scale=1, delta=0.1, noise=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="scale_for.noise must be one of laplace, gaussian, got"):
        pc.StableHistogram.scale_for(accuracy=30, beta=0.05, noise=["laplace"])  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="threshold_for.delta must be between zero and one, got 0."):
        pc.StableHistogram.threshold_for(scale=1, delta=0)
    with pytest.raises(InvalidError, match="threshold_for.d_in must be one or more, got 0."):
        pc.StableHistogram.threshold_for(scale=1, delta=0.1, d_in=0)
    with pytest.raises(InvalidError, match="threshold_for.scale must be above zero, got 0."):
        pc.StableHistogram.threshold_for(scale=0, delta=0.1)
