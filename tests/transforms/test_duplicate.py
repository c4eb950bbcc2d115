"""Every row repeated: it counts as often as it occurs."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.core.domain import VectorDomain
from privet.core.metric import IdentifierDistance
from privet.core.space import Space
from privet.errors import Invalid, Mismatch, WrongType
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

RECORDS = pv.records(id=str, sex=bool)
CASES = [
    Case(name="duplicate reals", chain=pv.vector(float) >> pv.Duplicate(times=3)),
    Case(name="duplicate of known size", chain=pv.vector(int, size=2) >> pv.Duplicate(times=2)),
    Case(name="duplicate in order", chain=pv.vector(str, size=3, ordered=True) >> pv.Duplicate(times=2)),
    Case(
        name="duplicate of persons",
        chain=pv.Space(RECORDS.domain, IdentifierDistance("id")) >> pv.Duplicate(times=2),
    ),
]


@frozen
class CountedOnce(TwinOf):
    """Forgets that a repeated row counts repeatedly."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


@frozen
class SizeKept(TwinOf):
    """Claims the old size."""

    def output(self, space: Space) -> Space:
        return space


@frozen
class FirstOften(TwinOf):
    """Fills up with copies of the first row: one row then counts as often as there are rows."""

    def apply(self, value: Any, space: Space) -> Any:
        return value[np.concatenate([np.arange(len(value)), np.zeros(len(value), dtype=np.int64)])]


RIGHT = pv.Duplicate(times=2)
TWINS = [
    Twin(law="map", case=Case(name="copies counted once", chain=pv.vector(int) >> CountedOnce(RIGHT))),
    Twin(law="map", case=Case(name="the old size", chain=pv.vector(int, size=2) >> SizeKept(RIGHT))),
    Twin(law="map", case=Case(name="copies of the first row", chain=pv.vector(int) >> FirstOften(RIGHT))),
]


def test_copies_follow_their_row() -> None:
    assert (pv.vector(int) >> pv.Duplicate(times=3))([1, None]).tolist() == [1, 1, 1, None, None, None]
    assert (pv.matrix(2) >> RIGHT)([[1, 2]]).tolist() == [[1, 2], [1, 2]]
    assert (pv.vector(int) >> RIGHT)([]).tolist() == []


@pytest.mark.parametrize(
    ("space", "d_in", "d_out"),
    [
        (pv.vector(int), 1, 3),
        (pv.vector(int, size=4), 2, 6),
        (pv.vector(int, size=4), 1, 6),
        (pv.vector(int, size=4, ordered=True), 1, 3),
        (pv.Space(RECORDS.domain, IdentifierDistance("id")), 1, 1),
    ],
)
def test_the_map(space: Space, d_in: int, d_out: int) -> None:
    assert (space >> pv.Duplicate(times=3)).map(d_in) == d_out


def test_a_public_size_is_multiplied() -> None:
    domain = (pv.vector(int, size=4) >> pv.Duplicate(times=3)).output.domain
    assert isinstance(domain, VectorDomain)
    assert domain.size == 12


def test_times_is_a_whole_number_above_zero() -> None:
    with pytest.raises(Invalid, match="Duplicate.times must be above zero, got 0."):
        pv.Duplicate(times=0)
    with pytest.raises(WrongType, match="must be a whole number, got float"):
        pv.Duplicate(times=1.5)
    with pytest.raises(Mismatch, match="reads rows"):
        pv.scalar(int) >> RIGHT
