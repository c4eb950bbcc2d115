"""Which files are read, and what is seen of them: the files that were named, whole, and as they were at loading."""

import gzip
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.errors import InvalidError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.connection import fetch
from privet.tables.engines.duckdb.parquet import DAMAGED

pytestmark = pytest.mark.usefixtures("parquet_way")

COLUMNS = {"n": Column(kind="integer")}
BOOK = pv.Codebook(columns={"n": pv.column("integer", bounds=(0, 9))}, unit=pv.Rows())
NAMES = [
    "report[1]",
    "report*",
    "report?",
    "report{1,2}",
    "report[!2]",
    "[[]",
    "back\\slash[1]",
    "~report",
    "%41report",
    "#report",
    "-report",
    "re port",
    "ré☃port",
    "a'b",
    'a"b',
    "a\nb",
    "n=5",
    "**",
    "report\udcff",
]
FOLDERS = ["plain", "x=1", "n=7", "a[b]", "a*", "a?", "{a,b}", "back\\slash", "sp ace", "☃"]


def write(path: Path, rows: list[int]) -> Path:
    """Write one column in the format that the name of the file says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        with path.open("wb") as file:
            pq.write_table(pa.table({"n": rows}), file)
        return path
    lines = "".join(f"{each}\n" for each in ["n", *rows]).encode()
    path.write_bytes(gzip.compress(lines) if path.suffix == ".gz" else lines)
    return path


def read(path: Any, **given: Any) -> list[Any]:
    with DuckDBEngine(threads=1, **given) as engine:
        return sorted(engine.execute(engine.load(path, COLUMNS))["n"])


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_a_file_is_read_by_its_name_and_no_other_is(tmp_path: Path, ending: str) -> None:
    with DuckDBEngine(threads=1) as engine:
        loaded = {}
        for at, name in enumerate(NAMES):
            for other in ("report1", "report2", "report", "a", "b", "reporta", "Areport", "report1,2"):
                write(tmp_path / str(at) / f"{other}{ending}", [100])
            loaded[name] = engine.load(write(tmp_path / str(at) / f"{name}{ending}", [1, 2]), COLUMNS, f"file {at}")
        for name, each in loaded.items():
            assert sorted(engine.execute(each)["n"]) == [1, 2], name


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_any_name_adds_no_column_and_no_row(tmp_path: Path, folder: str, ending: str) -> None:
    for other in ("ab", "a", "b", "aa"):
        write(tmp_path / other / f"data{ending}", [100])
    assert read(write(tmp_path / folder / f"data{ending}", [1, 2])) == [1, 2]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_pattern_reads_what_it_matches_once(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"report[1]{ending}", [1])
    write(tmp_path / f"report1{ending}", [2])
    assert read(str(tmp_path / f"report*{ending}")) == [1, 2]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_file_with_several_names_is_read_once(tmp_path: Path, ending: str) -> None:
    first = write(tmp_path / f"1{ending}", [1])
    (tmp_path / f"2{ending}").symlink_to(first)
    os.link(first, tmp_path / f"3{ending}")
    assert read(str(tmp_path / f"*{ending}")) == [1]


def test_a_link_is_read_as_the_file_that_it_names(tmp_path: Path) -> None:
    target = write(tmp_path / "kept" / "a[1].parquet", [4])
    (tmp_path / "link.parquet").symlink_to(target)
    assert read(tmp_path / "link.parquet") == [4]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_temporary_folder_may_have_any_name(
    tmp_path: Path, folder: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    path = write(tmp_path / f"data[1]{ending}", [1, 2])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / folder))
    assert read(path) == [1, 2]


@pytest.mark.parametrize("folder", ["a[b]", "*"])
def test_a_lazy_frame_passes_a_temporary_folder_of_any_name(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars")
    (tmp_path / folder).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / folder))
    assert read(polars.LazyFrame({"n": [1, 2]})) == [1, 2]


def no_parquet(path: Path) -> None:
    path.write_bytes(b"a secret text that is no Parquet")


def no_footer(path: Path) -> None:
    path.write_bytes(b"PAR1 a secret text PAR1")


def broken_footer(path: Path) -> None:
    held = bytearray(path.read_bytes())
    held[-40:-10] = b"\xff" * 30
    path.write_bytes(held)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("spoil", [no_parquet, no_footer, broken_footer, empty])
def test_a_parquet_file_that_only_arrow_reads_and_cannot_is_refused(
    tmp_path: Path, spoil: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t[1]").mkdir()
    spoil(write(tmp_path / "data.parquet", [1, 2]))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t[1]"))
    with pytest.raises(InvalidError) as caught:
        read(tmp_path / "data.parquet")
    assert str(caught.value) == f"data: {DAMAGED}"
    assert caught.value.__context__ is None


def test_a_file_that_lacks_a_column_is_named_where_only_arrow_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t[1]").mkdir()
    write(tmp_path / "1.parquet", [1])
    pq.write_table(pa.table({"other": [1]}), tmp_path / "2.parquet")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t[1]"))
    with pytest.raises(InvalidError, match="data has no column 'n'; it has 'other'"):
        read(str(tmp_path / "*.parquet"))


@pytest.mark.parametrize("at", [0, 3, 12, 200, 2_000, 7_000, -9, -8, -5, -4, -1])
def test_a_packed_file_that_is_damaged_is_refused(tmp_path: Path, at: int) -> None:
    numbers = [(7919 * each * each) % 100_003 for each in range(5_000)]
    path = write(tmp_path / "data.csv.gz", numbers)
    held = bytearray(path.read_bytes())
    held[at] ^= 0x55
    path.write_bytes(held)
    with pytest.raises(InvalidError, match="cannot be unpacked") as caught:
        read(path)
    assert not any(str(each) in str(caught.value) for each in numbers if each > 1000)


@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
def test_a_packed_file_that_ends_too_early_is_refused(tmp_path: Path, share: float) -> None:
    path = write(tmp_path / "data.csv.gz", list(range(5_000)))
    held = path.read_bytes()
    path.write_bytes(held[: int(len(held) * share)])
    with pytest.raises(InvalidError, match="cannot be unpacked"):
        read(path)


def test_a_plain_file_that_is_called_packed_is_refused_without_quoting(tmp_path: Path) -> None:
    (tmp_path / "data.csv.gz").write_bytes(b"42secret\n1\n")
    with pytest.raises(InvalidError, match="cannot be unpacked") as caught:
        read(tmp_path / "data.csv.gz")
    assert "secret" not in str(caught.value)  # a number may be part of the path


def test_a_packed_file_may_have_several_members(tmp_path: Path) -> None:
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(b"n\n1\n") + gzip.compress(b"2\n3\n"))
    assert read(tmp_path / "data.csv.gz") == [1, 2, 3]


def opened(path: Path, **given: Any) -> pv.Session:
    return pv.Session(path, BOOK, pv.budget(epsilon=1000), **given)


def ask(session: pv.Session) -> float:
    return float(session.query().agg(pv.count()).release(epsilon=1).values("count")[0])


def replace(path: Path) -> None:
    other = write(path.with_name("other.parquet"), [1] * 5_000)
    other.replace(path)


def overwrite(path: Path) -> None:
    write(path, [1] * 5_000)


def touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def same_size(path: Path) -> None:
    """Change one byte in the pages, and set the clock back."""
    before = path.stat()
    held = bytearray(path.read_bytes())
    held[40] ^= 1
    path.write_bytes(held)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def delete(path: Path) -> None:
    path.unlink()


CHANGES = [replace, overwrite, touch, same_size, delete]


@pytest.mark.parametrize("change", CHANGES)
def test_a_parquet_file_that_changed_is_refused_before_the_charge(tmp_path: Path, change: Any) -> None:
    session = opened(write(tmp_path / "data.parquet", [1] * 1_000))
    ask(session)
    change(tmp_path / "data.parquet")
    before = session.spent
    with pytest.raises(UnavailableError, match="changed since it was loaded"):
        ask(session)
    assert session.spent == before


@pytest.mark.parametrize("change", CHANGES)
def test_a_parquet_file_that_changed_before_the_first_question_is_named(tmp_path: Path, change: Any) -> None:
    """Nothing was rehearsed yet: the message must be about the file, not about a query that is too large."""
    session = opened(write(tmp_path / "data.parquet", [1] * 1_000))
    change(tmp_path / "data.parquet")
    with pytest.raises(UnavailableError, match="changed since it was loaded"):
        ask(session)
    assert session.remaining.epsilon == 1_000


@pytest.mark.parametrize("change", CHANGES)
def test_a_snapshot_does_not_see_changes(tmp_path: Path, change: Any) -> None:
    session = opened(write(tmp_path / "data.parquet", [1] * 1_000), snapshot=True)
    change(tmp_path / "data.parquet")
    assert 900 < ask(session) < 1_100


@pytest.mark.parametrize("change", [overwrite, replace, delete])
def test_text_files_are_snapshots(tmp_path: Path, change: Any) -> None:
    session = opened(write(tmp_path / "data.csv", [1] * 1_000))
    shutil.copy(tmp_path / "data.csv", tmp_path / "other.parquet")
    change(tmp_path / "data.csv")
    assert 900 < ask(session) < 1_100


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_during_a_scan_is_withheld(tmp_path: Path, change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "data.parquet", [1] * 1_000)
    session = opened(path)
    asked = session.query().agg(pv.count())

    def changed_before(*given: Any) -> Any:
        change(path)
        return fetch(*given)

    monkeypatch.setattr("privet.tables.engines.duckdb.engine.fetch", changed_before)
    with pytest.raises(UnavailableError, match="changed since it was loaded"):
        asked.release(epsilon=1)
    assert session.remaining.epsilon == 999


def test_the_advice_about_tabs_can_be_followed(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("id\tx\n1\t2\n", encoding="utf-8")
    text = "unit: {rows: 1}\ncolumns: {x: {type: integer}}\n"
    with pytest.raises(InvalidError) as error:
        pv.Session(path, pv.Codebook.from_yaml(text), pv.budget(epsilon=1))
    advice = re.search(r"write (file: \{.*\}) in the codebook", str(error.value))
    assert advice is not None
    with pv.Session(path, pv.Codebook.from_yaml(text + advice[1] + "\n"), pv.budget(epsilon=1)) as session:
        assert "x" in session.query().columns


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_first_line_that_looks_like_a_row_is_never_quoted(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(delimiter.join(("17", "Ann", "flu")) + "\n", encoding="utf-8")
    book = pv.Codebook(columns={"id": pv.column("integer")}, unit=pv.Rows())
    for opened in (lambda: pv.Session(path, book, pv.budget(epsilon=1)), lambda: pv.check(path, book)):
        with pytest.raises(InvalidError, match=r"does not look like a header.*names: \[\.\.\.\]") as error:
            opened()
        assert "Ann" not in str(error.value)
        assert "17" not in str(error.value)


def test_lines_above_the_header_are_skipped_by_a_key_that_the_message_names(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("# made by a tool\nid\n1\n", encoding="utf-8")
    book = pv.Codebook(columns={"id": pv.column("integer")}, unit=pv.Rows())
    with pytest.raises(InvalidError, match=r"has '# made by a tool'.*file: \{skip: 1\}"):
        pv.Session(path, book, pv.budget(epsilon=1))
