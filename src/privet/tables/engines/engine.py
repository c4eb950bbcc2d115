"""Engines: where private rows lie, and what may be done with them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from privet.core import Array
from privet.tables.columns import Column, Limits
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.result import Result
from privet.tables.vocabulary import Relation


class Engine(Protocol):
    """Loads sources into columns of a codebook, then runs relations on them and nothing else.

    Every engine promises what docs/tables/engine.md states: exact values, errors without data, no way to the outside
    once the first query ran, and rows that are read one by one.
    """

    @property
    def dialect(self) -> Dialect:
        """The SQL that it runs."""

    def load(
        self,
        source: Any,
        columns: Mapping[str, Column],
        name: str = "data",
        *,
        delimiter: str | None = None,
        snapshot: bool = False,
    ) -> Relation:
        """Make a source a table whose every value is a member of its column.

        Args:
            source: Files, or a table in memory.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file.
            snapshot: Whether to copy files now, so that later changes of them are not seen.
        """

    def hold(self, relation: Relation, name: str) -> Relation:
        """Copy the rows of a relation into a table: what happens to their source from now on is not seen."""

    def drop(self, name: str) -> None:
        """Forget a table that was held; nothing happens where there is none."""

    def execute(self, relation: Relation, *, order_by: Sequence[str] = ()) -> Result:
        """Run a query and give its integers, texts and booleans exactly.

        Args:
            relation: What to compute.
            order_by: Columns to sort by, nulls first; without them the order of the rows means nothing.
        """

    def arrays(self, relation: Relation) -> dict[str, tuple[Array, Array]]:
        """Run a query of integers and give each column as an array of 64 bits and a mask of what is null.

        The order of the rows means nothing.
        """

    def rehearse(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Refuse queries that the engine could answer for no table; reads no rows.

        Args:
            relations: The queries.
            limits: What making their rows uses, at most.
            columns: The columns of these rows.
        """

    def check_sources(self) -> None:
        """Refuse to go on where a source is not what it was at loading; sessions ask before they charge."""

    def close(self) -> None:
        """Give back what the engine holds."""
