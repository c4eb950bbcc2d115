"""Scalars of a statement: only what docs/tables/expressions.md lists, in the grammar of the statement."""

from collections.abc import Mapping

from sqlglot import exp

from privet.errors import PrivetError
from privet.tables.columns import Column
from privet.tables.engines.grammar import PRIVATE, Grammar, translated
from privet.tables.engines.grammar import written as written_tree
from privet.tables.expressions.node import Expression
from privet.tables.expressions.parse import parse
from privet.tables.expressions.refusal import describe, written
from privet.tables.expressions.term import Term
from privet.tables.sql.tree import refuse

_BIGQUERY_ONLY = ("WEEK", "DAYOFWEEK")  # weeks begin on another day there


def read_scalar(tree: exp.Expr, columns: Mapping[str, Column], dialect: Grammar) -> Expression:
    """Read an expression over columns, written without names of tables.

    Args:
        tree: Its tree, with no parent.
        columns: The columns that it may name.
        dialect: The grammar of the statement.
    """
    try:
        if dialect == PRIVATE:
            return parse(_from_bigquery(tree), columns)
        term = Term(tree)
        str(term)
    except PrivetError:
        raise
    except Exception:  # noqa: BLE001 - some trees that parse cannot be written; the message names their kind
        raise refuse(describe(tree), tree) from None
    return parse(term, columns)


def compiled(value: Expression) -> str:
    """Write the SQL of an expression, to tell whether two expressions are the same."""
    return written_tree(value.sql())


def _from_bigquery(tree: exp.Expr) -> str:
    for node in tree.walk():
        if isinstance(node, exp.WeekStart) or (
            isinstance(node, exp.Var) and node.name.upper().startswith(_BIGQUERY_ONLY)
        ):
            raise refuse(f"{written(node)} of BigQuery", tree, "Its weeks are not those of docs/tables/expressions.md.")
    return translated(tree)
