"""Spark: the rows stay in the cluster, which computes all bounds, joins, caps and aggregates.

Argument: docs/tables/engines/spark.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, final

from sqlglot import exp

from privet.errors import UnavailableError
from privet.tables.columns import Column, FileForm, Limits
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.engine import fresh_name
from privet.tables.engines.process import ProcessLock
from privet.tables.engines.server_sources import is_spark_source
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.spark.frame_plan import is_plain
from privet.tables.engines.spark.loading import frame_query, public_rows
from privet.tables.engines.spark.own_session import WITHHELD, OwnSession
from privet.tables.engines.spark.typed import ENGINE
from privet.tables.engines.spark.writer import WRITER, SparkWriter
from privet.tables.engines.typed_sql.remote_engine import RemoteEngine
from privet.tables.engines.typed_sql.statements import Statements
from privet.tables.engines.typed_sql.trees import Columns
from privet.tables.engines.typed_sql.withhold_errors import quietly
from privet.tables.vocabulary import Relation, identifier, table

_UNREAD = f"the rows could not be read or kept in the cluster. {WITHHELD}"


@final
class SparkEngine(RemoteEngine):
    """An engine that runs queries in a Spark application, through a session of its own.

    Args:
        user_session: A session of Spark.
        writer: How queries are written; with the canonical hash where engines are compared.

    Guarantee: what docs/tables/engine.md states for every engine. Rows are computed once, when they are loaded, and
        every release reads them; only exact results of queries travel to the driver.
    Proof: docs/tables/engines/spark.md.
    """

    _engine: ClassVar[str] = ENGINE
    _place: ClassVar[str] = "cluster"
    _link: ClassVar[str] = "session"
    _source: ClassVar[str] = "frame"
    _run_error: ClassVar[str] = (
        f"the query could not be run; {WITHHELD} Perhaps memory or disk space of the cluster ran out."
    )
    _plan_error: ClassVar[str] = (
        "Spark cannot run this query on any table: it is too large or nested too deeply. Nothing was charged; ask for "
        "less at once."
    )

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

    def _load(self, source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> None:
        if is_spark_source(source):
            self._load_frame(source, columns, name)
        else:
            self._load_public(source, columns, name, form)

    def _load_frame(self, source: Any, columns: Mapping[str, Column], name: str) -> None:
        frame = self._session.frame(source[1]) if isinstance(source, tuple) else source
        view, shared = _view_name(), _view_name()
        named = exp.Table(this=identifier(shared), db=identifier(self._session.shared_schema))
        sql, kinds = frame_query(frame, columns, name, named, self._session.version)

        def materialise() -> None:
            if is_plain(frame, name):
                self._session.materialise(frame, sql, shared, view)
                return
            with self._session.computed(frame, columns) as computed:
                self._session.materialise(computed, sql, shared, view)

        quietly(materialise, f"{name}: {_UNREAD}", UnavailableError)
        self._name_rows(name, view, kinds)

    def _load_public(self, source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> None:
        rows, types, outputs, kinds = public_rows(source, columns, name, form)
        view = _view_name()
        quietly(lambda: self._session.name_public_rows(rows, types, view), f"{name}: {_UNREAD}", UnavailableError)
        self._name(name, view, outputs, kinds)

    def _name_rows(self, name: str, view: str, kinds: Columns) -> None:
        self._name(name, view, [exp.Column(this=identifier(each)) for each in kinds], kinds)

    def _name(self, name: str, view: str, outputs: list[exp.Expr], kinds: Columns) -> None:
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
            self._name_rows(name, view, kinds)
        return table(name, relation.columns)

    def drop(self, name: str) -> None:
        """Forget a table that was held; nothing happens where there is none."""
        with self._turn:
            self._statements.remove(name)
            view = self._views.pop(name, None)
            if view is not None and self._open:
                quietly(lambda: self._session.drop(view), self._run_error, UnavailableError)

    def check_holding(self, what: str) -> None:
        """Refuse nothing: rows that are held stay the same."""

    @contextmanager
    def one_snapshot(self) -> Iterator[None]:
        """Let all queries within see the same rows: those that were kept when the session was opened."""
        with self._turn:
            yield

    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        return self._session.rows(sql)

    def _plan(self, sql: str) -> None:
        self._session.plan(sql)

    def _check_limits(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Refuse nothing that depends on lengths."""

    def check_sources(self) -> None:
        """Refuse to go on where the Spark application has ended; sessions ask before they charge."""
        with self._turn:
            self._check_open()
            self._session.check_running()


def _view_name() -> str:
    return fresh_name("view").replace(" ", "_")
