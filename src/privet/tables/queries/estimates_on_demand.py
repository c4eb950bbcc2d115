"""Queries of two stages; they load when a cap or bounds are first estimated."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.queries.two_stage import two_stage_query

__all__ = ["two_stage_query"]

__getattr__ = on_demand(
    __name__,
    {
        "privet.tables.queries.two_stage": ("two_stage_query",),
    },
)
