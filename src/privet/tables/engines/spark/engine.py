"""Spark: the rows stay in the cluster, which computes all bounds, joins, caps and aggregates.

Argument: docs/tables/engines/spark.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, final

from attrs import evolve
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns import PLAIN_FILE, Column, FileForm, Limits, check_delimiter
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.engine import Compute, Result, fresh_name
from privet.tables.engines.process import ProcessLock
from privet.tables.engines.server_sources import is_spark_source
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.spark.loading import frame_query, public_rows
from privet.tables.engines.spark.own_session import WITHHELD, OwnSession
from privet.tables.engines.spark.typed import refused
from privet.tables.engines.spark.writer import WRITER, SparkWriter
from privet.tables.engines.typed_sql.statements import (
    Statements,
    check_integers,
    exact_result,
    integer_arrays,
    to_read,
)
from privet.tables.engines.typed_sql.trees import Columns
from privet.tables.engines.typed_sql.withhold_errors import quietly
from privet.tables.vocabulary import Relation, check_names, identifier, table

_FAILED = f"the query could not be run; {WITHHELD} Perhaps memory or disk space of the cluster ran out."
_UNREAD = f"the rows could not be read or kept in the cluster. {WITHHELD}"
_REFUSED = (
    "Spark cannot run this query on any table: it is too large or nested too deeply. Nothing was charged; ask for less "
    "at once."
)


@final
class SparkEngine:
    """An engine that runs queries in a Spark application, through a session of its own.

    Args:
        user_session: A session of Spark.
        writer: How queries are written; with the canonical hash where engines are compared.
    """

    def __init__(self, user_session: Any, writer: SparkWriter = WRITER) -> None:
        self._turn = ProcessLock("a SparkEngine")
        self._session = OwnSession(user_session)
        self._statements = Statements(writer)
        self._views: dict[str, str] = {}
        self._open = True

    @property
    def dialect(self) -> Dialect:
        """Spark's SQL."""
        return DIALECT

    def __repr__(self) -> str:
        return f"SparkEngine(tables={sorted(self._statements)})"

    def __enter__(self) -> "SparkEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise WrongTypeError("a SparkEngine cannot be copied or pickled: it holds an open session.")

    def close(self) -> None:
        """Forget all rows that were kept; the Spark application goes on. Nothing happens in a forked child."""
        if not self._turn.at_home or not self._open:
            return
        self._open = False
        for view in self._views.values():
            try:
                self._session.drop(view)
            except Exception:  # noqa: BLE001 - an application that has ended keeps no rows
                return

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
        """Read a frame or a table of Spark once and keep its rows in the cluster, or name public rows in memory.

        Args:
            source: A DataFrame of Spark, or a pair of a session and the name of a table; or public data in memory.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file.
            snapshot: Changes nothing: the rows are read once.
            form: How a text file is written.
        """
        with self._turn:
            self._check_open()
            self._statements.check_name("SparkEngine.load", name)
            if not columns:
                raise InvalidError(f"SparkEngine.load: columns of {name!r} must name at least one column.")
            check_names(name, columns)
            if delimiter is not None:
                check_delimiter(delimiter)
                form = evolve(form, delimiter=delimiter)
            if is_spark_source(source):
                self._load_frame(source, columns, name)
            else:
                self._load_public(source, columns, name, form)
        return table(name, {each: known.as_read for each, known in columns.items()})

    def _load_frame(self, source: Any, columns: Mapping[str, Column], name: str) -> None:
        frame = self._session.frame(source[1]) if isinstance(source, tuple) else source
        view, shared = _view_name(), _view_name()
        named = exp.Table(this=identifier(shared), db=identifier(self._session.shared_schema))
        sql, kinds = frame_query(frame, columns, name, named, self._session.version)
        quietly(lambda: self._session.materialise(frame, sql, shared, view), f"{name}: {_UNREAD}", UnavailableError)
        self._name(name, view, kinds)

    def _load_public(self, source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> None:
        rows, types, outputs, kinds = public_rows(source, columns, name, form)
        view = _view_name()
        quietly(lambda: self._session.name_public_rows(rows, types, view), f"{name}: {_UNREAD}", UnavailableError)
        self._views[name] = view
        self._statements.add(name, exp.Select(expressions=outputs).from_(exp.Table(this=identifier(view))), kinds)

    def _name(self, name: str, view: str, kinds: Columns) -> None:
        outputs: list[exp.Expr] = [exp.Column(this=identifier(each)) for each in kinds]
        self._views[name] = view
        self._statements.add(name, exp.Select(expressions=outputs).from_(exp.Table(this=identifier(view))), kinds)

    def hold(self, relation: Relation, name: str) -> Relation:
        """Compute the rows of a relation once and keep them in the cluster."""
        with self._turn:
            self._check_open()
            self._statements.check_name("SparkEngine.hold", name)
            view, kinds = _view_name(), self._statements.translated(relation)[1]
            sql = self._statements.text(relation)
            quietly(lambda: self._session.keep(sql, view), f"{name}: {_UNREAD}", UnavailableError)
            self._name(name, view, kinds)
        return table(name, relation.columns)

    def drop(self, name: str) -> None:
        """Forget a table that was held; nothing happens where there is none."""
        with self._turn:
            self._statements.remove(name)
            view = self._views.pop(name, None)
            if view is not None and self._open:
                quietly(lambda: self._session.drop(view), _FAILED, UnavailableError)

    def check_holding(self, what: str) -> None:
        """Refuse nothing: rows that are held stay the same."""

    @contextmanager
    def one_snapshot(self) -> Iterator[None]:
        """Let all queries within see the same rows: those that were kept when the session was opened."""
        with self._turn:
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
            return quietly(lambda: self._session.rows(sql), _FAILED, UnavailableError)

    def compute_later(
        self,
        rows: Relation,
        columns: Mapping[str, Column],
        compute: Compute,
        *,
        order_by: Sequence[str],
    ) -> Relation:
        """Refuse functions of Python: the rows stay in the cluster."""
        raise refused(
            "rows stay in the cluster, so that no function of Python reads them",
            "use summaries such as sum(x) and max(x), or a local session.",
        )

    def rehearse(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Write queries and let Spark plan them, or refuse them; reads no rows.

        Args:
            relations: The queries.
            limits: What making their rows uses, at most.
            columns: The columns of these rows.
        """
        with self._turn:
            self._check_open()
            for relation in relations:
                sql = self._statements.rehearsed(relation)
                quietly(partial(self._session.plan, sql), _REFUSED, UnavailableError)

    def check_sources(self) -> None:
        """Refuse to go on where the Spark application has ended; sessions ask before they charge."""
        with self._turn:
            self._check_open()
            self._session.check_running()

    def _check_open(self) -> None:
        if not self._open:
            raise UnavailableError(
                "the session is closed: close() was called or its with block has ended. Open another one: "
                "pv.Session(frame, codebook, budget)."
            )


def _view_name() -> str:
    return fresh_name("view").replace(" ", "_")
