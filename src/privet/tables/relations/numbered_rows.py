"""Rows with numbers that depend on their content alone: copies of equal rows, and places in a public order."""

from collections.abc import Sequence

from sqlglot import exp

from privet.tables.columns import Column
from privet.tables.vocabulary import Relation, call, column, real

_WHOLE = Column(kind="integer", nullable=False)


def without_negative_zeros(rows: Relation) -> Relation:
    """Turn a negative zero into zero in every column of reals: both are equal, but their hashes differ."""
    return rows.project({name: (_tidy(name, known), known) for name, known in rows.columns.items()})


def _tidy(name: str, known: Column) -> exp.Expr:
    value: exp.Expr = column(name, "r")
    return exp.Add(this=value, expression=real(0.0)) if known.kind == "real" else value


def numbered(rows: Relation, name: str, *, within: Sequence[str], order: Sequence[str]) -> Relation:
    """Add a column that numbers the rows of each part from one.

    Args:
        rows: The rows.
        name: What to call the column.
        within: The columns of a part; rows that are equal in all columns are numbered in no particular order.
        order: The columns that decide the order, if any.
    """
    ordered = [exp.Ordered(this=column(each, "r"), desc=False, nulls_first=True) for each in order]
    window = exp.Window(
        this=call("row_number"),
        partition_by=[column(each, "r") for each in within],
        order=exp.Order(expressions=ordered) if ordered else None,
        over="OVER",
    )
    return rows.with_column(name, window, _WHOLE)
