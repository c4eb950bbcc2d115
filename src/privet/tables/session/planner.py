"""Planners: sessions without data, to describe and plan queries before any file is opened."""

from collections.abc import Mapping
from typing import Any, final

from privet.accounting.losses.loss import Budget
from privet.errors import UnavailableError, WrongTypeError
from privet.tables.codebook.given_codebook import Codebooks, is_one_codebook, read_codebook
from privet.tables.curator.charges import SessionCharges
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import open_tables
from privet.tables.session.table_door import TableDoor, read_budget


@final
class Planner(TableDoor):
    """Describe and plan queries from codebooks alone: no source is needed, and nothing can be released.

    Args:
        codebook: What is publicly known of the table: a ``Codebook``, the path of one, or a dictionary; or several by
            name.
        budget: What all releases together may cost.
        public: Public tables by name, as those of ``Session``.

    >>> import privet as pv
    >>> book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    >>> planner = pv.Planner(book, pv.budget(epsilon=1))
    >>> planner.query().group_by("ward").agg(pv.count()).plan(epsilon=0.5).planned[0].noise.scale
    Fraction(2, 1)
    """

    def __init__(
        self,
        codebook: Codebooks | Mapping[str, Codebooks],
        budget: Budget | None = None,
        *,
        public: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(codebook, Mapping) and not is_one_codebook(codebook):
            books = {name: read_codebook("Planner", each) for name, each in codebook.items()}
            if not books:
                raise WrongTypeError("Planner.codebook must hold one codebook or more, by name.")
        else:
            book = read_codebook("Planner", codebook)
            books = {book.table or "data": book}
        limit = read_budget("Planner", budget)
        tables = open_tables({name: [] for name in books}, books, public=public)  # tables without rows
        self._curator = Curator(tables, SessionCharges(limit), releases=False)
        self._curator.advisor.warn_of_opening("pv.Planner", limit)

    def _open_part(self, curator: Curator) -> TableDoor:
        """Refuse: there are no rows to divide."""
        raise UnavailableError("Planner: there are no data here; open pv.Session(source, codebook, budget) to release.")
