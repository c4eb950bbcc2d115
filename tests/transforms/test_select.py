"""Some of the columns of a table."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.balls import Norm
from privet.core.frames import MatrixDomain, Records, RecordsDomain
from privet.core.metric import IdentifierDistance, SymmetricDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

RECORDS = pc.records(id=str, age=bool, sex=bool)
PERSONS = pc.Space(RECORDS.domain, IdentifierDistance("id"))
CASES = [
    Case(name="select columns of a matrix", chain=pc.matrix(3, size=1) >> pc.Select(columns=[2, 0])),
    Case(name="select a bounded column", chain=pc.matrix(2, bounds=[(0, 1), (5, 9)]) >> pc.Select(columns=1)),
    Case(name="select fields", chain=RECORDS >> pc.Select(columns=["sex", "id"])),
    Case(name="select a field", chain=RECORDS >> pc.Select(columns="age")),
    Case(name="select of persons", chain=PERSONS >> pc.Select(columns=["age", "id"])),
]


@frozen
class Fullest(TwinOf):
    """Takes the column with the fewest missing values, which one row can change."""

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
    Twin(law="map", case=Case(name="the fullest column", chain=pc.matrix(2) >> Fullest(pc.Select(columns=0)))),
    Twin(law="map", case=Case(name="columns sorted apart", chain=pc.matrix(3) >> Sorted(pc.Select(columns=[2, 0])))),
    Twin(law="map", case=Case(name="another field", chain=RECORDS >> Drops(pc.Select(columns="age")))),
]


def test_one_column_is_a_vector_and_a_list_is_a_table() -> None:
    rows = [[1, 2, 3], [4, 5, None]]
    assert (pc.matrix(3) >> pc.Select(columns=1))(rows).tolist() == [2.0, 5.0]
    assert (pc.matrix(3) >> pc.Select(columns=[1]))(rows).tolist() == [[2.0], [5.0]]
    assert (pc.matrix(3) >> pc.Select(columns=[1, 0]))(rows).tolist() == [[2.0, 1.0], [5.0, 4.0]]
    narrow = (RECORDS >> pc.Select(columns=["age"]))([{"age": 3}])
    assert isinstance(narrow, Records)
    assert list(narrow.columns) == ["age"]


def test_a_vector_keeps_bounds_grid_and_size() -> None:
    chain = pc.matrix(2, bounds=[(0, 1), (5, 9)], size=4, grid=0.5) >> pc.Select(columns=1)
    assert repr(chain.output) == "vector(float, bounds=(5, 9), size=4, nullable=False)"
    assert (chain >> pc.Mean()).map(2) == 1


def test_a_field_keeps_its_domain() -> None:
    domain = pc.records(id=str, age=pc.vector(int, bounds=(0, 120))).domain
    chain = pc.Space(domain, SymmetricDistance()) >> pc.Select(columns="age")
    assert (chain >> pc.Sum()).map(1) == 120


def test_the_rest_of_a_row_lies_in_the_rest_of_the_ball() -> None:
    ball = Norm(order=2, radius=Fraction(1), origin=(Fraction(0), Fraction(5)))
    domain = MatrixDomain(columns=2, norm=ball, nan=False)
    narrow = pc.Select(columns=[1]).output(pc.Space(domain, SymmetricDistance())).domain
    assert isinstance(narrow, MatrixDomain)
    assert narrow.norm == Norm(order=2, radius=Fraction(1), origin=(Fraction(5),))
    gaps = pc.Select(columns=[1]).output(pc.Space(evolve(domain, nan=True), SymmetricDistance())).domain
    assert isinstance(gaps, MatrixDomain)
    assert gaps.norm is None


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ([], WrongTypeError, "a name or a position, or a list"),
        (None, WrongTypeError, "a name or a position, or a list"),
        ([1.5], WrongTypeError, "a name or a position, or a list"),
        ([True], WrongTypeError, "a name or a position, or a list"),
        ([1, 1], InvalidError, "different columns"),
    ],
)
def test_wrong_columns_are_refused(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Select(columns=columns)


@pytest.mark.parametrize(
    ("space", "columns", "error", "message"),
    [
        (pc.matrix(2), 2, WrongTypeError, "positions from 0 to 1"),
        (pc.matrix(2), [-1], WrongTypeError, "positions from 0 to 1"),
        (pc.matrix(2), "a", WrongTypeError, "positions from 0 to 1"),
        (RECORDS, "name", MismatchError, "columns of the records, id, age, sex; got 'name'"),
        (RECORDS, [0], MismatchError, "got 0"),
        (PERSONS, ["age"], MismatchError, "a list with 'id', the identifier"),
        (PERSONS, "id", MismatchError, "a list with 'id', the identifier"),
        (pc.vector(int), 0, MismatchError, "got a single column"),
    ],
)
def test_columns_must_be_there(space: Space, columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> pc.Select(columns=columns)


def test_the_order_of_fields_is_the_one_given() -> None:
    domain = (RECORDS >> pc.Select(columns=["sex", "id"])).output.domain
    assert isinstance(domain, RecordsDomain)
    assert [name for name, _ in domain.columns] == ["sex", "id"]
