"""Forgetting the order of rows."""

from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import InsertDelete, SymmetricDistance
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

IN_ORDER = Space(pc.vector(float).domain, InsertDelete())
IN_PLACE = pc.vector(int, size=4, ordered=True)
CASES = [
    Case(name="unordered from insert/delete", chain=IN_ORDER >> pc.Unordered()),
    Case(name="unordered from positions", chain=IN_PLACE >> pc.Unordered()),
    Case(name="unordered as it was", chain=pc.vector(str) >> pc.Unordered()),
    Case(name="unordered matrix", chain=pc.matrix(2, size=3, ordered=True) >> pc.Unordered()),
]


@frozen
class OneForTwo(TwinOf):
    """Takes a replacement for one row."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


@frozen
class Halved(TwinOf):
    """Takes an insertion and a deletion for one step where rows may come and go."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return (d_in + 1) // 2


TWINS = [
    Twin(law="map", case=Case(name="a replacement is one", chain=IN_PLACE >> OneForTwo(pc.Unordered()))),
    Twin(law="map", case=Case(name="two insertions are one", chain=IN_ORDER >> Halved(pc.Unordered()))),
]


def test_rows_stay_as_they_are() -> None:
    assert (IN_PLACE >> pc.Unordered())([3, 1, None, 2]).tolist() == [3, 1, None, 2]


def test_later_units_count_records() -> None:
    chain = IN_PLACE >> pc.Unordered()
    assert chain.output.metric == SymmetricDistance()
    assert chain.output == pc.vector(int, size=4), "the size stays public"
    assert (chain >> pc.Clamp(bounds=(0, 10)) >> pc.Sum()).map(3) == 30, "as without the cast"


def test_only_tables_are_read() -> None:
    with pytest.raises(MismatchError, match="start from pc.vector"):
        pc.scalar(int) >> pc.Unordered()
