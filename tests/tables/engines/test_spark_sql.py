"""Spark's SQL, written without Spark: types decide, and what has no rule is refused by name."""

import re

import pytest
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.spark.functions import FUNCTIONS, REFUSED
from privet.tables.engines.spark.typed import TYPES, let
from privet.tables.engines.spark.writer import WRITER
from privet.tables.engines.typed_sql.queries import Tables
from privet.tables.engines.typed_sql.translate import Scope, translate
from privet.tables.engines.typed_sql.trees import KINDS
from privet.tables.expressions import parse
from privet.tables.vocabulary.literals import MEANINGS, call, real, text
from privet.tables.vocabulary.relation import column

WRITTEN_ELSEWHERE = {"let", "each_listed", "bin_counts", "each_bin", "each_count"}  # they are forms of queries
KNOWN = {"n": Column(kind="integer"), "x": Column(kind="real"), "s": Column(kind="text"), "d": Column(kind="date")}
SCOPE = Scope({"t": {name: known.kind for name, known in KNOWN.items()}}, lambda query: (query, {}), WRITER)  # type: ignore[misc]


def written(tree: exp.Expr) -> str:
    return translate(tree, SCOPE).tree.sql(dialect="spark")


def test_every_meaning_is_written_or_refused_by_name() -> None:
    assert set(FUNCTIONS) | set(REFUSED) | WRITTEN_ELSEWHERE == set(MEANINGS)
    assert not set(FUNCTIONS) & set(REFUSED)


def test_every_type_has_a_name() -> None:
    assert set(KINDS.values()) <= set(TYPES)
    dialect: Dialect = DIALECT
    assert dialect.types[exp.DType.INT128] == "DECIMAL(38, 0)"


@pytest.mark.parametrize(
    ("tree", "sql"),
    [
        (text("a"), "CAST('a' AS STRING)"),
        (text("a\\b'c"), "CAST('a\\\\b\\'c' AS STRING)"),
        (exp.Literal.number("5"), "CAST('5' AS BIGINT)"),
        (exp.Literal.number("1.5e0"), "CAST('1.5' AS DOUBLE)"),
        (exp.Add(this=column("x"), expression=real(0.0)), "(`x`) + (CAST('0.0' AS DOUBLE))"),
        (exp.IntDiv(this=column("n"), expression=exp.Literal.number("2")), "`n` DIV CAST('2' AS BIGINT)"),
        (exp.Like(this=column("s"), expression=text("a\\%")), "(`s` LIKE 'a\\\\\\\\%')"),
        (exp.Min(this=column("s")), "MIN(`s`)"),
        (call("length", column("s")), "CAST(LENGTH(`s`) AS BIGINT)"),
    ],
)
def test_types_decide_how_a_tree_is_written(tree: exp.Expr, sql: str) -> None:
    assert written(tree) == sql


PART = re.compile(r"SUM\((?:SHIFTRIGHT\(v, (\d+)\)|v)(?: & (\d+))?\) AS DECIMAL\(38, 0\)\)(?: \* (\d+))?")


def test_a_sum_has_three_parts_none_of_which_overflows() -> None:
    """The parts of a number add up to it, and a part of less than 2**41 numbers has room in 64 bits."""
    sql = written(exp.Sum(this=column("n"))).replace("CAST(`n` AS BIGINT)", "v")
    parts = [tuple(int(each) if each else None for each in found) for found in PART.findall(sql)]
    assert parts == [(42, None, 2**42), (21, 2**21 - 1, 2**21), (None, 2**21 - 1, None)]
    assert PART.sub("part", sql) == "CAST(CAST(part + CAST(part + CAST(part AS DECIMAL(38, 0))"
    for value in (-(2**63), -1, 0, 2**63 - 1):
        split = [value >> (shift or 0) & (-1 if mask is None else mask) for shift, mask, _ in parts]
        assert all(-(2**63) <= each * 2**41 < 2**63 for each in split)
        assert sum(each * (factor or 1) for each, (*_, factor) in zip(split, parts, strict=True)) == value


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_meaning_that_differs_is_refused_with_advice(name: str) -> None:
    with pytest.raises(InvalidError, match=rf"on Spark, {name} is not computed: .*Nothing was charged; "):
        written(call(name, column("x"), column("x")))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (exp.BitwiseXor(this=column("n"), expression=column("n")), "bitwisexor is not computed"),
        (call("matches", column("s"), text(r"\bword")), "has no counterpart"),
        (call("each_part", column("s"), text(""), exp.Literal.number("3")), "a separator that has characters"),
        (call("like_escape", column("s"), text("a!"), text("!")), "ends with its escape character"),
        (exp.Sum(this=column("x")), "sums are of whole numbers"),
        (call("round", column("x"), column("n")), "a number of digits that is written out"),
    ],
)
def test_what_has_no_rule_is_refused(tree: exp.Expr, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        written(tree)


def test_large_values_are_computed_once_and_no_name_takes_that_of_another() -> None:
    large = parse("round(round(x * 3, 2) * 5, 1) + round(x * 7, 3)", KNOWN)
    sql = written(large.sql())
    assert len(sql) < 20_000
    inner = let("v + v * v", v=exp.column("a") + exp.column("b") * exp.column("c") - exp.column("d") / exp.column("e"))
    outer = let("v + v * v", v=inner).sql("spark")
    assert "privet let 1 v" in outer
    assert "privet let 2 v" in outer


def test_lists_are_put_together_and_not_crossed() -> None:
    listed = [("a", "[1, 2]", "integer"), ("b", '["x", "y"]', "text")]
    sql = WRITER.rows_of_lists(listed).sql("spark")  # type: ignore[arg-type]
    assert sql.count("EXPLODE") == 1
    assert "ARRAYS_ZIP" in sql


def test_only_tables_of_the_session_are_read() -> None:
    stranger = exp.Select(expressions=[exp.Star()]).from_(exp.Table(this=exp.to_identifier("secrets")))
    with pytest.raises(InvalidError, match="only tables of the session"):
        Tables(WRITER, {}, {}).write(stranger)


def test_an_analyst_never_writes_sql_of_the_cluster() -> None:
    hostile = parse("concat(s, '''; drop table visits; --', '\\''; --')", KNOWN)
    sql = written(hostile.sql())
    assert "'\\'; drop table visits; --'" in sql
    assert "'\\\\\\'; --'" in sql
