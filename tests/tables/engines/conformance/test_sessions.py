"""Random queries of whole sessions, with null policies, caps, joins and every aggregate: the same exact totals."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import duckdb
import pytest

import privet as pv
from privet.errors import PrivetError
from privet.tables.curator import private_tables
from privet.tables.engines import default
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import CANONICAL
from tests.fuzz.queries import UNITS, codebooks, question
from tests.tables.opened import exact_totals

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = pytest.mark.engines
TYPES = {
    "fuzz_visits": {
        "id": "bigint", "ward": "text", "minutes": "bigint", "cost": "double precision", "ill": "boolean",
        "note": "text", "day": "date", "free": "bigint"
    },
    "fuzz_people": {"id": "bigint", "person": "bigint", "day": "date", "ward": "text", "age": "numeric(20, 1)"},
}  # fmt: skip
CELLS: dict[str, list[str | None]] = {
    "ward": ["a", "b", "c", "a", "unseen", None],
    "day": ["2024-01-31", "2024-02-01", "2024-03-05", "1999-01-01", None],
    "minutes": ["0", "1", "30", "60", "61", "-9223372036854775808", "9223372036854775807", None],
    "cost": ["0.0", "-0.0", "0.25", "1e308", "NaN", "Infinity", "-1.5", None],
    "ill": ["true", "false", None],
    "note": ["", "flu", "FLU,flu,x,,y", "ß", "12", "a,b", None],
    "free": ["9223372036854775807", "-9223372036854775808", "0", "5", None],
    "age": ["0", "30.5", "64", "120", "1000000000000000000.0", "-1", None],
}
SEEDS = range(100)


def drawn(table: str) -> list[list[str | None]]:
    dice = random.Random(table)
    rows = []
    for _ in range(200):
        person = dice.choice([*map(str, range(25)), None])
        rows.append([person if name in ("id", "person") else dice.choice(CELLS[name]) for name in TYPES[table]])
    return rows


@pytest.fixture(scope="module")
def connections(address: str) -> Iterator[dict[str, Any]]:
    local = duckdb.connect()
    with psycopg.connect(address, autocommit=True) as server:
        for table, types in TYPES.items():
            rows = drawn(table)
            for connection, mark in ((local, "?"), (server.cursor(), "%s")):
                fields = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
                connection.execute(f"CREATE TABLE {table} ({fields})")
                marks = ", ".join(f"CAST({mark} AS {kind})" for kind in types.values())
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    yield {"local": local, "server": address}
    local.close()


def books(seed: int, unit: str) -> dict[str, pv.Codebook]:
    """Describe the tables, without lists, which no server reads."""
    dice = random.Random(seed)
    described = codebooks(dice, UNITS[unit](dice))
    return {
        name: pv.Codebook(
            columns={each: item for each, item in book.columns.items() if each != "marks"}, unit=book.unit
        )
        for name, book in described.items()
    }


def totals(connection: Any, seed: int, unit: str) -> Any:
    """Give all exact numbers of a query; None where it is refused, or finds its keys in the data."""
    sources = {name: (connection, f"fuzz_{name}") for name in ("visits", "people")}
    with pv.Session(sources, books(seed, unit), pv.budget(epsilon=100, delta=1e-3)) as session:
        try:
            query = question(seed, unit)(session)
            plan = query.plan(epsilon=1)
            return [(each, values.tolist()) for each, values in exact_totals(query, plan).items()]
        except PrivetError as refusal:
            return "on PostgreSQL" if "on PostgreSQL" in str(refusal) else type(refusal)
        except AttributeError:  # private keys, and roll-ups: they have no totals of public groups
            return None


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("part", range(4))
def test_random_queries_have_the_same_exact_totals(
    unit: str, part: int, connections: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(default, "DuckDBEngine", partial(DuckDBEngine, dialect=CANONICAL))
    monkeypatch.setattr(private_tables, "uniform_below", lambda _: 2**60 + 17)  # one key for both
    compared = 0
    for seed in SEEDS[part::4]:
        found = totals(connections["server"], seed, unit)
        if found is None or found == "on PostgreSQL":
            continue
        assert found == totals(connections["local"], seed, unit), seed
        compared += isinstance(found, list)
    assert compared >= 6
