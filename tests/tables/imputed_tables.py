"""Small tables with missing values, and what an engine makes of them before any noise."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import privet as pv
from privet.imputation.feature_grid import FeatureGrid
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import PrivacyUnit, Rows
from privet.tables.engines.engine import dropping
from privet.tables.impute.aggregate_query import ImputedAggregateQuery
from privet.tables.impute.execution import ImputedExecution
from privet.tables.impute.imputed_groups import ImputedGroups
from privet.tables.impute.plan import ImputedPlan
from privet.tables.nodes.imputation import Imputation
from privet.tables.nodes.imputing import TemporaryTables
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.session.imputed_query import ImputedQuery
from privet.tables.session.query import Query
from privet.tables.session.session import Session
from tests.tables.opened import fix_key

Row = dict[str, Any]
Ask = Callable[[Query], ImputedAggregateQuery]
COLUMNS = {
    "id": column("integer"),
    "age": column("integer", bounds=(0, 3)),
    "sex": column("text", categories=("f", "m")),
    "income": column("integer", bounds=(-4, 6)),
    "job": column("text", categories=("a", "b", "c")),
}


def people(rows: Any, unit: PrivacyUnit | None = None, *, epsilon: Any = 1000) -> Session:
    """Open a session whose coins are always the same, so that neighbours can be compared."""
    rows = [{name: row.get(name) for name in COLUMNS} for row in rows] if isinstance(rows, list) else rows
    session = Session(rows, Codebook(unit=unit or Rows(), columns=COLUMNS), pv.budget(epsilon=epsilon))
    fix_key(session, 12345)
    return session


@contextmanager
def at_work(session: Session, query: ImputedAggregateQuery) -> Iterator[tuple[ImputedExecution, TemporaryTables]]:
    """Prepare a query without a plan: nothing is charged, and no noise is chosen."""
    plan = ImputedPlan(plain=None, sizes=None, imputed=(), groups=1, together=1, rows=query.groups.rows_of_a_unit)
    tables = session._curator.tables
    work = ImputedExecution.of(tables, query.groups, plan, query.answers, query.totals)
    names = work.table.imputing.names
    with dropping(tables.database.engine, names.names):
        yield work, names


def imputation_of(query: ImputedQuery) -> Imputation:
    """Give what a query imputes, and how."""
    return ImputedGroups(grouped=GroupedRows(query=query)).imputation


def exactly(session: Session, ask: Ask, beta: Any = 0.5) -> tuple[dict[Any, list[int]], dict[Any, list[Fraction]]]:
    """Give the totals of a query without noise, and the smooth bounds of those that depend on imputed values."""
    query = ask(session.query())
    with at_work(session, query) as (work, _):
        exact, counts = work.exact()
    totals = {statistic: [int(value) for value in numbers[:, 0]] for statistic, numbers in exact.items()}
    bounds = {
        each.statistic: [each.influence.smooth(changes=most, incomplete=number, beta=beta) for most, number in counts]
        for each in query.totals
        if each.donee
    }
    return totals, bounds


def apart(grid: FeatureGrid, one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """The squared distance of two cells, by its definition."""
    pairs = zip(grid.features, one, other, strict=True)
    return sum(
        each.weight * (a - b) ** 2 if each.kind == "ordinal" else 2 * each.weight * (a != b) for each, a, b in pairs
    )


def within_a_step(first: float, second: float, beta: float) -> bool:
    """Tell whether two bounds are as near as those of neighbours must be."""
    return abs(math.log(first / second)) <= beta * (1 + 1e-12)
