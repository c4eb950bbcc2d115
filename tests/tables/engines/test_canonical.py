"""Keyed hashes with one encoding for all engines: what is hashed, and that the local engine takes it."""

import hashlib
import math
from datetime import date, datetime
from typing import Any

import pytest

from privet.tables.columns.column import Column
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import CANONICAL, DIALECT
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary.literals import MEANINGS, cast, keyed_hash
from privet.tables.vocabulary.relation import column

KINDS: dict[str, Any] = {
    "integer": [0, -1, 2**63 - 1, -(2**63)],
    "real": [0.0, 0.1, -2.5, 1e15, 1e16, 5e-324, 1.7976931348623157e308, 1e-5],
    "boolean": [True, False],
    "text": ["", "a", "ä", "日本", "3:abc", "n", ",n", ",1"],
    "date": [date(1, 1, 1), date(9999, 12, 31), date(2024, 2, 29)],
    "timestamp": [datetime(1, 1, 1), datetime(2024, 2, 29, 12, 30, 15, 500_000), datetime(1999, 12, 31, 23, 59, 59, 1)],  # noqa: DTZ001
}


def canonical(key: int, values: list[Any]) -> int:
    """The encoding of docs/tables/engines/index.md, in Python."""
    text = str(key)
    for value in values:
        written = _written(value)
        text += ",n" if written is None else f",{len(value)}:{written}" if isinstance(value, str) else f",{written}"
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:8], "big")  # it spreads, and protects nothing


def _written(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        text = value.isoformat(sep=" ")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, float):
        assert math.isfinite(value)
        return repr(value)
    return value.isoformat() if isinstance(value, date) else str(value)


@pytest.mark.parametrize("kind", KINDS)
def test_the_hash_is_that_of_the_stated_encoding(kind: Any) -> None:
    rows = [{"row": at, "value": value} for at, value in enumerate([*KINDS[kind], None])]
    with DuckDBEngine(threads=1, dialect=CANONICAL) as engine:
        table = engine.load(rows, {"row": Column(kind="integer"), "value": Column(kind=kind)})
        hashed = cast(keyed_hash(77, [column("row", "r"), column("value", "r")]), "text")
        made = table.project({"row": (column("row", "r"), table["row"]), "hash": (hashed, Column(kind="text"))})
        found = engine.execute(made, order_by=["row"])["hash"]
    assert [int(each) for each in found] == [canonical(77, [row["row"], row["value"]]) for row in rows]


def test_only_the_hash_differs_from_that_of_local_sessions() -> None:
    assert set(CANONICAL.functions) == set(MEANINGS)
    assert [name for name in MEANINGS if CANONICAL.functions[name] != DIALECT.functions[name]] == ["keyed_hash"]
    assert "HASH(HASH(" in write(keyed_hash(1, [column("s")]), DIALECT)


def test_caps_keep_as_many_rows_with_either_hash() -> None:
    rows = [{"id": at % 7, "v": at} for at in range(100)]
    counts = []
    for dialect in (DIALECT, CANONICAL):
        with DuckDBEngine(threads=1, dialect=dialect) as engine:
            table = engine.load(rows, {"id": Column(kind="integer"), "v": Column(kind="integer")})
            capped = cap(table, Caps(rows=3), person="id", groups=[], used=["v"], key=5)
            counts.append(len(engine.execute(engine.hold(capped, "held"))))
    assert counts == [21, 21]
