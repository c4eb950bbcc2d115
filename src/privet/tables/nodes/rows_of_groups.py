"""The rows that count in public groups, as a table."""

from typing import Any, final

from attrs import evolve, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space
from privet.tables.nodes.group_totals import Grouping
from privet.tables.relations.caps import cap
from privet.tables.relations.table_space import Table, like, table_of
from privet.tables.vocabulary import table


@final
@frozen(kw_only=True)
class RowsOfGroups(Transformation):
    """Keep the rows of the groups that are released, and as many rows of each person as the caps allow.

    Where there is a group of all other rows, its name replaces their keys.

    Args:
        grouping: The groups and the caps, which need not bound anything.

    Guarantee: ``map(d_in) = d_in``, counted in privacy units: rows or persons.
    Proof: docs/tables/nodes/rows_of_groups.md.

    >>> from privet.tables.relations.caps import Caps
    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import UnitDistance, TableDomain
    >>> columns = {"id": Column(kind="integer"), "ward": Column(kind="text", categories=("a", "b"))}
    >>> space = Space(TableDomain(columns=columns), UnitDistance(("id",)))
    >>> few = Grouping(keys=("ward",), groups=(("a",),), caps=Caps(rows=3))
    >>> (space >> RowsOfGroups(grouping=few)).map(2)
    2
    """

    grouping: Grouping

    def output(self, space: Space) -> Space:
        """The same columns; keys that the other group renames have the values of the groups."""
        columns, id_columns = table_of(self, space)
        self.grouping.check(columns)
        return like(space, self.grouping.rows_in_groups(table("rows", columns), id_columns).columns)

    def apply(self, value: Table, space: Space) -> Table:
        """Say which rows stay."""
        columns, id_columns = table_of(self, space)
        kept = self.grouping.rows_in_groups(value.relation, id_columns)
        if id_columns:
            used = [name for name in columns if name not in id_columns]
            capped = cap(
                kept, self.grouping.caps, person=id_columns, groups=self.grouping.keys, used=used, key=self._key
            )
            kept = capped.select(*columns)
        return evolve(value, relation=kept)

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Whether a row has a group depends on that row alone; which rows of a person stay, on that person's rows."""
        return int(d_in)

    @property
    def _key(self) -> int:
        return self.grouping.key
