"""Tables in memory: any input becomes a member, row by row."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.balls import Norm
from privet.core.frames import MatrixDomain, PartitionDomain, Records, RecordsDomain
from privet.core.metric import HammingDistance, IdentifierDistance, InsertDelete, SymmetricDistance, row_keys
from privet.errors import InvalidError, NotExactError, WrongTypeError
from tests.laws.inputs import FLOATS, INTEGERS, JUNK, WORDS

CELLS = st.one_of(st.sampled_from([*FLOATS, *INTEGERS, *WORDS, *JUNK]), st.integers(), st.floats(), st.text())
ROWS = st.one_of(st.lists(CELLS, max_size=4), st.tuples(CELLS, CELLS), CELLS)
NAMED = st.one_of(
    st.dictionaries(st.sampled_from(["id", "age", "other"]), CELLS), st.tuples(CELLS, CELLS), st.lists(CELLS), CELLS
)
MATRICES = [
    pc.matrix(2),
    pc.matrix(2, bounds=[(0, 1), (-0.1, 50)]),
    pc.matrix(2, size=3),
    pc.matrix(2, bounds=(5, 6), size=3, ordered=True),
]
RECORDS = [
    pc.records(id=str, age=int),
    pc.records(id=pc.vector(str, categories=["a", "b"]), age=pc.vector(float, bounds=(0, 9), nullable=False)),
]


@pytest.mark.parametrize("space", MATRICES, ids=repr)
@settings(max_examples=60)
@given(rows=st.lists(ROWS, max_size=5))
def test_anything_becomes_a_matrix(space: pc.Space, rows: list[Any]) -> None:
    assert space.domain.member(space.domain.admit(rows))


@pytest.mark.parametrize("space", RECORDS, ids=repr)
@settings(max_examples=60)
@given(rows=st.lists(NAMED, max_size=5))
def test_anything_becomes_records(space: pc.Space, rows: list[Any]) -> None:
    assert space.domain.member(space.domain.admit(rows))


@settings(max_examples=60)
@given(rows=st.lists(ROWS, max_size=5), more=ROWS)
def test_no_row_of_a_matrix_changes_how_another_is_read(rows: list[Any], more: Any) -> None:
    domain = pc.matrix(2, bounds=(0, 9)).domain
    alone = row_keys(domain.admit(rows))
    assert row_keys(domain.admit([*rows, more]))[:-1] == alone
    assert row_keys(domain.admit([more, *rows]))[1:] == alone


@settings(max_examples=60)
@given(rows=st.lists(NAMED, max_size=5), more=NAMED)
def test_no_record_changes_how_another_is_read(rows: list[Any], more: Any) -> None:
    domain = RECORDS[0].domain
    alone = row_keys(domain.admit(rows))
    assert row_keys(domain.admit([*rows, more]))[:-1] == alone
    assert row_keys(domain.admit([more, *rows]))[1:] == alone


def test_cells_that_are_not_numbers_become_nan() -> None:
    read = pc.matrix(2).domain.admit([[1, "2"], [None, True], [3], 4, {}])
    assert np.isnan(read).tolist() == [[False, True], [True, False], [False, True], [True, True], [True, True]]


@pytest.mark.parametrize(
    "table",
    [
        [[1, 2], [3, None]],
        ((1.0, 2.0), (3.0, "x")),
        np.array([[1.0, 2.0], [3.0, math.nan]]),
        np.array([[1, 2], [3, None]], dtype=object),
        np.ma.MaskedArray([[1, 2], [3, 77]], mask=[[False, False], [False, True]]),
        pd.DataFrame({"a": [1, 3], "b": [2, None]}),
    ],
    ids=lambda table: type(table).__name__,
)
def test_all_containers_of_a_matrix_give_the_same_result(table: Any) -> None:
    assert row_keys(pc.matrix(2).domain.admit(table)) == [(1.0, 2.0), (3.0, ("nan",))]


@pytest.mark.parametrize(
    "table",
    [
        [{"id": "a", "age": 3}, {"id": None, "age": 4, "more": 5}],
        [("a", 3), [None, 4]],
        {"id": ["a", None], "age": [3, 4]},
        pd.DataFrame({"age": [3, 4], "id": ["a", None]}),
        pl.DataFrame({"age": [3, 4], "id": ["a", None]}),
        pa.table({"age": [3, 4], "id": ["a", None]}),
        Records({"id": np.ma.MaskedArray(["a", ""], mask=[False, True], dtype=object), "age": np.array([3, 4])}),
    ],
    ids=lambda table: f"{type(table).__module__.partition('.')[0]} {type(table).__name__}",
)
def test_all_containers_of_records_give_the_same_result(table: Any) -> None:
    assert row_keys(RECORDS[0].domain.admit(table)) == [("a", 3), (("null",), 4)]


def test_cells_are_clamped_to_the_grid_of_the_matrix() -> None:
    domain = pc.matrix(2, bounds=[(0, 1), (-1, 8)], grid=0.5).domain
    assert domain.admit([[0.3, 99], [-math.inf, 2.2]]).tolist() == [[0.5, 8.0], [0.0, 2.0]]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("count", [0, 2, 3, 7])
def test_a_matrix_has_the_stated_size(ordered: bool, count: int) -> None:
    domain = pc.matrix(2, size=3, ordered=ordered).domain
    assert len(domain.admit([[at, -at] for at in range(count)])) == 3


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6), st.data())
def test_one_row_more_changes_at_most_one_row_of_a_sized_matrix(rows: list[Any], data: Any) -> None:
    domain = pc.matrix(2, size=3).domain
    more = [*rows, (data.draw(st.integers(0, 2)), 1)]
    other = data.draw(st.permutations(more))
    assert SymmetricDistance().distance(domain.admit(rows), domain.admit(other), domain) <= 2


def test_a_sized_matrix_without_nan_is_filled_with_the_row_nearest_to_zero() -> None:
    domain = MatrixDomain(
        columns=2,
        bounds=((Fraction(5), Fraction(9)), (Fraction(-3), Fraction(-1))),
        grid=Fraction(1, 2),
        size=2,
        nan=False,
    )
    assert domain.admit([[None, -2]]).tolist() == [[5.0, -2.0], [5.0, -1.0]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros((2, 3)), "a table of 2 columns"),
        (np.zeros(2), "a table of 2 columns"),
        (pd.DataFrame({"a": [1]}), "a table of 2 columns"),
        (5, "a 2-d array, a list of rows or a pandas data frame, got int"),
        ("text", "got str"),
        (None, "got NoneType"),
    ],
)
def test_objects_that_are_not_matrices_are_refused_by_type(data: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        pc.matrix(2).domain.admit(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"id": ["secret"]}, "a column named 'age'"),
        (pd.DataFrame({"id": ["secret"]}), "a column named 'age'"),
        (7, "a column named 'id'"),
        (None, "a column named 'id'"),
        ({"id": ["secret"], "age": [1, 2]}, "the same length"),
        ({"id": "secret", "age": [1]}, "got str"),
    ],
)
def test_objects_that_are_not_records_are_refused_by_type(data: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message) as raised:
        RECORDS[0].domain.admit(data)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("value", "ours"),
    [
        (np.array([[0.5, 1.0]]), True),
        (np.array([[math.nan, 1.0]]), True),
        (np.array([[0.25, 1.0]]), False),
        (np.array([[0.5, 2.0]]), False),
        (np.array([[math.inf, 1.0]]), False),
        (np.array([[0.5]]), False),
        (np.array([[1, 1]]), False),
        (np.ma.MaskedArray([[0.5, 1.0]]), False),
        ([[0.5, 1.0]], False),
    ],
)
def test_the_members_of_a_matrix_domain(value: Any, ours: bool) -> None:
    assert pc.matrix(2, bounds=(0, 1), grid=0.5).domain.member(value) is ours


@pytest.mark.parametrize(("order", "inside"), [(1, [True, False, False]), (2, [True, True, False])])
def test_rows_outside_the_ball_are_not_members(order: Any, inside: list[bool]) -> None:
    ball = Norm(order=order, radius=Fraction(5), origin=(Fraction(0), Fraction(1)))
    domain = MatrixDomain(columns=2, norm=ball)
    assert [domain.member(np.array([row])) for row in ([1.0, 4.0], [3.0, 5.0], [4.0, 5.0])] == inside
    assert domain.member(np.array([[math.nan, 100.0]]))


def test_members_of_records_have_one_length_and_the_stated_columns() -> None:
    domain = pc.records(a=int, b=int).domain
    one, two = np.ma.MaskedArray([1]), np.ma.MaskedArray([1, 2])
    assert domain.member(Records({"a": one, "b": one}))
    assert not domain.member(Records({"a": one, "b": two}))
    assert not domain.member(Records({"b": one, "a": one}))
    assert not domain.member({"a": one, "b": one})


def test_rows_of_records_are_taken_together() -> None:
    some = RECORDS[0].domain.admit([("a", 1), ("b", 2), ("c", 3)]).take(np.array([2, 0]))
    assert row_keys(some) == [("c", 3), ("a", 1)]
    assert len(some) == 2


def test_records_look_up_columns_by_name() -> None:
    domain = RECORDS[0].domain
    assert isinstance(domain, RecordsDomain)
    assert domain.column("age") == pc.vector(int).domain
    assert domain.column("name") is None


def test_metrics_count_rows_of_tables() -> None:
    domain = pc.matrix(2).domain
    x, y = domain.admit([[1, 2], [3, None], [1, 2]]), domain.admit([[3, None], [1, 2], [2, 1]])
    assert SymmetricDistance().distance(x, y, domain) == 2
    assert HammingDistance().distance(x, y, domain) == 3
    assert InsertDelete().distance(x, y, domain) == 2


def test_a_row_differs_if_one_cell_does() -> None:
    domain = RECORDS[0].domain
    x, y = domain.admit([("a", 1), ("b", None)]), domain.admit([("b", None), ("a", 2)])
    assert SymmetricDistance().distance(x, y, domain) == 2
    assert SymmetricDistance().distance(x, x.take([1, 0]), domain) == 0


def test_each_person_counts_once() -> None:
    domain, metric = RECORDS[0].domain, IdentifierDistance("id")
    x = domain.admit([("a", 1), ("a", 2), ("b", 1), ("c", 1)])
    y = domain.admit([("c", 1), ("a", 1), ("d", 5), ("d", 6)])
    assert metric.distance(x, y, domain) == 2 + 1 + 1  # a has other records, b left, d came


def test_a_partition_has_the_stated_number_of_parts() -> None:
    domain = PartitionDomain(parts=2, inner=pc.vector(int).domain)
    parts = domain.admit([[1, None], []])
    assert domain.member(parts)
    assert not domain.member(parts[:1])
    with pytest.raises(WrongTypeError, match="a list of 2 parts"):
        domain.admit([[1]])
    assert domain.describe() == "partition(2, vector(int))"


def test_tables_are_written_as_they_are_made() -> None:
    assert repr(pc.matrix(2, bounds=[(0, 1), (5, 9)], size=3)) == "matrix(2, bounds=((0, 1), (5, 9)), size=3)"
    assert repr(pc.records(id=str, age=pc.vector(int, bounds=(0, 9)))) == "records(id=str, age=int)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"columns": 0}, InvalidError, "matrix.columns must be one or more, got 0."),
        ({"columns": 1.5}, WrongTypeError, "matrix.columns must be a whole number"),
        ({"columns": 2, "size": -1}, InvalidError, "matrix.size must be zero or more"),
        ({"columns": 2, "ordered": True}, InvalidError, "matrix.ordered needs a public size"),
        ({"columns": 3, "bounds": [(0, 1)]}, WrongTypeError, "a list of 3 pairs"),
        ({"columns": 2, "bounds": [(0, 1), (1, 0)]}, InvalidError, r"matrix.bounds\[1\]: lower must be below upper"),
        ({"columns": 1, "bounds": (0, math.inf)}, NotExactError, "finite"),
        ({"columns": 2, "bounds": [(0, 1), (0, 1e18)]}, InvalidError, "two points inside the bounds"),
    ],
)
def test_wrong_matrices_are_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.matrix(**arguments)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({}, WrongTypeError, "at least one field"),
        ({"age": 5}, WrongTypeError, "records.age must be a kind such as int"),
        ({"age": pc.matrix(2)}, WrongTypeError, "made by pc.vector"),
        ({"age": pc.vector(int, size=3)}, InvalidError, "records.age cannot have a size of its own"),
    ],
)
def test_wrong_records_are_refused(columns: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.records(**columns)


def test_data_are_not_read_into_a_ball_unclamped() -> None:
    inside = (pc.matrix(2) >> pc.ClampNorm(radius=1)).output
    for rows in ([], [[9, 9]]):
        with pytest.raises(WrongTypeError, match="and put ClampNorm"):
            (inside >> pc.VectorSum())(rows)
