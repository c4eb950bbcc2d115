"""The source decides which engine serves a session; psycopg is asked for where it is missing."""

import sys
from pathlib import Path

import pytest

import privet as pv
from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.choosing import open_engine_for
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.server_sources import is_server_table

BOOK = pv.Codebook(columns={"age": pv.column("integer", bounds=(0, 120))}, unit=pv.Rows())
SERVER = "host=/nowhere dbname=clinic"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ((SERVER, "visits"), True),
        (("postgres://reader@host/clinic", "visits"), True),
        (("postgresql://reader@host/clinic", "public.visits"), True),
        (("visits.csv", "people.csv"), False),
        ((SERVER, "visits", "people"), False),
        (SERVER, False),
        ([{"age": 1}], False),
        (Path("visits.csv"), False),
    ],
)
def test_a_table_of_a_server_is_a_pair(source: object, expected: bool) -> None:
    assert is_server_table(source) is expected


def test_everything_else_is_local() -> None:
    engine = open_engine_for({"people": [{"age": 1}]}, threads=1)
    assert isinstance(engine, DuckDBEngine)
    engine.close()


def test_a_missing_driver_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UnavailableError, match=r"pip install 'privet\[postgres\]'"):
        pv.Session((SERVER, "people"), BOOK, pv.budget(epsilon=1))


def test_an_unreachable_server_is_named_without_its_answer() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UnavailableError, match="no connection to PostgreSQL could be opened") as caught:
        pv.Session((SERVER, "people"), BOOK, pv.budget(epsilon=1))
    assert "nowhere" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_two_connections_are_refused() -> None:
    sources = {"one": (SERVER, "a"), "two": ("host=/elsewhere dbname=clinic", "b")}
    with pytest.raises(InvalidError, match="all private tables must be of one connection"):
        open_engine_for(sources)
