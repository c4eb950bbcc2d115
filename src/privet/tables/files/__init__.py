"""Queries and plans as YAML; the names load when they are first used, since few sessions read or write files."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.files.aggregate_keys import write_aggregates
    from privet.tables.files.node_keys import write_rows
    from privet.tables.files.query_keys import write_groups

__all__ = ["write_aggregates", "write_groups", "write_rows"]

__getattr__ = on_demand(
    __name__,
    {
        "privet.tables.files.aggregate_keys": ("write_aggregates",),
        "privet.tables.files.node_keys": ("write_rows",),
        "privet.tables.files.query_keys": ("write_groups",),
    },
)
