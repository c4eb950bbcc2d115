"""A Spark session of our own, beside that of the user: the same cluster, other settings and other views.

Whatever Spark says about an error is dropped, since it quotes data. Argument: docs/tables/engines/spark.md.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, final

from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.spark.cancelling import run_cancellable
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.typed_sql.withhold_errors import quietly

_T = TypeVar("_T")
WITHHELD = "Spark's own message may quote data and is withheld."
_OLDEST = (3, 5)
_MOST_PLANS = 100
# How files are read, and how fast queries run. None changes what a statement of ours means. Where a setting makes Spark
# pass over missing or corrupt files, the rows are those that the user sees. They are read once, when the session opens,
# so that a file that disappears later changes no release.
_USER_SETTINGS = (
    *("spark.sql.adaptive.enabled", "spark.sql.autoBroadcastJoinThreshold", "spark.sql.shuffle.partitions"),
    *("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles", "spark.sql.files.maxPartitionBytes"),
    *("spark.sql.parquet.datetimeRebaseModeInRead", "spark.sql.parquet.int96RebaseModeInRead"),
)
_STOPPED = "the Spark application has ended; start another one and open another session. Nothing was charged."


@final
class OwnSession:
    """A session with the settings that meanings depend on, beside the session of the user, whose settings stay.

    Args:
        user_session: The session of Spark that the user gave.

    Guarantee: every statement runs with the settings of :mod:`privet.tables.engines.spark.dialect`, which were read
        back when the session was opened. It reads rows that were computed once.
    Proof: docs/tables/engines/spark.md.
    """

    def __init__(self, user_session: Any) -> None:
        _check_kind(user_session)
        self._user_session = user_session
        self._plans: dict[str, Any] = {}
        self._spark = quietly(user_session.newSession, _STOPPED, UnavailableError)
        for name in _USER_SETTINGS:
            value = user_session.conf.get(name, None)
            if value is not None:
                self._spark.conf.set(name, value)
        for name, values in DIALECT.settings.items():
            self._spark.conf.set(name, values[0])
        self._check_settings()
        self._properties = user_session.sparkContext._jsc.sc().getLocalProperties().clone()

    def _check_settings(self) -> None:
        for name, allowed in DIALECT.settings.items():
            value = str(self._spark.conf.get(name, ""))
            if value.lower() not in [each.lower() for each in allowed]:
                raise UnavailableError(f"Spark reports {name} = {value!r}, and {allowed[0]!r} is needed.")

    def check_running(self) -> None:
        """Refuse to go on where the application has ended."""
        context = self._user_session.sparkContext
        if quietly(lambda: self._cancelling(lambda: context._jsc.sc().isStopped()), _STOPPED, UnavailableError):
            raise UnavailableError(_STOPPED)

    def frame(self, table: str) -> Any:
        """Find a table of the user's session, by the name that it has there."""
        return quietly(
            lambda: self._user_session.table(table),
            f"Spark has no table {table!r} that can be read; write 'schema.table', in backticks where it has special "
            "characters.",
        )

    def materialise(self, frame: Any, sql: str, source: str, view: str) -> None:
        """Compute the rows of a query on a frame once, keep them in the cluster, and give them a name.

        Args:
            frame: A frame of the user's session.
            sql: The query, in which the frame is named by ``source``.
            source: A name that nobody uses.
            view: What to call the rows.
        """
        frame.createGlobalTempView(source)
        try:
            self.keep(sql, view)
        finally:
            self._user_session.catalog.dropGlobalTempView(source)

    @contextmanager
    def computed(self, frame: Any, columns: Iterable[str]) -> Iterator[Any]:
        """Compute some columns of a frame with the settings of the user, and forget them at the end.

        A time zone or a parser that is set otherwise would give other values than the user sees.

        Args:
            frame: A frame of the user's session.
            columns: The columns to compute.
        """
        kept = self._cancelling(lambda: _only(frame, set(columns)).localCheckpoint(eager=True))
        waits_for_executors = False
        try:
            yield kept
        finally:
            self._cancelling(lambda: kept._jdf.queryExecution().analyzed().rdd().unpersist(waits_for_executors))

    @property
    def version(self) -> tuple[int, ...]:
        """The version of Spark."""
        return _version(self._spark)

    @property
    def shared_schema(self) -> str:
        """Where views that sessions share are."""
        return str(self._spark.conf.get("spark.sql.globalTempDatabase"))

    def keep(self, sql: str, view: str) -> None:
        """Compute the rows of a query once, keep them in the cluster, and give them a name."""

        def keep_rows() -> None:
            reliable = self._user_session.sparkContext._jsc.sc().getCheckpointDir().isDefined()
            rows = self._spark.sql(sql)
            kept = rows.checkpoint(eager=True) if reliable else rows.localCheckpoint(eager=True)
            kept.createOrReplaceTempView(view)

        self._cancelling(keep_rows)

    def name_public_rows(self, rows: list[tuple[Any, ...]], types: dict[str, str], view: str) -> None:
        """Give public rows in memory a name."""
        schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
        self._spark.createDataFrame(rows, schema).createOrReplaceTempView(view)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query, by its plan if there is one; an interrupt cancels its jobs."""
        frame = self._plans.pop(sql, None)

        def collect_rows() -> list[tuple[Any, ...]]:
            planned = self._spark.sql(sql) if frame is None else frame
            return [tuple(row) for row in planned.collect()]

        return self._cancelling(collect_rows)

    def _cancelling(self, work: Callable[[], _T]) -> _T:
        return run_cancellable(self._user_session.sparkContext, self._properties, work)

    def plan(self, sql: str) -> None:
        """Let Spark plan a query, without running it; the plan is kept until it runs."""
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()

        def plan_query() -> Any:
            frame = self._spark.sql(sql)
            frame._jdf.queryExecution().executedPlan()
            return frame

        self._plans[sql] = self._cancelling(plan_query)

    def drop(self, view: str) -> None:
        """Forget a view; its rows are freed with it."""
        self._spark.catalog.dropTempView(view)


def _only(frame: Any, columns: set[str]) -> Any:
    """Give some columns of a frame, whatever signs their names have and whether case counts in the user's session."""
    numbered = [f"c{at}" for at in range(len(frame.columns))]
    places = [(place, name) for place, name in zip(numbered, frame.columns, strict=True) if name in columns]
    chosen = frame.toDF(*numbered).select([place for place, _ in places])
    return chosen.toDF(*(name for _, name in places))


def _check_kind(user_session: Any) -> None:
    from pyspark.sql import SparkSession

    if not isinstance(user_session, SparkSession) or not hasattr(user_session, "_jsparkSession"):
        raise InvalidError(
            "a table of Spark is read through a session of the driver's own process, got "
            f"{type(user_session).__module__}.{type(user_session).__name__}; Spark Connect shows no plan that could be "
            "checked. Run on the driver, or write the rows to Parquet files and give these."
        )
    if _version(user_session) < _OLDEST:
        raise UnavailableError(f"Spark 3.5 or later is needed, got {user_session.version}. Nothing was read.")


def _version(session: Any) -> tuple[int, ...]:
    return tuple(int(each) for each in session.version.split(".")[:2])
