"""Columns of lists: every source gives the lists that a model in Python gives, and each list by itself."""

import math
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.vocabulary.relation import column

ITEM = Column(kind="integer", bounds=(0, 9))
KNOWN = {"at": Column(kind="integer"), "l": Column(kind="list", item=ITEM, most=3)}
LISTS: list[list[int | None] | None] = [[1, 2, 30, 4], None, [], [None, -7], [9], [None], [0, 0, 0, 0, 0]]
WANTED = [[1, 2, 9], None, [], [None, 0], [9], [None], [0, 0, 0]]


def read(source: Any, known: dict[str, Column] | None = None) -> list[Any]:
    with DuckDBEngine(threads=1) as engine:
        engine.load(source, known or KNOWN, "t")
        rows = engine._connection.execute('SELECT l FROM "t" ORDER BY "at"').fetchall()
        return [row[0] for row in rows]


def arrow(kind: Any, lists: Any = None) -> Any:
    lists = LISTS if lists is None else lists
    return pa.table({"at": list(range(len(lists))), "l": pa.array(lists, kind)})


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.int8()),
        pa.large_list(pa.int64()),
        pa.list_(pa.float32()),
        pa.list_view(pa.int16()),
        pa.large_list_view(pa.int32()),
        pa.list_(pa.decimal128(10, 2)),
    ],
)
@pytest.mark.parametrize("sliced", [False, True])
def test_every_list_of_arrow_is_read(kind: Any, sliced: bool) -> None:
    table = arrow(kind, [None if each is None else [*map(_decimal(kind), each)] for each in LISTS])
    if sliced:
        table = pa.concat_tables([table, table]).combine_chunks().slice(len(LISTS), len(LISTS))
    assert read(table) == WANTED


def _decimal(kind: Any) -> Any:
    exact = pa.types.is_decimal(kind.value_type)
    return lambda item: Decimal(item) if exact and item is not None else item


def test_lists_of_one_length_are_read() -> None:
    table = arrow(pa.list_(pa.int8(), 2), [[1, 2], None, [30, None]])
    assert read(table) == [[1, 2], None, [9, None]]


def test_other_sources_are_read_alike(tmp_path: Path) -> None:
    rows = [{"at": at, "l": each} for at, each in enumerate(LISTS)]
    frame = pl.DataFrame({"at": range(len(LISTS)), "l": LISTS}, schema={"at": pl.Int64, "l": pl.List(pl.Int64)})
    connection = duckdb.connect()
    connection.execute("CREATE TABLE held AS SELECT * FROM frame")
    pq.write_table(arrow(pa.list_(pa.int32())), tmp_path / "l.parquet")
    objects = pd.DataFrame({"at": range(len(LISTS)), "l": pd.Series(LISTS, dtype=object)})
    arrays = objects.assign(l=[None if each is None else np.array(each, dtype=object) for each in LISTS])
    typed = objects.assign(l=pd.Series(LISTS, dtype=pd.ArrowDtype(pa.list_(pa.int64()))))
    sources = (
        *(rows, frame, frame.lazy(), (connection, "held")),
        *(str(tmp_path / "l.parquet"), objects, arrays, typed, [{**row, "l": _tuple(row["l"])} for row in rows]),
    )
    for source in sources:
        assert read(source) == WANTED, type(source)


def _tuple(value: Any) -> Any:
    return None if value is None else tuple(value)


def test_texts_are_read_as_the_column_writes_them() -> None:
    lists: list[Any] = [["1", "x", "44"], None, [], [" 7"]]
    for source in (arrow(pa.list_(pa.string()), lists), [{"at": at, "l": each} for at, each in enumerate(lists)]):
        assert read(source) == [[1, None, 9], None, [], [7]]


def test_a_text_in_another_row_changes_no_list() -> None:
    """Python values are read in two ways where one of them is a text; both must give the same for other rows."""
    rows: list[Any] = [{"at": 0, "l": None}, {"at": 1, "l": []}, {"at": 2, "l": [1, None]}, {"at": 3, "l": {1}}]
    assert read([*rows, {"at": 4, "l": ["5"]}])[:4] == read(rows) == [None, [], [1, None], None]


def test_what_stops_an_engine_is_null_by_itself(tmp_path: Path) -> None:
    offsets, raw = pa.array([0, 1, 2, 4], pa.int32()), pa.array([b"ok", b"\xff", b"q", b"\xfe"]).view(pa.string())
    table = pa.table({"at": [0, 1, 2], "l": pa.ListArray.from_arrays(offsets, raw)})
    known = {"at": KNOWN["at"], "l": Column(kind="list", item=Column(kind="text", length=5), most=2)}
    pq.write_table(table, tmp_path / "l.parquet")
    for source in (table, str(tmp_path / "l.parquet")):
        assert read(source, known) == [["ok"], [None], ["q", None]]


def test_a_null_list_that_has_items_in_memory_is_null() -> None:
    lists = pa.ListArray.from_arrays(
        pa.array([0, 1, 3, 4], pa.int32()), pa.array([1, 2, 3, 4]), mask=pa.array([False, True, False])
    )
    assert read(pa.table({"at": [0, 1, 2], "l": lists})) == [[1], None, [4]]


@pytest.mark.parametrize("lists", [[None], [[]], [[], None], [["a", "c", None]], [[None]], [["b"], []]])
def test_items_with_codes_are_read_in_every_batch(lists: Any) -> None:
    """DuckDB fails on a batch in which all lists of coded items are empty, which the rows decide."""
    known = {"at": KNOWN["at"], "l": Column(kind="list", item=Column(kind="text", categories=("a", "b")), most=2)}
    wanted = [None if each is None else [item if item in ("a", "b") else None for item in each[:2]] for each in lists]
    coded = pa.array(lists, pa.list_(pa.dictionary(pa.int8(), pa.string())))
    at = pa.array(range(len(lists)), pa.int64())
    frame = pl.DataFrame({"at": range(len(lists)), "l": lists}, schema={"at": pl.Int64, "l": pl.List(pl.Categorical)})
    for source in (pa.table({"at": at, "l": coded}), frame):
        assert read(source, known) == wanted


def _texts(lists: list[Any]) -> Any:
    """Lay out lists of texts that need not be UTF-8."""
    ends = np.concatenate([[0], np.cumsum([len(each or ()) for each in lists])]).astype(np.int32)
    items = pa.array([item for each in lists for item in each or ()], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(items), items.buffers())
    return pa.ListArray.from_arrays(pa.array(ends), texts, mask=pa.array([each is None for each in lists]))


def _typed(kind: Any) -> Any:
    return lambda lists: pa.array(lists, pa.list_(kind))


ITEMS: dict[str, tuple[Any, list[Any], Column]] = {
    "integers": (_typed(pa.int64()), [0, 5, -9, 2**62, None], ITEM),
    "large integers": (_typed(pa.uint64()), [0, 5, 2**64 - 1, None], ITEM),
    "reals": (_typed(pa.float64()), [0.0, -0.0, math.nan, math.inf, 1e308, None, 0.3], Column(kind="real")),
    "reals as integers": (_typed(pa.float64()), [2.5, math.nan, -math.inf, 1e308, None], Column(kind="integer")),
    "texts": (_texts, [b"a", b"\xff", b"", None, b"abcdefgh"], Column(kind="text", length=4)),
    "texts as integers": (_texts, [b"a", b"\xff", b"12", None, b"7"], ITEM),
    "moments with a zone": (
        _typed(pa.timestamp("us", tz="UTC")),
        [0, -(10**17), None, 2**62],
        Column(kind="timestamp"),
    ),
    "seconds": (_typed(pa.timestamp("s")), [0, 10**9, 2**60, -(2**62), None], Column(kind="timestamp")),
    "days": (_typed(pa.date32()), [0, 10**6, -(10**6), 2**31 - 1, None], Column(kind="date")),
}


@pytest.mark.parametrize("name", ITEMS)
def test_a_list_of_arrow_is_the_same_alone_and_among_others(name: str) -> None:
    make, cells, item = ITEMS[name]
    source = random.Random(name)
    known = {"at": KNOWN["at"], "l": Column(kind="list", item=item, most=3)}
    lists = [source.choice([None, [source.choice(cells) for _ in range(source.randint(0, 5))]]) for _ in range(10)]

    def given(some: list[Any]) -> Any:
        return pa.table({"at": pa.array(range(len(some)), pa.int64()), "l": make(some)})

    assert read(given(lists), known) == [read(given([each]), known)[0] for each in lists]


def test_hostile_values_are_no_lists() -> None:
    class Odd(list[Any]):
        def __iter__(self) -> Any:
            raise RuntimeError

        def __getitem__(self, _: Any) -> Any:
            raise RuntimeError

    rows = [{"at": at, "l": each} for at, each in enumerate(("ab", {1: 2}, Odd([5, 6]), np.zeros((2, 2)), b"x", 7))]
    assert read(rows) == [None, None, [5, 6], None, None, None]


@pytest.mark.parametrize(
    ("table", "known", "message"),
    [
        (arrow(pa.list_(pa.list_(pa.int8())), [[[1]]]), KNOWN, "t.l holds lists of lists or of structs"),
        (arrow(pa.list_(pa.struct([("a", pa.int8())])), [[{"a": 1}]]), KNOWN, "holds lists of lists or of structs"),
        (arrow(pa.int8(), [1]), KNOWN, "is TINYINT in the source, and the codebook declares a list"),
        (arrow(pa.string(), ["a;b"]), KNOWN, "split"),
        (arrow(pa.list_(pa.date32()), [[1]]), KNOWN, "an item of t.l is DATE in the source"),
        (arrow(pa.list_(pa.int8())), {**KNOWN, "l": ITEM}, r"cannot be read \(list\).*most_items=10"),
        (pl.DataFrame({"at": [1], "l": [[[1]]]}), KNOWN, "holds lists of lists or of structs"),
        (pl.DataFrame({"at": [1], "l": [[b"x"]]}), KNOWN, "an item of t.l is Binary"),
        (pl.DataFrame({"at": [1], "l": [[1]]}), {**KNOWN, "l": ITEM}, "declare most_items=10"),
    ],
)
def test_other_types_are_refused_by_the_schema(table: Any, known: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        read(table, known)


def test_a_list_that_the_codebook_does_not_name_is_never_read(tmp_path: Path) -> None:
    known = {"at": KNOWN["at"]}
    odd = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), pa.array([b"\xff", b"a"]).view(pa.string()))
    plain = pa.table({"at": [5], "l": pa.array([[["x"]]])})
    pq.write_table(plain, tmp_path / "l.parquet")
    frame = pl.DataFrame({"at": [5], "l": [[[1]]]})
    for source in (
        *(pa.table({"at": [5], "l": odd}), plain, frame, frame.lazy(), str(tmp_path / "l.parquet")),
        *([{"at": 5, "l": [1]}], pd.DataFrame({"at": [5], "l": [[1]]})),
    ):
        with DuckDBEngine() as engine:
            assert engine.execute(engine.load(source, known, "t"))["at"] == [5]


@pytest.mark.parametrize("seed", range(8))
def test_a_list_is_the_same_alone_and_among_others(seed: int) -> None:
    source = random.Random(seed)
    cells: list[Any] = [None, 0, -3, 8, 12, "4", "x", 2.5, float("nan"), True, 10**30, [1], b"x"]
    lists = [source.choice([None, "no", [source.choice(cells) for _ in range(source.randint(0, 6))]]) for _ in range(8)]
    together = read([{"at": at, "l": each} for at, each in enumerate(lists)])
    assert together == [read([{"at": 0, "l": each}])[0] for each in lists]


def test_a_list_is_known_by_its_item_and_its_length() -> None:
    with DuckDBEngine() as engine:
        loaded = engine.load(arrow(pa.list_(pa.int8())), KNOWN, "t")
        assert loaded["l"] == KNOWN["l"]
        with pytest.raises(InvalidError, match="'l' is list"):
            engine.execute(loaded)
        assert column("l").name == "l"
