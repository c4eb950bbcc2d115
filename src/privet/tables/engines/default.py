"""The engine that is used unless another is given, and the one that computes with public values."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.connection import Values, public_connection
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.engines.duckdb.engine import DuckDBEngine
from privet.tables.engines.engine import Engine
from privet.tables.vocabulary import Relation


def open_engine(*, memory: str | None = None, threads: int | None = None) -> Engine:
    """Open an engine without tables.

    Args:
        memory: How much memory to use, such as ``"4GB"``; more spills to disk. By default most of the machine's.
        threads: How many threads to use; by default one for each core.
    """
    return DuckDBEngine(memory=memory, threads=threads)


def write_query(relation: Relation) -> str:
    """Write a relation as it would reach this engine; needs no engine."""
    return write(relation.query, DIALECT)


def evaluate(trees: Sequence[exp.Expr], columns: Mapping[str, Values], rows: int) -> list[list[Any]]:
    """Compute trees for rows that everybody may see, and give the values of each: exact Python values, None for null.

    Args:
        trees: What to compute, from the columns of a row.
        columns: The kind of each column that they name, and its values.
        rows: How many rows there are.

    >>> from privet.tables.vocabulary.relation import column
    >>> evaluate([exp.Neg(this=column("x"))], {"x": ("integer", [1, None, 3])}, 3)
    [[-1, None, -3]]
    """
    return public_connection().evaluate(trees, columns, rows)
