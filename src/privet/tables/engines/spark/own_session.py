"""A Spark session of our own, beside the one that was given: the same cluster, other settings and other views.

Whatever Spark says about an error is dropped, since it quotes data. Argument: docs/tables/engines/spark.md.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, final

from privet.errors import InvalidError, UnavailableError
from privet.tables.engines.spark.cancelling import run_cancellable
from privet.tables.engines.spark.dialect import DIALECT
from privet.tables.engines.typed.withheld import quietly

_T = TypeVar("_T")
WITHHELD = "Spark's own message may quote data and is withheld."
_OLDEST = (3, 5)
_MOST_PLANS = 100
_TAKEN_OVER = (  # how files are read, and how fast queries run; none changes what a statement of ours means
    *("spark.sql.adaptive.enabled", "spark.sql.autoBroadcastJoinThreshold", "spark.sql.shuffle.partitions"),
    *("spark.sql.files.ignoreCorruptFiles", "spark.sql.files.ignoreMissingFiles", "spark.sql.files.maxPartitionBytes"),
    *("spark.sql.parquet.datetimeRebaseModeInRead", "spark.sql.parquet.int96RebaseModeInRead"),
)
_CUT = {"GlobalLimit": "limit", "LocalLimit": "limit", "Offset": "offset", "Tail": "tail", "Sample": "sample"}
_ORDERED = {  # aggregates whose value depends on the order of rows, or of equal ones
    *("any_value", "approx_percentile", "array_agg", "collect_list", "collect_set", "first", "first_value", "last"),
    *("last_value", "listagg", "max_by", "min_by", "mode", "percentile_approx", "string_agg"),
}
_STOPPED = "the Spark application has ended; start another one and open another session. Nothing was charged."
_ADVICE = "Write its rows to a table first, and give that table: a release must read the same rows each time."


@final
class OwnSession:
    """A session with the settings that meanings depend on; those of the session that was given stay as they are.

    Args:
        given: A session of Spark.
    """

    def __init__(self, given: Any) -> None:
        _check_kind(given)
        self._given = given
        self._planned: dict[str, Any] = {}
        self._spark = quietly(given.newSession, _STOPPED, UnavailableError)
        for name in _TAKEN_OVER:
            value = given.conf.get(name, None)
            if value is not None:
                self._spark.conf.set(name, value)
        for name, values in DIALECT.settings.items():
            self._spark.conf.set(name, values[0])
        self._check_settings()
        self._properties = given.sparkContext._jsc.sc().getLocalProperties().clone()

    def _check_settings(self) -> None:
        for name, allowed in DIALECT.settings.items():
            value = str(self._spark.conf.get(name, ""))
            if value.lower() not in [each.lower() for each in allowed]:
                raise UnavailableError(f"Spark reports {name} = {value!r}, and {allowed[0]!r} is needed.")

    def check_running(self) -> None:
        """Refuse to go on where the application has ended."""
        context = self._given.sparkContext
        if quietly(lambda: self._cancelling(lambda: context._jsc.sc().isStopped()), _STOPPED, UnavailableError):
            raise UnavailableError(_STOPPED)

    def frame(self, table: str) -> Any:
        """Find a table of the session that was given, by the name that it has there."""
        return quietly(
            lambda: self._given.table(table),
            f"Spark has no table {table!r} that can be read; write 'schema.table', in backticks where it has signs.",
        )

    def materialise(self, frame: Any, sql: str, source: str, view: str) -> None:
        """Compute the rows of a query on a frame once, keep them in the cluster, and give them a name.

        Args:
            frame: A frame of the session that was given.
            sql: The query, in which the frame is named by ``source``.
            source: A name that nobody uses.
            view: What to call the rows.
        """
        frame.createGlobalTempView(source)
        try:
            self.keep(sql, view)
        finally:
            self._given.catalog.dropGlobalTempView(source)

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
            reliable = self._given.sparkContext._jsc.sc().getCheckpointDir().isDefined()
            rows = self._spark.sql(sql)
            kept = rows.checkpoint(eager=True) if reliable else rows.localCheckpoint(eager=True)
            kept.createOrReplaceTempView(view)

        self._cancelling(keep_rows)

    def public(self, rows: list[tuple[Any, ...]], types: dict[str, str], view: str) -> None:
        """Give public rows in memory a name."""
        schema = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
        self._spark.createDataFrame(rows, schema).createOrReplaceTempView(view)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query, by its plan if there is one; an interrupt cancels its jobs."""
        frame = self._planned.pop(sql, None)

        def collect_rows() -> list[tuple[Any, ...]]:
            planned = self._spark.sql(sql) if frame is None else frame
            return [tuple(row) for row in planned.collect()]

        return self._cancelling(collect_rows)

    def _cancelling(self, work: Callable[[], _T]) -> _T:
        return run_cancellable(self._given.sparkContext, self._properties, work)

    def plan(self, sql: str) -> None:
        """Let Spark plan a query, without running it; the plan is kept until it runs."""
        if len(self._planned) >= _MOST_PLANS:
            self._planned.clear()

        def plan_query() -> Any:
            frame = self._spark.sql(sql)
            frame._jdf.queryExecution().executedPlan()
            return frame

        self._planned[sql] = self._cancelling(plan_query)

    def drop(self, view: str) -> None:
        """Forget a view; its rows are freed with it."""
        self._spark.catalog.dropTempView(view)


def _check_kind(given: Any) -> None:
    from pyspark.sql import SparkSession

    if not isinstance(given, SparkSession) or not hasattr(given, "_jsparkSession"):
        raise InvalidError(
            "a table of Spark is read through a session of the driver's own process, got "
            f"{type(given).__module__}.{type(given).__name__}; Spark Connect shows no plan that could be checked. Run "
            "on the driver, or write the rows to Parquet files and give these."
        )
    if _version(given) < _OLDEST:
        raise UnavailableError(f"Spark 3.5 or later is needed, got {given.version}. Nothing was read.")


def _version(given: Any) -> tuple[int, ...]:
    return tuple(int(each) for each in given.version.split(".")[:2])


def check_deterministic(frame: Any, name: str) -> None:
    """Refuse a frame whose plan may give other rows each time it runs; known from the plan alone.

    Args:
        frame: A frame of Spark.
        name: What to call it in messages.
    """
    plan = quietly(lambda: frame._jdf.queryExecution().analyzed(), f"{name}: the plan cannot be read. {WITHHELD}")
    if frame.isStreaming:
        raise InvalidError(f"{name}: the frame is a stream. {_ADVICE}")
    for node in _nodes(plan):
        kind = node.nodeName()
        if kind in _CUT:
            raise InvalidError(f"{name}: the frame has a {_CUT[kind]}, which may keep other rows each time. {_ADVICE}")
        if kind == "Deduplicate" and node.keys().size() < node.child().output().size():
            raise InvalidError(
                f"{name}: the frame drops duplicates by some columns, and any of them may stay. {_ADVICE}"
            )
        if not node.deterministic() or any(each in _ORDERED for each in _functions(node)):
            raise InvalidError(
                f"{name}: the frame has functions such as rand(), first() or monotonically_increasing_id(), which may "
                f"give other values each time. {_ADVICE}"
            )


def _functions(node: Any) -> Iterator[str]:
    """Name the functions of a node of a plan."""
    waiting = _items(node.expressions())
    while waiting:
        each = waiting.pop()
        yield each.prettyName()
        waiting += _items(each.children())


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(at) for at in range(sequence.size())]


def _nodes(plan: Any) -> Iterator[Any]:
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _items(node.children()) + _items(node.subqueries())
