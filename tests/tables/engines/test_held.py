"""Tables that an engine holds for one answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.core import Array
from privet.errors import InvalidError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.engine import dropping, fresh_name
from privet.tables.vocabulary import Relation

WHOLE = Column(kind="integer")


def test_tables_are_dropped_at_the_end_and_their_names_are_free() -> None:
    with DuckDBEngine() as engine:
        loaded = engine.load([{"x": 1}], {"x": WHOLE}, "people")
        names = fresh_name("one"), fresh_name("two")
        with dropping(engine, names):
            engine.hold(loaded, names[0])
            assert names[0].casefold() in engine._names
        assert repr(engine) == "DuckDBEngine(tables=['people'])"
        engine.hold(loaded, names[0])


def test_tables_are_dropped_where_something_failed() -> None:
    with DuckDBEngine() as engine:
        loaded = engine.load([{"x": 1}], {"x": WHOLE}, "people")
        name = fresh_name("one")
        with pytest.raises(RuntimeError), dropping(engine, [name]):  # noqa: PT012
            engine.hold(loaded, name)
            raise RuntimeError
        assert repr(engine) == "DuckDBEngine(tables=['people'])"


def test_a_table_that_is_not_there_may_be_dropped_and_so_may_one_of_a_closed_engine() -> None:
    engine = DuckDBEngine()
    engine.drop("nothing")
    engine.close()
    engine.drop("nothing")


def test_columns_come_as_whole_numbers_with_their_nulls() -> None:
    rows = [{"x": 2**63 - 1, "y": None}, {"x": -(2**63) + 1, "y": 5}]
    with DuckDBEngine() as engine:
        found = engine.arrays(engine.load(rows, {"x": WHOLE, "y": WHOLE}))
    order = np.argsort(found["x"][0])
    assert found["x"][0][order].tolist() == [-(2**63) + 1, 2**63 - 1]
    assert found["y"][1][order].tolist() == [False, True]
    assert found["y"][0].dtype == np.int64


def test_no_rows_are_empty_arrays() -> None:
    with DuckDBEngine() as engine:
        values, null = engine.arrays(engine.load([], {"x": WHOLE}))["x"]
    assert [values.dtype, null.dtype] == [np.dtype(np.int64), np.dtype(np.bool_)]
    assert [len(values), len(null)] == [0, 0]


Part = dict[str, tuple[Array, Array]]


@pytest.fixture(params=["arrays", "each_part"])
def read(request: pytest.FixtureRequest) -> Callable[[DuckDBEngine, Relation], Any]:
    if request.param == "arrays":
        return DuckDBEngine.arrays
    return lambda engine, relation: engine.each_part(relation, lambda _: True)


def test_only_integers_are_read(read: Callable[[DuckDBEngine, Relation], Any]) -> None:
    with DuckDBEngine() as engine, pytest.raises(InvalidError, match="'x' is text"):
        read(engine, engine.load([], {"x": Column(kind="text")}))


def test_a_closed_engine_reads_nothing(read: Callable[[DuckDBEngine, Relation], Any]) -> None:
    engine = DuckDBEngine()
    loaded = engine.load([], {"x": WHOLE})
    engine.close()
    with pytest.raises(UnavailableError, match="closed"):
        read(engine, loaded)


def numbers(path: Path, rows: int = 30_000) -> Path:
    parquet.write_table(pa.table({"x": range(rows), "y": [None, 7] * (rows // 2)}), path / "numbers.parquet")
    return path / "numbers.parquet"


def test_parts_have_every_row_once(tmp_path: Path) -> None:
    found: list[Part] = []
    with DuckDBEngine() as engine, mock.patch("privet.tables.engines.duckdb.engine._PART", 4096):
        loaded = engine.load(numbers(tmp_path), {"x": WHOLE, "y": WHOLE})
        engine.each_part(loaded, keep_in(found, more=True))
        whole = engine.arrays(loaded)
    assert len(found) > 3
    for name in ("x", "y"):
        values, null = (np.concatenate([part[name][at] for part in found]) for at in (0, 1))
        assert sorted(values.tolist()) == sorted(whole[name][0].tolist())
        assert int(null.sum()) == int(whole[name][1].sum()) == (15_000 if name == "y" else 0)


def test_parts_stop_where_no_more_are_wanted_and_the_engine_goes_on(tmp_path: Path) -> None:
    found: list[Part] = []
    with DuckDBEngine() as engine, mock.patch("privet.tables.engines.duckdb.engine._PART", 4096):
        loaded = engine.load(numbers(tmp_path), {"x": WHOLE})
        engine.each_part(loaded, keep_in(found, more=False))
        assert len(found) == 1
        with pytest.raises(KeyboardInterrupt):
            engine.each_part(loaded, interrupt)
        assert len(engine.arrays(loaded)["x"][0]) == 30_000


def keep_in(found: list[Part], *, more: bool) -> Callable[[Part], bool]:
    def keep(part: Part) -> bool:
        found.append(part)
        return more

    return keep


def interrupt(_: Part) -> bool:
    raise KeyboardInterrupt


def test_a_file_that_changes_between_two_parts_gives_no_result(tmp_path: Path) -> None:
    path = numbers(tmp_path)
    with DuckDBEngine() as engine, mock.patch("privet.tables.engines.duckdb.engine._PART", 4096):
        loaded = engine.load(path, {"x": WHOLE})

        def change(_: Part) -> bool:
            numbers(tmp_path, 60)
            return True

        with pytest.raises(UnavailableError):
            engine.each_part(loaded, change)
