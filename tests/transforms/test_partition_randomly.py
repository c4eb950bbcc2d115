"""Partitioning at random."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.chains.transformation import RandomTransformation
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin

THREE = pc.PartitionRandomly(parts=3)
CASES = [
    Case(name="partition at random", chain=pc.vector(int) >> THREE),
    Case(name="partition a known size at random", chain=pc.vector(bool, size=3) >> THREE),
    Case(name="partition points at random", chain=pc.matrix(2, size=2, ordered=True) >> THREE),
]


@frozen
class ShuffledAndCut(RandomTransformation):
    """Shuffles and cuts into parts of equal size: one row more moves the cuts."""

    right: pc.PartitionRandomly

    def output(self, space: Space) -> Space:
        return self.right.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return pv.noise.uniform_below(2**62, rows)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return tuple(np.ma.MaskedArray(part) for part in np.array_split(value[np.argsort(coins)], self.right.parts))

    def stability(self, d_in: Any, space: Space) -> Distance:
        return self.right.stability(d_in, space)


@frozen
class HalfCharged(ShuffledAndCut):
    """Assigns each row by itself, but charges a replaced row once."""

    def coins(self, rows: int, space: Space) -> Any:
        return self.right.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return self.right.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        half = (d_in + 1) // 2
        return pc.Parts(l0=half, l1=half, l2_squared=half**2, linf=half)


TWINS = [
    Twin(law="map", case=Case(name="shuffled and cut", chain=pc.vector(int) >> ShuffledAndCut(THREE))),
    Twin(law="map", case=Case(name="a replaced row charged once", chain=pc.vector(int, size=3) >> HalfCharged(THREE))),
]


def test_every_row_is_in_one_part() -> None:
    parts = (pc.vector(int) >> THREE)([4, 5, None, 6])
    assert sorted(item or 0 for part in parts for item in part.tolist()) == [0, 4, 5, 6]


def test_parts_are_equally_likely() -> None:
    """Each of 6,000 rows is in one of 3 parts: 2,000 in each, within 7 standard deviations."""
    sizes = [len(part) for part in (pc.vector(int) >> THREE)(list(range(6000)))]
    assert all(abs(size - 2000) < 7 * 37 for size in sizes)


def test_rows_are_assigned_independently() -> None:
    """Two rows share a part one time in two; 4,000 trials, within 7 standard deviations."""
    chain = pc.vector(int) >> pc.PartitionRandomly(parts=2)
    seen = Counter(len(chain([1, 2])[0]) for _ in range(4000))
    assert abs(seen[1] - 2000) < 7 * 32


def test_the_map() -> None:
    assert (pc.vector(int) >> THREE).map(1) == pc.Parts(l0=1, l1=1, l2_squared=1, linf=1)
    assert (pc.vector(int, size=9) >> THREE).map(2) == pc.Parts(l0=1, l1=2, l2_squared=4, linf=2)


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidError, match="PartitionRandomly.parts must be above zero"):
        pc.PartitionRandomly(parts=0)
    with pytest.raises(MismatchError, match="reads rows"):
        pc.scalar(int) >> THREE
