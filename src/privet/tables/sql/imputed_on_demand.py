"""What few statements need: imputed tables; it loads when a statement is given ``impute=...``."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.sql.imputed import SqlImputedQuery
    from privet.tables.sql.imputed_query_of import imputed_query_of

__all__ = ["SqlImputedQuery", "imputed_query_of"]

__getattr__ = on_demand(
    __name__,
    {
        "privet.tables.sql.imputed": ("SqlImputedQuery",),
        "privet.tables.sql.imputed_query_of": ("imputed_query_of",),
    },
)
