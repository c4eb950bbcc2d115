"""What an expression compiles to gives, in DuckDB, for every row what it means, and what its column allows."""

import math

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings

from privet.errors import InvalidError
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.expressions import parse
from tests.tables.expressions.generate import COLUMNS, Engine, belongs, expressions, powers, read, rows
from tests.tables.expressions.oracle import evaluate

ENGINE = Engine(rows(150))
MANY = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@given(expressions())
@MANY
def test_the_engine_agrees_with_the_meaning(text: str) -> None:
    assert ENGINE.problems(read(text))[:1] == []


@given(powers())
@MANY
def test_powers_agree_up_to_their_last_digits(text: str) -> None:
    expression = read(text)
    sql = write(expression.sql(), DIALECT)
    for got, row in zip(ENGINE.values(sql), ENGINE.table, strict=True):
        expected = evaluate(expression, row)
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
    ("setting", "text"),
    [
        ("ieee_floating_point_ops = false", "1 / x"),
        ("ieee_floating_point_ops = false", "sqrt(x)"),
        ("default_collation = 'nocase'", "s = 'A'"),
        ("integer_division = true", "x / x"),
    ],
)
def test_other_settings_would_break_it(setting: str, text: str) -> None:
    assert Engine(rows(150)).problems(parse(text, COLUMNS)) == []
    assert Engine(rows(150), setting).problems(parse(text, COLUMNS)) != []


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
    assert write(parse(text, COLUMNS).sql(), DIALECT) == sql


@pytest.mark.parametrize("name", ["lower", "upper", "trim"])
def test_no_code_point_becomes_two(name: str) -> None:
    points = "select chr(i::int) as c from range(1, 1114112) t(i) where i < 55296 or i > 57343"
    longest = duckdb.execute(f"select max(length({name}(c))), max(strlen({name}(c))) from ({points})").fetchall()
    assert longest == [(1, 4)]


SIGNED = ["-x", "x * -1", "0.0 * i", "i * -0.0", "-1 / i", "round(x, 2)", "ceil(x)", "-rate", "cast('-0.0' as real)",
          "cast(s as real)", "pow(x, 3)", "x * 1e-300 * 1e-300", "-0.0"]  # fmt: skip


@pytest.mark.parametrize("text", SIGNED)
def test_zero_has_no_sign(text: str) -> None:
    values = ENGINE.values(write(parse(text, COLUMNS).sql(), DIALECT))
    assert all(math.copysign(1, value) > 0 for value in values if value == 0)


@pytest.mark.parametrize("text", ["substr(s, 1, {})", "substr(s, {})", "right(s, {})", "left(s, {})"])
def test_the_furthest_place_that_may_be_written_is_one_that_the_engine_knows(text: str) -> None:
    furthest = 2**32 - 1
    assert ENGINE.problems(parse(text.format(furthest), COLUMNS)) == []
    with pytest.raises(InvalidError, match="must be"):  # the engine would fail, and only where there are rows
        parse(text.format(furthest + 1), COLUMNS)
