"""What an expression compiles to gives, in DuckDB, for every row what it means, and what its column allows."""

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from privet.tables.expressions import parse
from tests.tables.expressions.generate import COLUMNS, TYPES, Engine, belongs, expressions, powers, read, rows

ENGINE = Engine(rows(60))
MANY = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


@given(expressions())
@MANY
def test_the_engine_agrees_with_the_meaning(text: str) -> None:
    expression = read(text)
    sql = expression.sql().sql(dialect="duckdb")
    expected = [expression.evaluate(row) for row in ENGINE.table]
    got = ENGINE.values(sql)
    wrong = [(a, b, row) for a, b, row in zip(got, expected, ENGINE.table, strict=True) if not same(a, b)]
    assert not wrong, (sql, wrong[0][:2], {name: wrong[0][2][name] for name in expression.references()})
    outside = [value for value in got if not belongs(value, expression)]
    assert not outside, (sql, expression.range, outside[0])
    assert ENGINE.types(sql) == TYPES[expression.kind]


@given(powers())
@MANY
def test_powers_agree_up_to_their_last_digits(text: str) -> None:
    expression = read(text)
    sql = expression.sql().sql(dialect="duckdb")
    for got, row in zip(ENGINE.values(sql), ENGINE.table, strict=True):
        expected = expression.evaluate(row)
        assert belongs(got, expression), (sql, expression.range, got)
        if expected is None or got is None:
            assert got is expected is None
        else:
            assert math.isclose(got, expected, rel_tol=1e-13, abs_tol=1e-300)


@given(expressions())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_printed_reads_back(text: str) -> None:
    expression = read(text)
    again = parse(str(expression), COLUMNS)
    assert again == expression


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("n > 0", '"n" > 0'),
        ("n / 60", 'CAST("n" AS DOUBLE) / 60.0e0'),
        ("n * 3 - 1", '("n" * 3) - 1'),
        ("rate * 100", '"rate" * 100.0e0'),
        ("ln(n)", 'LN(CAST("n" AS DOUBLE))'),
        ("n % 7", '"n" % 7'),
        ("sqrt(rate)", 'SQRT("rate")'),
        ("n > 0.5", 'CAST("n" AS DOUBLE) > 0.5e0'),
    ],
)
def test_bounded_columns_need_no_guard(text: str, sql: str) -> None:
    assert parse(text, COLUMNS).sql().sql(dialect="duckdb") == sql
