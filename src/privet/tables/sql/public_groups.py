"""A SELECT without an aggregate: its groups are public, so it shows them without noise and costs nothing."""

from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.releases.release import Release

_NOTE = "No row is read: the groups are public. Add COUNT(*) to see how many rows each of them has."


def query_groups(grouped: GroupedRows) -> AggregateQuery:
    """Give the query of public groups without an aggregate."""
    return AggregateQuery(grouped=grouped, aggregates={}, contribution=grouped.contribution)


def plan_groups(query: AggregateQuery) -> NoisePlan:
    """Plan no noise for no number."""
    groups = len(query.grouped.groups)
    return NoisePlan(aggregates=(), contribution=query.contribution, groups=groups, planned=())


def release_groups(query: AggregateQuery) -> Release:
    """Give the public groups, without reading a row; the history of the session notes it, at no cost."""
    grouped = query.grouped
    grouped.query.curator.note_free(query.title)
    return Release(keys=grouped.keys, groups=grouped.groups, plan=plan_groups(query), numbers=(), notes=(_NOTE,))


def describe_groups(query: AggregateQuery) -> str:
    """Say what a release shows and what it costs."""
    count, keys = len(query.grouped.groups), ", ".join(query.grouped.keys)
    return f"groups: {count:,} by {keys}\n{_NOTE}\nloss: epsilon = 0"
