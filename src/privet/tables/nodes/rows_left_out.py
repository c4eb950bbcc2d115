"""One row for each person: how many rows the caps leave out."""

from typing import Any, final

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, positive, whole
from privet.errors import InvalidError
from privet.tables.columns import find_column
from privet.tables.nodes.group_totals import Grouping
from privet.tables.relations.left_out import left_out_by_caps
from privet.tables.relations.table_space import Table, like, table_of
from privet.tables.vocabulary import check_names, table


@final
@frozen(kw_only=True)
class RowsLeftOut(Transformation):
    """Replace the rows of each person by one number: the rows that the caps leave out.

    Where they leave none out, it is minus the number of rows of the person.

    Args:
        grouping: The groups and the caps, which bound the rows of a person.
        most_rows: Of a person with more rows, so many are looked at; as many as the caps allow, or more.
        into: What to call the number.
        used: The other columns that the query needs: under caps by column they decide which rows count.

    Guarantee: ``map(d_in) = d_in``, counted in persons, each of whom has one row.
    Proof: docs/tables/nodes/rows_left_out.md.

    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.caps import Caps
    >>> from privet.tables.relations.table_space import UnitDistance, TableDomain
    >>> space = Space(TableDomain(columns={"id": Column(kind="integer")}), UnitDistance(("id",)))
    >>> (space >> RowsLeftOut(grouping=Grouping(caps=Caps(rows=3)), most_rows=100)).map(2)
    2
    """

    grouping: Grouping
    most_rows: int = field(converter=whole, validator=positive)
    into: str = "left_out"
    used: tuple[str, ...] = ()

    def output(self, space: Space) -> Space:
        """The id columns and the number."""
        columns, id_columns = table_of(self, space)
        if not id_columns:
            raise InvalidError("RowsLeftOut counts rows of persons, but the unit is rows; use unit=Persons(id=...).")
        self.grouping.check(columns)
        for name in self.used:
            find_column("RowsLeftOut.used", name, columns)
        check_names("RowsLeftOut", [*id_columns, self.into])
        if self.most_rows < self._counted:
            raise InvalidError(
                f"most_rows must be at least {self._counted:,}, the rows of a person that the caps allow, got "
                f"{self.most_rows:,}."
            )
        return like(space, self._left_out(table("rows", columns), id_columns).columns)

    def apply(self, value: Table, space: Space) -> Table:
        """Count the rows of each person, and those that count."""
        _, id_columns = table_of(self, space)
        return evolve(value, relation=self._left_out(value.relation, id_columns))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """The number of a person follows from that person's rows alone."""
        return int(d_in)

    @property
    def _counted(self) -> int:
        return self.grouping.contribution(has_ids=True).l1

    def _left_out(self, relation: Any, id_columns: tuple[str, ...]) -> Any:
        grouping = self.grouping
        return left_out_by_caps(
            grouping.rows_in_groups(relation, id_columns),
            grouping.caps,
            person=id_columns,
            groups=grouping.keys,
            key=grouping.key,
            counted=self._counted,
            most_rows=self.most_rows,
            into=self.into,
            used=self.used,
        )
