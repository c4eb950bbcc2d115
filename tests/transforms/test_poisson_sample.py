"""Poisson sampling."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.sampling import Poisson
from privet.core.metric import Distance, InsertDelete
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin, check_loss, check_samples
from tests.transforms.sampled import RandomTwinOf, moved_in_order, noisy_sum, poisson, whole

BITS = pc.vector(int, bounds=(0, 1))
TABLE = pc.records(id=str, age=int)
IN_ORDER = Space(pc.vector(float).domain, InsertDelete())
CASES = [
    Case(name="poisson sample of reals", chain=pc.vector(float) >> pc.PoissonSample(rate=0.3)),
    Case(name="poisson sample in place", chain=pc.vector(int, size=4, ordered=True) >> pc.PoissonSample(rate=0.5)),
    Case(name="poisson sample of a matrix", chain=pc.matrix(2) >> pc.PoissonSample(rate=0.5)),
    Case(name="poisson sample of records", chain=TABLE >> pc.PoissonSample(rate=0.5)),
    Case(name="poisson sample >> laplace", chain=BITS >> pc.PoissonSample(rate=0.5) >> pc.Sum() >> pc.Laplace(scale=1)),
]
PAIRS: list[tuple[list[int], list[int]]] = [
    ([], [1]),
    ([1, 1, 0], [1, 1, 0, 1]),
    ([], [1, 1]),
    ([0, 1], [1, 1]),
    ([1, 0, 0], [0, 1, 1, 1]),
]


def measured(unit: Any, rate: Any, *, space: Space = BITS, name: str = "") -> Case:
    """A noisy sum of a sample, with the probabilities of all samples."""
    return Case(
        name=name or f"rate {rate}",
        chain=whole(space >> unit >> pc.Sum() >> pc.Laplace(scale=1)),
        pairs=PAIRS,
        masses=noisy_sum(poisson(rate)),
        tight="delta",
        sample=4_000,
        input=[1, 0, 1, 1],
    )


@frozen
class NotApplied(RandomTwinOf):
    """Claims the amplification and forgets to sample."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value


@frozen
class ByPosition(RandomTwinOf):
    """Keeps every second row, so that one more row moves all later rows from one half to the other."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value[::2]


@frozen
class RateOff(RandomTwinOf):
    """Samples more than it says."""

    def coins(self, rows: int, space: Space) -> Any:
        return pv.noise.bernoulli(Fraction(3, 5), rows)


@frozen
class NoGroup(RandomTwinOf):
    """Charges one record whatever the distance."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(1).amplify(Poisson(self.right.rate))


@frozen
class RateForAll(RandomTwinOf):
    """Takes the probability that all records are sampled for the rate of the group."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(d_in).amplify(Poisson(self.right.rate**d_in))


@frozen
class RefusesEmpty(RandomTwinOf):
    """Raises where nothing was sampled."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        if not coins.any():
            raise ValueError("the sample is empty")
        return self.right.combine(value, coins, space)


HALF = pc.PoissonSample(rate=0.5)
TWINS = [
    Twin(law="samples", case=measured(NotApplied(HALF), "1/2", name="poisson sampling not applied")),
    Twin(law="samples", case=measured(RateOff(HALF), "1/2", name="poisson rate off")),
    Twin(law="loss", case=measured(NoGroup(HALF), "1/2", name="poisson sample without the group")),
    Twin(law="loss", case=measured(RateForAll(HALF), "1/2", name="poisson rate to the power of the group")),
    Twin(law="map", case=Case(name="poisson sample by position", chain=pc.vector(int) >> ByPosition(HALF))),
    Twin(law="parity", case=Case(name="an empty sample refused", chain=pc.vector(int) >> RefusesEmpty(HALF))),
]


@pytest.mark.parametrize("rate", ["1/2", "1/10", "1"])
@pytest.mark.share(2)
def test_the_exact_loss_of_all_samples_is_within_the_claim(rate: str) -> None:
    check_loss(measured(pc.PoissonSample(rate=Fraction(rate)), rate))


def test_a_replacement_between_columns_of_one_size_has_distance_two() -> None:
    space = pc.vector(int, bounds=(-1, 1), size=2)
    case = Case(
        name="",
        chain=whole(space >> HALF >> pc.Sum() >> pc.Laplace(scale=2)),
        pairs=[([-1, 0], [1, 0]), ([-1, -1], [1, 1])],
        masses=noisy_sum(poisson("1/2"), 2, 60),
    )
    check_loss(case)


def test_releases_are_those_of_a_sample() -> None:
    check_samples(measured(HALF, "1/2"))


def test_one_record_is_amplified_before_the_group_is_taken() -> None:
    chain = BITS >> pc.PoissonSample(rate=0.01) >> pc.Sum() >> pc.Laplace(scale=Fraction(1, 5))
    assert round(float(chain.map(1).epsilon()), 4) == round(math.log(1 + 0.01 * math.expm1(5)), 4)
    assert round(float(chain.map(3).epsilon()), 4) == round(3 * math.log(1 + 0.01 * math.expm1(5)), 4)
    assert chain.map(0).epsilon() == 0


def test_a_rate_of_one_costs_what_no_sampling_costs() -> None:
    sampled = BITS >> pc.PoissonSample(rate=1) >> pc.Sum() >> pc.Laplace(scale=2)
    assert sampled.map(3) == (BITS >> pc.Sum() >> pc.Laplace(scale=2)).map(3)


def test_rows_keep_their_nulls_and_their_order() -> None:
    kept = (pc.vector(int) >> pc.PoissonSample(rate=1))([3, None, 1])
    assert kept.tolist() == [3, None, 1]
    assert isinstance((pc.vector(int) >> HALF)([]), np.ma.MaskedArray)


def test_the_size_of_a_sample_is_private() -> None:
    with pytest.raises(MismatchError, match="public size"):
        pc.vector(int, bounds=(0, 1), size=10) >> HALF >> pc.Mean()


@pytest.mark.parametrize("rate", [0, -1, 1.5])
def test_wrong_rates_are_refused(rate: Any) -> None:
    with pytest.raises(InvalidError, match="PoissonSample.rate must be above zero and at most one"):
        pc.PoissonSample(rate=rate)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 2), max_size=7), st.lists(st.integers(0, 2), max_size=7))
def test_rows_in_order_come_out_no_further_apart(x: list[int], y: list[int]) -> None:
    before, after = moved_in_order(IN_ORDER >> HALF, x, y)
    assert after <= (IN_ORDER >> HALF).map(before) == before


def test_only_tables_are_read() -> None:
    with pytest.raises(MismatchError, match="start from pc.vector"):
        pc.scalar(int) >> HALF
