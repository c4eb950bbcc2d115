"""A random order for rows that had none."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import InsertDelete
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.sampled import RandomTwinOf
from tests.transforms.twins import TwinOf

CASES = [
    Case(name="random order of reals", chain=pc.vector(float) >> pc.RandomOrder()),
    Case(name="random order of known size", chain=pc.vector(int, size=4) >> pc.RandomOrder()),
    Case(name="random order of positions", chain=pc.vector(int, size=4, ordered=True) >> pc.RandomOrder()),
    Case(name="random order of records", chain=pc.records(a=int, b=str) >> pc.RandomOrder()),
]


@frozen
class AsTheyStand(RandomTwinOf):
    """Relies on the order of rows, although neighbours may have them in any order."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value


@frozen
class FreshCoins(TwinOf):
    """Shuffles without a key for each record."""


@frozen
class KeysByPosition(RandomTwinOf):
    """Turns the order where there is an odd number of rows: one row more moves all the others."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        order = np.argsort(coins)
        return value[order[::-1] if len(value) % 2 else order]


@frozen
class OneForTwo(RandomTwinOf):
    """Takes a replacement for one insertion."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


PLACED = pc.vector(int, size=4, ordered=True)
TWINS = [
    Twin(law="map", case=Case(name="rows as they stand", chain=pc.vector(int) >> AsTheyStand(pc.RandomOrder()))),
    Twin(law="map", case=Case(name="a fresh order each time", chain=pc.vector(int) >> FreshCoins(pc.RandomOrder()))),
    Twin(law="map", case=Case(name="turned by the size", chain=pc.vector(int) >> KeysByPosition(pc.RandomOrder()))),
    Twin(law="map", case=Case(name="a replacement is one insertion", chain=PLACED >> OneForTwo(pc.RandomOrder()))),
]


def test_later_units_count_insertions_and_deletions() -> None:
    chain = pc.vector(int, size=4) >> pc.RandomOrder()
    assert chain.output.metric == InsertDelete()
    assert (chain.map(2), chain.map(3), PLACED.metric.distance([1], [2], PLACED.domain)) == (2, 4, 1)
    assert (PLACED >> pc.RandomOrder()).map(1) == 2


def test_no_row_is_lost() -> None:
    assert sorted((pc.vector(int) >> pc.RandomOrder())([5, 5, 1]).tolist()) == [1, 5, 5]


def test_only_tables_are_read() -> None:
    with pytest.raises(MismatchError, match="start from pc.vector"):
        pc.scalar(int) >> pc.RandomOrder()
