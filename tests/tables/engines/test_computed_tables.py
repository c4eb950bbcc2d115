"""Tables that Python computes of the rows of a query: when, from which batches, and for how long."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.errors import UnavailableError
from privet.tables.columns.column import Column
from privet.tables.columns.limits import Limits
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.vocabulary.relation import Relation

WHOLE = {"n": Column(kind="integer")}
TOTAL = {"total": Column(kind="integer", bounds=(0, 10**9))}
NAMES = "SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'privet %'"


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=2) as opened:
        yield opened


class Adding:
    """Adds up all rows, and notes the batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def __call__(self, batches: Iterator[Any]) -> Any:
        self.batches = [batch.column(0).to_pylist() for batch in batches]
        return pa.table({"total": pa.array([sum(map(sum, self.batches))], pa.int64())})


def loaded(engine: DuckDBEngine, rows: int, name: str = "t") -> Relation:
    return engine.load(pa.table({"n": np.arange(rows)[::-1]}), WHOLE, name)


def test_nothing_is_computed_before_a_query_needs_it_and_then_once(engine: DuckDBEngine) -> None:
    adding = Adding()
    made = engine.compute_later(loaded(engine, 5), TOTAL, adding, order_by=["n"])
    engine.rehearse([made], Limits(), TOTAL)
    engine.execute(loaded(engine, 3, "u"))
    assert adding.batches == []
    assert engine.execute(made)["total"] == [10]
    assert adding.batches == [[0, 1, 2, 3, 4]]
    adding.batches = []
    assert engine.execute(made.select("total"))["total"] == [10]
    assert adding.batches == []


def test_rows_come_in_batches_and_in_order(engine: DuckDBEngine) -> None:
    adding = Adding()
    engine.execute(engine.compute_later(loaded(engine, 25_000), TOTAL, adding, order_by=["n"]))
    assert max(map(len, adding.batches)) <= 10_000
    assert [number for batch in adding.batches for number in batch] == list(range(25_000))


def test_one_may_be_computed_of_another(engine: DuckDBEngine) -> None:
    first = engine.compute_later(loaded(engine, 5), TOTAL, Adding(), order_by=["n"])
    second = engine.compute_later(first, TOTAL, Adding(), order_by=["total"])
    engine.rehearse([second], Limits(), TOTAL)
    assert engine.execute(second)["total"] == [10]
    held = engine.hold(second, "held")
    assert engine.execute(held)["total"] == [10]


def test_whatever_was_computed_is_a_member_of_its_column(engine: DuckDBEngine) -> None:
    known = {"x": Column(kind="real", bounds=(0, 1)), "c": Column(kind="text", categories=("a",))}
    odd = pa.table({"x": [np.inf, np.nan, -3.0], "c": ["a", "b", None]})
    made = engine.compute_later(loaded(engine, 1), known, lambda _: odd, order_by=["n"])
    engine.execute(made.select("c"))
    rows = engine._connection.execute(
        f'SELECT * FROM "{engine._connection.execute(NAMES).fetchall()[0][0]}"'
    ).fetchall()
    assert sorted(rows, key=repr) == [(0.0, None), (1.0, "a"), (None, None)]


def test_a_query_that_no_engine_can_run_is_refused_before_anything_is_computed(engine: DuckDBEngine) -> None:
    wide = {f"n{at}": Column(kind="text", length=10_000) for at in range(9)}
    rows = engine.load([{}], wide, "wide")
    made = engine.compute_later(rows, TOTAL, Adding(), order_by=list(wide))
    engine.drop("wide")
    with pytest.raises(UnavailableError, match="the engine cannot run this query"):
        engine.rehearse([made], Limits(), TOTAL)


def test_what_fails_is_tried_again(engine: DuckDBEngine) -> None:
    fails = [True]

    def compute(batches: Iterator[Any]) -> Any:
        if fails:
            fails.clear()
            raise KeyboardInterrupt
        return Adding()(batches)

    made = engine.compute_later(loaded(engine, 5), TOTAL, compute, order_by=["n"])
    with pytest.raises(KeyboardInterrupt):
        engine.execute(made)
    assert engine.execute(made)["total"] == [10]


def test_a_table_lives_as_long_as_a_query_names_it(engine: DuckDBEngine) -> None:
    made = engine.compute_later(loaded(engine, 5), TOTAL, Adding(), order_by=["n"])
    derived = Relation(query=made.select("total").query.copy(), columns=TOTAL)  # a copy of the tree names it too
    del made
    gc.collect()
    assert engine.execute(derived)["total"] == [10]
    del derived
    gc.collect()
    engine.execute(loaded(engine, 1, "other"))
    assert engine._connection.execute(NAMES).fetchall() == []


def test_the_engine_serves_nobody_else_in_that_thread(engine: DuckDBEngine) -> None:
    rows = loaded(engine, 5)

    def compute(batches: Iterator[Any]) -> Any:
        for work in (lambda: engine.execute(rows), lambda: engine.load([], WHOLE, "v"), engine.close):
            with pytest.raises(UnavailableError, match="cannot use the session that calls it"):
                work()
        with pytest.raises(UnavailableError):
            engine.check_sources()
        return Adding()(batches)

    assert engine.execute(engine.compute_later(rows, TOTAL, compute, order_by=["n"]))["total"] == [10]
    assert engine.execute(rows)["n"]
