"""Some of the columns of a table."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet as pv
from privet.core.balls import Norm
from privet.core.frames import MatrixDomain, Records, RecordsDomain
from privet.core.metric import IdentifierDistance, SymmetricDistance
from privet.core.space import Space
from privet.errors import Invalid, Mismatch, WrongType
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

RECORDS = pv.records(id=str, age=bool, sex=bool)
PERSONS = pv.Space(RECORDS.domain, IdentifierDistance("id"))
CASES = [
    Case(name="select columns of a matrix", chain=pv.matrix(3, size=1) >> pv.Select(columns=[2, 0])),
    Case(name="select a bounded column", chain=pv.matrix(2, bounds=[(0, 1), (5, 9)]) >> pv.Select(columns=1)),
    Case(name="select fields", chain=RECORDS >> pv.Select(columns=["sex", "id"])),
    Case(name="select a field", chain=RECORDS >> pv.Select(columns="age")),
    Case(name="select of persons", chain=PERSONS >> pv.Select(columns=["age", "id"])),
]


@frozen
class Fullest(TwinOf):
    """Takes the column with the fewest gaps, which one row can change."""

    def apply(self, value: Any, space: Space) -> Any:
        return value[:, int(np.isnan(value).sum(axis=0).argmin())]


@frozen
class Sorted(TwinOf):
    """Sorts each column by itself: what belonged to one row no longer does."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.sort(value[:, [2, 0]], axis=0)


@frozen
class Drops(TwinOf):
    """Gives a column of another kind than it says."""

    def apply(self, value: Any, space: Space) -> Any:
        return value.columns["id"]


TWINS = [
    Twin(law="map", case=Case(name="the fullest column", chain=pv.matrix(2) >> Fullest(pv.Select(columns=0)))),
    Twin(law="map", case=Case(name="columns sorted apart", chain=pv.matrix(3) >> Sorted(pv.Select(columns=[2, 0])))),
    Twin(law="map", case=Case(name="another field", chain=RECORDS >> Drops(pv.Select(columns="age")))),
]


def test_one_column_is_a_vector_and_a_list_is_a_table() -> None:
    rows = [[1, 2, 3], [4, 5, None]]
    assert (pv.matrix(3) >> pv.Select(columns=1))(rows).tolist() == [2.0, 5.0]
    assert (pv.matrix(3) >> pv.Select(columns=[1]))(rows).tolist() == [[2.0], [5.0]]
    assert (pv.matrix(3) >> pv.Select(columns=[1, 0]))(rows).tolist() == [[2.0, 1.0], [5.0, 4.0]]
    narrow = (RECORDS >> pv.Select(columns=["age"]))([{"age": 3}])
    assert isinstance(narrow, Records)
    assert list(narrow.columns) == ["age"]


def test_a_vector_keeps_bounds_grid_and_size() -> None:
    chain = pv.matrix(2, bounds=[(0, 1), (5, 9)], size=4, grid=0.5) >> pv.Select(columns=1)
    assert repr(chain.output) == "vector(float, bounds=(5, 9), size=4, nullable=False)"
    assert (chain >> pv.Mean()).map(2) == 1


def test_a_field_keeps_its_domain() -> None:
    domain = pv.records(id=str, age=pv.vector(int, bounds=(0, 120))).domain
    chain = pv.Space(domain, SymmetricDistance()) >> pv.Select(columns="age")
    assert (chain >> pv.Sum()).map(1) == 120


def test_the_rest_of_a_row_lies_in_the_rest_of_the_ball() -> None:
    ball = Norm(order=2, radius=Fraction(1), origin=(Fraction(0), Fraction(5)))
    domain = MatrixDomain(columns=2, norm=ball, nan=False)
    narrow = pv.Select(columns=[1]).output(pv.Space(domain, SymmetricDistance())).domain
    assert isinstance(narrow, MatrixDomain)
    assert narrow.norm == Norm(order=2, radius=Fraction(1), origin=(Fraction(5),))
    gaps = pv.Select(columns=[1]).output(pv.Space(evolve(domain, nan=True), SymmetricDistance())).domain
    assert isinstance(gaps, MatrixDomain)
    assert gaps.norm is None


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ([], WrongType, "a name or a position, or a list"),
        (None, WrongType, "a name or a position, or a list"),
        ([1.5], WrongType, "a name or a position, or a list"),
        ([True], WrongType, "a name or a position, or a list"),
        ([1, 1], Invalid, "different columns"),
    ],
)
def test_wrong_columns_are_refused(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pv.Select(columns=columns)


@pytest.mark.parametrize(
    ("space", "columns", "error", "message"),
    [
        (pv.matrix(2), 2, WrongType, "positions from 0 to 1"),
        (pv.matrix(2), [-1], WrongType, "positions from 0 to 1"),
        (pv.matrix(2), "a", WrongType, "positions from 0 to 1"),
        (RECORDS, "name", Mismatch, "columns of the records, id, age, sex; got 'name'"),
        (RECORDS, [0], Mismatch, "got 0"),
        (PERSONS, ["age"], Mismatch, "a list with 'id', the identifier"),
        (PERSONS, "id", Mismatch, "a list with 'id', the identifier"),
        (pv.vector(int), 0, Mismatch, "got a single column"),
    ],
)
def test_columns_must_be_there(space: Space, columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> pv.Select(columns=columns)


def test_the_order_of_fields_is_the_one_given() -> None:
    domain = (RECORDS >> pv.Select(columns=["sex", "id"])).output.domain
    assert isinstance(domain, RecordsDomain)
    assert [name for name, _ in domain.columns] == ["sex", "id"]
