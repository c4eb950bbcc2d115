"""What the methods of a session give; it loads when a method is first called, so that sessions open fast."""

from typing import TYPE_CHECKING

from privet._lazy import on_demand

if TYPE_CHECKING:
    from privet.tables.curator.periods import periods_of
    from privet.tables.files.query_keys import read_query
    from privet.tables.nodes.from_table import FromTable
    from privet.tables.queries.batch import Batch, settled_queries
    from privet.tables.queries.partition import PartitionQuery
    from privet.tables.session.open_ledger import open_charges
    from privet.tables.session.partition import Partition
    from privet.tables.session.query import Query
    from privet.tables.session.query_plan import QueryPlan, read_plan
    from privet.tables.sql.beside import Beside, refuse_arguments
    from privet.tables.sql.read import SqlQuery, read_sql

__all__ = [
    "Batch",
    "Beside",
    "FromTable",
    "Partition",
    "PartitionQuery",
    "Query",
    "QueryPlan",
    "SqlQuery",
    "open_charges",
    "periods_of",
    "read_plan",
    "read_query",
    "read_sql",
    "refuse_arguments",
    "settled_queries",
]

__getattr__ = on_demand(
    __name__,
    {
        "privet.tables.curator.periods": ("periods_of",),
        "privet.tables.files.query_keys": ("read_query",),
        "privet.tables.nodes.from_table": ("FromTable",),
        "privet.tables.queries.batch": (
            "Batch",
            "settled_queries",
        ),
        "privet.tables.queries.partition": ("PartitionQuery",),
        "privet.tables.session.open_ledger": ("open_charges",),
        "privet.tables.session.partition": ("Partition",),
        "privet.tables.session.query": ("Query",),
        "privet.tables.session.query_plan": (
            "QueryPlan",
            "read_plan",
        ),
        "privet.tables.sql.beside": ("Beside", "refuse_arguments"),
        "privet.tables.sql.read": (
            "SqlQuery",
            "read_sql",
        ),
    },
)
