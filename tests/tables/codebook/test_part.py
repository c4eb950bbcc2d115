"""Parts: one list of keys decides what is read, written, asked for in a template and described in JSON Schema."""

from typing import Any

import pytest
from attrs import evolve

from privet.tables.codebook import scalars
from privet.tables.codebook.column_keys import COLUMN
from privet.tables.codebook.keys import CODEBOOK, FORMAT, PARTS, VERSION
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.codebook.problem import CodebookError, codebook_problems
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import from_python

PRECISION = Key(
    name="precision",
    read=lambda reader, node, _: reader.scalar(node, scalars.cap),
    write=lambda digits, _: digits,
    template=lambda kind: ["precision: ???"] if kind == "real" else [],
    schema={"type": "integer", "minimum": 1},
    since=VERSION + 1,
)


def read(part: Part[Any], data: object) -> Any:
    problems = codebook_problems()
    made = part.read(TreeReader(problems), from_python(data, problems))
    problems.raise_any()
    return made


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.thing)
def test_a_key_that_is_added_to_the_list_reaches_all_four(part: Part[Any]) -> None:
    """The one test that a new key needs: nothing but the list knows of it."""
    longer: Part[Values] = Part(part.thing, (*part.keys, PRECISION), lambda _, __, values: values)
    optional = evolve(longer, keys=tuple(evolve(key, missing="") for key in longer.keys))
    assert read(optional, {"precision": 3}) == {"precision": 3}
    with pytest.raises(CodebookError, match="precision must be above zero, got 0"):
        read(optional, {"precision": 0})
    assert longer.write({"precision": 3}) == {"precision": 3}
    schema: Any = longer.schema()
    assert schema["properties"]["precision"] == {"type": "integer", "minimum": 1}
    if part is COLUMN:
        assert "precision: ???" in longer.template("real")
        assert "precision: ???" not in longer.template("text")
    with pytest.raises(CodebookError, match="precision is no key of") as caught:
        read(part, {"precision": 3})
    assert {problem.rule for problem in caught.value.problems} <= {"unknown key", "missing key"}


def test_the_version_is_that_of_the_newest_key() -> None:
    assert max(key.since for part in PARTS for key in part.keys) == VERSION
    assert f"codebook/{VERSION}" == FORMAT
    assert CODEBOOK.names[0] == "format"


TWO = Part(
    "a pair",
    (
        Key(name="first", read=lambda reader, node, _: reader.scalar(node, scalars.cap), schema={}, missing="Write 1."),
        Key(
            name="second",
            read=lambda reader, node, known: reader.scalar(node, lambda _, item: known["first"] + item.value),
            schema={},
            needs=("first",),
        ),
        Key(name="early", read=lambda _, __, known: sorted(known), schema={}, last=True),
        Key(name="late", read=lambda reader, node, _: reader.scalar(node, scalars.cap), schema={}),
    ),
    lambda _, __, values: values,
)


def test_a_key_is_read_with_what_is_known_before_it() -> None:
    assert read(TWO, {"second": 2, "first": 1, "early": 0, "late": 3}) == {
        "first": 1,
        "second": 3,
        "late": 3,
        "early": ["first", "late", "second"],
    }


def test_a_key_is_not_read_where_what_it_needs_is_wrong() -> None:
    with pytest.raises(CodebookError) as caught:
        read(TWO, {"first": 0, "second": 2})
    assert [(problem.path, problem.rule) for problem in caught.value.problems] == [("first", "value")]
    with pytest.raises(CodebookError) as caught:
        read(TWO, {"second": 2})
    assert str(caught.value) == "first is missing. Write 1."


def test_what_is_known_outside_is_known_inside() -> None:
    problems = codebook_problems()
    node = from_python({"first": 1, "early": 0}, problems)
    values = TWO.read(TreeReader(problems), node, {"columns": {}})
    assert values is not None
    assert values["early"] == ["columns", "first"]


def test_what_says_nothing_is_not_written() -> None:
    assert TWO.write({"first": None, "late": 3, "other": 4}) == {"late": 3}
