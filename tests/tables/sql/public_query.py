"""The aggregate query behind a statement whose groups are public."""

from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.sql.keyed import SqlKeyedQuery
from privet.tables.sql.read import SqlQuery


def aggregates_of(query: SqlQuery | SqlKeyedQuery) -> AggregateQuery:
    assert isinstance(query, SqlQuery)
    return query.query
