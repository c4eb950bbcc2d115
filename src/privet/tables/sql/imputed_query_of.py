"""The aggregate query of a SELECT about a completed table."""

from privet.errors import InvalidError
from privet.tables.impute.aggregate_query import ImputedAggregateQuery, ask_imputed
from privet.tables.sql.beside import Beside
from privet.tables.sql.select import Selection
from privet.tables.sql.selected_query import grouped_rows_of


def imputed_query_of(selection: Selection, beside: Beside, text: str) -> ImputedAggregateQuery:
    """Give the aggregate query of completed rows.

    Args:
        selection: The SELECT.
        beside: What stands beside the statement.
        text: The statement, for the history of a session.
    """
    if selection.by_person:
        raise InvalidError(
            "SQL: AVG of persons' averages has no rule for imputed values. Average rows: "
            "AVG(x, contribution_bounds_per_row => (0, 100))."
        )
    if not selection.aggregates:
        raise InvalidError(
            "SQL: a SELECT without an aggregate shows public groups, which need no impute=.... Leave it out."
        )
    grouped = grouped_rows_of(selection, beside.groups, beside.other)
    return ask_imputed(grouped, named=selection.aggregates, text=f"SQL: {text}")
