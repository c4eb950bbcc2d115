"""Public tables."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from attrs import evolve

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsReplaced
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.public_table import PublicTable, held_public

DATA = {"ward": ["a", "b"], "floor": [1, None]}
DESCRIBED = {"ward": column("text"), "floor": column("integer", bounds=(0, 9), nulls=NullsReplaced(4))}
SOURCES: list[Any] = [
    [{"ward": "a", "floor": 1}, {"ward": "b"}],
    pa.table(DATA),
    pd.DataFrame(DATA),
    pl.DataFrame(DATA),
]


@pytest.mark.parametrize("source", SOURCES, ids=["rows", "arrow", "pandas", "polars"])
def test_sources_are_read_and_filled(source: Any) -> None:
    public = PublicTable(source=source, described=DESCRIBED, on=("ward",))
    with DuckDBEngine() as engine:
        found = engine.execute(public.relation(engine), order_by=["ward"])
    assert dict(found.columns) == {"ward": ["a", "b"], "floor": [1, 4]}
    assert not public.columns["floor"].nullable


def test_it_is_loaded_once_in_each_engine() -> None:
    public = PublicTable(source=SOURCES[0], described=DESCRIBED, on=("ward",))
    with DuckDBEngine() as engine, DuckDBEngine() as other:
        assert public.relation(engine) is public.relation(engine)
        assert len(other.execute(public.relation(other))) == 2


@pytest.mark.parametrize("kind", ["text", "integer", "boolean", "date"])
def test_keys_must_be_unique(kind: str) -> None:
    value = {"text": "a", "integer": 1, "boolean": True, "date": "2024-01-31"}[kind]
    public = PublicTable(source=[{"key": value}] * 2, described={"key": column(kind)}, on=("key",))
    with DuckDBEngine() as engine:
        for _ in range(2):
            with pytest.raises(InvalidError, match="2 rows of the public table share values of key, and 1 row may"):
                public.relation(engine)


def test_keys_together_are_unique() -> None:
    rows = [{"a": one, "b": other} for one in (1, 2) for other in (1, 2)]
    described = {"a": column("integer"), "b": column("integer")}
    with DuckDBEngine() as engine:
        assert len(engine.execute(PublicTable(source=rows, described=described, on=("a", "b")).relation(engine))) == 4
        with pytest.raises(InvalidError, match="share values of a"):
            PublicTable(source=rows, described=described, on=("a",)).relation(engine)


def test_nulls_match_nothing_and_may_repeat() -> None:
    public = PublicTable(source=[{}, {}], described={"ward": column("text")}, on=("ward",))
    with DuckDBEngine() as engine:
        assert len(engine.execute(public.relation(engine))) == 2


def test_what_is_wrong_with_it_is_said() -> None:
    with pytest.raises(WrongTypeError, match="must be made by pv.column"):
        PublicTable(source=[], described={"ward": "text"}, on=("ward",))  # type: ignore[dict-item]
    with pytest.raises(InvalidError, match="must describe the columns to match"):
        PublicTable(source=[], described=DESCRIBED, on=("nosuch",))
    with pytest.raises(InvalidError, match="must describe the columns to match"):
        PublicTable(source=[], described=DESCRIBED, on=())


def test_its_rows_are_not_in_its_repr() -> None:
    assert "floor 99" not in repr(PublicTable(source=[{"ward": "floor 99"}], described=DESCRIBED, on=("ward",)))


PAIRS = [{"a": one, "b": other} for one in (1, 2) for other in (1, 2)]
WHOLE = {"a": column("integer"), "b": column("integer")}


def test_a_copy_with_other_columns_is_counted_again() -> None:
    """Otherwise a row would have more partners than the map of a join says."""
    with DuckDBEngine() as engine:
        public = PublicTable(source=PAIRS, described=WHOLE, on=("a", "b"))
        public.relation(engine)
        with pytest.raises(InvalidError, match="2 rows of the public table share values of a, and 1 row may"):
            evolve(public, on=("a",)).relation(engine)
        read = public.read_by(engine)
        assert (read.most, read.keys) == (1, ((1, 1), (1, 2), (2, 1), (2, 2)))
        assert evolve(read, on=("b",)).keys is None
        assert evolve(read, on=("b",)).read_by(engine).keys == ((1,), (2,))
        assert evolve(read, on=("b",)).read_by(engine).most == 2


def test_a_copy_with_a_smaller_promise_or_another_source_is_read_again() -> None:
    with DuckDBEngine() as engine:
        twice = PublicTable(source=PAIRS, described=WHOLE, on=("a",), most=2)
        assert len(engine.execute(twice.relation(engine))) == 4
        with pytest.raises(InvalidError, match="2 rows of the public table share values of a, and 1 row may"):
            evolve(twice, most=1).relation(engine)
        other = evolve(twice, source=PAIRS[:1])
        assert len(engine.execute(other.relation(engine))) == 1


def test_a_copy_of_held_rows_is_counted_again() -> None:
    with DuckDBEngine() as engine, DuckDBEngine() as other:
        relation = PublicTable(source=PAIRS, described=WHOLE, on=("a", "b")).relation(engine)
        held = held_public(engine, relation, ("a", "b"))
        assert (held.most, held.relation(engine)) == (1, relation)
        assert held.without_keys().keys is None
        assert held.without_keys().relation(engine) is relation
        assert evolve(held, on=("a",)).read_by(engine).most == 2
        with pytest.raises(InvalidError, match="2 rows of the public table share values of a"):
            evolve(held, on=("a",)).relation(engine)
        with pytest.raises(InvalidError, match="belongs to another session"):
            held.relation(other)
