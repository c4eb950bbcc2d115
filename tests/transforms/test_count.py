"""Counting rows."""

from typing import Any

import pytest
from attrs import frozen

import privet as pv
from privet.core.space import Space
from privet.errors import Mismatch
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

TRUNCATED = pv.persons("id", id=str, v=int) >> pv.Truncate(id="id", rows=2)
CASES = [
    Case(name="count reals", chain=pv.vector(float) >> pv.Count()),
    Case(name="count text", chain=pv.vector(str) >> pv.Count()),
    Case(name="count of known size", chain=pv.vector(int, size=3) >> pv.Count()),
    Case(name="count in order", chain=pv.vector(int, size=3, ordered=True) >> pv.Count()),
    Case(name="count rows of a matrix", chain=pv.matrix(2) >> pv.Count()),
    Case(name="count records", chain=pv.records(id=str, v=int) >> pv.Count()),
    Case(name="count truncated records", chain=TRUNCATED >> pv.Count()),
]


@frozen
class OffByOne(TwinOf):
    """Claims that the first row is free."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return max(d_in - 1, 0)


@frozen
class Hides(TwinOf):
    """Counts rows with a value, but takes replacing a value by a null for no change."""

    def apply(self, value: Any, space: Space) -> int:
        return int(value.count())


@frozen
class RaisesOnEmpty(TwinOf):
    """Refuses an empty column, and so tells that it is empty."""

    def apply(self, value: Any, space: Space) -> int:
        if len(value) == 0:
            raise ValueError("no rows")
        return len(value)


TWINS = [
    Twin(law="map", case=Case(name="count off by one", chain=pv.vector(int) >> OffByOne(pv.Count()))),
    Twin(law="map", case=Case(name="nulls uncounted", chain=pv.vector(int, size=3) >> Hides(pv.Count()))),
    Twin(law="parity", case=Case(name="empty refused", chain=pv.vector(int) >> RaisesOnEmpty(pv.Count()))),
]


def test_every_row_counts() -> None:
    assert (pv.vector(float) >> pv.Count())([1.0, None, float("nan")]) == 3
    assert (pv.vector(float) >> pv.Count())([]) == 0


def test_a_public_size_costs_nothing() -> None:
    assert (pv.vector(int, size=5) >> pv.Count()).map(4) == 0
    assert (pv.vector(int, size=5) >> pv.Count())([1, 2]) == 5, "the size is what was stated, whatever came"


def test_any_table_is_counted() -> None:
    assert (pv.matrix(2) >> pv.Count())([[1, 2], [3, None]]) == 2
    assert (pv.matrix(2, size=5) >> pv.Count()).map(2) == 0
    chain = TRUNCATED >> pv.Count()
    assert (chain([("a", 1), ("a", 2), ("a", 3), ("b", 1)]), chain.map(1)) == (3, 2)


def test_persons_are_not_counted_as_rows() -> None:
    with pytest.raises(Mismatch, match="got the metric IdentifierDistance"):
        pv.persons("id", id=str, v=int) >> pv.Count()
