"""Columns by name: one message for a name that is not there, and names that engines can tell apart."""

from typing import Any

import pytest

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.columns.columns import check_names, closest, find_column

AGE = Column(kind="integer")
COLUMNS = {"id": Column(kind="text"), "age": AGE}


def test_a_column_is_found() -> None:
    assert find_column("mean('age')", "age", COLUMNS) is AGE


@pytest.mark.parametrize(
    ("where", "name", "at", "message"),
    [
        ("", "agge", "", "there is no column 'agge'; there are 'id', 'age'. Did you mean 'age'?"),
        ("join", "Age", "here", "join: there is no column 'Age' here; there are 'id', 'age'. Did you mean 'age'?"),
        ("mean", "ward", "", "mean: there is no column 'ward'; there are 'id', 'age'."),
    ],
)
def test_a_name_that_is_not_there(where: str, name: str, at: str, message: str) -> None:
    with pytest.raises(InvalidError) as caught:
        find_column(where, name, COLUMNS, at=at)
    assert str(caught.value) == message


def test_a_long_list_is_cut() -> None:
    many = {f"column {number}": AGE for number in range(50)}
    with pytest.raises(InvalidError, match=r"there are 'column 0', .*'column 19', 30 more\.$"):
        find_column("", "x" * 10_000, many)
    with pytest.raises(InvalidError, match=r"there are none\.$"):
        find_column("", "x", {})


@pytest.mark.parametrize("name", [3, None, ["age"]])
def test_a_column_is_given_by_its_name(name: Any) -> None:
    with pytest.raises(WrongTypeError, match=r"^mean takes the name of a column, got "):
        find_column("mean", name, COLUMNS)


def test_the_nearest_word_is_hinted_at() -> None:
    assert closest("Unit", ["table", "unit"]) == " Did you mean unit?"
    assert closest("warehouse", ["table", "unit"]) == ""


def test_names_differ_in_more_than_capitals() -> None:
    check_names("columns", ["a", "b"])
    with pytest.raises(InvalidError, match=r"^columns must differ in more than capital letters, got 'a' and 'A'"):
        check_names("columns", ["a", "b", "A"])
