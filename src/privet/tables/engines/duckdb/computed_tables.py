"""Tables that Python computes of the rows of a query, once another query needs them.

A query that reads such a table is written and rehearsed while the table is empty. Its rows are computed when the first
query runs, and so after the charge. Argument: docs/tables/engine.md.
"""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, final

from attrs import frozen
from sqlglot import exp

from privet.errors import UnavailableError
from privet.tables.columns import Column
from privet.tables.engines.engine import Compute, ordered
from privet.tables.vocabulary import SCHEMA, Relation, table

_MARK = "privet table"


@final
class _Mark:
    """Lives as long as a tree that names the table, or a copy of such a tree."""

    __slots__ = ("__weakref__",)

    def __deepcopy__(self, _: object) -> "_Mark":
        return self


@final
@frozen(kw_only=True, eq=False)
class ComputedTable:
    """A table that is not computed yet.

    Args:
        rows: The query whose rows it is computed of, in order.
        columns: Its columns.
        compute: Makes an Arrow table of batches of those rows.
    """

    rows: Relation
    columns: Mapping[str, Column]
    compute: Compute


@final
class ComputedTables:
    """The computed tables of one engine."""

    def __init__(self) -> None:
        self._waiting: dict[str, ComputedTable] = {}
        self._unused: list[str] = []
        self._thread: int | None = None  # the one that runs a user's function now

    def add(
        self,
        name: str,
        rows: Relation,
        columns: Mapping[str, Column],
        compute: Compute,
        *,
        order_by: Sequence[str],
    ) -> Relation:
        """Note a table, and refer to it; once no query names it any more, it is among those that nobody uses."""
        self._waiting[name] = ComputedTable(rows=ordered(rows, order_by), columns=columns, compute=compute)
        mark, named = _Mark(), table(name, columns)
        for each in named.query.find_all(exp.Table):
            each.meta[_MARK] = mark
        weakref.finalize(mark, self._unused.append, name).atexit = False
        return named

    def take_unused(self) -> Iterator[str]:
        """Give the names of tables that nobody uses any more, each once."""
        while self._unused:
            name = self._unused.pop()
            self._waiting.pop(name, None)
            yield name

    def needed(self, relations: Sequence[Relation]) -> dict[str, ComputedTable]:
        """Give the tables that queries read and that are not computed yet, those first that others are computed of."""
        found: dict[str, ComputedTable] = {}
        for relation in relations if self._waiting else ():
            for each in relation.query.find_all(exp.Table):
                if each.db == SCHEMA and each.name in self._waiting:
                    waiting = self._waiting[each.name]
                    found |= {**self.needed([waiting.rows]), each.name: waiting}
        return found

    def compute(self, name: str, batches: Iterator[Any]) -> Any:
        """Make the Arrow table; meanwhile the function that is called cannot use the engine.

        Args:
            name: The table.
            batches: The rows that it is computed of.
        """
        self._thread = threading.get_ident()
        try:
            return self._waiting[name].compute(batches)
        finally:
            self._thread = None

    def settle(self, name: str) -> None:
        """Note that a table is computed."""
        self._waiting.pop(name, None)

    def check_free(self) -> None:
        """Refuse what a user's function asks of the engine while it computes: that would depend on the rows."""
        if self._thread == threading.get_ident():
            raise UnavailableError("a function of the rows of a person cannot use the session that calls it.")


def batches_of(reader: Any, fetch: Callable[[Callable[[], Any]], Any]) -> Iterator[Any]:
    """Give the batches of a reader, each by a guarded call.

    Args:
        reader: A reader of Arrow.
        fetch: Calls what reads the next batch, and replaces its errors.
    """
    while (batch := fetch(lambda: next(reader, None))) is not None:
        yield batch
