"""PostgreSQL: the data stay in the server, and every release reads one snapshot of them in a read-only transaction.

Argument: docs/tables/engines/postgres.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, final

from sqlglot import exp

from privet.errors import UnavailableError
from privet.tables.columns import BYTES, Column, FileForm, Limits
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.engine import UsePart, check_integers
from privet.tables.engines.postgres.casts import LONGEST_REAL
from privet.tables.engines.postgres.connection import WITHHELD, ReadOnlyConnection
from privet.tables.engines.postgres.dialect import DIALECT
from privet.tables.engines.postgres.loading import column_types, public_rows, server_table
from privet.tables.engines.postgres.typed import ENGINE, refused
from privet.tables.engines.postgres.writer import WRITER
from privet.tables.engines.process import ProcessLock
from privet.tables.engines.server_sources import is_server_table
from privet.tables.engines.typed_sql.remote_engine import RemoteEngine
from privet.tables.engines.typed_sql.statements import Statements, exact_result, integer_arrays, to_read
from privet.tables.vocabulary import Relation, table

_PART = 10_000  # rows that a model gets at once
_MOST_BYTES = 2**29  # half of what one value may have, since a function may copy it


@final
class PostgresEngine(RemoteEngine):
    """An engine that runs queries in a PostgreSQL server, through a connection of its own.

    Args:
        given: A connection string, or an open connection of psycopg, to whose database another one is opened.

    Guarantee: what docs/tables/engine.md states for every engine. Every release reads one snapshot, in a read-only
        transaction; only exact results of queries leave the server.
    Proof: docs/tables/engines/postgres.md.
    """

    _engine: ClassVar[str] = ENGINE
    _place: ClassVar[str] = "server"
    _link: ClassVar[str] = "connection"
    _source: ClassVar[str] = "(connection, 'schema.table')"
    _run_error: ClassVar[str] = (
        f"the query could not be run; {WITHHELD} Perhaps the statement timeout, memory or disk space of the server ran "
        "out."
    )
    _plan_error: ClassVar[str] = (
        "PostgreSQL cannot run this query on any table: it is too large or nested too deeply, or the role may not read "
        "a table. Nothing was charged; ask for less at once, or check the rights of the role."
    )

    def __init__(self, given: Any) -> None:
        self._turn = ProcessLock("a PostgresEngine")
        self._connection = ReadOnlyConnection(given)
        self._statements = Statements(WRITER)
        self._public: set[str] = set()
        self._types: dict[str, dict[str, str]] = {}  # of the tables of the server, at loading
        self._open = True

    @property
    def dialect(self) -> Dialect:
        """PostgreSQL's SQL."""
        return DIALECT

    def close(self) -> None:
        """Close the connection; nothing in a forked child."""
        if self._turn.at_home and self._open:
            self._open = False
            self._connection.close()

    def _load(self, source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> None:
        if is_server_table(source):
            query, kinds = server_table(self._connection, source[1], columns, name)
            self._types[source[1]] = column_types(self._connection, source[1])
        else:
            query, kinds = public_rows(source, columns, name, form)
            self._public.add(name)
        self._statements.add(name, query, kinds)

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

    def each_part(self, relation: Relation, work: UsePart) -> None:
        """Run a query of integers and pass its rows on, some at a time, through a cursor of the server.

        Args:
            relation: What to compute.
            work: Is called with each part, and returns whether it wants more of them. It runs no query.
        """
        check_integers(relation)

        def pass_on(rows: list[tuple[Any, ...]]) -> bool:
            return work(integer_arrays(exact_result(relation, rows)))

        with self._turn:
            self._check_open()
            sql = self._statements.text(to_read(relation, ()))
            self._connection.each_part(sql, _PART, pass_on, self._run_error)

    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.rows(sql)

    def _plan(self, sql: str) -> object:
        return self._connection.rows(f"EXPLAIN {sql}")

    def _check_limits(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Refuse texts that may be longer than PostgreSQL holds, or reads as a real."""
        longest = limits.width + max((known.length or 0 for known in columns.values()), default=0)
        if longest * BYTES > _MOST_BYTES:
            raise refused(
                f"the query may hold {longest:,} characters of one row, and a text has at most "
                f"{_MOST_BYTES // BYTES:,}",
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
