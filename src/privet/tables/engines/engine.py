"""Engines: where private rows lie, what may be done with them, and what a query gives."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any, Protocol, final

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError
from privet.tables.columns import PLAIN_FILE, Column, FileForm, Limits
from privet.tables.engines.arrow_arrays import is_present
from privet.tables.engines.dialect import Dialect
from privet.tables.vocabulary import Relation, column, selection

Compute = Callable[[Iterator[Any]], Any]  # from batches of Arrow to a table of Arrow
UsePart = Callable[[dict[str, tuple[Array, Array]]], bool]
_KINDS = ("integer", "text", "boolean")
_numbers = count(1)


@final
@frozen
class Result:
    """What a query gave: exact Python values, by column."""

    columns: Mapping[str, list[Any]] = field(repr=False)  # these are not private yet: never shown

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def array(self, name: str) -> Array:
        """Give a column as an array of Python objects, which no digit is lost from."""
        values = np.empty(len(self), dtype=object)
        values[:] = self.columns[name]
        return values


def check_kinds(relation: Relation) -> None:
    """Refuse a query of values that are not given exactly."""
    for name, known in relation.columns.items():
        if known.kind not in _KINDS:
            raise InvalidError(f"a query gives integers, texts and booleans, but {name!r} is {known.kind}; use steps.")


def ordered(relation: Relation, order_by: Sequence[str]) -> Relation:
    """Build a query whose rows are sorted by columns, nulls first."""
    keys = []
    for name in order_by:
        relation[name]
        keys.append(exp.Ordered(this=column(name, "r"), desc=False, nulls_first=True))
    query = selection(relation.outputs(), relation.derived())
    query.set("order", exp.Order(expressions=keys))
    return Relation(query=query, columns=relation.columns)


def exactly(values: Any) -> list[Any]:
    """Read a column of Arrow; 128-bit integers come as decimals, each of two 64-bit words."""
    if not pa.types.is_decimal(values.type):
        read: list[Any] = values.to_pylist()
        return read
    return [value for chunk in values.chunks for value in _words(chunk)]


def _words(chunk: Any) -> list[int | None]:
    words = np.frombuffer(chunk.buffers()[1], dtype="<u8").reshape(-1, 2)[chunk.offset : chunk.offset + len(chunk)]
    whole = (words[:, 1].astype(np.int64).astype(object) * 2**64 + words[:, 0].astype(object)).tolist()
    present = is_present(chunk).tolist()
    return [value if known else None for value, known in zip(whole, present, strict=True)]


def check_integers(relation: Relation) -> None:
    """Refuse arrays of anything but integers."""
    for name, known in relation.columns.items():
        if known.kind != "integer":
            raise InvalidError(f"arrays are of integers, but {name!r} is {known.kind}.")


def integers(column: Any) -> tuple[Array, Array]:
    """Read a column of 64-bit integers, in one piece, as an array and a mask of what is null."""
    null = np.asarray(column.is_null())
    values = np.asarray(column.fill_null(0) if null.any() else column)
    return values.astype(np.int64, copy=False), null


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
        form: FileForm = PLAIN_FILE,
    ) -> Relation:
        """Make a source a table whose every value is a member of its column.

        Args:
            source: Files, or a table in memory.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file.
            snapshot: Whether to copy files now, so that later changes of them are not seen.
            form: How a text file is written.
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

    def each_part(self, relation: Relation, work: UsePart) -> None:
        """Run a query of integers and pass its rows on, some at a time, as ``arrays`` gives them.

        Every row comes once, in any order. An engine may pass all of them on at once, and need not pass on a part
        without rows.

        Args:
            relation: What to compute.
            work: Is called with each part, and returns whether it wants more of them. It runs no query.
        """

    def compute_later(
        self,
        rows: Relation,
        columns: Mapping[str, Column],
        compute: Compute,
        *,
        order_by: Sequence[str],
    ) -> Relation:
        """Name a table that Python computes of the rows of a query, as soon as another query needs it; read nothing.

        It is dropped once no query names it any more.

        Args:
            rows: The query.
            columns: The columns of the table; whatever was computed is read as they say.
            compute: Makes an Arrow table of batches of the rows.
            order_by: Columns to sort the rows by, nulls first.
        """

    def rehearse(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Refuse queries that the engine could answer for no table; reads no rows.

        Args:
            relations: The queries.
            limits: What making their rows uses, at most.
            columns: The columns of these rows.
        """

    def check_holding(self, what: str) -> None:
        """Refuse what keeps private rows from one query to the next, where the engine keeps none.

        Args:
            what: What is to be kept, in words.
        """

    def one_snapshot(self) -> AbstractContextManager[None]:
        """Let all queries within see the same rows; a release reads within it."""

    def check_sources(self) -> None:
        """Refuse to go on where a source is not what it was at loading; sessions ask before they charge."""

    def close(self) -> None:
        """Give back what the engine holds."""


def fresh_name(purpose: str) -> str:
    """Give the name of a table that nobody used before."""
    return f"privet {purpose} {next(_numbers)}"


@contextmanager
def dropping(engine: Engine, names: Sequence[str]) -> Iterator[None]:
    """Drop tables at the end, whatever happens.

    Args:
        engine: Where they are held.
        names: Their names.
    """
    try:
        yield
    finally:
        for name in names:
            engine.drop(name)
