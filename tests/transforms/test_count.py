"""Counting rows."""

from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

TRUNCATED = pc.persons("id", id=str, v=int) >> pc.Truncate(id="id", rows=2)
CASES = [
    Case(name="count reals", chain=pc.vector(float) >> pc.Count()),
    Case(name="count text", chain=pc.vector(str) >> pc.Count()),
    Case(name="count of known size", chain=pc.vector(int, size=3) >> pc.Count()),
    Case(name="count in order", chain=pc.vector(int, size=3, ordered=True) >> pc.Count()),
    Case(name="count rows of a matrix", chain=pc.matrix(2) >> pc.Count()),
    Case(name="count records", chain=pc.records(id=str, v=int) >> pc.Count()),
    Case(name="count truncated records", chain=TRUNCATED >> pc.Count()),
]


@frozen
class OffByOne(TwinOf):
    """Claims that the first row is free."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return max(d_in - 1, 0)


@frozen
class Hides(TwinOf):
    """Counts rows with a value, but ignores that a null may replace a value."""

    def apply(self, value: Any, space: Space) -> int:
        return int(value.count())


@frozen
class RaisesOnEmpty(TwinOf):
    """Refuses an empty column, and so reveals that it is empty."""

    def apply(self, value: Any, space: Space) -> int:
        if len(value) == 0:
            raise ValueError("no rows")
        return len(value)


TWINS = [
    Twin(law="map", case=Case(name="count off by one", chain=pc.vector(int) >> OffByOne(pc.Count()))),
    Twin(law="map", case=Case(name="nulls uncounted", chain=pc.vector(int, size=3) >> Hides(pc.Count()))),
    Twin(law="parity", case=Case(name="empty refused", chain=pc.vector(int) >> RaisesOnEmpty(pc.Count()))),
]


def test_every_row_counts() -> None:
    assert (pc.vector(float) >> pc.Count())([1.0, None, float("nan")]) == 3
    assert (pc.vector(float) >> pc.Count())([]) == 0


def test_a_public_size_costs_nothing() -> None:
    assert (pc.vector(int, size=5) >> pc.Count()).map(4) == 0
    assert (pc.vector(int, size=5) >> pc.Count())([1, 2]) == 5, "the size is what was stated, whatever came"


def test_any_table_is_counted() -> None:
    assert (pc.matrix(2) >> pc.Count())([[1, 2], [3, None]]) == 2
    assert (pc.matrix(2, size=5) >> pc.Count()).map(2) == 0
    chain = TRUNCATED >> pc.Count()
    assert (chain([("a", 1), ("a", 2), ("a", 3), ("b", 1)]), chain.map(1)) == (3, 2)


def test_persons_are_not_counted_as_rows() -> None:
    with pytest.raises(MismatchError, match="got the metric IdentifierDistance"):
        pc.persons("id", id=str, v=int) >> pc.Count()
