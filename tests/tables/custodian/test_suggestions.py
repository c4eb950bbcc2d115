"""What the check suggests: keys that make values readable, and nothing that is declared already."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import privet as pv

UNIT = {"rows": 1}


def problems(path: Path, column: dict[str, Any], texts: list[str], **more: Any) -> list[str]:
    path.write_text("\n".join(["a", *(f'"{text}"' for text in texts)]) + "\n", encoding="utf-8")
    return [str(each) for each in pv.check(path, {"unit": UNIT, "columns": {"a": column}, **more}).problems]


SUGGESTED: list[tuple[dict[str, Any], list[str], str, dict[str, Any]]] = [
    (
        {"type": "real"},
        ["1.250,5", "7,5", "3"],
        'Write decimal: "," and thousands: "." in',
        {"decimal": ",", "thousands": "."},
    ),
    (
        {"type": "real"},
        ["1 250", "12 500,5"],
        'Write decimal: "," and thousands: " " in',
        {"decimal": ",", "thousands": " "},
    ),
    ({"type": "integer"}, ["1'250", "7"], 'Write thousands: "\'" in the codebook.', {"thousands": "'"}),
    ({"type": "real"}, ["$5", "$7.25", "EUR 3"], 'Write currency: ["$", "EUR"] in', {"currency": ["$", "EUR"]}),
    (
        {"type": "real"},
        ["12 %", "5%"],
        "percent: points (12 % is read as 12) or percent: share (0.12)",
        {"percent": "share"},
    ),
    ({"type": "date"}, ["31/01/2024", "1/2/2024"], 'Write format: "%d/%m/%Y" in', {"format": "%d/%m/%Y"}),
    ({"type": "date"}, ["31-Jan-2024"], 'Write format: "%d-%b-%Y" in', {"format": "%d-%b-%Y"}),
    (
        {"type": "date"},
        ["31.1.2024", "2024-01-31"],
        'Write format: ["%d.%m.%Y", iso] in',
        {"format": ["%d.%m.%Y", "iso"]},
    ),
    (
        {"type": "boolean"},
        ["Ja", "nein", "ja"],
        'Write true_words: ["ja"] and false_words: ["nein"]',
        {"true_words": ["ja"], "false_words": ["nein"]},
    ),
    (
        {"type": "text", "categories": ["ulm"]},
        ["Ulm", " ulm"],
        "write clean: [trim, lower] in",
        {"clean": ["trim", "lower"]},
    ),
    ({"type": "integer"}, ["5", "NA", "6"], 'Write missing: ["NA"] where they mean', {"missing": ["NA"]}),
    ({"type": "integer"}, ["5", "keine", "6"], "Look at the values of 'a' that are no integer", {"missing": ["keine"]}),
    ({"type": "text"}, ["x", "N/A", "-"], 'Write missing: ["N/A", "-"] where they mean', {"missing": ["N/A", "-"]}),
    (
        {"type": "integer", "bounds": [0, 9]},
        ["5", "-999", "-999"],
        "if that means that there is no value, write missing: [-999]",
        {"missing": [-999]},
    ),
]


@pytest.mark.parametrize(("column", "texts", "suggestion", "keys"), SUGGESTED, ids=[each[2][:40] for each in SUGGESTED])
def test_what_is_suggested_helps(
    column: dict[str, Any], texts: list[str], suggestion: str, keys: dict[str, Any], tmp_path: Path
) -> None:
    """Each suggestion is made, and the codebook that follows it has no problems left."""
    found = problems(tmp_path / "a.csv", column, texts)
    assert len(found) == 1
    assert suggestion in found[0]
    assert problems(tmp_path / "a.csv", {**column, **keys}, texts) == []


def test_two_readings_of_one_mark_are_both_named(tmp_path: Path) -> None:
    [found] = problems(tmp_path / "a.csv", {"type": "integer"}, ["1,250", "3,400"])
    assert 'Write thousands: ",", or decimal: "," in the codebook.' in found
    assert "The texts do not decide between them." in found


def test_files_of_another_encoding_and_with_line_breaks(tmp_path: Path) -> None:
    path, book = tmp_path / "a.csv", {"unit": UNIT, "columns": {"a": "text", "b": "text"}}
    path.write_bytes("a,b\nZoë,1\nAnn,2\n".encode("latin-1"))
    [problem] = pv.check(path, book).problems
    assert "write its encoding in the codebook, such as file: {encoding: cp1252}" in str(problem)
    assert pv.check(path, {**book, "file": {"encoding": "latin-1"}}).problems == ()
    path.write_bytes(b'a,b\n"one\ntwo",1\nAnn,2\n')
    assert "write file: {records: quoted} in the codebook" in str(pv.check(path, book).problems[0])
    report = pv.check(path, {**book, "file": {"records": "quoted"}})
    assert (report.rows, report.problems) == (2, ())


def test_a_header_that_is_one_name_short(tmp_path: Path) -> None:
    path, book = tmp_path / "a.csv", {"unit": UNIT, "columns": {"a": "integer", "b": "text"}}
    path.write_text("a,b\n1,5,x\n2,6,y\n")
    assert "Write file: {skip: 1, names: [...]} in the codebook" in str(pv.check(path, book).problems[0])
    report = pv.check(path, {**book, "file": {"skip": 1, "names": ["row", "a", "b"]}})
    assert report.problems == ()


@pytest.mark.parametrize("kind", ["integer", "real"])
def test_markers_are_counted_as_missing_in_every_source(kind: str, tmp_path: Path) -> None:
    texts = ["-999", " -999.0 ", "NA", "5", "x", ""]
    (tmp_path / "a.csv").write_text("\n".join(["a", *(f'"{each}"' for each in texts)]) + "\n")
    book = {"unit": UNIT, "columns": {"a": {"type": kind, "missing": ["NA", -999]}}}
    for source in (
        tmp_path / "a.csv",
        pa.table({"a": texts}),
        [{"a": each} for each in texts],
        pa.table({"a": texts}).to_pandas(),
    ):
        [counts] = pv.check(source, book).columns
        assert (counts.missing, counts.unreadable) == (4, 1)
    [numbers] = pv.check(pa.table({"a": [-999, -999, 5, None]}), book).columns
    assert (numbers.missing, numbers.unreadable) == (3, 0)


def test_markers_of_the_table_hold_for_every_column(tmp_path: Path) -> None:
    rows = [{"a": "NA", "b": "NA", "c": "NA", "d": "-999"}, {"a": "1", "b": "x", "c": "x", "d": "3"}]
    columns: dict[str, Any] = {"a": "integer", "b": "text", "c": {"type": "text", "missing": []}, "d": "integer"}
    report = pv.check(rows, {"unit": UNIT, "missing": ["NA", -999], "columns": columns})
    assert [each.null for each in report.columns] == [1, 1, 0, 1]
