"""Columns of a public table, added to each row that has a partner there."""

from typing import Any, final

from attrs import evolve, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space
from privet.errors import InvalidError
from privet.tables.nodes.joined import joined_columns
from privet.tables.relations.public_table import PublicTable
from privet.tables.relations.table_space import Table, like, table_of


@final
@frozen(kw_only=True)
class JoinPublic(Transformation):
    """Match each row with the one row of a public table that has the same keys; others are left out.

    Args:
        public: The public table; its keys are different in every row, so that one row stays one row.

    Guarantee: ``map(d_in) = d_in``, counted in rows or in privacy units.
    Proof: docs/tables/nodes/join_public.md.

    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> described = {"ward": column("text"), "floor": column("integer")}
    >>> floors = PublicTable(source=[{"ward": "a", "floor": 1}], described=described, on=("ward",))
    >>> visits = Space(TableDomain(columns={"ward": Column(kind="text")}), RowDistance())
    >>> (visits >> JoinPublic(public=floors)).output
    Space(table(ward: text, floor: integer), RowDistance())
    """

    public: PublicTable

    def output(self, space: Space) -> Space:
        """The columns of both."""
        columns, id_columns = table_of(self, space)
        for name in self.public.described:
            if name in id_columns:
                raise InvalidError(f"join_public: {name!r} tells whose rows are protected and must stay as it is.")
        return like(space, joined_columns("join_public", columns, self.public.columns, self.public.on, "inner"))

    def apply(self, value: Table, space: Space) -> Table:
        """Write the join."""
        other = self.public.relation(value.engine)
        return evolve(value, relation=value.relation.join(other, on=self.public.on))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Every row gives one row or none, which depends on it and on the public table."""
        return int(d_in)
