"""PostgreSQL: the data stay in the server, and every release reads one snapshot of them in a read-only transaction.

Argument: docs/tables/engines/postgres.md.
"""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, final

import numpy as np
from attrs import evolve
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns import BYTES, PLAIN_FILE, Column, FileForm, Limits, check_delimiter
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.engine import Compute, Result, check_kinds, ordered
from privet.tables.engines.postgres.casts import LONGEST_REAL
from privet.tables.engines.postgres.connection import WITHHELD, ReadOnlyConnection, quietly
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.postgres.loading import column_types, public_rows, server_table
from privet.tables.engines.postgres.queries import Tables, table_name
from privet.tables.engines.postgres.translate import Columns
from privet.tables.engines.postgres.typed import refused
from privet.tables.engines.process import ProcessLock
from privet.tables.engines.server_sources import is_server_table
from privet.tables.vocabulary import Relation, check_names, table

_FAILED = (
    f"the query could not be run; {WITHHELD} Perhaps the statement timeout, memory or disk space of the server ran out."
)
_MOST_BYTES = 2**29  # half of what one value may have, since a function may copy it
_TOO_DEEP = "on PostgreSQL, the query is nested too deeply to be written. Nothing was charged; derive fewer columns."
_REFUSED = (
    "PostgreSQL cannot run this query on any table: it is too large or nested too deeply, or the role may not read a "
    "table. Nothing was charged; ask for less at once, or check the rights of the role."
)


@final
class PostgresEngine:
    """An engine that runs queries in a PostgreSQL server, through a connection of its own.

    Args:
        given: A connection string, or an open connection of psycopg, to whose database another one is opened.
    """

    def __init__(self, given: Any) -> None:
        self._turn = ProcessLock("a PostgresEngine")
        self._given = given
        self._connection = ReadOnlyConnection(given)
        self._columns: dict[str, Columns] = {}
        self._queries: dict[str, Any] = {}
        self._public: set[str] = set()
        self._texts: weakref.WeakKeyDictionary[Relation, str] = weakref.WeakKeyDictionary()
        self._types: dict[str, dict[str, str]] = {}  # of the tables of the server, at loading
        self._open = True

    @property
    def dialect(self) -> Dialect:
        """PostgreSQL's SQL."""
        return DIALECT

    def __repr__(self) -> str:
        return f"PostgresEngine(tables={sorted(self._columns)})"

    def __enter__(self) -> "PostgresEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise WrongTypeError("a PostgresEngine cannot be copied or pickled: it holds an open connection.")

    def close(self) -> None:
        """Close the connection; nothing in a forked child."""
        if self._turn.at_home and self._open:
            self._open = False
            self._connection.close()

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
        """Name a table of the server, or public rows in memory; every value is read as a member of its column.

        Args:
            source: A pair of the connection of this engine and the name of a table, whose rows stay in the server;
                or public data in memory, which become part of the queries that read them.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file.
            snapshot: Changes nothing: each release reads one snapshot.
            form: How a text file is written.
        """
        with self._turn:
            self._check_open()
            self._check_name("load", name)
            if not columns:
                raise InvalidError(f"PostgresEngine.load: columns of {name!r} must name at least one column.")
            check_names(name, columns)
            if delimiter is not None:
                check_delimiter(delimiter)
                form = evolve(form, delimiter=delimiter)
            if is_server_table(source):
                query, kinds = server_table(self._connection, source[1], columns, name)
                self._types[source[1]] = column_types(self._connection, source[1])
            else:
                query, kinds = public_rows(source, columns, name, form)
                self._public.add(name)
            self._queries[name], self._columns[name] = query, kinds
        return table(name, {each: known.as_read for each, known in columns.items()})

    def hold(self, relation: Relation, name: str) -> Relation:
        """Give the rows of public tables a name; private rows are not kept."""
        with self._turn:
            self._check_name("hold", name)
            names = {each.name for each in relation.query.find_all(exp.Table)}
            if not names <= self._public:
                self.check_holding("private rows in a table of their own")
            query, kinds = Tables(self._columns, self._queries).translated(relation.query)
            self._queries[name], self._columns[name] = query, kinds
            self._public.add(name)
        return table(name, relation.columns)

    def drop(self, name: str) -> None:
        """Forget a table that was held; nothing happens where there is none."""
        with self._turn:
            for known in (self._queries, self._columns):
                known.pop(name, None)
            self._public.discard(name)

    def check_holding(self, what: str) -> None:
        """Refuse what needs rows that stay the same between two releases: those of the server may change.

        Args:
            what: What is to be kept, in words.
        """
        raise refused(
            f"{what} cannot be kept: the rows of the server may change between two releases",
            "load the rows into a local session, or ask for the groups in one query.",
        )

    @contextmanager
    def one_snapshot(self) -> Iterator[None]:
        """Let all queries within see the same rows."""
        with self._turn, self._connection.transaction():
            yield

    def execute(self, relation: Relation, *, order_by: Sequence[str] = ()) -> Result:
        """Run a query and give its integers, texts and booleans exactly.

        Args:
            relation: What to compute.
            order_by: Columns to sort by, nulls first; without them the order of the rows means nothing.
        """
        check_kinds(relation)
        rows = self._read(ordered(relation, order_by) if order_by else relation)
        columns = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in relation.columns]
        exact = [
            [None if value is None else int(value) for value in values] if known.kind == "integer" else values
            for values, known in zip(columns, relation.columns.values(), strict=True)
        ]
        return Result(dict(zip(relation.columns, exact, strict=True)))

    def arrays(self, relation: Relation) -> dict[str, tuple[Array, Array]]:
        """Run a query of integers and give each column as an array of 64 bits and a mask of what is null."""
        for name, known in relation.columns.items():
            if known.kind != "integer":
                raise InvalidError(f"arrays are of integers, but {name!r} is {known.kind}.")
        result = self.execute(relation)
        found = {}
        for name in relation.columns:
            null = np.array([value is None for value in result[name]], dtype=bool)
            found[name] = np.array([value or 0 for value in result[name]], dtype=np.int64), null
        return found

    def _read(self, relation: Relation) -> list[tuple[Any, ...]]:
        with self._turn:
            self._check_open()
            sql = self._text(relation)
            return quietly(lambda: self._connection.rows(sql), _FAILED, UnavailableError)

    def _text(self, relation: Relation) -> str:
        text = self._texts.get(relation)
        if text is None:
            text = self._texts[relation] = Tables(self._columns, self._queries).write(relation.query)
        return text

    def compute_later(
        self,
        rows: Relation,
        columns: Mapping[str, Column],
        compute: Compute,
        *,
        order_by: Sequence[str],
    ) -> Relation:
        """Refuse functions of Python: the rows stay in the server."""
        raise refused(
            "rows stay in the server, so that no function of Python reads them",
            "use summaries such as sum(x) and max(x), or a local session.",
        )

    def rehearse(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Write queries and let the server plan them, or refuse them; reads no rows.

        Args:
            relations: The queries.
            limits: What making their rows uses, at most.
            columns: The columns of these rows.
        """
        with self._turn:
            self._check_open()
            _check_lengths(relations, limits, columns)
            for relation in relations:
                try:
                    sql = self._text(relation)
                except RecursionError:
                    raise InvalidError(_TOO_DEEP) from None
                quietly(partial(self._connection.rows, f"EXPLAIN {sql}"), _REFUSED, UnavailableError)

    def check_sources(self) -> None:
        """Refuse to go on where a table has other columns or types than at loading; sessions ask before they charge."""
        with self._turn:
            self._check_open()
            for name, types in self._types.items():
                if column_types(self._connection, name) != types:
                    raise UnavailableError(
                        f"the table {name!r} of the server has other columns or types than when the session was "
                        "opened, or it is gone. Nothing was charged; open another session."
                    )

    def _check_name(self, method: str, name: str) -> None:
        taken = {each.casefold() for each in self._columns}
        if name.casefold() in taken or not name or "\0" in name:
            raise InvalidError(f"PostgresEngine.{method}: name must be new and not empty, got {name!r}.")
        table_name(name)

    def _check_open(self) -> None:
        if not self._open:
            raise UnavailableError(
                "the session is closed: close() was called or its with block has ended. Open another one: "
                "pv.Session((connection, 'schema.table'), codebook, budget)."
            )


def _check_lengths(relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
    """Refuse texts that may be longer than PostgreSQL holds, or reads as a real."""
    longest = limits.width + max((known.length or 0 for known in columns.values()), default=0)
    if longest * BYTES > _MOST_BYTES:
        raise refused(
            f"the query may hold {longest:,} characters of one row, and a text has at most {_MOST_BYTES // BYTES:,}",
            "cut texts with substr(s, 1, n), or give their columns a length in the codebook.",
        )
    real = any(
        each.args["to"].this is exp.DType.DOUBLE
        for relation in relations
        for each in relation.query.find_all(exp.TryCast)
    )
    if real and longest > LONGEST_REAL:
        raise refused(
            f"a text is read as a real up to {LONGEST_REAL:,} characters, and one may have {longest:,}",
            "cut it first: cast(substr(s, 1, 50) as real).",
        )
