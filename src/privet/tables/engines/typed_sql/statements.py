"""The tables of a session as one engine knows them, the statements that read them, and exact values of their rows."""

from collections.abc import Iterator, Sequence
from typing import Any, final
from weakref import WeakKeyDictionary

import numpy as np
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError
from privet.tables.engines.engine import Result, check_kinds, ordered
from privet.tables.engines.typed_sql.queries import Tables
from privet.tables.engines.typed_sql.trees import Columns
from privet.tables.engines.typed_sql.writer import Writer
from privet.tables.vocabulary import Relation


@final
class Statements:
    """Writes relations over named tables, each once.

    Args:
        writer: The SQL of the engine.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._columns: dict[str, Columns] = {}
        self._queries: dict[str, exp.Query] = {}
        self._texts: WeakKeyDictionary[Relation, str] = WeakKeyDictionary()

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    @property
    def _tables(self) -> Tables:
        return Tables(self._writer, self._columns, self._queries)

    def add(self, name: str, query: exp.Query, columns: Columns) -> None:
        """Give a table a name.

        Args:
            name: Its name.
            query: What it stands for, in the SQL of the engine.
            columns: The types of its columns.
        """
        self._queries[name], self._columns[name] = query, columns

    def remove(self, name: str) -> None:
        """Forget a table; nothing happens where there is none."""
        self._queries.pop(name, None)
        self._columns.pop(name, None)

    def check_name(self, method: str, name: str) -> None:
        """Refuse the name of a table that is taken, empty or impossible."""
        if name.casefold() in {each.casefold() for each in self._columns} or not name or "\0" in name:
            raise InvalidError(f"{method}: name must be new and not empty, got {name!r}.")
        self._tables.table_name(name)

    def translated(self, relation: Relation) -> tuple[exp.Query, Columns]:
        """Write a relation as a tree, and give the types of its columns."""
        return self._tables.translated(relation.query)

    def text(self, relation: Relation) -> str:
        """Write a relation as SQL."""
        text = self._texts.get(relation)
        if text is None:
            text = self._texts[relation] = self._tables.write(relation.query)
        return text

    def rehearsed(self, relation: Relation) -> str:
        """Write a relation as SQL, or refuse one that is nested too deeply."""
        try:
            return self.text(relation)
        except RecursionError:
            raise self._writer.refused(
                "the query is nested too deeply to be written", "derive fewer columns."
            ) from None


def to_read(relation: Relation, order_by: Sequence[str]) -> Relation:
    """Give the query of exact values that is to be run, sorted by columns."""
    check_kinds(relation)
    return ordered(relation, order_by) if order_by else relation


def exact_result(relation: Relation, rows: list[tuple[Any, ...]]) -> Result:
    """Give rows as exact values, by column."""
    columns = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in relation.columns]
    exact = [
        [None if value is None else int(value) for value in values] if known.kind == "integer" else values
        for values, known in zip(columns, relation.columns.values(), strict=True)
    ]
    return Result(dict(zip(relation.columns, exact, strict=True)))


def integer_arrays(result: Result) -> dict[str, tuple[Array, Array]]:
    """Give each column of integers as an array of 64 bits and a mask of what is null."""
    return {
        name: (
            np.array([value or 0 for value in values], dtype=np.int64),
            np.array([value is None for value in values], dtype=bool),
        )
        for name, values in result.columns.items()
    }
