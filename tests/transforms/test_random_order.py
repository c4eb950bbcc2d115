"""A random order for rows that had none."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.core.metric import InsertDelete
from privet.core.space import Space
from privet.errors import Mismatch
from tests.laws import Case, Twin
from tests.transforms.sampled import RandomTwinOf
from tests.transforms.twins import TwinOf

CASES = [
    Case(name="random order of reals", chain=pv.vector(float) >> pv.RandomOrder()),
    Case(name="random order of known size", chain=pv.vector(int, size=4) >> pv.RandomOrder()),
    Case(name="random order of positions", chain=pv.vector(int, size=4, ordered=True) >> pv.RandomOrder()),
    Case(name="random order of records", chain=pv.records(a=int, b=str) >> pv.RandomOrder()),
]


@frozen
class AsTheyStand(RandomTwinOf):
    """Takes the order of the rows for one, although neighbours may hold them in any order."""

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


PLACED = pv.vector(int, size=4, ordered=True)
TWINS = [
    Twin(law="map", case=Case(name="rows as they stand", chain=pv.vector(int) >> AsTheyStand(pv.RandomOrder()))),
    Twin(law="map", case=Case(name="a fresh order each time", chain=pv.vector(int) >> FreshCoins(pv.RandomOrder()))),
    Twin(law="map", case=Case(name="turned by the size", chain=pv.vector(int) >> KeysByPosition(pv.RandomOrder()))),
    Twin(law="map", case=Case(name="a replacement is one insertion", chain=PLACED >> OneForTwo(pv.RandomOrder()))),
]


def test_what_follows_counts_insertions_and_deletions() -> None:
    chain = pv.vector(int, size=4) >> pv.RandomOrder()
    assert chain.output.metric == InsertDelete()
    assert (chain.map(2), chain.map(3), PLACED.metric.distance([1], [2], PLACED.domain)) == (2, 4, 1)
    assert (PLACED >> pv.RandomOrder()).map(1) == 2


def test_no_row_is_lost() -> None:
    assert sorted((pv.vector(int) >> pv.RandomOrder())([5, 5, 1]).tolist()) == [1, 5, 5]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(Mismatch, match="start from pv.vector"):
        pv.scalar(int) >> pv.RandomOrder()
