"""From rows and aggregates to something that can be released."""

from collections.abc import Iterable, Mapping

from privet.tables.queries.aggregate_query import AggregateQuery, aggregate
from privet.tables.queries.grouped_rows import GroupedRows, name_aggregates
from privet.tables.queries.two_stage import TwoStageQuery, two_stage_query


def ask(
    grouped: GroupedRows, aggregates: Iterable[object] = (), named: Mapping[str, object] | None = None
) -> AggregateQuery | TwoStageQuery:
    """Aggregate rows in public groups; in two stages where caps or bounds are estimated first.

    Args:
        grouped: The rows and their groups.
        aggregates: Aggregates under their own names.
        named: Aggregates by name.
    """
    labelled = name_aggregates(grouped.keys, aggregates, named or {})
    staged = two_stage_query(grouped, labelled)
    return aggregate(grouped, labelled) if staged is None else staged
