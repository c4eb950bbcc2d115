# ruff: noqa: E501
"""Names and literals are only ever names and literals; what is raised depends on the text and the columns alone."""

from typing import Any

import duckdb
import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.expressions import col, parse
from tests.tables.expressions.generate import COLUMNS
from tests.tables.expressions.oracle import evaluate

HOSTILE = [
    "",
    " ",
    "a b",
    'q"uote',
    '"',
    '""',
    "it's",
    "'; drop table t; --",
    'x" > 0 or 1=1 --',
    "/* */",
    "--",
    "select",
    "SELECT",
    "null",
    "true",
    "value",
    "current_date",
    "*",
    "a.b",
    "$1",
    "?",
    "%s",
    "{}",
    "\\",
    "\\'",
    "\n",
    "\t",
    "nul\x00in",
    "日本語",
    "🤦🏼‍♂️",
    "é",
    "e\u0301",
    "\u202e",
    "\ufeff",
    "x" * 5_000,
    "İ",
    "ß",
]


def table(name: str, kind: str, value: Any) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    quoted = name.replace('"', '""')
    connection.execute(f'create table t ("{quoted}" {kind})')
    connection.execute("insert into t values (?)", [value])
    return connection


@pytest.mark.parametrize("name", HOSTILE[1:], ids=range(len(HOSTILE) - 1))
def test_a_hostile_name_is_a_name(name: str) -> None:
    connection = table(name, "BIGINT", 41)
    columns = {name: Column(kind="integer")}
    quoted = '"' + name.replace('"', '""') + '"'
    for expression in (parse(f"{quoted} + 1", columns), parse(col(name) + 1, columns)):
        assert expression.references() == (name,)
        assert connection.execute(f"select {write(expression.sql(), DIALECT)} from t").fetchall() == [(42,)]


def test_an_empty_name_is_no_name_to_the_engine() -> None:
    with pytest.raises(duckdb.Error):
        table("", "BIGINT", 1)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_literal_is_a_literal(text: str) -> None:
    connection = table("s", "VARCHAR", text)
    columns = {"s": Column(kind="text")}
    escaped = "'" + text.replace("'", "''") + "'"
    for expression in (
        parse(f"s = {escaped}", columns),
        parse(col("s") == text, columns),
        parse(f"s in ({escaped})", columns),
    ):
        assert evaluate(expression, {"s": text}) is True
        assert connection.execute(f"select {write(expression.sql(), DIALECT)} from t").fetchall() == [(True,)]


def test_names_do_not_tell_case_apart_as_in_the_engine() -> None:
    assert parse("AGE + 1", {"Age": Column(kind="integer")}).references() == ("Age",)
    with pytest.raises(InvalidError, match="no column"):
        parse("AGE + 1", {"Age": Column(kind="integer"), "age": Column(kind="integer")})


def test_references_are_listed_once_and_in_order() -> None:
    assert parse("n + i * n - small", {**COLUMNS, "small": Column(kind="integer")}).references() == ("n", "i", "small")


@pytest.mark.parametrize("text", ["i + 1", "1 / x", "cast(s as integer)", "sqrt(x) > 1", "date_trunc('month', d)"])
def test_nothing_changes_with_the_data(text: str) -> None:
    """The tree is made from the text and the columns; compiled twice it is the same, and it never raises."""
    expression = parse(text, COLUMNS)
    assert expression.sql() == expression.sql()
    assert expression == parse(text, COLUMNS)


def test_a_guarded_chain_grows_slowly() -> None:
    sizes = [len(write(parse(" * ".join(["x"] * number), COLUMNS).sql(), DIALECT)) for number in (7, 14, 28)]
    assert sizes[2] < 5 * sizes[0]


def test_a_deep_guarded_chain_runs() -> None:
    connection = table("x", "DOUBLE", 1.5)
    expression = parse(" * ".join(["x"] * 28), {"x": Column(kind="real")})
    sql = write(expression.sql(), DIALECT)
    assert connection.execute(f"select {sql} from t").fetchall() == [(evaluate(expression, {"x": 1.5}),)]


@pytest.mark.parametrize("form", [" + ".join(["n"] * 90), " || ".join(['"été ☃"'] * 90), " - ".join(["rate"] * 90)])
def test_a_long_sum_of_bounded_columns_is_allowed(form: str) -> None:
    assert write(parse(form, COLUMNS).sql(), DIALECT).count("(") == 0


# as DuckDB reads them
PRECEDENCE = [
    "-2 ** 2", "2 ** 3 ** 2", "not 1 = 2", "1 = 2 is null", "8 - 2 - 3", "8 / 2 / 2", "7 // 2 * 2", "7 % 4 * 2", "-7 % 4", "not 1 in (2)",
    "1 between 0 and 2 and true", "not true or true", "true or true and false", "'a' || 'b' = 'ab'", "'a' || 'b' like 'ab'", "- 2 * 3 ** 2",
    "1 <> 2 and not 2 = 3", "5 - -3", "case when 1 = 1 then 2 end + 1", "not 'a' like 'b'", "1 is null = false", "'a' < 'b' is not null",
    "3 in (1, 2) = false", "1 < 2 or 1 > 2 and 1 = 3", "-7 // 2", "7 // -2", "round(-2.5)", "ceil(-0.5)", "log(100.0)", "least(1, null)", "concat('a', null)",
]  # fmt: skip


@pytest.mark.parametrize("text", PRECEDENCE)
def test_operators_bind_as_in_the_engine(text: str) -> None:
    assert evaluate(parse(text, {}), {}) == duckdb.execute(f"select {text}").fetchall()[0][0]


def test_a_column_may_be_called_like_the_name_that_guards_use() -> None:
    connection = table("value", "DOUBLE", 1e200)
    columns = {"value": Column(kind="real")}
    expression = parse("value * value * value * value / value / value / value", columns)
    assert connection.execute(f"select {write(expression.sql(), DIALECT)} from t").fetchall() == [(None,)]
    assert evaluate(expression, {"value": 1e200}) is None


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("duration > 0 and specialty in ('a', 'b')", "((\"duration\" > 0) and (\"specialty\" in ('a', 'b')))"),
        (
            "case when duration < 18 then 'minor' end",
            "case when (\"duration\" < 18) then 'minor' else cast(null as text) end",
        ),
        ("duration between 1 and 2", '(("duration" >= 1) and ("duration" <= 2))'),
        ("-duration ** 2", 'pow((-"duration"), 2.0)'),
        ("specialty is not null", '(not ("specialty" is null))'),
    ],
)
def test_it_prints_what_was_understood(text: str, printed: str) -> None:
    columns = {"duration": Column(kind="integer", bounds=(0, 600)), "specialty": Column(kind="text")}
    assert str(parse(text, columns)) == printed
