"""Shuffling."""

from collections import Counter
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import InsertDelete
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.sampled import RandomTwinOf, moved_in_order
from tests.transforms.twins import TwinOf

IN_ORDER = Space(pc.vector(int).domain, InsertDelete())
IN_PLACE = pc.vector(int, size=4, ordered=True)
CASES = [
    Case(name="shuffle reals", chain=pc.vector(float) >> pc.Shuffle()),
    Case(name="shuffle in place", chain=IN_PLACE >> pc.Shuffle()),
    Case(name="shuffle records", chain=pc.records(a=int, b=str) >> pc.Shuffle()),
]


@frozen
class FreshCoins(TwinOf):
    """Shuffles without a key for each record: no two runs have anything in common."""


@frozen
class DropsBefore(RandomTwinOf):
    """Drops the last row before it shuffles, to be left with pairs: which row is last depends on the order."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        even = len(value) - len(value) % 2
        return self.right.combine(value[:even], coins[:even], space)


@frozen
class Rotates(RandomTwinOf):
    """Turns the column by a number that one row decides."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        turn = value.count() % max(len(value), 1)
        return self.right.combine(value, coins, space)[[*range(turn, len(value)), *range(turn)]]


TWINS = [
    Twin(law="map", case=Case(name="a fresh shuffle each time", chain=IN_PLACE >> FreshCoins(pc.Shuffle()))),
    Twin(law="map", case=Case(name="a row dropped first", chain=pc.vector(int) >> DropsBefore(pc.Shuffle()))),
    Twin(law="map", case=Case(name="turned by the nulls", chain=IN_PLACE >> Rotates(pc.Shuffle()))),
]


def test_every_order_is_equally_likely() -> None:
    chain = pc.vector(int) >> pc.Shuffle()
    seen = Counter(tuple(chain([1, 2, 3]).tolist()) for _ in range(3_000))
    assert len(seen) == 6
    # 500 expected of each; beyond 380 or 620 with probability below 1e-8
    assert all(380 < times < 620 for times in seen.values())


def test_records_stay_whole() -> None:
    shuffled = (pc.records(a=int, b=int) >> pc.Shuffle())({"a": list(range(50)), "b": list(range(50))})
    assert shuffled.columns["a"].tolist() == shuffled.columns["b"].tolist()
    assert sorted(shuffled.columns["a"].tolist()) == list(range(50))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 2), max_size=7), st.lists(st.integers(0, 2), max_size=7))
def test_rows_in_order_come_out_no_further_apart(x: list[int], y: list[int]) -> None:
    before, after = moved_in_order(IN_ORDER >> pc.Shuffle(), x, y)
    assert after <= (IN_ORDER >> pc.Shuffle()).map(before) == before


def test_only_tables_are_read() -> None:
    with pytest.raises(MismatchError, match="start from pc.vector"):
        pc.numbers(3) >> pc.Shuffle()
