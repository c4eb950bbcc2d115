"""DuckDB, embedded: loads sources into columns of a codebook, then runs queries on them and nothing else.

The connection is this engine's own and is locked before the first query: no files, no variables of Python, no settings,
no extensions. Argument: docs/tables/engine.md.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar, final

import duckdb
from attrs import evolve
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns import PLAIN_FILE, Column, FileForm, Limits, check_delimiter
from privet.tables.engines.dialect import Compiler, Dialect, write
from privet.tables.engines.duckdb.computed_tables import ComputedTable, ComputedTables, batches_of
from privet.tables.engines.duckdb.connection import WITHHELD, close_doors, connect, fetch, quietly
from privet.tables.engines.duckdb.dialect import DIALECT, DuckDBDialect
from privet.tables.engines.duckdb.loading import Loader
from privet.tables.engines.duckdb.rehearsal import Stage, check_room
from privet.tables.engines.engine import (
    Compute,
    Result,
    UsePart,
    check_integers,
    check_kinds,
    exactly,
    fresh_name,
    integers,
    ordered,
)
from privet.tables.engines.process import ProcessLock, leave_open
from privet.tables.vocabulary import SCHEMA, Relation, check_names, column_type, identifier, named, table

_T = TypeVar("_T")
_BATCH = 10_000  # rows that a function of Python gets at once
_PART = 2**17  # rows that a model gets at once
_FAILED = f"the query could not be run; {WITHHELD} Perhaps memory or disk space ran out."


@final
class DuckDBEngine:
    """An embedded engine with a connection and a temporary directory of its own.

    Args:
        memory: How much memory to use, such as ``"4GB"``; more spills to disk. By default most of the machine's.
        threads: How many threads to use; by default one for each core.
        dialect: How meanings are written: ``CANONICAL`` takes hashes as all engines do, and more slowly.

    >>> from privet.tables.vocabulary.relation import column
    >>> with DuckDBEngine() as engine:
    ...     people = engine.load([{"age": 31}, {"age": "?"}], {"age": Column(kind="integer")}, "people")
    ...     engine.execute(people.filter(exp.Not(this=exp.Is(this=column("age"), expression=exp.null()))))["age"]
    [31]
    """

    def __init__(
        self, *, memory: str | None = None, threads: int | None = None, dialect: DuckDBDialect = DIALECT
    ) -> None:
        self._turn = ProcessLock("a DuckDBEngine")
        self._directory = tempfile.mkdtemp(prefix="privet-")  # readable by its owner only
        limits = {key: value for key, value in (("memory_limit", memory), ("threads", threads)) if value is not None}
        own = {"preserve_insertion_order": False, "temp_directory": self._directory}  # no result depends on the order
        try:
            self._connection = connect({**limits, **own})
        except duckdb.Error:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise InvalidError(f"DuckDBEngine: memory={memory!r} or threads={threads!r} was not understood.") from None
        except UnavailableError:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise
        self._loader = Loader(self._connection, self._directory)
        self._dialect = dialect
        self._compiler = Compiler(dialect)
        self._stage: Stage | None = None
        self._names: set[str] = set()
        self._computed = ComputedTables()
        self._close = weakref.finalize(self, _cleanup, self._connection, self._directory, os.getpid())

    @property
    def dialect(self) -> Dialect:
        """DuckDB's SQL."""
        return self._dialect

    def __repr__(self) -> str:
        return f"DuckDBEngine(tables={sorted(self._names)})"

    def __enter__(self) -> "DuckDBEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise WrongTypeError("a DuckDBEngine cannot be copied or pickled: it holds an open connection.")

    def close(self) -> None:
        """Close the connection and remove the temporary directory; nothing in a forked child."""
        with self._turn if self._turn.at_home else nullcontext():
            self._computed.check_free()
            self._close()

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
        """Make a source a table of this engine whose every value is a member of its column.

        Text files and what is in memory are read once; Parquet files stay where they are and are read by each query,
        which refuses to answer once they have changed.

        Args:
            source: A path or a pattern of CSV or Parquet files, an Arrow table, reader or data set, a pandas or polars
                frame, a pair of an open DuckDB connection and the name of a table, or a list of dictionaries.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file: by default a comma, a tab in ``.tsv`` files.
            snapshot: Whether to copy Parquet files now, so that later changes of them are not seen.
            form: How a text file is written.
        """
        with self._turn:
            self._check_open()
            self._check_name("load", name)
            if not columns:
                raise InvalidError(f"DuckDBEngine.load: columns of {name!r} must name at least one column.")
            check_names(name, columns)
            if delimiter is not None:
                check_delimiter(delimiter)
                form = evolve(form, delimiter=delimiter)
            self._loader.load(source, columns, name, form, snapshot=snapshot)
            self._names.add(name.casefold())
        return table(name, {each: known.as_read for each, known in columns.items()})

    def hold(self, relation: Relation, name: str) -> Relation:
        """Copy the rows of a relation into a table: what happens to their source from now on is not seen."""
        with self._turn:
            self._check_open()
            self._check_name("hold", name)
            target = exp.Table(this=identifier(name), db=identifier(SCHEMA))
            statement = write(exp.Create(this=target, kind="TABLE", expression=relation.query.copy()), self._dialect)
            self._compute_needed(relation)
            failed = f"{name}: the rows were not copied. {WITHHELD}"
            self._scan(lambda: self._connection.execute(statement), failed, InvalidError)
            self._names.add(name.casefold())
        return table(name, relation.columns)

    def drop(self, name: str) -> None:
        """Forget a table that was held; nothing happens where there is none."""
        target = exp.Table(this=identifier(name), db=identifier(SCHEMA))
        statement = write(exp.Drop(tables=[target], kind="TABLE", exists=True), DIALECT)
        with self._turn:
            if self._close.alive:
                quietly(lambda: self._connection.execute(statement), _FAILED, UnavailableError)
            self._names.discard(name.casefold())

    def _check_name(self, method: str, name: str) -> None:
        if name.casefold() in self._names or not name or "\0" in name:
            raise InvalidError(f"DuckDBEngine.{method}: name must be new and not empty, got {name!r}.")

    def lock(self) -> None:
        """Close every door to the outside; the first query does it too."""
        with self._turn:
            if self._loader.locked:
                return
            close_doors(self._connection, self._loader.files)
            self._loader.locked = True

    def execute(self, relation: Relation, *, order_by: Sequence[str] = ()) -> Result:
        """Run a query and give its integers, texts and booleans exactly.

        Args:
            relation: What to compute.
            order_by: Columns to sort by, nulls first; without them the order of the rows means nothing.
        """
        check_kinds(relation)
        table = self._read(ordered(relation, order_by) if order_by else relation)
        return Result(dict(zip(relation.columns, map(exactly, table.columns), strict=True)))

    def arrays(self, relation: Relation) -> dict[str, tuple[Array, Array]]:
        """Run a query of integers and give each column as an array of 64 bits and a mask of what is null.

        The order of the rows means nothing.
        """
        check_integers(relation)
        table = self._read(relation).combine_chunks()
        return {name: integers(table.column(at)) for at, name in enumerate(relation.columns)}

    def each_part(self, relation: Relation, work: UsePart) -> None:
        """Run a query of integers and pass its rows on, some at a time, as ``arrays`` gives them.

        Args:
            relation: What to compute.
            work: Is called with each part, and returns whether it wants more of them. It runs no query.
        """
        check_integers(relation)
        with self._turn:
            self._check_open()
            self.lock()
            self._compute_needed(relation)
            sql = self._compiler.text(relation)
            reader = self._scan(lambda: self._connection.sql(sql).to_arrow_reader(_PART), _FAILED)
            try:
                for batch in batches_of(reader, lambda read: quietly(read, _FAILED, UnavailableError)):
                    if not work({name: integers(batch.column(at)) for at, name in enumerate(relation.columns)}):
                        break
            finally:
                reader.close()  # the connection runs nothing else while a stream is open
            self.check_sources()

    def _read(self, relation: Relation) -> Any:
        """Run a query and give its rows as an Arrow table."""
        with self._turn:
            self._check_open()
            self.lock()
            self._compute_needed(relation)
            sql = self._compiler.text(relation)
            return self._scan(lambda: fetch(self._connection, sql), _FAILED)

    def compute_later(
        self,
        rows: Relation,
        columns: Mapping[str, Column],
        compute: Compute,
        *,
        order_by: Sequence[str],
    ) -> Relation:
        """Name a table that Python computes of the rows of a query, as soon as another query needs it; read nothing.

        Args:
            rows: The query.
            columns: The columns of the table; whatever was computed is read as they say.
            compute: Makes an Arrow table of batches of the rows.
            order_by: Columns to sort the rows by, nulls first.
        """
        name = fresh_name("function")
        blank = [named(exp.Cast(this=exp.null(), to=column_type(known)), each) for each, known in columns.items()]
        nothing = exp.Select(expressions=blank).where(exp.false())
        with self._turn:
            self.hold(Relation(query=nothing, columns=columns), name)
            return self._computed.add(name, rows, columns, compute, order_by=order_by)

    def _compute_needed(self, relation: Relation) -> None:
        """Compute the tables that a query reads and that are not there yet; forget those that nobody uses."""
        for name in self._computed.take_unused():
            self.drop(name)
        for name, each in self._computed.needed([relation]).items():
            self._compute(name, each)

    def _compute(self, name: str, waiting: ComputedTable) -> None:
        """Read the rows in batches, compute a table of them, and put it in the place of the empty one."""
        sql, made = self._compiler.text(waiting.rows), fresh_name("computed")
        reader = self._scan(lambda: self._connection.sql(sql).to_arrow_reader(_BATCH), _FAILED)
        batches = batches_of(reader, lambda work: quietly(work, _FAILED, UnavailableError))
        try:
            rows = self._computed.compute(name, batches)
        finally:
            reader.close()  # the connection runs nothing else while a stream is open
        self.check_sources()
        self._loader.load(rows, waiting.columns, made, PLAIN_FILE, snapshot=False)
        self.drop(name)
        place = exp.Table(this=identifier(made), db=identifier(SCHEMA))
        renaming = [exp.AlterRename(this=exp.Table(this=identifier(name)))]
        statement = write(exp.Alter(this=place, kind="TABLE", actions=renaming), DIALECT)
        quietly(lambda: self._connection.execute(statement), _FAILED, UnavailableError)
        self._names.add(name.casefold())
        self._computed.settle(name)

    def rehearse(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Run queries on tables of the same names and types that have no rows, or refuse them.

        Args:
            relations: The queries.
            limits: What making their rows uses, at most.
            columns: The columns of these rows.
        """
        with self._turn:
            self._check_open()
            self.lock()
            self.check_sources()  # a file that changed has a message of its own
            computed = [each.rows for each in self._computed.needed(relations).values()]
            columns = {**{name: known for each in computed for name, known in each.columns.items()}, **columns}
            relations = [*computed, *relations]
            check_room(self._connection, relations, limits, columns)
            self._stage = self._stage or Stage(self._connection)
            for relation in relations:
                self._stage.run(relation, self._compiler)

    def _scan(self, work: Callable[[], _T], failed: str, error: type[Exception] = UnavailableError) -> _T:
        """Run something that reads the sources; where one of them has changed, nothing of it is given."""
        try:
            return quietly(work, failed, error)
        finally:
            self.check_sources()

    def check_holding(self, what: str) -> None:
        """Refuse nothing: rows are held in tables.

        Args:
            what: What is to be kept, in words.
        """

    def one_snapshot(self) -> AbstractContextManager[None]:
        """Do nothing: a source that changes is noticed, and nothing of it is given then."""
        return nullcontext()

    def check_sources(self) -> None:
        """Refuse to go on where a file is not what it was at loading; sessions ask before they charge."""
        self._computed.check_free()
        for each in self._loader.pinned:
            each.check()

    def _check_open(self) -> None:
        self._computed.check_free()
        if not self._close.alive:
            raise UnavailableError(
                "the session is closed: close() was called or its with block has ended, and it holds no data any more. "
                "Open another one: pv.Session(source, codebook, budget)."
            )


def _cleanup(connection: duckdb.DuckDBPyConnection, directory: str, process: int) -> None:
    if os.getpid() != process:  # a forked child must not take away its parent's files
        leave_open(connection)
        return
    connection.close()
    shutil.rmtree(directory, ignore_errors=True)
