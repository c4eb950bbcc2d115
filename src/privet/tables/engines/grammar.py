"""The SQL that analysts write: DuckDB's, or BigQuery's where a statement asks for privacy in its way.

This is the language of expressions and statements, whichever engine runs them.
"""

from typing import Literal

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.dialects.duckdb import DuckDB

Grammar = Literal["duckdb", "bigquery"]
PLAIN: Grammar = "duckdb"
PRIVATE: Grammar = "bigquery"  # SELECT WITH DIFFERENTIAL_PRIVACY


def reader(grammar: Grammar = PLAIN) -> Dialect:
    """Give what splits and parses a text."""
    if grammar == PLAIN:
        return DuckDB()
    from sqlglot.dialects.bigquery import BigQuery  # few statements need it

    return BigQuery()


def written(tree: exp.Expr) -> str:
    """Write a tree as an analyst would."""
    return tree.sql(dialect=PLAIN)


def written_loosely(tree: exp.Expr) -> str:
    """Write a tree for a message, whatever it holds."""
    return tree.sql(dialect=PLAIN, unsupported_level=ErrorLevel.IGNORE)


def translated(tree: exp.Expr) -> str:
    """Write a tree of another grammar in the plain one; what has no place there is an error."""
    return tree.sql(dialect=PLAIN, unsupported_level=ErrorLevel.RAISE)


def function(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function by the name that analysts give it."""
    return exp.func(name, *arguments, dialect=PLAIN)
