"""A query is run on tables without rows first: what is wrong with it shows there, and no row is read."""

from typing import Any

import duckdb
import pytest

from privet.errors import Invalid, Unavailable
from privet.tables.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.rehearsal import rehearse
from privet.tables.literals import call
from privet.tables.relation import column

NOTES = {"note": Column(kind="text")}


def test_no_row_is_read() -> None:
    with DuckDBEngine() as engine:
        notes = engine.load([{"note": "secret"}], NOTES, "notes")
        fails = {"n": (call("error", column("note", "r")), Column(kind="text"))}  # an error for each row
        rehearse(engine, [notes.project(fails)], width=0, held=0)
        with pytest.raises(Unavailable):
            engine.execute(notes.project(fails))


def test_what_the_engine_does_not_understand_is_refused() -> None:
    with DuckDBEngine() as engine:
        notes = engine.load([], NOTES, "notes")
        unknown = {"n": (call("no_such_function", column("note", "r")), Column(kind="text"))}
        with pytest.raises(Unavailable, match="Nothing was charged"):
            rehearse(engine, [notes.project(unknown)], width=0, held=0)
        rehearse(engine, [notes], width=0, held=0)  # the engine still works
        assert engine.execute(notes)["note"] == []


def test_tables_that_come_later_are_rehearsed_too() -> None:
    with DuckDBEngine() as engine:
        notes = engine.load([{"note": "a"}], NOTES, 'no"tes')
        rehearse(engine, [notes], width=0, held=0)
        later = engine.hold(notes, "later")
        rehearse(engine, [notes, later, later.union_all(notes)], width=0, held=0)
        assert engine.execute(later)["note"] == ["a"]


@pytest.mark.parametrize(
    ("needs", "fits"), [({"width": 5_000, "held": 0}, False), ({"width": 100, "held": 9_000}, False),
                        ({"width": 100, "held": 0}, True), ({"width": 0, "held": 5_000}, True)]
)  # fmt: skip
def test_what_may_not_fit_is_refused_whatever_the_rows_are(needs: Any, fits: bool) -> None:
    for rows in ([], [{"note": "a" * 900}] * 50):
        with DuckDBEngine(memory="64MiB", threads=1) as engine:
            notes = engine.load(rows, NOTES, "notes")
            if fits:
                rehearse(engine, [notes], **needs)
            else:
                with pytest.raises(Invalid, match="surely fit"):
                    rehearse(engine, [notes], **needs)


def test_the_settings_that_are_read_are_as_duckdb_writes_them() -> None:
    connection = duckdb.connect(config={"memory_limit": "3GB", "threads": 3})
    found = connection.execute("SELECT current_setting('memory_limit'), current_setting('threads')").fetchall()
    assert found == [("2.7 GiB", 3)]
