"""Random positions for the rows of a table of public size."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import HammingDistance, InsertDelete
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.sampled import RandomTwinOf
from tests.transforms.twins import TwinOf

FOUR = pc.vector(int, size=4)
CASES = [
    Case(name="random positions of reals", chain=pc.vector(float, size=5) >> pc.RandomPositions()),
    Case(name="random positions of positions", chain=pc.vector(int, size=4, ordered=True) >> pc.RandomPositions()),
    Case(name="random positions of a matrix", chain=pc.matrix(2, size=3) >> pc.RandomPositions()),
    Case(name="random positions after resize", chain=pc.vector(int) >> pc.Resize(n=3) >> pc.RandomPositions()),
]


@frozen
class AsTheyStand(RandomTwinOf):
    """Leaves the rows where they are: an equal multiset may have them anywhere."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value


@frozen
class Sorted(RandomTwinOf):
    """Sorts by value: one replaced row shifts all between its old and its new place."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return value[np.lexsort((value.data, np.ma.getmaskarray(value)))]


@frozen
class FreshCoins(TwinOf):
    """Shuffles without a key for each record."""


@frozen
class OneForAll(RandomTwinOf):
    """Claims one position whatever was replaced."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return min(d_in, 1)


TWINS = [
    Twin(law="map", case=Case(name="positions as they stand", chain=FOUR >> AsTheyStand(pc.RandomPositions()))),
    Twin(law="map", case=Case(name="positions by value", chain=FOUR >> Sorted(pc.RandomPositions()))),
    Twin(law="map", case=Case(name="fresh positions each time", chain=FOUR >> FreshCoins(pc.RandomPositions()))),
    Twin(law="map", case=Case(name="one position for all", chain=FOUR >> OneForAll(pc.RandomPositions()))),
]


def test_one_replacement_is_one_position() -> None:
    chain = FOUR >> pc.RandomPositions()
    assert [chain.map(d_in) for d_in in (0, 1, 2, 3, 4)] == [0, 1, 1, 2, 2]
    assert chain.output.metric == HammingDistance()
    assert chain.output == pc.vector(int, size=4, ordered=True)
    assert (Space(pc.vector(int, size=4, ordered=True).domain, InsertDelete()) >> pc.RandomPositions()).map(2) == 1
    assert (pc.vector(int, size=4, ordered=True) >> pc.RandomPositions()).map(2) == 2


def test_the_way_there_and_back_costs_nothing() -> None:
    assert (FOUR >> pc.RandomPositions() >> pc.Unordered()).map(2) == 2


def test_no_row_is_lost() -> None:
    assert sorted((pc.vector(int, size=3) >> pc.RandomPositions())([5, 5, 1]).tolist()) == [1, 5, 5]


def test_a_public_size_is_needed() -> None:
    with pytest.raises(MismatchError, match="RandomPositions needs a public size: .* put Resize before it"):
        pc.vector(int) >> pc.RandomPositions()
    (pc.vector(int) >> pc.Resize(n=3)) >> pc.RandomPositions()
