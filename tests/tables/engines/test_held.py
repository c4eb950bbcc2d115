"""Tables that an engine holds for one answer."""

import numpy as np
import pytest

from privet.errors import InvalidError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.engine import dropping, fresh_name

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


def test_only_integers_are_read() -> None:
    with DuckDBEngine() as engine, pytest.raises(InvalidError, match="'x' is text"):
        engine.arrays(engine.load([], {"x": Column(kind="text")}))


def test_a_closed_engine_reads_nothing() -> None:
    engine = DuckDBEngine()
    loaded = engine.load([], {"x": WHOLE})
    engine.close()
    with pytest.raises(UnavailableError, match="closed"):
        engine.arrays(loaded)
