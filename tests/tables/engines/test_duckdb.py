"""The engine reads every source alike, gives exact results, and says nothing about the data but those."""

import gzip
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.engines.default import write_query
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb import engine as module
from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.vocabulary.grid_sql import exact_sum, rows
from privet.tables.vocabulary.literals import cast, whole
from privet.tables.vocabulary.relation import Relation, column, named

CANARY = "canary-8361"
COLUMNS = {"n": Column(kind="integer"), "word": Column(kind="text")}
WORDS = {"n": [1, 2, None], "word": ["a", None, CANARY]}


def other_connection() -> tuple[Any, str]:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE words AS SELECT * FROM (VALUES (1, 'a'), (2, NULL), (NULL, 'canary-8361')) t(n, word)"
    )
    return connection, "words"


def csv_file(path: Path) -> Path:
    path.write_text(f"word,extra,n\na,x,1\n,x,2\n{CANARY},x,\n")
    return path


def parquet_files(path: Path) -> str:
    whole_table = pa.table(WORDS)
    pq.write_table(whole_table.slice(0, 2), path / "1.parquet")
    pq.write_table(whole_table.slice(2), path / "2.parquet")
    return str(path / "*.parquet")


def gzipped(path: Path) -> Path:
    with gzip.open(path, "wt") as file:
        file.write(f"n;word\n1;a\n2;\n;{CANARY}\n")
    return path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "CSV": lambda path: csv_file(path / "words.csv"),
    "CSV as text path": lambda path: str(csv_file(path / "words.csv")),
    "Parquet files": parquet_files,
    "Arrow table": lambda _: pa.table(WORDS),
    "Arrow batch": lambda _: pa.table(WORDS).to_batches()[0],
    "Arrow reader": lambda _: pa.table(WORDS).to_reader(),
    "Arrow data set": lambda _: ds.dataset(pa.table(WORDS)),
    "Arrow dictionary": lambda _: pa.table({**WORDS, "word": pa.array(WORDS["word"]).dictionary_encode()}),
    "pandas": lambda _: pd.DataFrame(WORDS),
    "pandas objects": lambda _: pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in WORDS.items()}),
    "pandas categories": lambda _: pd.DataFrame({**WORDS, "word": pd.Categorical(WORDS["word"])}),
    "polars": lambda _: pl.DataFrame(WORDS),
    "polars lazy": lambda _: pl.DataFrame(WORDS).lazy().with_columns(pl.col("n") * 1),
    "DuckDB": lambda _: other_connection(),
    "dictionaries": lambda _: [{"n": 1, "word": "a"}, {"n": 2}, {"n": None, "word": CANARY, "other": 3}],
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_rows(engine: DuckDBEngine, tmp_path: Path, source: str) -> None:
    relation = engine.load(SOURCES[source](tmp_path), COLUMNS, "words")
    found = engine.execute(relation, order_by=["n"])
    assert dict(found.columns) == {"n": [None, 1, 2], "word": [CANARY, "a", None]}
    again = engine.execute(relation, order_by=["word"])  # a reader can be read once only
    assert again["word"] == [None, "a", CANARY]


def test_delimiters_are_chosen_by_name_or_by_argument(engine: DuckDBEngine, tmp_path: Path) -> None:
    first = engine.load(gzipped(tmp_path / "words.csv.gz"), COLUMNS, "semicolons", delimiter=";")
    (tmp_path / "words.tsv").write_text("n\tword\n7\tx,y\n")
    second = engine.load(tmp_path / "words.tsv", COLUMNS, "tabs")
    assert engine.execute(first, order_by=["n"])["word"] == [CANARY, "a", None]
    assert engine.execute(second)["word"] == ["x,y"]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é"])
def test_a_delimiter_is_one_plain_character(engine: DuckDBEngine, tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(InvalidError, match="delimiter must be one ASCII character"):
        engine.load(csv_file(tmp_path / "words.csv"), COLUMNS, delimiter=delimiter or "ab")


def totals(relation: Relation, *values: int) -> Relation:
    items = exp.Array(expressions=[whole(value, "int128") for value in values])
    query = exp.Select(expressions=[named(call("unnest", items), "x")])
    return Relation(query=query, columns={"x": Column(kind="integer")})


def test_large_integers_come_back_exactly(engine: DuckDBEngine) -> None:
    relation = engine.load([{"n": 2**63 - 1}] * 3, {"n": Column(kind="integer")})
    query = exp.Select(expressions=[named(exact_sum(column("n")), "s"), named(rows(), "c")]).from_(relation.derived())
    found = engine.execute(Relation(query=query, columns=dict.fromkeys(("s", "c"), Column(kind="integer"))))
    assert found["s"] == [3 * (2**63 - 1)]
    assert found["c"] == [3]
    values = (2**126 + 1, -(2**126) - 1, -1, 0, 2**64, -(2**64))
    assert engine.execute(totals(relation, *values), order_by=["x"])["x"] == sorted(values)


def test_results_are_python_values_and_hide_themselves(engine: DuckDBEngine) -> None:
    relation = engine.load([{"n": 5, "word": CANARY, "yes": True}], {**COLUMNS, "yes": Column(kind="boolean")})
    found = engine.execute(relation)
    assert [type(found[name][0]) for name in ("n", "word", "yes")] == [int, str, bool]
    assert found.array("n").dtype == object
    assert CANARY not in repr(found)
    assert len(found) == 1


def test_an_empty_table_gives_no_rows(engine: DuckDBEngine) -> None:
    assert dict(engine.execute(engine.load([], COLUMNS)).columns) == {"n": [], "word": []}


@pytest.mark.parametrize("kind", ["real", "date", "timestamp"])
def test_what_has_no_exact_form_is_not_given(engine: DuckDBEngine, kind: Any) -> None:
    relation = engine.load([], {"x": Column(kind=kind)})
    with pytest.raises(InvalidError, match=f"'x' is {kind}"):
        engine.execute(relation)


OUTSIDE = [
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/*')",
    "COPY (SELECT 1) TO '/tmp/privet-leak.csv'",
    "ATTACH '/tmp/privet-leak.db'",
    "EXPORT DATABASE '/tmp/privet-leak'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT * FROM visible_here",
    "SELECT getenv('HOME')",
    "SET enable_external_access = true",
    "SET allowed_paths = ['/etc/passwd']",
    "SET python_enable_replacements = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET threads = 1",
    "SET TimeZone = 'Europe/Paris'",
    "PRAGMA enable_profiling",
    "CALL enable_logging()",
    "CREATE SECRET s (TYPE s3)",
]


@pytest.mark.parametrize("statement", OUTSIDE)
def test_nothing_outside_can_be_reached_once_locked(engine: DuckDBEngine, statement: str) -> None:
    visible_here = pa.table({"x": [1]})
    engine.execute(engine.load(pa.table(WORDS), COLUMNS))
    with pytest.raises(duckdb.Error):
        engine._connection.sql(statement).fetchall()
    del visible_here


def test_the_lock_is_what_keeps_files_out(engine: DuckDBEngine, tmp_path: Path) -> None:
    """The twin: before it the same statement reads."""
    (tmp_path / "secret.txt").write_text("x")
    statement = f"SELECT content FROM read_text('{tmp_path}/secret.txt')"
    assert engine._connection.execute(statement).fetchall() == [("x",)]
    engine.lock()
    with pytest.raises(duckdb.PermissionException):
        engine._connection.execute(statement)


def test_parquet_is_still_read_after_locking(engine: DuckDBEngine, tmp_path: Path) -> None:
    relation = engine.load(parquet_files(tmp_path), COLUMNS)
    (tmp_path / "other.parquet").write_bytes((tmp_path / "1.parquet").read_bytes())
    engine.lock()
    assert len(engine.execute(relation)) == 3
    with pytest.raises(duckdb.Error):
        engine._connection.sql(f"SELECT * FROM read_parquet('{tmp_path}/other.parquet')").fetchall()


def test_after_the_first_query_only_memory_is_loaded(engine: DuckDBEngine, tmp_path: Path) -> None:
    engine.execute(engine.load([], COLUMNS, "first"))
    with pytest.raises(InvalidError, match="second: files must be loaded before the first query"):
        engine.load(csv_file(tmp_path / "words.csv"), COLUMNS, "second")
    assert len(engine.execute(engine.load(pa.table(WORDS), COLUMNS, "third"))) == 3


def bad_query(table: str) -> Relation:
    query = exp.Select(expressions=[named(cast(column("word"), "integer"), "n")]).from_(f'"main"."{table}"')
    return Relation(query=query, columns={"n": Column(kind="integer")})


def test_an_error_of_the_engine_is_replaced_and_leaves_no_trace(engine: DuckDBEngine, caplog: Any, capfd: Any) -> None:
    engine.load(pa.table(WORDS).slice(2), COLUMNS, "words")
    with pytest.raises(UnavailableError) as caught:
        engine.execute(bad_query("words"))
    error = caught.value
    assert error.__context__ is None
    assert error.__cause__ is None
    shown = "".join(traceback.format_exception(error)) + caplog.text + "".join(capfd.readouterr())
    assert CANARY not in shown
    with pytest.raises(duckdb.Error, match=CANARY):  # the twin: DuckDB itself quotes the value
        engine._connection.sql(write_query(bad_query("words"))).fetchall()


def not_utf8() -> Any:
    ends = pa.py_buffer(np.array([0, 1, 3, 4], dtype=np.int32).tobytes())
    return pa.Array.from_buffers(pa.string(), 3, [None, ends, pa.py_buffer(b"a\xff\xfez")])


@pytest.mark.parametrize("encode", [lambda made: made, lambda made: made.dictionary_encode()], ids=["plain", "coded"])
def test_text_that_is_not_utf8_is_null(engine: DuckDBEngine, encode: Callable[[Any], Any]) -> None:
    relation = engine.load(pa.table({"word": encode(not_utf8())}), {"word": Column(kind="text")})
    lower = relation.project({"word": (call("lower", column("word")), Column(kind="text"))})
    assert engine.execute(lower, order_by=["word"])["word"] == [None, "a", "z"]


@pytest.mark.parametrize("coded", [False, True])
def test_text_of_a_file_that_is_not_utf8_is_null(engine: DuckDBEngine, tmp_path: Path, coded: bool) -> None:
    pq.write_table(pa.table({"word": not_utf8()}), tmp_path / "x.parquet", use_dictionary=coded)
    relation = engine.load(tmp_path / "x.parquet", {"word": Column(kind="text")})
    assert engine.execute(relation, order_by=["word"])["word"] == [None, "a", "z"]


def test_ctrl_c_passes(engine: DuckDBEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    relation = engine.load([], COLUMNS)

    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(module, "fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        engine.execute(relation)


SCHEMAS: list[tuple[Any, dict[str, Column], str]] = [
    (pa.table({"a": [1]}), {"b": Column(kind="integer")}, "data has no column 'b'; it has 'a'."),
    (pd.DataFrame({"a": [1]}), {"b": Column(kind="integer")}, "data has no column 'b'"),
    (pl.DataFrame({"a": [1]}), {"b": Column(kind="integer")}, "data has no column 'b'"),
    (pa.table([pa.array([1])] * 2, names=["a", "a"]), {"a": Column(kind="integer")}, "2 columns named 'a'"),
    (pa.table({"a": [[1]]}), {"a": Column(kind="integer")}, "data.a has a type that cannot be read \\(list\\)"),
    (pa.table({"a": [{"b": 1}]}), {"a": Column(kind="text")}, "data.a has a type that cannot be read \\(nested\\)"),
    (pa.table({"a": [b"x"]}), {"a": Column(kind="text")}, "data.a has a type that cannot be read \\(BLOB\\)"),
    (
        pa.table({"a": [1.5]}),
        {"a": Column(kind="date")},
        "data.a is DOUBLE in the source, which cannot be read as date",
    ),
    (
        pa.table({"a": pa.array(np.array([1.5], np.float16))}),
        {"a": Column(kind="real")},
        "data.a is halffloat in the source, which cannot be read",
    ),
    (pl.DataFrame({"a": [[1]]}), {"a": Column(kind="integer")}, "data.a is List in the frame"),
    ("nowhere.csv", {"a": Column(kind="integer")}, "data: there is no file 'nowhere.csv'; check the path."),
    ([], {}, "must name at least one column"),
    ([], {"": Column(kind="integer")}, "at least one character"),
    ([], {"a": Column(kind="integer"), "A": Column(kind="integer")}, "'a' and 'A' are one name"),
]


@pytest.mark.parametrize(("source", "columns", "message"), SCHEMAS, ids=[message[:40] for *_, message in SCHEMAS])
def test_a_schema_that_does_not_fit_is_refused_by_name(
    engine: DuckDBEngine, source: Any, columns: dict[str, Column], message: str
) -> None:
    with pytest.raises(InvalidError, match=message) as caught:
        engine.load(source, columns)
    assert caught.value.__context__ is None


def test_numbers_of_another_connection_keep_their_sign(engine: DuckDBEngine) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT (2::UHUGEINT ** 127)::UHUGEINT AS u, -(2::HUGEINT ** 100)::HUGEINT AS h"
        )
        with pytest.raises(InvalidError, match="t.u is UHUGEINT"):
            engine.load((connection, "t"), {"u": Column(kind="integer")}, "t")
        assert engine.execute(engine.load((connection, "t"), {"h": Column(kind="integer")}))["h"] == [-(2**63)]


def test_a_table_that_is_not_there_is_refused_by_name(engine: DuckDBEngine) -> None:
    with (
        duckdb.connect() as connection,
        pytest.raises(InvalidError, match="data: the connection has no table 'nothing'"),
    ):
        engine.load((connection, "nothing"), {"a": Column(kind="integer")})


def test_files_with_a_wrong_content_are_refused_without_quoting(engine: DuckDBEngine, tmp_path: Path) -> None:
    for name in ("x.parquet", "x.xlsx"):
        (tmp_path / name).write_text(CANARY)
        with pytest.raises(InvalidError) as caught:
            engine.load(tmp_path / name, COLUMNS)
        assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_parquet_files_must_agree_on_types(engine: DuckDBEngine, tmp_path: Path) -> None:
    pq.write_table(pa.table({"n": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"n": ["1"]}), tmp_path / "2.parquet")
    with pytest.raises(InvalidError, match="columns of different types"):
        engine.load(str(tmp_path / "*.parquet"), {"n": Column(kind="integer")})


def test_categories_of_an_enum_are_not_repeated_in_messages(engine: DuckDBEngine) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t AS SELECT '{CANARY}'::ENUM('{CANARY}') AS word, {{'{CANARY}': 1}} AS pair")
    engine.load((connection, "t"), {"word": Column(kind="date")}, "an ENUM is read as text")
    with pytest.raises(InvalidError) as caught:
        engine.load((connection, "t"), {"pair": Column(kind="date")}, "t")
    assert CANARY not in str(caught.value)


HOSTILE = [
    "a b",
    'say "hi"',
    "x'; DROP TABLE data; --",
    "select",
    "naïve ☃",
    "r",
    "privet rank",
    "a.b",
    "$1",
    "%s",
    "{x}",
    " ",
    "\t",
]


def test_names_may_be_anything(engine: DuckDBEngine, tmp_path: Path) -> None:
    columns = {name: Column(kind="integer") for name in HOSTILE}
    frame = pd.DataFrame({name: [position] for position, name in enumerate(HOSTILE)})
    frame.to_csv(tmp_path / "hostile.csv", index=False)
    frame.to_parquet(tmp_path / "hostile.parquet")
    for source in ("hostile.csv", "hostile.parquet"):
        relation = engine.load(tmp_path / source, columns, f'say "{source}"; \'')
        found = engine._connection.sql(write_query(relation)).fetchall()
        assert found == [tuple(range(len(HOSTILE)))]
    assert [engine.execute(relation.select(name))[name] for name in HOSTILE] == [[at] for at in range(len(HOSTILE))]


def test_names_of_tables_are_new(engine: DuckDBEngine) -> None:
    engine.load([], COLUMNS, "one")
    for name in ("one", "ONE", "", "a\0b"):
        with pytest.raises(InvalidError, match="name must be new"):
            engine.load([], COLUMNS, name)


@pytest.mark.parametrize("source", [None, 7, {"n": [1]}, np.zeros(3), ("a", "b")])
def test_other_things_are_no_source(engine: DuckDBEngine, source: Any) -> None:
    with pytest.raises(WrongTypeError, match="a source must be the path"):
        engine.load(source, COLUMNS)


def test_parquet_text_that_is_not_utf_8_is_null(tmp_path: Path) -> None:
    raw = pa.array([b"ok", b"\xff\xfe bad", None], type=pa.binary())
    texts = pa.Array.from_buffers(pa.string(), 3, raw.buffers())  # as a careless writer makes them
    pq.write_table(pa.table({"t": texts}), tmp_path / "bad.parquet")
    with DuckDBEngine() as engine:
        found = engine.execute(engine.load(str(tmp_path / "bad.parquet"), {"t": Column(kind="text")}))
    assert sorted(found["t"], key=str) == [None, None, "ok"]
