"""Rows of which a condition is true."""

from typing import Any, final

from attrs import evolve, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space
from privet.errors import MismatchError
from privet.tables.expressions import Expression, Term
from privet.tables.nodes.imputed_table import ImputedTable, depends, row_by_row, rows_of
from privet.tables.nodes.read_expression import read
from privet.tables.relations.table_space import Table


@final
@frozen(kw_only=True)
class FilterRows(Transformation):
    """Keep the rows of which a condition is true; rows where it is null are dropped.

    Args:
        condition: An expression over the columns of one row, as text or as a term.

    Guarantee: ``map(d_in) = d_in``, counted in rows or in privacy units.
    Proof: docs/tables/nodes/filter_rows.md.

    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> people = Space(TableDomain(columns={"age": Column(kind="integer")}), RowDistance())
    >>> (people >> FilterRows(condition="age >= 18")).map(1)
    1
    """

    condition: str | Term | Expression

    def output(self, space: Space) -> Space:
        """The same columns."""
        columns, _ = rows_of(self, space)
        expression = read(self.condition, columns)
        if expression.kind != "boolean":
            raise MismatchError(f"filter takes a condition, got {expression.kind}: {self.condition}.")
        return row_by_row(space, columns, expression.width, lambda facts: facts.filter(expression))

    def apply(self, value: Table | ImputedTable, space: Space) -> Table | ImputedTable:
        """Say which rows stay."""
        columns, _ = rows_of(self, space)
        expression = read(self.condition, columns)
        if isinstance(value, ImputedTable):
            return value.filter(expression.sql(), imputed=depends(space, expression))
        return evolve(value, relation=value.relation.filter(expression.sql()))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Whether a row stays depends on that row alone."""
        return int(d_in)
