"""Rows with something missing are left out, and the public size with them."""

import math
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.frames import RecordsDomain
from privet.core.metric import IdentifierDistance
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

RECORDS = pc.records(id=str, age=pc.vector(float, bounds=(0, 9)))
CASES = [
    Case(name="drop nulls of reals", chain=pc.vector(float) >> pc.DropNulls()),
    Case(name="drop nulls of known size", chain=pc.vector(int, size=4) >> pc.DropNulls()),
    Case(name="drop nulls in order", chain=pc.vector(float, size=3, ordered=True, bounds=(0, 2)) >> pc.DropNulls()),
    Case(name="drop nulls of a matrix", chain=pc.matrix(2, size=1) >> pc.DropNulls()),
    Case(
        name="drop nulls of persons",
        chain=pc.Space(pc.records(id=str, sex=bool).domain, IdentifierDistance("id")) >> pc.DropNulls(),
    ),
]


@frozen
class KeepsTheSize(TwinOf):
    """Claims that the size is still the public one."""

    def output(self, space: Space) -> Space:
        right = self.right.output(space)
        assert isinstance(right.domain, VectorDomain)
        return pc.Space(pc.vector(int, size=4, nullable=False).domain, space.metric)


@frozen
class ReplacementsKept(TwinOf):
    """Counts a replaced row once, although it may leave and another enter."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


@frozen
class NaNStays(TwinOf):
    """Drops masked values, and forgets NaN."""

    def apply(self, value: Any, space: Space) -> Any:
        return value.compressed()


@frozen
class AllOrNothing(TwinOf):
    """Gives up as soon as a row is missing."""

    def apply(self, value: Any, space: Space) -> Any:
        if np.ma.getmaskarray(value).any():
            raise ValueError("missing values found")
        return self.right.apply(value, space)


@frozen
class DropsTheNext(TwinOf):
    """Drops the row after a null as well: positions decide."""

    def apply(self, value: Any, space: Space) -> Any:
        gone = np.ma.getmaskarray(value) | np.isnan(value.data)
        return value.data[~(gone | np.concatenate([[False], gone[:-1]])[: len(gone)])]


TWINS = [
    Twin(
        law="map",
        case=Case(name="the size is still claimed", chain=pc.vector(int, size=4) >> KeepsTheSize(pc.DropNulls())),
    ),
    Twin(
        law="map",
        case=Case(
            name="replacements counted once",
            chain=pc.vector(int, size=3, ordered=True) >> ReplacementsKept(pc.DropNulls()),
        ),
    ),
    Twin(law="map", case=Case(name="NaN stays", chain=pc.vector(float) >> NaNStays(pc.DropNulls()))),
    Twin(law="map", case=Case(name="the next row goes too", chain=pc.vector(float) >> DropsTheNext(pc.DropNulls()))),
    Twin(law="parity", case=Case(name="nulls complained of", chain=pc.vector(int) >> AllOrNothing(pc.DropNulls()))),
]


def test_nulls_and_nan_go_and_the_rest_stays_in_order() -> None:
    kept = (pc.vector(float) >> pc.DropNulls())([3.0, None, math.nan, -math.inf, 1.0])
    assert kept.tolist() == [3.0, -math.inf, 1.0]
    assert type(kept) is np.ndarray


def test_a_row_goes_if_any_of_its_columns_is_missing() -> None:
    assert (pc.matrix(2) >> pc.DropNulls())([[1, 2], [3, None], [math.nan, 4]]).tolist() == [[1.0, 2.0]]
    kept = (RECORDS >> pc.DropNulls())([("a", 1), (None, 2), ("b", math.nan), ("c", 3)])
    assert {name: cells.tolist() for name, cells in kept.columns.items()} == {"id": ["a", "c"], "age": [1.0, 3.0]}


@pytest.mark.parametrize(
    ("space", "d_in", "d_out"),
    [
        (pc.vector(int), 3, 3),
        (pc.vector(int, size=9), 2, 2),
        (pc.vector(int, size=9), 3, 4),
        (pc.matrix(2, size=9), 1, 2),
        (pc.vector(int, size=9, ordered=True), 3, 6),
        (RECORDS, 5, 5),
    ],
)
def test_the_map(space: Space, d_in: int, d_out: int) -> None:
    assert (space >> pc.DropNulls()).map(d_in) == d_out


def test_the_size_is_private_afterwards() -> None:
    chain = pc.vector(int, bounds=(0, 1), size=9) >> pc.DropNulls()
    assert getattr(chain.output.domain, "size", 0) is None
    assert (chain >> pc.Count()).map(2) == 2


def test_positions_become_insertions_and_deletions() -> None:
    chain = pc.vector(int, size=3, ordered=True) >> pc.DropNulls()
    assert isinstance(chain.output.metric, pc.InsertDelete)


def test_only_rows_can_be_dropped() -> None:
    with pytest.raises(MismatchError, match="DropNulls reads rows"):
        pc.scalar(int) >> pc.DropNulls()


def test_the_id_column_stays_nullable_for_later_units() -> None:
    chain = pc.persons("id", id=str, v=int) >> pc.DropNulls()
    domain = chain.output.domain
    assert isinstance(domain, RecordsDomain)
    assert [(name, inner.nullable) for name, inner in domain.columns] == [("id", True), ("v", False)]
    assert domain.member(chain([("a", 1), ("b", None), (None, 2)]))
