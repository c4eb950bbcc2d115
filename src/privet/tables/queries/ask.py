"""From rows and aggregates to something that can be released."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from privet.tables.queries import estimates_on_demand
from privet.tables.queries.aggregate_query import AggregateQuery, aggregate
from privet.tables.queries.auto_bounds import autos_of
from privet.tables.queries.grouped_rows import GroupedRows, name_aggregates

if TYPE_CHECKING:
    from privet.tables.queries.two_stage import TwoStageQuery


def ask(
    grouped: GroupedRows, aggregates: Iterable[object] = (), named: Mapping[str, object] | None = None
) -> "AggregateQuery | TwoStageQuery":
    """Aggregate rows in public groups; in two stages where caps or bounds are estimated first.

    Args:
        grouped: The rows and their groups.
        aggregates: Aggregates under their own names.
        named: Aggregates by name.
    """
    labelled = name_aggregates(grouped.keys, aggregates, named or {})
    if not grouped.query.auto_caps and not any(True for each in labelled.values() for _ in autos_of(each)):
        return aggregate(grouped, labelled)
    staged = estimates_on_demand.two_stage_query(grouped, labelled)
    return aggregate(grouped, labelled) if staged is None else staged
