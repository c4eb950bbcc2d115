"""What holds for every kind of release: how it prints, exports, iterates and escapes."""

import csv
import io
import math
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import InvalidError
from privet.tables.releases.display import NOT_COVERED, shown_notes
from privet.tables.releases.table_release import TableRelease
from privet.tables.releases.written_values import loss_text
from tests.tables.releases.every_release import MAKERS, NOTE, WARDS, batch, release_of


@pytest.fixture(params=MAKERS)
def release(request: pytest.FixtureRequest) -> TableRelease:
    return release_of(request.param)


def same(first: Any, second: Any) -> bool:
    """Compare two values; null and NaN are the same."""
    unknown = [value is None or value != value for value in (first, second)]
    return all(unknown) if any(unknown) else bool(first == second)


def cells(table: dict[str, list[Any]]) -> list[tuple[str, int, Any]]:
    return [(name, at, value) for name, values in table.items() for at, value in enumerate(values)]


class Tags(HTMLParser):
    """Reads the tags of a text, and whether each one is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_str_and_repr_show_the_table_the_loss_and_each_note_on_its_line(release: TableRelease) -> None:
    text = str(release)
    assert repr(release) == text
    lines = text.splitlines()
    assert lines.count(f"privacy loss: {loss_text(release.loss)}") == 1
    at = lines.index(f"privacy loss: {loss_text(release.loss)}")
    assert lines[at + 1 :] == shown_notes(release.notes)
    bars = [column for column in release.layout() if column.has_interval]
    said = any(note.startswith(NOT_COVERED) for note in release.notes)
    assert ("The 95 % interval covers the noise only." in lines) == (bool(bars) and not said)
    assert ("(95 % interval)" in text) == bool(bars)


def test_a_notebook_shows_escaped_text_and_closed_tags(release: TableRelease) -> None:
    html = release._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.seen <= {"div", "table", "thead", "tbody", "tr", "th", "td", "strong"}
    for note in shown_notes(release.notes):
        assert note in tags.texts
    assert f"privacy loss: {loss_text(release.loss)}" in tags.texts


def test_hostile_names_are_data_in_a_notebook() -> None:
    html = release_of("groups")._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a &quot;b&quot;, c" in html
    assert "<b>" not in release_of("imputed")._repr_html_()
    assert NOTE in str(release_of("imputed"))


def test_a_line_break_in_a_key_makes_no_line() -> None:
    assert "two\\nlines" in str(release_of("groups"))


def test_csv_is_read_back(release: TableRelease, tmp_path: Path) -> None:
    text = release.to_csv()
    assert isinstance(text, str)
    heads, *rows = csv.reader(io.StringIO(text, newline=""))
    table = release.to_dict()
    assert heads == list(table)
    assert len(rows) == len(release)
    for name, at, value in cells(table):
        read = rows[at][heads.index(name)]
        if value is None or value != value:
            assert read == ""
        elif isinstance(value, timedelta):
            assert float(read) == value.total_seconds()
        elif isinstance(value, float):
            assert float(read) == value
        else:
            assert read == (value.isoformat() if isinstance(value, date) else str(value))
    assert "\r" not in text
    assert release.to_csv(tmp_path / "release.csv") is None
    assert (tmp_path / "release.csv").read_bytes() == text.encode()


def test_frames_hold_the_columns_of_the_dictionary(release: TableRelease) -> None:
    table = release.to_dict()
    arrow, pandas, polars = release.to_arrow(), release.to_pandas(), release.to_polars()
    assert arrow.column_names == list(pandas.columns) == polars.columns == list(table)
    for name, values in table.items():
        for read in (arrow[name].to_pylist(), polars[name].to_list()):
            assert len(read) == len(values)
            assert all(map(same, read, values)), name
        assert len(pandas[name]) == len(values)
        if values and isinstance(values[0], str | int | float) and not isinstance(values[0], bool):
            assert all(map(same, pandas[name].tolist(), values)), name


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "imputed"])
def test_types_follow_from_the_plan(name: str) -> None:
    first, second = release_of(name), MAKERS[name]()
    assert first.to_arrow().schema == second.to_arrow().schema
    assert list(first.to_pandas().dtypes) == list(second.to_pandas().dtypes)
    assert [first[column].dtype for column in first.to_dict()] == [second[column].dtype for column in second.to_dict()]


def test_keys_that_nobody_has_keep_their_types() -> None:
    empty = release_of("no keys")
    assert len(empty) == 0
    assert empty.to_arrow().schema == pa.schema([("town", pa.string()), ("n", pa.int64())])
    assert type(empty).from_json(empty.to_json()).to_arrow().schema == empty.to_arrow().schema  # type: ignore[attr-defined]


def test_whole_numbers_stay_whole() -> None:
    schema = release_of("processed").to_arrow().schema
    assert (schema.field("count").type, schema.field("total").type) == (pa.int64(), pa.float64())
    assert release_of("rounded rollup").to_arrow().schema.field("count").type == pa.int64()
    frame = release_of("rollup").to_pandas()
    assert frame["n"].tolist()[0] is None
    assert type(frame["n"].tolist()[-1]) is int


def test_rows_are_dictionaries(release: TableRelease) -> None:
    table = release.to_dict()
    assert len(list(release)) == len(release)
    if release.names == ():  # keys are a sequence of tuples, which group_by takes
        assert list(release) == list(zip(*table.values(), strict=True))
        return
    for at, row in enumerate(release):
        assert list(row) == list(table)
        assert all(same(row[name], table[name][at]) for name in table)


def test_a_column_is_an_array(release: TableRelease) -> None:
    for name, values in release.to_dict().items():
        column = release[name]
        assert isinstance(column, np.ndarray)
        assert column.shape == (len(release),)
        assert all(map(same, column.tolist(), values)), name


def test_a_column_that_is_not_there_is_named_with_the_nearest(release: TableRelease) -> None:
    near = list(release.to_dict())[-1]
    with pytest.raises(InvalidError) as caught:
        release[f"{near}x"]
    assert str(caught.value).startswith(f"{type(release).__name__}: there is no column '{near}x'; there are ")
    assert str(caught.value).endswith(f"Did you mean '{near}'?")


def test_contains_looks_for_a_column() -> None:
    release = release_of("groups")
    assert ["count" in release, "count_low" in release, "ward" in release, "other" in release] == [True] * 3 + [False]


def test_long_form_has_one_row_for_each_value(release: TableRelease) -> None:
    long, table = release.to_long(), release.to_dict()
    columns = [column for column in release.layout() if not column.is_key]
    keys = [column for column in release.layout() if column.is_key]
    assert len(set(map(len, long.values()))) == 1
    assert len(long["value"]) == len(columns) * len(release)
    assert list(long)[len(keys) :] == ["output", "bin", "value", "error", "low", "high"]
    for at in range(len(release)):
        for place, column in enumerate(columns):
            row = at * len(columns) + place
            assert same(long["value"][row], table[column.name][at])
            assert same(long["low"][row], table.get(f"{column.name}_low", [math.nan] * len(release))[at])
            assert [long[name][row] for name in list(long)[: len(keys)]] == [table[key.name][at] for key in keys]


def test_a_histogram_has_a_line_for_each_bin() -> None:
    release = release_of("histogram")
    long = release.to_long()
    assert long["bin"][:5] == [None, "[0, 2)", "[2, 4)", "[4, 6)", "[6, 8]"]
    assert long["output"][:2] == ["count", "bars"]
    lines = str(release).splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("ward") and "x low" in line)
    assert lines[head].split("  ")[0] == "ward"
    assert "bars (95 % interval)" in lines[head]
    assert lines[head + 1 + 4 * len(WARDS)] == "A bin holds its low end and not its high end; the last one holds both."
    assert "[0, 2)" not in str(release)


def test_a_histogram_of_categories_names_them() -> None:
    lines = str(release_of("only histogram")).splitlines()
    assert lines[0].startswith("ward ")
    assert lines[0].endswith("histogram_ward (95 % interval)")
    assert lines[2].startswith('a "b", c ')


def test_a_batch_gives_each_release_by_name(tmp_path: Path) -> None:
    release = batch()
    assert list(release) == ["wards", "mean"]
    assert [name for name, _ in release.items()] == ["wards", "mean"]
    for method in ("to_dict", "to_long", "to_csv"):
        assert getattr(release, method)() == {name: getattr(one, method)() for name, one in release.items()}
    for method in ("to_arrow", "to_polars", "to_pandas"):
        frames = getattr(release, method)()
        assert all(frames[name].equals(getattr(one, method)()) for name, one in release.items())
    assert release.to_csv(tmp_path / "new") is None
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["mean.csv", "wards.csv"]
    assert (tmp_path / "new" / "mean.csv").read_text(encoding="utf-8") == release["mean"].to_csv()


def test_a_batch_shows_its_releases_and_their_common_loss() -> None:
    text = str(batch())
    assert repr(batch()) == text
    assert text.startswith(f"wards\n{batch()['wards']}\n\nmean\n{batch()['mean']}\n\n")
    assert text.splitlines()[-1] == f"privacy loss of all of them together: {loss_text(batch().loss)}"
    html = batch()._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert "<script" not in html


def test_a_name_that_is_not_in_the_batch_is_named() -> None:
    with pytest.raises(KeyError, match=r"there is no release 'ward'; there are 'wards', 'mean'\. Did you mean wards\?"):
        batch()["ward"]
    assert "ward" not in batch()
    assert batch().get("ward") is None


@pytest.mark.parametrize("name", ["../up", "a/b", "a\nb", "a\\b"])
def test_a_batch_writes_no_file_elsewhere(name: str, tmp_path: Path) -> None:
    odd = type(batch())(releases={name: batch()["mean"]})
    with pytest.raises(InvalidError, match="cannot be the name of a file"):
        odd.to_csv(tmp_path / "inside" / "deep")
    assert list(tmp_path.iterdir()) == []
