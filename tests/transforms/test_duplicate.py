"""Every row repeated: it counts as often as it occurs."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.metric import IdentifierDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

RECORDS = pc.records(id=str, sex=bool)
CASES = [
    Case(name="duplicate reals", chain=pc.vector(float) >> pc.Duplicate(times=3)),
    Case(name="duplicate of known size", chain=pc.vector(int, size=2) >> pc.Duplicate(times=2)),
    Case(name="duplicate in order", chain=pc.vector(str, size=3, ordered=True) >> pc.Duplicate(times=2)),
    Case(
        name="duplicate of persons",
        chain=pc.Space(RECORDS.domain, IdentifierDistance("id")) >> pc.Duplicate(times=2),
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


RIGHT = pc.Duplicate(times=2)
TWINS = [
    Twin(law="map", case=Case(name="copies counted once", chain=pc.vector(int) >> CountedOnce(RIGHT))),
    Twin(law="map", case=Case(name="the old size", chain=pc.vector(int, size=2) >> SizeKept(RIGHT))),
    Twin(law="map", case=Case(name="copies of the first row", chain=pc.vector(int) >> FirstOften(RIGHT))),
]


def test_copies_follow_their_row() -> None:
    assert (pc.vector(int) >> pc.Duplicate(times=3))([1, None]).tolist() == [1, 1, 1, None, None, None]
    assert (pc.matrix(2) >> RIGHT)([[1, 2]]).tolist() == [[1, 2], [1, 2]]
    assert (pc.vector(int) >> RIGHT)([]).tolist() == []


@pytest.mark.parametrize(
    ("space", "d_in", "d_out"),
    [
        (pc.vector(int), 1, 3),
        (pc.vector(int, size=4), 2, 6),
        (pc.vector(int, size=4), 1, 6),
        (pc.vector(int, size=4, ordered=True), 1, 3),
        (pc.Space(RECORDS.domain, IdentifierDistance("id")), 1, 1),
    ],
)
def test_the_map(space: Space, d_in: int, d_out: int) -> None:
    assert (space >> pc.Duplicate(times=3)).map(d_in) == d_out


def test_a_public_size_is_multiplied() -> None:
    domain = (pc.vector(int, size=4) >> pc.Duplicate(times=3)).output.domain
    assert isinstance(domain, VectorDomain)
    assert domain.size == 12


def test_times_is_a_whole_number_above_zero() -> None:
    with pytest.raises(InvalidError, match="Duplicate.times must be above zero, got 0."):
        pc.Duplicate(times=0)
    with pytest.raises(WrongTypeError, match="must be a whole number, got float"):
        pc.Duplicate(times=1.5)
    with pytest.raises(MismatchError, match="reads rows"):
        pc.scalar(int) >> RIGHT
