"""The SQL that analysts write: DuckDB's, that of another system where they say so, and BigQuery's for its own clause.

This is the language of expressions and statements, whichever engine runs them.
"""

from typing import ClassVar, Literal, get_args

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.duckdb import DuckDB

Grammar = Literal[
    "duckdb",
    "bigquery",
    "postgres",
    "snowflake",
    "tsql",
    "mysql",
    "spark",
    "databricks",
    "trino",
    "presto",
    "clickhouse",
    "sqlite",
]
GRAMMARS: tuple[Grammar, ...] = get_args(Grammar)
PLAIN: Grammar = "duckdb"
PRIVATE: Grammar = "bigquery"  # SELECT WITH DIFFERENTIAL_PRIVACY


class PlainSql(DuckDB):
    """DuckDB's SQL, in which names may stand in backticks too."""

    class Tokenizer(DuckDB.Tokenizer):
        """Splits a text into words."""

        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ['"', "`"]


def reader(grammar: Grammar = PLAIN) -> Dialect:
    """Give what splits and parses a text."""
    return PlainSql() if grammar == PLAIN else Dialect.get_or_raise(grammar)  # loads the module of this grammar alone


def written(tree: exp.Expr) -> str:
    """Write a tree as an analyst would, whatever it holds, and log nothing."""
    return tree.sql(dialect=PLAIN, unsupported_level=ErrorLevel.IGNORE)


def translated(tree: exp.Expr) -> str:
    """Write a tree of another grammar in the plain one; what has no place there is an error."""
    return tree.sql(dialect=PLAIN, unsupported_level=ErrorLevel.RAISE)


def function(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function by the name that analysts give it."""
    return exp.func(name, *arguments, dialect=PLAIN)
