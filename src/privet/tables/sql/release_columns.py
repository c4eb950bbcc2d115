"""The columns that aggregates release: their names and kinds."""

from collections.abc import Callable, Mapping

from sqlglot import exp

from privet.tables.aggregates.aggregate import Aggregate, CountingAggregate, OrderedColumnAggregate
from privet.tables.aggregates.sum import SumColumn
from privet.tables.aggregates.top_k import TopColumn
from privet.tables.columns import Kind


def columns_of(label: str, aggregate: Aggregate) -> list[str]:
    """Name the released columns of an aggregate."""
    return [label if output == "" else f"{label}_{output}" for output in aggregate.outputs]


def released_column(name: str) -> exp.Column:
    """Refer to a released column."""
    return exp.Column(this=exp.to_identifier(name, quoted=True))


def released_kind(aggregate: Aggregate, kind_of: Callable[[str], Kind]) -> Kind:
    """Give the kind of released values: that of the column for categories, dates and timestamps, else real."""
    if isinstance(aggregate, TopColumn | OrderedColumnAggregate):
        kind = kind_of(aggregate.column)
        if isinstance(aggregate, TopColumn) or kind in ("date", "timestamp"):
            return kind
    return "real"


def whole_columns(aggregates: Mapping[str, Aggregate], kind_of: Callable[[str], Kind]) -> set[str]:
    """Name the released columns that are whole numbers in plain SQL: counts, and sums and extremes of integers."""
    whole: set[str] = set()
    for label, aggregate in aggregates.items():
        is_total = isinstance(aggregate, SumColumn | OrderedColumnAggregate) and kind_of(aggregate.column) == "integer"
        if isinstance(aggregate, CountingAggregate) or is_total:
            whole |= set(columns_of(label, aggregate))
    return whole
