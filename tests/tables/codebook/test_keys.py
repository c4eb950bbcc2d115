"""The keys of a codebook: every one is documented, and the JSON Schema accepts what is written and refuses the rest."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from privet.core.problem import Problem
from privet.tables.codebook.cap_keys import CAPS_OF_COLUMN, CAPS_OF_COLUMNS
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.column_keys import COLUMN
from privet.tables.codebook.file_keys import FILE
from privet.tables.codebook.keys import CAPS, CODEBOOK, PERIOD, SAMPLE, SAMPLING, UNIT
from privet.tables.codebook.part import Part
from privet.tables.codebook.problem import CodebookError
from privet.tables.columns.unit import Persons, Rows

ROOT = Path(__file__).parents[3]
FORMATS = sorted((ROOT / "tests" / "formats").glob("codebook-*"))
PATHS: dict[str, Part[Any]] = {
    "": CODEBOOK,
    "unit.": UNIT,
    "unit.caps.": CAPS,
    "unit.caps.by.NAME.": CAPS_OF_COLUMN,
    "unit.caps.by[].": CAPS_OF_COLUMNS,
    "unit.period.": PERIOD,
    "sampling.": SAMPLING,
    "sampling.simple.": SAMPLE,
    "columns.NAME.": COLUMN,
    "file.": FILE,
}


def kept(name: str) -> Codebook:
    return Codebook.read(ROOT / "tests" / "formats" / name)


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: path.name)
def test_files_of_every_format_are_read_for_ever(path: Path) -> None:
    codebook = Codebook.read(path)
    assert codebook == kept("codebook-1.yaml")
    assert len(codebook.columns) == 10
    if path.suffix == ".json":
        assert Codebook.from_dict(json.loads(path.read_text(encoding="utf-8"))) == codebook


def test_there_are_files_of_every_format() -> None:
    assert [path.name for path in FORMATS] == [
        f"codebook-{version}.{kind}" for version in (0, 1) for kind in ("json", "yaml")
    ]


def test_what_is_written_begins_with_its_format() -> None:
    codebook = kept("codebook-0.yaml")
    assert codebook.to_yaml() == (ROOT / "tests/formats/codebook-1.yaml").read_text(encoding="utf-8")
    assert codebook.to_dict() == json.loads((ROOT / "tests/formats/codebook-1.json").read_text(encoding="utf-8"))
    assert next(iter(codebook.to_dict())) == "format"


def test_a_newer_format_is_refused_with_the_version_that_is_needed() -> None:
    with pytest.raises(CodebookError) as caught:
        Codebook.from_yaml("unit: {rows: none}\nformat: codebook/2\nnew: key\n")
    message = "format: codebook/2 needs a newer version of Privet: this one reads up to codebook/1."
    assert caught.value.problems == (Problem(path="format", rule="format", message=message, line=2, position=9),)


@pytest.mark.parametrize("text", ["release/1", "1", "codebook"])
def test_another_format_is_refused(text: str) -> None:
    with pytest.raises(CodebookError, match="^line 1: format"):
        Codebook.from_yaml(f"format: {text}\nunit: {{rows: 1}}\ncolumns:\n  a: {{type: text}}\n")


def test_every_key_has_its_line_in_the_documentation() -> None:
    page = (ROOT / "docs" / "tables" / "codebook.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (`[^|]*) \|", page.partition("## Every key")[2].partition("\n- **Grid")[0], flags=re.M)
    documented = []
    for row in table:
        first, *others = re.findall(r"`([^`]+)`", row)
        documented += [first, *(first.rpartition(".")[0] + each for each in others)]
    keys = [f"{path}{name}" for path, part in PATHS.items() for name in part.names]
    inner = {"unit.caps", "unit.period", "sampling.simple"}
    assert sorted(documented) == sorted(set(keys) - inner)


def refusals(schema: Any, data: Any, path: str = "") -> list[str]:
    """Say where data do not follow a schema: as much of JSON Schema as ours uses."""
    kinds: dict[str, Any] = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    named = schema.get("type", [])
    types = [named] if isinstance(named, str) else named
    if types and not any(isinstance(data, kinds[kind]) for kind in types):
        return [path]
    if "enum" in schema and data not in schema["enum"]:
        return [path]
    if "anyOf" in schema and all(refusals(each, data) for each in schema["anyOf"]):
        return [path]
    if "oneOf" in schema and sum(not refusals(each, data) for each in schema["oneOf"]) != 1:
        return [path]
    if isinstance(data, str) and not re.search(schema.get("pattern", ""), data):
        return [path]
    if isinstance(data, int) and not schema.get("minimum", data) <= data <= schema.get("maximum", data):
        return [path]
    if isinstance(data, list):
        fits = schema.get("minItems", 0) <= len(data) <= schema.get("maxItems", len(data))
        inner = [problem for item in data for problem in refusals(schema.get("items", {}), item, path)]
        return inner if fits else [path]
    if not isinstance(data, dict):
        return []
    missing = [f"{path}.{name}" for name in schema.get("required", []) if name not in data]
    if len(data) < schema.get("minProperties", 0):
        return [path]
    for name, item in data.items():
        known = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
        missing += [f"{path}.{name}"] if known is False else refusals(known, item, f"{path}.{name}")
    return missing


SCHEMA = Codebook.json_schema()


@pytest.mark.parametrize("path", [path for path in FORMATS if path.suffix == ".json"], ids=lambda path: path.name)
def test_the_schema_accepts_what_is_written(path: Path) -> None:
    assert refusals(SCHEMA, json.loads(path.read_text(encoding="utf-8"))) == []
    assert refusals(SCHEMA, Codebook(columns={"a": column("text")}, unit=Rows()).to_dict()) == []
    named = {"unit": {"rows": 1}, "columns": {"a": {"type": "real", "bounds": {"lower": 0, "upper": 1}}}}
    assert refusals(SCHEMA, named) == []
    assert Codebook.from_dict(named)["a"] == column("real", bounds=(0, 1))


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"format": "release/1"}, ".format"),
        ({"table": 3}, ".table"),
        ({"unit": {"rows": 1, "id": "a"}}, ".unit"),
        ({"unit": {"rows": 0}}, ".unit.rows"),
        ({"unit": {"id": "a", "caps": {"row": 1}}}, ".unit.caps.row"),
        ({"unit": {"id": "a", "period": {"column": "a"}}}, ".unit.period.length"),
        ({"sampling": {}}, ".sampling"),
        ({"columns": {}}, ".columns"),
        ({"columns": {"a": {}}}, ".columns.a.type"),
        ({"columns": {"a": {"type": "bigint"}}}, ".columns.a.type"),
        ({"columns": {"a": {"type": "real", "bounds": [1]}}}, ".columns.a.bounds"),
        ({"columns": {"a": {"type": "real", "nulls": "skip"}}}, ".columns.a.nulls"),
        ({"columns": {"a": {"type": "real", "nullable": False}}}, ".columns.a.nullable"),
        ({"warehouse": 1}, ".warehouse"),
    ],
)
def test_the_schema_refuses_what_is_refused(change: Any, where: str) -> None:
    data = {"unit": {"rows": 1}, "columns": {"a": {"type": "text"}}, **change}
    assert refusals(SCHEMA, data) == [where]
    with pytest.raises(CodebookError):
        Codebook.from_dict(data)


def test_problems_say_where_which_rule_and_what_to_do() -> None:
    with pytest.raises(CodebookError) as caught:
        Codebook.from_yaml("tabel: t\nunit: ???\ncolumns:\n  a: {type: bigint}\n  b: {bounds: [0, 1]}\n")
    assert [(each.path, each.rule, each.fix) for each in caught.value.problems] == [
        ("tabel", "unknown key", "Did you mean table?"),
        ("unit", "open question", "Write what is protected, {rows: 1} or {id: COLUMN}."),
        ("columns.a.type", "value", "Did you mean integer?"),
        ("columns.b.type", "missing key", "Write one of integer, real, boolean, text, date, timestamp."),
    ]


def test_a_draw_from_nothing_is_refused() -> None:
    """A column with an empty imputation was once left out without a word."""
    data = {"unit": {"rows": 1}, "columns": {"a": {"type": "text"}, "b": {"type": "text", "nulls": {"impute": {}}}}}
    message = "columns.b.nulls.impute must have one of the keys uniform, gaussian or categories, got no keys"
    with pytest.raises(CodebookError, match=message):
        Codebook.from_dict(data)


def test_caps_by_column_are_written_read_and_accepted() -> None:
    caps = {"month": {"groups": 3, "rows_per_group": 2}, "town": {"rows_per_group": 1}}
    columns = {"id": column("text"), "month": column("integer"), "town": column("text")}
    book = Codebook(columns=columns, unit=Persons("id", rows=9, by=caps))
    written = book.to_dict()
    assert written["unit"]["caps"] == {"rows": 9, "by": caps}
    assert Codebook.from_dict(written) == Codebook.from_yaml(book.to_yaml()) == book
    assert refusals(SCHEMA, written) == []
    for wrong in ({"month": {"groups": 0}}, {"month": {"most": 1}}, {}, {"month": 3}):
        assert refusals(SCHEMA, {**written, "unit": {"id": "id", "caps": {"by": wrong}}}) != []
        with pytest.raises(CodebookError, match=r"unit\.caps\.by"):
            Codebook.from_dict({**written, "unit": {"id": "id", "caps": {"by": wrong}}})
