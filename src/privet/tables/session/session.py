"""Sessions: private tables, codebooks and a budget; every release is charged before a table is read."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from privet.accounting.losses.loss import Budget
from privet.errors import WrongTypeError
from privet.tables.codebook.given_codebook import Codebooks
from privet.tables.columns import PrivacyUnit
from privet.tables.curator.charges import Charges, SessionCharges
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import open_tables
from privet.tables.curator.progress import progress
from privet.tables.curator.request import Answer, Request
from privet.tables.session import session_on_demand as on_demand
from privet.tables.session.arguments import Facts, FirstTry, check_delimiter_use, read_tables
from privet.tables.session.opening import Opening, compare_schemas
from privet.tables.session.table_door import TableDoor, read_budget

if TYPE_CHECKING:
    from privet.ledger.ledger import Ledger


@final
class Session(TableDoor):
    """Private tables behind one budget.

    Args:
        source: A path of CSV or Parquet files, an Arrow table, a pandas or polars frame, a pair of an open DuckDB
            connection and a table, a pair of a connection to PostgreSQL and a table, or a list of dictionaries. Or
            several by name: ``{"visits": ..., "patients": ...}``.
        codebook: What is publicly known of it: a ``Codebook``, the path of one, or a dictionary; or several by name.
        budget: What all releases together may cost; its form is that of every charge.
        unit: For a first try without a codebook, the privacy unit: ``Persons("visitor_id", rows=10)`` or ``Rows()``.
            Types then come from the schema of the source, as in ``Codebook.from_frame``.
        types: For a first try, by column, the types that the schema does not have: ``{"day": "date"}``.
        bounds: For a first try, by column, where values lie: ``{"spending": (0, 200)}``.
        categories: For a first try, by column, the values that may occur.
        nulls: For a first try, by column, what a query makes of nulls.
        sample: For a first try, the path of a *public* file whose values show the types that the schema does not have.
        columns: The names of the positions in a list of tuples, in order. For a first try, the columns to use.
        delimiter: What parts the columns of a text file: a comma by default, a tab in ``.tsv`` files.
        memory: How much memory queries may use, such as ``"4GB"``; more spills to disk.
        threads: How many threads queries may use; one for each core by default.
        snapshot: Whether to copy Parquet files now. Otherwise every query reads them, and the session releases nothing
            more once a file has changed. All other sources are read once, now.
        public: Public tables by name, for ``join_public("nation", on=...)`` and for SQL: frames, Arrow tables, lists of
            dictionaries, columns by name, or paths of CSV or Parquet files. They are read once, now, and their values
            may be shown to everybody.
        ledger: ``pv.Ledger("budget.db")``: the budget is kept in this file, across restarts and processes. A query that
            was released before gets the stored release and costs nothing.
        dataset: With a ledger, the name of the data there. Its budget is set when it is first opened; later ``budget``
            must be the same, or may be left out.
        analyst: With a ledger, who asks: allowances and stored releases are the analyst's own.
        period: With a ledger and a privacy unit within a calendar period, the period whose rows are read, such as
            ``"2026-05"``, or several. Each period has a budget of its own, and ``budget`` is that of each.

    A text file, a list and a pandas column of objects have no types, so a session cannot warn of values that do
    not fit the codebook. Whoever holds the data runs ``pv.check(source, codebook)`` before the first release.

    Guarantee: all releases together cost no more than the budget, for neighbours that differ in one privacy unit of the
        codebook. Nothing else depends on the data.
    Proof: docs/tables/session.md.

    >>> import privet as pv
    >>> book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    >>> session = pv.Session([{"ward": "a"}] * 900 + [{"ward": "b"}] * 100, book, pv.budget(epsilon=1))
    >>> release = session.query().group_by("ward").agg(pv.count()).release(epsilon=0.5)
    >>> [bool(850 < release.values("count")[0] < 950), session.remaining.epsilon]
    [True, Fraction(1, 2)]
    """

    def __init__(
        self,
        source: object,
        codebook: Codebooks | Mapping[str, Codebooks] | None = None,
        budget: Budget | None = None,
        *,
        unit: PrivacyUnit | None = None,
        types: Facts = None,
        bounds: Facts = None,
        categories: Facts = None,
        nulls: Facts = None,
        sample: str | Path | None = None,
        columns: Iterable[str] | None = None,
        delimiter: str | None = None,
        memory: str | None = None,
        threads: int | None = None,
        snapshot: bool = False,
        public: Mapping[str, Any] | None = None,
        ledger: "Ledger | None" = None,
        dataset: str | None = None,
        analyst: str | None = None,
        period: str | Sequence[str] | None = None,
    ) -> None:
        facts = FirstTry(unit=unit, types=types, bounds=bounds, categories=categories, nulls=nulls, sample=sample)
        sources, codebooks = read_tables(source, codebook, facts, columns)
        kept = any(each is not None for each in (ledger, dataset, analyst, period))
        periods = None if period is None else on_demand.periods_of(sources, codebooks, period, delimiter)
        limit = None if kept and budget is None else read_budget("Session", budget)
        check_delimiter_use(sources, delimiter)
        limits: Any = {"memory": memory, "threads": threads, "snapshot": snapshot, "delimiter": delimiter}
        if periods is not None:
            limits |= {"days": periods.days, "part": (periods.words,)}
        with progress("reading the source"):
            tables = open_tables(sources, codebooks, public=public, **limits)
            if kept or limit is None:
                charges: Charges = on_demand.open_charges(tables, ledger, dataset, analyst, limit, periods)
            else:
                charges = SessionCharges(limit)
        self._curator = Curator(tables, charges)
        self._curator.advisor.warn_of_opening("pv.Session", charges.budget)
        self._opening = compare_schemas(sources, codebooks)
        self._opening.warn(stacklevel=2)

    @property
    def opening(self) -> tuple[str, ...]:
        """What was said at opening: where schema and codebook differ, and what has no schema. Nothing is private."""
        return (*self._opening.mismatches, *self._opening.untyped)

    def _open_part(self, curator: Curator) -> "Session":
        """Give the session of one part of a table."""
        child = object.__new__(Session)
        child._curator, child._opening = curator, Opening()
        return child

    def release(self, request: Request[Answer], *, again: bool = False) -> Answer:
        """Charge a request and measure it: an object with ``plan``, ``delta`` and ``measure``, say of a later layer.

        Args:
            request: The release to make. Its loss must bound what its measurement releases.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        if not hasattr(request, "measure"):
            raise WrongTypeError(
                f"Session.release takes a request, got {type(request).__name__}; queries have a verb of their own: "
                "query.release(epsilon=...)."
            )
        return self._curator.release(request, again=again)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise WrongTypeError("a session holds private data and a budget and cannot be copied or pickled.")
