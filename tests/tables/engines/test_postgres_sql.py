"""PostgreSQL's SQL, written without a server: types decide, and what has no rule is refused by name."""

import pytest
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.postgres.functions import FUNCTIONS, REFUSED
from privet.tables.engines.postgres.typed import TYPES
from privet.tables.engines.postgres.writer import WRITER
from privet.tables.engines.typed_sql.queries import Tables
from privet.tables.engines.typed_sql.translate import Scope, translate
from privet.tables.engines.typed_sql.trees import KINDS
from privet.tables.expressions import parse
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary.literals import MEANINGS, call, real, text
from privet.tables.vocabulary.literals import TYPES as ALL_TYPES
from privet.tables.vocabulary.relation import column, table

WRITTEN_ELSEWHERE = {"let", "each_listed", "bin_counts", "each_bin", "each_count"}  # they are forms of queries
KNOWN = {"n": Column(kind="integer"), "x": Column(kind="real"), "s": Column(kind="text"), "d": Column(kind="date")}
SCOPE = Scope({"t": {name: known.kind for name, known in KNOWN.items()}}, lambda query: (query, {}), WRITER)  # type: ignore[misc]


def written(tree: exp.Expr) -> str:
    return translate(tree, SCOPE).tree.sql(dialect="postgres")


def test_every_meaning_is_written_or_refused_by_name() -> None:
    assert set(FUNCTIONS) | set(REFUSED) | WRITTEN_ELSEWHERE == set(MEANINGS)
    assert not set(FUNCTIONS) & set(REFUSED)


def test_every_type_has_a_name() -> None:
    assert set(KINDS) == set(ALL_TYPES.values())
    assert set(KINDS.values()) <= set(TYPES)
    dialect: Dialect = DIALECT
    assert dialect.types[exp.DType.INT128] == "NUMERIC"


@pytest.mark.parametrize(
    ("tree", "sql"),
    [
        (text("a"), "(CAST('a' AS TEXT) COLLATE \"C\")"),
        (exp.Literal.number("5"), "CAST('5' AS BIGINT)"),
        (exp.Neg(this=exp.Literal.number(str(2**63))), "CAST('-9223372036854775808' AS BIGINT)"),
        (exp.Literal.number("1.5e0"), "CAST('1.5' AS DOUBLE PRECISION)"),
        (exp.Add(this=column("x"), expression=real(0.0)), "(\"x\") + (CAST('0.0' AS DOUBLE PRECISION))"),
        (exp.IntDiv(this=column("n"), expression=exp.Literal.number("2")), "\"n\" / CAST('2' AS BIGINT)"),
        (exp.Like(this=column("s"), expression=text("a%")), "\"s\" LIKE (CAST('a%' AS TEXT) COLLATE \"C\") ESCAPE ''"),
        (exp.Min(this=exp.Is(this=column("s"), expression=exp.null())), 'BOOL_AND("s" IS NULL)'),
        (call("length", column("s")), 'CAST(LENGTH("s") AS BIGINT)'),
    ],
)
def test_types_decide_how_a_tree_is_written(tree: exp.Expr, sql: str) -> None:
    assert written(tree) == sql


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_meaning_that_differs_is_refused_with_advice(name: str) -> None:
    with pytest.raises(InvalidError, match=rf"on PostgreSQL, {name} is not computed: .*Nothing was charged; "):
        written(call(name, column("x"), column("x")))


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (exp.BitwiseXor(this=column("n"), expression=column("n")), "bitwisexor is not computed"),
        (text("a\0b"), "no NUL"),
        (call("matches", column("s"), text(r"\bword")), "has no counterpart"),
        (call("matches", column("s"), text("(?s).")), "has no counterpart"),
        (exp.Sum(this=column("x")), "sums are of whole numbers"),
    ],
)
def test_what_has_no_rule_is_refused(tree: exp.Expr, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        written(tree)


def test_a_filter_on_a_window_is_a_query_around_it() -> None:
    people = table("people", {"id": Column(kind="integer"), "s": Column(kind="text")})
    tables = Tables(WRITER, {"people": {"id": "integer", "s": "text"}}, {})
    sql = tables.write(cap(people, Caps(rows=2), person="id", groups=[], used=["s"], key=5).query)
    assert "QUALIFY" not in sql
    assert sql.startswith('SELECT "q"."id", "q"."s" FROM (SELECT')
    assert sql.endswith('WHERE "q"."privet window" <= CAST(\'2\' AS BIGINT)')


def test_only_tables_of_the_session_are_read() -> None:
    stranger = exp.Select(expressions=[exp.Star()]).from_(exp.Table(this=exp.to_identifier("pg_authid")))
    with pytest.raises(InvalidError, match="only tables of the session"):
        Tables(WRITER, {}, {}).write(stranger)


def test_an_analyst_never_writes_sql_of_the_server() -> None:
    hostile = parse("concat(s, '''; drop table visits; --')", KNOWN)
    assert "'''; drop table visits; --'" in written(hostile.sql())
