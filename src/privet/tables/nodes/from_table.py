"""One private table of several."""

from typing import Any, final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space
from privet.errors import InvalidError, MismatchError
from privet.tables.relations.table_space import Database, DatabaseDomain, Table, TableDomain, TableMetric


@final
@frozen(kw_only=True)
class FromTable(Transformation):
    """Begin a query with all rows of one private table.

    Args:
        name: The name of the table.

    Guarantee: ``map(d_in) = d_in``, counted in rows or in privacy units.
    Proof: docs/tables/nodes/from_table.md.

    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import RowDistance
    >>> space = Space(DatabaseDomain(tables={"visits": {"age": Column(kind="integer")}}), RowDistance())
    >>> (space >> FromTable(name="visits")).map(2)
    2
    """

    name: str

    def output(self, space: Space) -> Space:
        """The space of that table."""
        if not isinstance(space.domain, DatabaseDomain) or not isinstance(space.metric, TableMetric):
            raise MismatchError(f"FromTable needs private tables, got {space!r}.")
        if self.name not in space.domain.tables:
            there = ", ".join(map(repr, space.domain.tables))
            raise InvalidError(f"FromTable.name must be a table, got {self.name!r}; there are {there}.")
        return Space(TableDomain(columns=dict(space.domain.tables[self.name])), space.metric.in_table(self.name))

    def apply(self, value: Database, space: Space) -> Table:
        """Refer to its rows."""
        return Table(relation=value.tables[self.name], engine=value.engine)

    def stability(self, d_in: Any, space: Space) -> Distance:
        """What differs in one of the tables differs in all of them together."""
        return int(d_in)
