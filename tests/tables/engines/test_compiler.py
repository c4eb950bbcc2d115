"""Trees of meanings become the SQL of an engine, by its dialect alone."""

from typing import Any

import pytest
from attrs import evolve, frozen
from sqlglot import exp

from privet.tables.columns.column import Column
from privet.tables.engines.dialect import Compiler, Dialect, Spelling, write
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.vocabulary.grid_sql import exact_sum
from privet.tables.vocabulary.literals import MEANINGS, TYPES, call, keyed_hash, type_named, whole
from privet.tables.vocabulary.relation import column, table


def _digest(*values: exp.Expr) -> exp.Expr:
    joined = exp.Anonymous(this="concat_ws", expressions=[exp.Literal.string("|"), *values])
    return exp.Anonymous(this="hashtextextended", expressions=[joined, exp.Literal.number(0)])


@frozen
class PostgresSketch:
    """As much of another engine's dialect as the tests below need."""

    grammar: str = "postgres"
    schema: str = "pg_temp"
    functions: dict[str, Spelling] = {"keyed_hash": _digest, "byte_length": "octet_length"}  # noqa: RUF008
    types: dict[exp.DType, str] = {exp.DType.INT128: "NUMERIC(39, 0)"}  # noqa: RUF008
    source_types: dict[str, Any] = {}  # noqa: RUF008
    settings: dict[str, tuple[str, ...]] = {}  # noqa: RUF008


def test_duckdb_writes_every_meaning_and_no_other() -> None:
    assert set(DIALECT.functions) == set(MEANINGS)


def test_a_function_that_is_no_meaning_is_not_called() -> None:
    with pytest.raises(KeyError, match="random"):
        call("random")


@pytest.mark.parametrize(
    ("tree", "sql"),
    [
        (call("matches", column("s"), exp.Literal.string("a+")), "REGEXP_FULL_MATCH(\"s\", 'a+')"),
        (keyed_hash(7, [column("s")]), "HASH(HASH(CAST('7' AS BIGINT), \"s\"))"),
        (
            call("let", column("x"), column("v"), exp.Neg(this=column("v"))),
            'LIST_EXTRACT([-"v" FOR "v" IN ["x"]], 1)',
        ),
        (call("byte_length", call("lower", column("s"))), 'STRLEN(LOWER("s"))'),
        (call("days_between", column("d"), column("e")), '("e" - "d")'),
        (whole(1, "int128"), "CAST('1' AS INT128)"),
        (
            call("each_listed", exp.Literal.string("[1]"), type_named("integer")),
            "UNNEST(CAST(CAST('[1]' AS JSON) AS BIGINT[]))",
        ),
    ],
)
def test_duckdb_spells_meanings_its_way(tree: exp.Expr, sql: str) -> None:
    before = tree.copy()
    assert write(tree, DIALECT) == sql
    assert tree == before  # the tree is left alone


def test_a_spelling_may_use_an_argument_twice() -> None:
    twice = evolve(DIALECT, functions={**DIALECT.functions, "abs": lambda x: exp.Add(this=x, expression=x.copy())})
    assert write(call("abs", call("byte_length", column("s"))), twice) == 'STRLEN("s") + STRLEN("s")'


def test_another_engine_is_another_dialect_and_no_other_change() -> None:
    people = table("people", {"age": Column(kind="integer"), "name": Column(kind="text")})
    outputs = {"n": (exact_sum(call("byte_length", column("name"))), Column(kind="integer"))}
    other: Dialect = PostgresSketch()
    assert write(people.project(outputs).query, other) == (
        'SELECT CAST(COALESCE(SUM(OCTET_LENGTH("name")), CAST(\'0\' AS NUMERIC(39, 0))) AS NUMERIC(39, 0)) AS "n" '
        'FROM (SELECT "age", "name" FROM "pg_temp"."people") AS "r"'
    )
    assert '"main"."people"' in write(people.query, DIALECT)


def test_a_relation_is_written_once() -> None:
    compiler, people = Compiler(DIALECT), table("people", {"age": Column(kind="integer")})
    assert compiler.text(people) is compiler.text(people)


def test_every_type_has_a_name_in_duckdb(engine: Any) -> None:
    names = {name: write(type_named(name), DIALECT) for name in TYPES}
    read = ", ".join(f"typeof(CAST(NULL AS {sql}))" for sql in names.values())
    (types,) = engine._connection.execute(f"SELECT {read}").fetchall()
    assert dict(zip(names, types, strict=True)) == {
        "integer": "BIGINT",
        "real": "DOUBLE",
        "boolean": "BOOLEAN",
        "text": "VARCHAR",
        "date": "DATE",
        "timestamp": "TIMESTAMP",
        "int32": "INTEGER",
        "uint64": "UBIGINT",
        "int128": "HUGEINT",
        "uint128": "UHUGEINT",
        "zoned timestamp": "TIMESTAMP WITH TIME ZONE",
    }
