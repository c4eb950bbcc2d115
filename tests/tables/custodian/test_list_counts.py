"""What the check says of columns of lists."""

from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import privet as pv

COLUMNS = {
    "id": pv.column("integer"),
    "tags": pv.column("text", categories=["a", "b"], most_items=3),
    "n": pv.column("real", bounds=(0, 5), most_items=1),
    "s": pv.column("text", length=2, most_items=9),
}
TABLE = pa.table(
    {
        "id": [1, 2, 3],
        "tags": [["a", "b", "c", "a"], None, ["?", "NA", "b"]],
        "n": [[1.0, 9.0], [], None],
        "s": [["abc"], ["a"], [None]],
    }
)
FORMS: dict[str, Any] = {"arrow": TABLE, "rows": TABLE.to_pylist(), "polars": pl.from_arrow(TABLE)}


@pytest.mark.parametrize("form", FORMS)
def test_lists_and_their_items_are_counted(form: str) -> None:
    report = pv.check(FORMS[form], pv.Codebook(columns=COLUMNS, unit=pv.Persons("id", rows=2)))
    counts = {each.name: (each.kind, each.missing, each.cut) for each in report.columns}
    assert counts["tags"] == ("list", 1, 1)
    assert counts["n"] == ("list", 1, 1)
    assert counts["s"] == ("list", 0, 0)
    messages = [each.message for each in report.problems]
    assert messages == [
        "1 (33 %) of the lists of 'tags' have more than 3 items and lose the items behind them: the longest has 4.",
        "3 (43 %) of the items of 'tags' are no category and become null.",
        "1 (33 %) of the lists of 'n' have more than 1 item and lose the items behind them: the longest has 2.",
        "1 (50 %) of the items of 'n' lie beyond the bounds and are moved to them.",
        "1 (33 %) of the items of 's' are null or cannot be read as text.",
        "1 (33 %) of the items of 's' are longer than length and are cut.",
    ]
    assert report.problems[0].suggestion.startswith("Write most_items: 4 to keep all")
    assert report.problems[0].from_data
    assert "list" in str(report)


def test_lists_that_fit_are_no_problem() -> None:
    columns = {**COLUMNS, "tags": pv.column("text", most_items=4), "n": pv.column("real", bounds=(0, 9), most_items=2)}
    table = TABLE.set_column(3, "s", pa.array([["ab"], [], None]))
    assert pv.check(table, pv.Codebook(columns=columns, unit=pv.Persons("id", rows=2))).problems == ()


def test_a_table_without_items_is_counted() -> None:
    empty = TABLE.slice(0, 0)
    assert pv.check(empty, pv.Codebook(columns=COLUMNS, unit=pv.Persons("id", rows=2))).problems == ()
