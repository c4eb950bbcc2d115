"""PostgreSQL: the data stay in the server, and every release reads one snapshot of them in a read-only transaction.

Argument: docs/tables/engines/postgres.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, final

from attrs import evolve
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns import BYTES, PLAIN_FILE, Column, FileForm, Limits, check_delimiter
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.engine import Compute, Result
from privet.tables.engines.postgres.casts import LONGEST_REAL
from privet.tables.engines.postgres.connection import WITHHELD, ReadOnlyConnection
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.postgres.loading import column_types, public_rows, server_table
from privet.tables.engines.postgres.typed import refused
from privet.tables.engines.postgres.writer import WRITER
from privet.tables.engines.process import ProcessLock
from privet.tables.engines.server_sources import is_server_table
from privet.tables.engines.typed_sql.statements import (
    Statements,
    check_integers,
    exact_result,
    integer_arrays,
    to_read,
)
from privet.tables.engines.typed_sql.withhold_errors import quietly
from privet.tables.vocabulary import Relation, check_names, table

_FAILED = (
    f"the query could not be run; {WITHHELD} Perhaps the statement timeout, memory or disk space of the server ran out."
)
_MOST_BYTES = 2**29  # half of what one value may have, since a function may copy it
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
        self._statements = Statements(WRITER)
        self._public: set[str] = set()
        self._types: dict[str, dict[str, str]] = {}  # of the tables of the server, at loading
        self._open = True

    @property
    def dialect(self) -> Dialect:
        """PostgreSQL's SQL."""
        return DIALECT

    def __repr__(self) -> str:
        return f"PostgresEngine(tables={sorted(self._statements)})"

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
            self._statements.check_name("PostgresEngine.load", name)
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
            self._statements.add(name, query, kinds)
        return table(name, {each: known.as_read for each, known in columns.items()})

    def hold(self, relation: Relation, name: str) -> Relation:
        """Give the rows of public tables a name; private rows are not kept."""
        with self._turn:
            self._statements.check_name("PostgresEngine.hold", name)
            names = {each.name for each in relation.query.find_all(exp.Table)}
            if not names <= self._public:
                self.check_holding("private rows in a table of their own")
            self._statements.add(name, *self._statements.translated(relation))
            self._public.add(name)
        return table(name, relation.columns)

    def drop(self, name: str) -> None:
        """Forget a table that was held; nothing happens where there is none."""
        with self._turn:
            self._statements.remove(name)
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
        return exact_result(relation, self._read(to_read(relation, order_by)))

    def arrays(self, relation: Relation) -> dict[str, tuple[Array, Array]]:
        """Run a query of integers and give each column as an array of 64 bits and a mask of what is null."""
        check_integers(relation)
        return integer_arrays(self.execute(relation))

    def _read(self, relation: Relation) -> list[tuple[Any, ...]]:
        with self._turn:
            self._check_open()
            sql = self._statements.text(relation)
            return quietly(lambda: self._connection.rows(sql), _FAILED, UnavailableError)

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
                sql = self._statements.rehearsed(relation)
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
