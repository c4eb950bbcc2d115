"""Public tables as those of a curator that releases nothing: a query of them can be joined to private rows, no more."""

from collections.abc import Mapping

from privet.accounting.planning.budget import ApproximateBudget
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import Rows
from privet.tables.curator.charges import SessionCharges
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.relations.public_source import PublicSource
from privet.tables.relations.table_space import Database


def public_curator(sources: Mapping[str, PublicSource]) -> Curator:
    """Hold public tables, with no budget and no way to release them."""
    engine = next(iter(sources.values())).engine
    tables = PrivateTables(
        codebooks={name: Codebook(columns=each.described, unit=Rows()) for name, each in sources.items()},
        database=Database(tables={name: each.relation for name, each in sources.items()}, engine=engine),
        key=0,
        borrowed=True,
    )
    return Curator(tables, SessionCharges(ApproximateBudget(epsilon=0, delta=0)), releases=False)
