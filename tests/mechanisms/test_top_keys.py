"""The keys with the most rows, of unknown keys."""

import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball, exp_up
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.selection import gaps_of, select
from privet.mechanisms.stable_keys import counted, largest_sum
from privet.mechanisms.top_keys import shows_in_draws
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf


def peeled(count: int, temperature: Any, threshold: Any) -> Any:
    """The exact distribution of the release, a sequence of keys that may end early."""

    def at(value: Any, space: Space) -> masses.Masses:
        keys, counts = counted(value)
        weights = [ball(Fraction(number) / Fraction(temperature)).exp() for number in counts]
        nothing = ball(Fraction(threshold) / Fraction(temperature)).exp()
        whole = sum(weights, nothing)
        inside: dict[Any, arb] = {}
        for length in range(min(count, len(keys)) + 1):
            for order in permutations(range(len(keys)), length):
                mass, left = arb(1), whole
                for place in order:
                    mass *= weights[place] / left
                    left -= weights[place]
                if length < count:
                    mass *= nothing / left
                inside[tuple(keys[place] for place in order)] = mass
        return masses.Masses(inside, arb(0))

    return at


def as_tuple(release: list[Any]) -> tuple[Any, ...]:
    return tuple(release)


HIGH = pc.TopKeys(count=2, temperature=2, threshold=30)
TWO = pc.TopKeys(count=2, temperature=1, threshold=4)
ONE = pc.TopKeys(count=1, temperature=2, threshold=Fraction(9, 2))
INPUT = ["a"] * 4 + ["b"] * 3 + ["c", None]
CASES = [
    Case(
        name="top keys of words",
        chain=pc.vector(str) >> TWO >> as_tuple,
        pairs=[
            (["a"] * 3, ["a"] * 3 + ["b"]),
            ([], ["a", "b"]),
            ([], ["a", "a", "a"]),
            (["a", "b"], ["a", "a", "b", None]),
            (["a"], ["b"]),
            (INPUT, INPUT[1:]),
        ],
        masses=peeled(2, 1, 4),
        sample=6_000,
        input=INPUT,
    ),
    Case(
        name="top key of integers",
        chain=pc.vector(int) >> ONE >> as_tuple,
        pairs=[([], [1]), ([1] * 9, [1] * 9 + [2]), ([1] * 9, [1] * 10), ([], [1, 2, 3])],
        masses=peeled(1, 2, Fraction(9, 2)),
        sample=6_000,
        input=[1] * 5 + [2] * 3 + [7],
    ),
    Case(
        name="all keys in order",
        chain=pc.vector(str) >> pc.TopKeys(count=3, temperature=1, threshold=2) >> as_tuple,
        pairs=[(["a", "b", "c"], ["a", "b", "c", "c"]), (["a"] * 9 + ["b"] * 9, ["a"] * 8 + ["b"] * 9)],
        masses=peeled(3, 1, 2),
        sample=3_000,
        input=["a", "b", "b", "c", "c", "c"],
    ),
    Case(
        name="top keys, sized",
        chain=pc.vector(int, size=3) >> TWO >> as_tuple,
        pairs=[([1, 1, 2], [1, 2, 2]), ([7, 7, 7], [7, 7, 8]), ([5, None, None], [6, None, None])],
        masses=peeled(2, 1, 4),
    ),
]


@frozen
class HalfRange(TwinOf):
    """Charges half the range, with the right delta."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 4) * 2 + pc.ApproximateLoss(
            0, self.right.loss(1, space).pure().delta
        )


@frozen
class OneCost(TwinOf):
    """Charges one draw for two, where a person may add a row to several keys."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(1, 2)) + pc.ApproximateLoss(0, self.right.loss(2, space).pure().delta)


@frozen
class NoDelta(TwinOf):
    """Forgets keys that only one input has."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


@frozen
class DeltaOfOneKey(TwinOf):
    """Takes one new key where there may be as many as rows."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        odds = exp_up(Fraction(1) / 2 - Fraction(9, 4))
        return pc.BoundedRangeLoss(Fraction(d_in) / 2) + pc.ApproximateLoss(0, odds / (1 + odds))


@frozen
class ThresholdWithoutNoise(TwinOf):
    """Draws a key by the keys alone, and then compares its count with the threshold."""

    def release(self, value: Any, space: Space) -> Any:
        keys, counts = counted(value)
        if not keys:
            return []
        at = select(gaps_of(np.array(counts, dtype=object)), Fraction(1))
        return [keys[at]] if counts[at] >= 4 else []


@frozen
class InSortedOrder(TwinOf):
    """Forgets which key came first."""

    def release(self, value: Any, space: Space) -> Any:
        return sorted(self.right.release(value, space))


@frozen
class StopsEarly(TwinOf):
    """Takes no more random bits after the last key: how many keys there are decides how many."""

    def release(self, value: Any, space: Space) -> Any:
        keys, _ = counted(value)
        return pc.TopKeys(count=max(min(2, len(keys)), 1), temperature=1, threshold=4).release(value, space)


@frozen
class Relative(TwinOf):
    """Puts the threshold above the largest count of the data themselves, without noise of its own."""

    def release(self, value: Any, space: Space) -> Any:
        _, counts = counted(value)
        bar = max(counts, default=1) + 2
        return pc.TopKeys(count=2, temperature=1, threshold=bar).release(value, space)


WORDS = pc.vector(str)
SAMPLED: dict[str, Any] = {"masses": peeled(2, 1, 4), "sample": 6_000, "input": INPUT}
TWINS = [
    Twin(
        law="loss",
        case=Case(
            name="two keys for one",
            chain=WORDS >> OneCost(HIGH) >> as_tuple,
            masses=peeled(2, 2, 30),
            pairs=[(["c"] * 30 + ["a", "b"] * 24, ["c"] * 30 + ["a", "b"] * 25)],
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="half the range of top keys",
            chain=WORDS >> HalfRange(HIGH) >> as_tuple,
            masses=peeled(2, 2, 30),
            pairs=[(["b"] * 30 + ["a"] * 20, ["b"] * 30 + ["a"] * 21)],
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="new keys for nothing",
            chain=WORDS >> NoDelta(ONE) >> as_tuple,
            masses=peeled(1, 2, Fraction(9, 2)),
            pairs=[([], ["a"])],
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="several new keys for one",
            chain=WORDS >> DeltaOfOneKey(ONE) >> as_tuple,
            masses=peeled(1, 2, Fraction(9, 2)),
            pairs=[([], ["a", "b", "c"])],
        ),
    ),
    *(
        Twin(law="samples", case=Case(name=name, chain=WORDS >> twin >> as_tuple, **SAMPLED))
        for name, twin in (
            ("a threshold without noise", ThresholdWithoutNoise(TWO)),
            ("top keys in sorted order", InSortedOrder(TWO)),
            ("a threshold of the data", Relative(TWO)),
        )
    ),
    Twin(law="parity", case=Case(name="as many draws as keys", chain=WORDS >> StopsEarly(TWO))),
]


def test_clear_winners_come_in_order() -> None:
    chain = pc.vector(int) >> pc.TopKeys(count=3, temperature=2, threshold=100)
    rows = [7] * 900 + [3] * 700 + [5] * 500 + [1] * 300
    random.Random(1).shuffle(rows)
    assert chain(rows) == [7, 3, 5]
    assert chain([7] * 900 + [1]) == [7]
    assert chain([]) == []


def test_a_key_that_one_person_has_stays_hidden() -> None:
    bar = pc.TopKeys.threshold_for(count=5, temperature=1, delta=1e-9)
    chain = pc.vector(str) >> pc.TopKeys(count=5, temperature=1, threshold=bar)
    for _ in range(50):
        assert chain(["secret"]) == []


@pytest.mark.parametrize(("count", "delta", "d_in"), [(1, 1e-6, 1), (10, 1e-9, 1), (3, 1e-3, 4), (2, 0.5, 1)])
def test_the_threshold_is_the_smallest(count: int, delta: float, d_in: int) -> None:
    bar = pc.TopKeys.threshold_for(count=count, temperature=Fraction(3, 2), delta=delta, d_in=d_in)

    def claimed(threshold: int) -> Fraction:
        unit = pc.TopKeys(count=count, temperature=Fraction(3, 2), threshold=threshold)
        return (pc.vector(str) >> unit).map(d_in).pure().delta

    assert claimed(bar) <= pc.exact(delta)
    assert bar == 1 or claimed(bar - 1) > pc.exact(delta)


def test_epsilon_does_not_depend_on_the_number_of_keys_of_a_person() -> None:
    unit = pc.TopKeys(count=4, temperature=8, threshold=300)
    few, many = (unit.loss_of(Parts(l0=keys, l1=keys, l2_squared=keys, linf=1)) for keys in (1, 10**6))
    assert few.pure().cost == many.pure().cost == Fraction(1, 2)
    assert few.pure().delta < many.pure().delta < Fraction(1, 10**9)
    assert few.concentrated().cost == 4 * pc.BoundedRangeLoss(Fraction(1, 8)).concentrated().cost


def test_the_worst_spread_over_keys_is_found() -> None:
    """Against every way to spread the rows."""

    def every(total: int, keys: int, most: int) -> Any:
        if keys == 0 or total == 0:
            yield ()
            return
        yield ()
        for first in range(1, min(total, most) + 1):
            for rest in every(total - first, keys - 1, first):
                yield (first, *rest)

    for l0, l1, linf in [(1, 5, 5), (3, 5, 5), (5, 5, 5), (4, 7, 3), (2, 9, 3), (6, 6, 1)]:
        for temperature in (Fraction(1, 2), Fraction(3)):

            def weight(rows: int, scale: Fraction = temperature) -> Fraction:
                return exp_up(rows / scale)

            parts = Parts(l0=l0, l1=l1, l2_squared=l1 * linf, linf=linf)
            largest = max(sum(map(weight, counts)) for counts in every(l1, l0, linf))
            assert largest_sum(weight, parts) == largest


def test_a_threshold_far_below_the_rows_hides_nothing() -> None:
    one = Parts(l0=1, l1=10**9, l2_squared=10**18, linf=10**9)
    assert shows_in_draws(1, Fraction(1), Fraction(2), one) == 1
    assert (pc.vector(str) >> TWO).map(10**6).pure().delta == 1
    assert shows_in_draws(1, Fraction(1), Fraction(2), Parts(l0=0, l1=0, l2_squared=0, linf=0)) == 0


def test_parameters_are_checked() -> None:
    with pytest.raises(MismatchError, match="counts equal keys, got a column of float"):
        pc.vector(float) >> TWO
    with pytest.raises(InvalidError, match="TopKeys.count must be above zero, got 0"):
        pc.TopKeys(count=0, temperature=1, threshold=1)
    with pytest.raises(InvalidError, match="TopKeys.threshold must be above zero"):
        pc.TopKeys(count=1, temperature=1, threshold=0)
    wrong: Any = 3
    with pytest.raises(InvalidError, match="TopKeys.loss_of takes Parts"):
        TWO.loss_of(wrong)
    with pytest.raises(InvalidError, match=r"threshold_for.delta must be between zero and one"):
        pc.TopKeys.threshold_for(count=1, temperature=1, delta=0)
