"""Metadata of SmartNoise SQL: what has a meaning here is kept, the rest is told, what is wrong is refused by line."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsReplaced
from privet.tables.codebook.problem import CodebookError
from privet.tables.codebook.smartnoise import read_smartnoise
from privet.tables.columns.unit import Persons, Rows

CLINIC = """\
Database:
  clinic:
    visits:
      max_ids: 5
      rows: 1000
      clamp_counts: True
      sample_max_ids: no
      patient:
        type: string
        private_id: True
        cardinality: 400
      duration:
        type: float
        lower: 0.1
        upper: 600
        missing_value: 0.5
      age:
        type: int
        lower: 0
        upper: 120
        nullable: false
      smoker:
        type: boolean
      seen:
        type: datetime
      notes:
        type: unknown
engine: csv
"""


def table(**keys: Any) -> dict[str, Any]:
    return {"": {"s": {"t": keys}}}


def told(text: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "meta.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CodebookError) as caught:
        read_smartnoise(path)
    return str(caught.value).replace(f"{path}:", "").split("\n")


def test_a_file_is_read_with_notes(tmp_path: Path) -> None:
    path = tmp_path / "clinic.yaml"
    path.write_text(CLINIC, encoding="utf-8")
    found = read_smartnoise(path)
    assert found.codebook.table == "visits"
    assert found.codebook.unit == Persons(id="patient", rows=5)
    assert found.codebook.columns == {
        "patient": column("text"),
        "duration": column("real", bounds=(Fraction(1, 10), 600), nulls=NullsReplaced(0.5)),
        "age": column("integer", bounds=(0, 120)),
        "smoker": column("boolean"),
        "seen": column("timestamp"),
    }
    assert found.notes == (
        "engine is left out: names are compared as written.",
        "cardinality of 'patient' is not used; list the categories that are public.",
        "nullable of 'age' is not relied on: nulls that occur all the same are left out.",
        "column 'seen' is read as a timestamp; write date if it holds days.",
        "column 'notes' is left out: its type is unknown.",
        ("clamp_counts is left out: whether counts below zero are moved to zero is decided after a release."),
        "sample_max_ids is left out: caps are always kept to, whatever the table holds.",
        "rows is left out: how many rows there are is private.",
    )


def test_the_same_in_dictionaries(tmp_path: Path) -> None:
    import yaml

    path = tmp_path / "clinic.yaml"
    path.write_text(CLINIC, encoding="utf-8")
    assert read_smartnoise(yaml.safe_load(CLINIC)).codebook == read_smartnoise(path).codebook


def test_row_privacy_is_a_row() -> None:
    assert read_smartnoise(table(row_privacy=True, a={"type": "int"})).codebook.unit == Rows()


def test_one_row_of_a_person_is_the_default() -> None:
    found = read_smartnoise(table(p={"type": "int", "private_id": True}))
    assert found.codebook.unit == Persons(id="p", rows=1)


def test_with_row_privacy_an_identifier_is_a_column_like_others() -> None:
    found = read_smartnoise(table(row_privacy=True, p={"type": "int", "private_id": True}))
    assert found.codebook.unit == Rows()
    assert found.notes == ("column 'p' is not used to tell persons apart, since row_privacy is set.",)


def test_an_identifier_is_neither_clamped_nor_filled() -> None:
    found = read_smartnoise(table(p={"type": "int", "private_id": True, "lower": 0, "upper": 9, "missing_value": 0}))
    assert found.codebook["p"] == column("integer")
    assert len(found.notes) == 2


def test_one_bound_is_none() -> None:
    found = read_smartnoise(table(row_privacy=True, a={"type": "int", "lower": 0}))
    assert found.codebook["a"] == column("integer")
    assert found.notes == ("lower of 'a' is left out: bounds are a lower and an upper one.",)


def test_a_stated_sensitivity_is_not_believed() -> None:
    found = read_smartnoise(table(row_privacy=True, a={"type": "int", "lower": 0, "upper": 9, "sensitivity": 1}))
    assert found.codebook["a"] == column("integer", bounds=(0, 9))
    assert found.notes == ("sensitivity of 'a' follows from the bounds.",)


@pytest.mark.parametrize("name", ['"Sale-Amount"', "`Sale-Amount`", "[Sale-Amount]", "Sale-Amount"])
def test_quotes_of_sql_are_taken_off(name: str) -> None:
    assert list(read_smartnoise(table(row_privacy=True, **{name: {"type": "int"}})).codebook.columns) == ["Sale-Amount"]


def test_a_column_may_be_named_like_an_option() -> None:
    found = read_smartnoise(table(row_privacy=True, rows={"type": "int"}))
    assert found.codebook["rows"] == column("integer")


def test_one_of_several_tables_is_chosen() -> None:
    inner = {"row_privacy": True, "a": {"type": "int"}}
    data = {"d": {"s": {"t": inner, "u": inner}, "r": {"t": inner}}}
    assert read_smartnoise(data, table="u").codebook.table == "u"
    assert read_smartnoise(data, table="r.t").codebook.table == "t"
    with pytest.raises(CodebookError, match="Say which one, table=...: one of s.t, s.u, r.t."):
        read_smartnoise(data)
    with pytest.raises(CodebookError, match="there are several tables. Say which one, table=...: one of s.t, r.t."):
        read_smartnoise(data, table="t")
    with pytest.raises(CodebookError, match="there is no table 'x'. There are s.t, s.u, r.t."):
        read_smartnoise(data, table="x")


HEAD = "d:\n  s:\n    t:\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "      a: {type: int}\n",
            "4: d.s.t must have row_privacy: true, or private_id: true on a column: there is nothing to protect.",
        ),
        (
            "      a: {type: int, private_id: true}\n      b: {type: int, private_id: yes}\n",
            "4: d.s.t must have one private_id, got a, b; make one column of them first.",
        ),
        (
            "      row_privacy: true\n      max_ids: 3\n      a: {type: int}\n",
            "5: d.s.t.max_ids must be 1 with row_privacy, got 3.",
        ),
        ("      row_privacy: true\n", "4: d.s.t must have at least one column."),
        (
            "      row_privacy: maybe\n      a: {type: int, private_id: on}\n",
            "4: d.s.t.row_privacy must be true or false, got maybe.",
        ),
        (
            "      max_ids: many\n      a: {type: int, private_id: on}\n",
            "4: d.s.t.max_ids must be a number such as 600, 0.1, 1e3 or 1/3, got many.",
        ),
        (
            "      row_privacy: true\n      a: {type: decimal}\n",
            "5: d.s.t.a.type must be one of int, float, string, boolean, datetime, date, got 'decimal'.",
        ),
        (
            "      row_privacy: true\n      a: {lower: 1}\n",
            "5: d.s.t.a.type is missing. Write one of int, float, string, boolean, datetime, date.",
        ),
        (
            "      row_privacy: true\n      a: {type: int, lower: 9, upper: 1}\n",
            "5: d.s.t.a.lower: lower must be below upper, got lower=9, upper=1.",
        ),
        (
            "      row_privacy: true\n      a: {type: string, lower: 1, upper: 2}\n",
            "5: d.s.t.a: lower and upper are for int and float, got text.",
        ),
        (
            "      row_privacy: true\n      a: {type: int, lower: 1, upper: 2, missing_value: 7}\n",
            "5: d.s.t.a.missing_value must lie within the bounds of the column, got 7.",
        ),
        (
            "      row_privacy: true\n      a: {type: int, is_key: true}\n",
            "5: d.s.t.a.is_key is no key of a column here. Did you mean private_id?",
        ),
        (
            "      row_privacy: true\n      a: {type: int, uper: 7}\n",
            "5: d.s.t.a.uper is no key of a column. Did you mean upper?",
        ),
        (
            "      row_privacy: true\n      epsilon: 3\n",
            "5: d.s.t.epsilon must have keys such as type, name, private_id, got 3.",
        ),
        (
            "      row_privacy: true\n      a: {type: int}\n      '\"a\"': {type: int}\n",
            '6: d.s.t."\\"a\\"" has the name of another column, \'a\'.',
        ),
        (
            "      a: {type: float, private_id: true}\n",
            "4: Codebook.unit.id must be an integer or text column, got real column 'a'.",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(body: str, expected: str, tmp_path: Path) -> None:
    assert told(HEAD + body, tmp_path) == [expected]


def test_a_file_of_something_else() -> None:
    with pytest.raises(CodebookError, match="must be a database of schemas of tables, got none"):
        read_smartnoise({"a": 3})


WORDS = [
    "type",
    "int",
    "float",
    "string",
    "boolean",
    "datetime",
    "private_id",
    "lower",
    "upper",
    "missing_value",
    "nullable",
]
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(WORDS)
columns = st.dictionaries(st.sampled_from(WORDS), scalars, max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(["row_privacy", "max_ids", "rows", "a", "b", "engine"]), columns | scalars))
def test_whatever_is_given_is_read_or_refused(keys: Any) -> None:
    for data in (table(**keys), {"": {"s": keys}}, {"": keys}, keys):
        try:
            codebook = read_smartnoise(data).codebook
        except CodebookError:
            continue
        assert Codebook.from_yaml(codebook.to_yaml()) == codebook
