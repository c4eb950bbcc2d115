"""Simple random sampling."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.simple_sampling import SimpleSampling
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin, check_loss, check_samples
from tests.transforms.sampled import RandomTwinOf, noisy_sum, simple, whole

FOUR = pc.vector(int, bounds=(0, 1), size=4)
CASES = [
    Case(name="simple sample of reals", chain=pc.vector(float, size=5) >> pc.SimpleSample(size=2)),
    Case(name="simple sample of all", chain=pc.vector(int, size=3) >> pc.SimpleSample(size=3)),
    Case(name="simple sample in place", chain=pc.vector(bool, size=4, ordered=True) >> pc.SimpleSample(size=3)),
    Case(name="simple sample of a matrix", chain=pc.matrix(2, size=4) >> pc.SimpleSample(size=2)),
    Case(name="simple sample >> laplace", chain=FOUR >> pc.SimpleSample(size=2) >> pc.Sum() >> pc.Laplace(scale=1)),
]
PAIRS: list[tuple[list[int], list[int]]] = [
    ([0, 0, 0, 0], [1, 0, 0, 0]),
    ([0, 1, 1, 0], [1, 1, 1, 0]),
    ([0, 0, 0, 0], [1, 1, 0, 0]),
    ([1, 0, 1, 0], [1, 1, 1, 1]),
    ([0, 0, 0, 0], [1, 1, 1, 1]),
]


def measured(unit: Any, size: int, *, name: str = "") -> Case:
    """A noisy sum of a sample, with the probabilities of all samples."""
    return Case(
        name=name or f"size {size}",
        chain=whole(FOUR >> unit >> pc.Sum() >> pc.Laplace(scale=1)),
        pairs=PAIRS,
        masses=noisy_sum(simple(size)),
        tight="delta",
        sample=4_000,
        input=[1, 0, 1, 0],
    )


@frozen
class ByPosition(RandomTwinOf):
    """Takes the first rows."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value[: self.right.size]


@frozen
class WithReplacement(RandomTwinOf):
    """Draws rows anew each time, so that one record may be drawn often."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        rows = np.array([int(coins[0]) % len(value)] * self.right.size)
        return value[rows]


@frozen
class NotApplied(RandomTwinOf):
    """Claims the rate of a smaller sample, but takes all the rows it can hold that differ from zero first."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value[np.argsort(-value.data, kind="stable")[: self.right.size]]


@frozen
class OneTooFew(RandomTwinOf):
    """Counts one draw less in the rate."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(2).amplify(SimpleSampling(rate=Fraction(self.right.size - 1, 4))).group((d_in + 1) // 2)


@frozen
class NoGroup(RandomTwinOf):
    """Charges one replacement whatever the distance."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(2).amplify(SimpleSampling(rate=Fraction(self.right.size, 4)))


@frozen
class RaisesOnWrongSize(RandomTwinOf):
    """Tells that the stated size was wrong: a short column is filled up with nulls."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        if np.ma.getmaskarray(value).any():
            raise ValueError("fewer rows than stated")
        return self.right.combine(value, coins, space)


TWO = pc.SimpleSample(size=2)
TWINS = [
    Twin(law="map", case=Case(name="the first rows", chain=pc.vector(int, size=4) >> ByPosition(TWO))),
    Twin(law="map", case=Case(name="drawn with replacement", chain=pc.vector(int, size=4) >> WithReplacement(TWO))),
    Twin(law="samples", case=measured(NotApplied(TWO), 2, name="simple sampling not applied")),
    Twin(law="loss", case=measured(OneTooFew(TWO), 2, name="simple sample, rate too small")),
    Twin(law="loss", case=measured(NoGroup(TWO), 2, name="simple sample without the group")),
    Twin(law="parity", case=Case(name="a wrong size told", chain=pc.vector(int, size=4) >> RaisesOnWrongSize(TWO))),
]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.share(2)
def test_the_exact_loss_of_all_samples_is_within_the_claim(size: int) -> None:
    check_loss(measured(pc.SimpleSample(size=size), size))


def test_releases_are_those_of_a_sample() -> None:
    check_samples(measured(TWO, 2))


def test_every_set_of_rows_is_equally_likely() -> None:
    chain = pc.vector(int, size=4) >> TWO
    seen = Counter(tuple(sorted(chain([0, 1, 2, 3]).tolist())) for _ in range(3_000))
    assert len(seen) == 6
    # 500 expected of each; beyond 380 or 620 with probability below 1e-8
    assert all(380 < times < 620 for times in seen.values())


def test_one_replacement_is_amplified_before_the_group_is_taken() -> None:
    space = pc.vector(int, bounds=(0, 1), size=100)
    chain = space >> pc.SimpleSample(size=10) >> pc.Sum() >> pc.Laplace(scale=1)
    one = math.log(1 + 0.1 * math.expm1(1))
    assert round(float(chain.map(2).epsilon()), 6) == round(one, 6)
    assert round(float(chain.map(6).epsilon()), 6) == round(3 * one, 6)
    assert chain.map(0).epsilon() == 0


def test_columns_of_any_size_give_a_sample_of_the_stated_size() -> None:
    chain = pc.vector(int, size=10) >> pc.SimpleSample(size=5)
    assert [len(chain(list(range(rows)))) for rows in (0, 3, 10, 40)] == [5, 5, 5, 5]


def test_a_sample_needs_a_public_size_and_no_more_rows_than_there_are() -> None:
    with pytest.raises(MismatchError, match="SimpleSample needs a public size: write size=..."):
        pc.vector(int) >> TWO
    with pytest.raises(MismatchError, match="at most the size of the table, 3, got 4"):
        pc.vector(int, size=3) >> pc.SimpleSample(size=4)
    with pytest.raises(MismatchError, match="needs a public size"):
        pc.records(a=int) >> TWO
    with pytest.raises(InvalidError, match="SimpleSample.size must be above zero, got 0."):
        pc.SimpleSample(size=0)
