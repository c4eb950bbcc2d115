"""Sessions: private tables, codebooks and a budget; every release is charged before a table is read."""

from collections.abc import Mapping
from typing import Any, final

from privet.accounting.losses.loss import Budget
from privet.errors import WrongTypeError
from privet.tables.codebook.codebook import Codebook
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import open_tables
from privet.tables.curator.request import Answer, Request
from privet.tables.session.table_door import Codebooks, TableDoor, read_budget, read_codebook


@final
class Session(TableDoor):
    """Private tables behind one budget.

    Args:
        source: A path of CSV or Parquet files, an Arrow table, a pandas or polars frame, a pair of an open DuckDB
            connection and a table, or a list of dictionaries. Or several by name: ``{"visits": ..., "patients": ...}``.
        codebook: What is publicly known of it: a ``Codebook``, or the path of one; or several by name.
        budget: What all releases together may cost; its form is that of every charge.
        memory: How much memory queries may use, such as ``"4GB"``; more spills to disk.
        threads: How many threads queries may use; one for each core by default.
        snapshot: Whether to copy Parquet files now. Otherwise every query reads them, and the session releases nothing
            more once a file has changed. All other sources are read once, now.

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
        memory: str | None = None,
        threads: int | None = None,
        snapshot: bool = False,
    ) -> None:
        sources, codebooks = _tables(source, codebook)
        limit = read_budget("Session", budget)
        tables = open_tables(sources, codebooks, memory=memory, threads=threads, snapshot=snapshot)
        self._curator = Curator(tables, limit)
        self._curator.advisor.warn_of_opening("pv.Session", limit)

    def _open_part(self, curator: Curator) -> "Session":
        """Give the session of one part of a table."""
        child = object.__new__(Session)
        child._curator = curator
        return child

    def release(self, request: Request[Answer]) -> Answer:
        """Charge a request and measure it: an object with ``plan``, ``delta`` and ``measure``, say of a later layer.

        Args:
            request: The release to make. Its loss must bound what its measurement releases.
        """
        if not hasattr(request, "measure"):
            raise WrongTypeError(
                f"Session.release takes a request, got {type(request).__name__}; queries have a verb of their own: "
                "query.release(epsilon=...)."
            )
        return self._curator.release(request)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Session({self.codebook!r}, {self._curator!r})"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a session holds private data and a budget and cannot be copied or pickled.")


def _tables(source: object, codebook: object) -> tuple[dict[str, object], dict[str, Codebook]]:
    """Read one source with one codebook, or several of both by name."""
    if not isinstance(codebook, Mapping):
        if isinstance(source, Mapping):
            raise WrongTypeError(
                "Session: sources by name need codebooks by the same names, {'visits': codebook, ...}."
            )
        book = read_codebook("Session", codebook)
        return {book.table or "data": source}, {book.table or "data": book}
    if not isinstance(source, Mapping) or set(source) != set(codebook) or not codebook:
        there = ", ".join(map(repr, source)) if isinstance(source, Mapping) else f"one {type(source).__name__}"
        raise WrongTypeError(
            "Session: several tables need sources and codebooks by the same names, got sources "
            f"{there} and codebooks {', '.join(map(repr, codebook)) or 'of none'}."
        )
    books = {name: read_codebook("Session", each) for name, each in codebook.items()}
    return {name: source[name] for name in books}, books
