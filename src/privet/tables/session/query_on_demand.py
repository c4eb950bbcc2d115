"""What few queries need: imputed rows, roll-ups and private keys; it loads when a method is first called."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.keys.key_query import KeyQuery
    from privet.tables.keys.keyed_query import keyed_rows
    from privet.tables.keys.private import PrivateKeys, read_private
    from privet.tables.rollup.query import RollupRows
    from privet.tables.session.imputed_query import ImputedQuery, impute_rows

__all__ = ["ImputedQuery", "KeyQuery", "PrivateKeys", "RollupRows", "impute_rows", "keyed_rows", "read_private"]

__getattr__ = on_demand(
    __name__,
    {
        "privet.tables.keys.key_query": ("KeyQuery",),
        "privet.tables.keys.keyed_query": ("keyed_rows",),
        "privet.tables.keys.private": ("PrivateKeys", "read_private"),
        "privet.tables.rollup.query": ("RollupRows",),
        "privet.tables.session.imputed_query": (
            "ImputedQuery",
            "impute_rows",
        ),
    },
)
