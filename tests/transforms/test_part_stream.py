"""Sums of parts, one after the other."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.frames import PartitionDomain
from privet.core.space import Space
from privet.errors import MismatchError
from privet.transforms.stream_space import MonotonicStreamDistance
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

PARTED = pc.vector(float, bounds=(-5, 3)) >> pc.PartitionRandomly(parts=3)
DAYS = pc.Space(PartitionDomain(parts=3, inner=pc.vector(int, bounds=(0, 10)).domain), pc.PartitionDistance())
CASES = [
    Case(name="stream of parts", chain=PARTED >> pc.PartStream()),
    Case(
        name="stream of parts by key",
        chain=pc.vector(int, bounds=(0, 7), size=3) >> pc.PartitionByKey(categories=[0, 1, 7]) >> pc.PartStream(),
    ),
]


@frozen
class UpperBoundOnly(TwinOf):
    """Takes the upper bound for the largest magnitude."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in.linf * 3


@frozen
class PartsCounted(TwinOf):
    """Counts the parts that changed, as if each had one record more or less."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return min(d_in.l0, 1) * Fraction(5)


TWINS = [
    Twin(
        law="map", case=Case(name="parts charged by the upper bound", chain=PARTED >> UpperBoundOnly(pc.PartStream()))
    ),
    Twin(law="map", case=Case(name="one record in each part", chain=PARTED >> PartsCounted(pc.PartStream()))),
]


def test_the_first_day_of_high_sales() -> None:
    """Customers buy once a day for 10 at most: a threshold noise of 20 costs epsilon = 1 for all days together."""
    chain = DAYS >> pc.PartStream() >> pc.AboveThreshold(threshold=100, scale=20)
    assert chain.map(pc.Parts(l0=3, l1=3, l2_squared=3, linf=1)).epsilon() == 1


def test_answers_come_in_the_order_of_the_parts() -> None:
    stream = (DAYS >> pc.PartStream())([[9, 99], [], [3, None]])
    assert [stream.ask(None) for _ in range(4)] == [19, 0, 3, 0]


def test_sums_of_parts_need_not_move_one_way() -> None:
    """One record more on one day and one less on another: one record in each part, but a rise and a fall."""
    chain = DAYS >> pc.PartStream()
    x, y = chain.input.domain.admit([[10], [], []]), chain.input.domain.admit([[], [10], []])
    assert chain.input.metric.distance(x, y, chain.input.domain) == pc.Parts(l0=2, l1=2, l2_squared=2, linf=1)
    results = chain.run(x), chain.run(y)
    assert chain.output.metric.distance(*results, chain.output.domain) == 10
    assert MonotonicStreamDistance().distance(*results, chain.output.domain) == 20


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MismatchError, match="PartStream reads a partition"):
        pc.vector(int) >> pc.PartStream()
    with pytest.raises(MismatchError, match="PartStream needs bounded input"):
        pc.vector(int) >> pc.PartitionRandomly(parts=2) >> pc.PartStream()
