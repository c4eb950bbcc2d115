"""Totals of public groups: a request that reads one table once and adds noise."""

from collections.abc import Callable
from fractions import Fraction
from typing import final

from attrs import frozen

from privet.core import Array, Space
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import enter_phase
from privet.tables.files.written import Words
from privet.tables.nodes.group_totals import Grouping
from privet.tables.noise.plan import NoisePlan, add_noise
from privet.tables.relations.table_space import Table, table_of
from privet.tables.releases.release import Release
from privet.tables.statistics import Statistic

Totals = dict[Statistic, Array]


@final
@frozen(kw_only=True, eq=False)
class TableTotals:
    """Exact numbers of public groups of some rows.

    Args:
        tables: Where the rows come from.
        table: The rows.
        space: What is publicly known of them.
        grouping: The groups and the caps.
    """

    tables: PrivateTables
    table: Table
    space: Space
    grouping: Grouping

    def compile(self, tables: PrivateTables, statistics: tuple[Statistic, ...]) -> Callable[[], Totals]:
        """Write and rehearse the queries, reading no row; return the function that reads.

        Args:
            tables: Where the rows are.
            statistics: What is counted and added up.
        """
        _, ids = table_of(self, self.space)
        totals = self.grouping.compile(self.table.relation, ids, statistics)
        tables.rehearse(self.space, [query for _, query in totals])
        return lambda: self.grouping.read(self.table, totals)


@final
@frozen(kw_only=True, eq=False)
class TotalsRequest:
    """Totals of public groups with noise.

    Args:
        plan: The aggregates and their noise.
        totals: The rows and their groups.
        notes: Lines for the reader of the release.
        delta: The delta at which a budget of epsilon and delta reads the loss.
        title: What is released, in one line, for the history of the session.
        words: Gives the query as plain data, by which a ledger knows it; None where it has no words.
    """

    plan: NoisePlan
    totals: TableTotals
    notes: tuple[str, ...] = ()
    delta: Fraction | None = None
    title: str = ""
    words: Callable[[], Words] | None = None

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for."""
        return self.totals.tables

    def measure(self, tables: PrivateTables) -> Callable[[], Release]:
        """Write and rehearse the queries; return the function that reads and adds noise."""
        read = self.totals.compile(tables, self.plan.statistics)

        def release() -> Release:
            enter_phase("charged, reading the data")  # again, where it is one of several
            return self._release(read())

        return release

    def _release(self, exact: Totals) -> Release:
        grouping = self.totals.grouping
        enter_phase("charged, adding noise")
        numbers = add_noise(self.plan, exact)
        return Release(keys=grouping.keys, groups=grouping.groups, plan=self.plan, numbers=numbers, notes=self.notes)

    def read_back(self, text: str) -> Release:
        """Read a release of this request that was stored."""
        return Release.from_json(text)
