"""A query is run on tables without rows first: what is wrong with it shows there, and no row is read."""

import duckdb
import pytest
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.columns.limits import Limits
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary.relation import Relation, column

NOTES = {"note": Column(kind="text")}
COUNTED = Column(kind="integer", bounds=(0, 2**62))


def test_no_row_is_read() -> None:
    with DuckDBEngine() as engine:
        notes = engine.load([{"note": "secret"}], NOTES, "notes")
        fails = {"n": (call("error", column("note", "r")), Column(kind="text"))}  # an error for each row
        engine.rehearse([notes.project(fails)], Limits(), NOTES)
        with pytest.raises(UnavailableError):
            engine.execute(notes.project(fails))


def test_what_the_engine_does_not_understand_is_refused() -> None:
    with DuckDBEngine() as engine:
        notes = engine.load([], NOTES, "notes")
        unknown = {"n": (call("no_such_function", column("note", "r")), Column(kind="text"))}
        with pytest.raises(UnavailableError, match="Nothing was charged"):
            engine.rehearse([notes.project(unknown)], Limits(), NOTES)
        engine.rehearse([notes], Limits(), NOTES)  # the engine still works
        assert engine.execute(notes)["note"] == []


def test_tables_that_come_later_are_rehearsed_too() -> None:
    with DuckDBEngine() as engine:
        notes = engine.load([{"note": "a"}], NOTES, 'no"tes')
        engine.rehearse([notes], Limits(), NOTES)
        later = engine.hold(notes, "later")
        engine.rehearse([notes, later, later.union_all(notes)], Limits(), NOTES)
        assert engine.execute(later)["note"] == ["a"]


def ranked(notes: Relation, length: int) -> tuple[Relation, dict[str, Column]]:
    """Rank the rows of each note, as caps do, where notes are so long."""
    capped = cap(notes, Caps(rows=1), person="note", groups=[], used=[], key=7)
    return capped, {"note": Column(kind="text", length=length)}


@pytest.mark.parametrize(
    ("width", "length", "fits"), [(5_000, 1, False), (100, 9_000, False), (100, 1, True), (0, 4_000, True)]
)
def test_what_may_not_fit_is_refused_whatever_the_rows_are(width: int, length: int, fits: bool) -> None:
    for rows in ([], [{"note": "a" * 900}] * 50):
        with DuckDBEngine(memory="64MiB", threads=1) as engine:
            query, columns = ranked(engine.load(rows, NOTES, "notes"), length)
            if fits:
                engine.rehearse([query], Limits(width=width), columns)
            else:
                with pytest.raises(InvalidError, match="surely fit"):
                    engine.rehearse([query], Limits(width=width), columns)


def test_rows_that_nobody_ranks_need_no_room() -> None:
    with DuckDBEngine(memory="64MiB", threads=1) as engine:
        notes = engine.load([], NOTES, "notes")
        engine.rehearse([notes], Limits(rows=1_000), {"note": Column(kind="text", length=10_000)})
        query, columns = ranked(notes, 10)
        with pytest.raises(InvalidError, match="surely fit"):
            engine.rehearse([query], Limits(rows=1_000), columns)


def test_counts_of_different_values_need_room_of_their_own() -> None:
    with DuckDBEngine(memory="64MiB", threads=1) as engine:
        query, columns = ranked(engine.load([], NOTES, "notes"), 10)
        counts = {str(n): (exp.Count(this=exp.Distinct(expressions=[column("note", "r")])), COUNTED) for n in range(8)}
        engine.rehearse([query.project({"0": counts["0"]})], Limits(), columns)
        with pytest.raises(InvalidError, match="8 counts of different values"):
            engine.rehearse([query.project(counts)], Limits(), columns)


def test_the_settings_that_are_read_are_as_duckdb_writes_them() -> None:
    connection = duckdb.connect(config={"memory_limit": "3GB", "threads": 3})
    found = connection.execute("SELECT current_setting('memory_limit'), current_setting('threads')").fetchall()
    assert found == [("2.7 GiB", 3)]


def test_every_window_needs_room() -> None:
    """One that numbers rows, without a cap behind it, holds them too."""
    with DuckDBEngine(memory="64MiB", threads=1) as engine:
        notes = engine.load([], NOTES, "notes")
        number = exp.Window(this=call("ROW_NUMBER"), partition_by=[column("note", "r")], over="OVER")
        query = notes.with_column("n", number, COUNTED)
        engine.rehearse([query], Limits(), {"note": Column(kind="text", length=4_000)})
        with pytest.raises(InvalidError, match="surely fit"):
            engine.rehearse([query], Limits(), {"note": Column(kind="text", length=9_000)})
