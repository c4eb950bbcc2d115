"""Hashes of public rows: whatever differs in one bit has another hash, and the order of rows has none."""

import datetime as dt
import math
from typing import Any

import pytest

from privet.tables.codebook.column import column
from privet.tables.columns import Kind
from privet.tables.engines.default import open_engine
from privet.tables.relations.exact_rows import hash_rows
from privet.tables.relations.public_table import PublicTable

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def hashed(values: list[Any], kind: Kind, name: str = "x") -> str:
    rows = [{"key": 0, name: value} for value in values]
    described = {"key": column("integer"), name: column(kind)}
    table = PublicTable(source=rows, described=described, on=("key",), most=9)
    engine = open_engine()
    return hash_rows(engine, table.relation(engine))


@pytest.mark.parametrize(
    ("kind", "values", "other"),
    [
        ("real", [0.1, 0.2], [math.nextafter(0.1, 1), 0.2]),
        ("real", [1e300, 5e-324], [1e300, 1e-323]),
        ("real", [0.5, None], [0.5, 0.0]),
        ("integer", [2**63 - 1], [2**63 - 2]),
        ("text", ["a", "b"], ["a", "b "]),
        ("text", ["a\x01b"], ["a\\x01b"]),
        ("text", [None], ["null"]),
        ("boolean", [True, None], [True, False]),
        ("date", [dt.date(2026, 1, 1)], [dt.date(2026, 1, 2)]),
        ("timestamp", [NOON], [NOON + dt.timedelta(microseconds=1)]),
        ("integer", [1, 1, 2], [1, 2, 2]),
        ("integer", [1, 1], [1]),
    ],
)
def test_other_rows_have_another_hash(kind: Kind, values: list[Any], other: list[Any]) -> None:
    assert hashed(values, kind) == hashed(values[::-1], kind)
    assert hashed(values, kind) != hashed(other, kind)


def test_types_and_names_are_in_the_hash() -> None:
    hashes = [hashed([1], "integer"), hashed([1], "real"), hashed(["1"], "text"), hashed([1], "integer", "y")]
    assert len(set(hashes)) == 4
