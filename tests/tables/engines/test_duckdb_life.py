"""How an engine lives: threads, forks, memory, its directory and its end."""

import pickle
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.vocabulary.relation import Relation

COLUMNS = {"n": Column(kind="integer"), "word": Column(kind="text")}


def test_threads_share_an_engine(engine: DuckDBEngine) -> None:
    relation = engine.load(pa.table({"n": list(range(1000))}), {"n": Column(kind="integer")})
    found: list[int] = []

    def work() -> None:
        for _ in range(5):
            found.extend([sum(engine.execute(relation)["n"])])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [499_500] * 40


def test_closing_removes_the_directory() -> None:
    engine = DuckDBEngine()
    relation = engine.load([], COLUMNS)
    directory = Path(engine._directory)
    assert directory.stat().st_mode & 0o077 == 0
    engine.close()
    engine.close()
    assert not directory.exists()
    with pytest.raises(UnavailableError, match="closed"):
        engine.execute(relation)


def test_an_engine_that_is_forgotten_cleans_up() -> None:
    engine = DuckDBEngine()
    directory = Path(engine._directory)
    del engine
    assert not directory.exists()


def test_more_than_fits_in_memory_spills_to_the_directory() -> None:
    with DuckDBEngine(memory="100MB", threads=1) as engine:
        numbers = np.arange(4_000_000, dtype=np.int64)
        source = pa.table({"a": numbers[::-1].copy(), "b": numbers, "c": numbers * 3})
        columns = {name: Column(kind="integer") for name in source.schema.names}
        relation = engine.load(source.to_reader(), columns)
        query = exp.select('sum("a") AS "a"', 'count(*) AS "b"').from_(relation.derived())
        whole_number = Column(kind="integer")
        found = engine.execute(Relation(query=query, columns={"a": whole_number, "b": whole_number}))
        assert found["a"] == [sum(range(4_000_000))]


def test_it_is_not_copied(engine: DuckDBEngine) -> None:
    with pytest.raises(WrongTypeError, match="cannot be copied"):
        pickle.dumps(engine)
    assert repr(engine) == "DuckDBEngine(tables=[])"


def test_wrong_limits_are_refused() -> None:
    with pytest.raises(InvalidError, match="memory='lots'"):
        DuckDBEngine(memory="lots")


def test_sorting_by_an_unknown_column_is_refused(engine: DuckDBEngine) -> None:
    with pytest.raises(InvalidError, match="there is no column 'other'"):
        engine.execute(engine.load([], COLUMNS), order_by=["other"])
