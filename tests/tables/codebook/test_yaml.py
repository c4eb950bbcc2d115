"""Codebooks in YAML: what is typed is what is meant, and every problem is told with its line."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core.problem import Problem
from privet.errors import InvalidError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.problem import CodebookError
from privet.tables.codebook.tree import LARGEST_FILE
from tests.tables.wrong_codebook_parts import HEAD, col
from tests.tables.wrong_codebooks import WRONG

read, from_yaml = Codebook.read, Codebook.from_yaml
GOOD = """\
table: visits
unit: {rows: 1}
columns:
  duration: {type: real, bounds: [0, 600]}
"""


def bounds_of(codebook: Codebook, name: str) -> Any:
    return codebook[name].column.bounds


def told(error: CodebookError) -> list[str]:
    return [f"{problem.line}: {problem.text}" if problem.line else problem.text for problem in error.problems]


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    text, expected = WRONG[name]
    path = tmp_path / "wrong.yaml"
    path.write_bytes(text.encode())
    with pytest.raises(CodebookError) as caught:
        read(path)
    assert told(caught.value) == expected
    lines = [f"{path}:{item}" if item[0].isdigit() else f"{path}: {item}" for item in expected]
    assert str(caught.value) == "\n".join(lines)


def test_there_are_many_wrong_files() -> None:
    assert len(WRONG) >= 60


def test_the_message_is_that_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("visits.yaml").write_text("\n" * 8 + GOOD.replace("[0, 600]", "[600, 0]"), encoding="utf-8")
    with pytest.raises(CodebookError) as caught:
        Codebook.read("visits.yaml")
    assert str(caught.value) == (
        "visits.yaml:12: columns.duration.bounds: lower must be below upper, got lower=600, upper=0."
    )
    assert caught.value.problems[0].position == 34


def test_a_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "visits.yaml"
    path.write_text(GOOD, encoding="utf-8")
    codebook = Codebook.read(path)
    assert codebook.table == "visits"
    assert bounds_of(codebook, "duration") == (0, 600)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "visits.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read(path).table == "visits"


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_of_other_systems(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "visits.yaml"
    path.write_bytes(GOOD.replace("\n", ending).encode())
    assert read(path) == from_yaml(GOOD)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("0.1", Fraction(1, 10)),
        ("1e3", Fraction(1000)),
        ("1E-3", Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        ("0.30000000000000000000000000000000001", Fraction("0.30000000000000000000000000000000001")),
        ("+5", Fraction(5)),
        ("5.", Fraction(5)),
        (".5", Fraction(1, 2)),
        ("'0.1'", Fraction(1, 10)),
    ],
)
def test_a_number_means_its_decimal(typed: str, meant: Fraction) -> None:
    assert bounds_of(from_yaml(col(f"type: real\nbounds: [-1, {typed}]")), "a") == (-1, meant)


def test_a_grid_may_be_a_power() -> None:
    assert from_yaml(col("type: real\nbounds: [0, 1]\ngrid: 2^-10"))["a"].column.grid == Fraction(1, 1024)


def test_bounds_may_be_named() -> None:
    assert bounds_of(from_yaml(col("type: real\nbounds: {upper: 2, lower: 1}")), "a") == (1, 2)


@pytest.mark.parametrize(
    "word", ["no", "yes", "on", "off", "y", "true", "False", "010", "1:30", "0x1F", "1e3", "2024-01-01"]
)
def test_a_category_is_the_text_that_was_typed(word: str) -> None:
    assert from_yaml(col(f"type: text\ncategories: [{word}, other]"))["a"].column.categories == (word, "other")


@pytest.mark.parametrize("word", ["no", "null", "~", "010", "1.0", "true", "<<", "2024-01-01", '""', "'a: b'"])
def test_the_name_of_a_column_is_the_text_that_was_typed(word: str) -> None:
    assert list(from_yaml(HEAD + f"  {word}: {{type: text}}\n").columns) == [word.strip("\"'")]


def test_integers_are_categories_by_value() -> None:
    assert from_yaml(col("type: integer\ncategories: [1, 2e1, -3]"))["a"].column.categories == (1, 20, -3)


def test_json_is_yaml() -> None:
    codebook = from_yaml(col("type: real\nbounds: [0, 1/3]"))
    assert from_yaml(json.dumps(codebook.to_dict())) == codebook


def test_problems_are_sorted_and_said_once() -> None:
    with pytest.raises(CodebookError) as caught:
        from_yaml("unit: {id: q}\nlast: 1\ncolumns:\n  a: {type: bigint}\nfirst: 1\n")
    lines = [problem.line for problem in caught.value.problems]
    assert lines == sorted(lines, key=lambda line: line or 0) == [1, 2, 4, 5]


def test_a_flood_of_problems_is_cut_in_the_message_only() -> None:
    with pytest.raises(CodebookError) as caught:
        from_yaml(col("type: text\n" + "\n".join(f"k{number}: 1" for number in range(80))))
    assert len(caught.value.problems) == 80
    assert str(caught.value).endswith("and 30 more.")


def test_open_questions_are_marked() -> None:
    with pytest.raises(CodebookError) as caught:
        from_yaml("unit: ???\ncolumns:\n  a: {type: text}\n  b: {type: real, bounds: [1, 0]}\n")
    assert [problem.open for problem in caught.value.problems] == [True, False]


def test_a_quoted_question_is_a_text() -> None:
    assert from_yaml(col('type: text\ncategories: ["???"]'))["a"].column.categories == ("???",)


BOMBS = {
    "billion laughs": "a: &a [x, x]\n"
    + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)),
    "brackets": "[" * 300_000,
    "braces": "{" * 300_000,
    "dashes": "- " * 200_000,
    "question marks": "? " * 200_000,
    "anchors": "&a " * 100_000,
    "python objects": "!!python/object/new:os.system [echo]\n",
    "long exponent": col("type: real\nbounds: [0, 1e99999999999999999999]"),
    "long digits": col(f"type: real\nbounds: [0, {'9' * 100_000}]"),
    "long ratio": col(f"type: real\nbounds: [0, 1/{'9' * 100_000}]"),
    "long exponent of a grid": col("type: real\nbounds: [0, 1]\ngrid: 2^99999999"),
    "escape beyond unicode": '"\\Uffffffff": 1\n',
    "directive": "%YAML 3.0\n---\na: 1\n",
    "lone surrogate": HEAD + '  "\\ud800": {type: text}\n',
    "too large": "#" * (LARGEST_FILE + 1),
    "nul": "a: \0\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_hostile_files_are_refused(name: str) -> None:
    with pytest.raises(CodebookError):
        from_yaml(BOMBS[name])


PIECES = st.sampled_from(
    [*"[]{}:,-?&*!|>'\"#%@` \n\t\0~=<", "\n  ", "a: ", "null", "???", "1e9", "\u2028", "\ufeff", "---\n"]
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([GOOD, *(text for text, _ in WRONG.values() if len(text) < 500)]), st.data())
def test_a_damaged_file_is_read_or_refused(text: str, data: Any) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        text = text[:start] + data.draw(PIECES) + text[start + data.draw(st.integers(0, 3)) :]
    try:
        codebook = from_yaml(text)
    except CodebookError:
        return
    assert from_yaml(codebook.to_yaml()) == codebook


def test_nothing_is_constructed_from_a_tag(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    with pytest.raises(CodebookError):
        from_yaml(f"a: !!python/object/apply:pathlib.Path.touch [{witness}]\n")
    assert not witness.exists()


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(10**12)  # a hole: it takes no room
    with pytest.raises(CodebookError, match="smaller than"):
        read(path)


def test_other_encodings_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"table: x\ndescription: caf\xe9\n")
    with pytest.raises(CodebookError) as caught:
        read(path)
    assert caught.value.problems == (
        Problem(rule="syntax", message="a codebook must be text in UTF-8.", file=str(path), line=2),
    )


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InvalidError, match=r"there is no file 'nowhere.yaml'; check the path\."):
        read("nowhere.yaml")
