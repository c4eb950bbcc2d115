"""Columns computed anew: selected, renamed, derived."""

from collections.abc import Mapping
from typing import Any, Literal, final

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space
from privet.errors import InvalidError
from privet.tables.columns import Columns
from privet.tables.expressions import Expression, Reference, Term
from privet.tables.nodes.imputed_table import ImputedTable, row_by_row, rows_of
from privet.tables.nodes.read_expression import read
from privet.tables.relations.table_space import Table
from privet.tables.vocabulary import check_names

Outputs = tuple[tuple[str, str | Term | Expression], ...]


def _outputs(value: Any) -> Outputs:
    return tuple(value.items()) if isinstance(value, Mapping) else tuple(value)


@final
@frozen(kw_only=True)
class ProjectColumns(Transformation):
    """Compute every column anew, each from the columns of the same row.

    Where persons are protected, the id columns must not change.

    Args:
        outputs: Names and expressions, as text or terms.
        call: The method of a query that an analyst called, for files; None where no method gives these columns.

    Guarantee: ``map(d_in) = d_in``, counted in rows or in privacy units.
    Proof: docs/tables/nodes/project_columns.md.

    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> people = Space(TableDomain(columns={"age": Column(kind="integer", bounds=(0, 120))}), RowDistance())
    >>> (people >> ProjectColumns(outputs={"decade": "age // 10"})).output
    Space(table(decade: integer), RowDistance())
    """

    outputs: Outputs = field(converter=_outputs)
    call: Literal["derive", "select", "rename"] | None = field(default=None, eq=False, repr=False)

    def output(self, space: Space) -> Space:
        """The columns as the expressions give them."""
        columns, id_columns = rows_of(self, space)
        check_names("ProjectColumns.outputs", [name for name, _ in self.outputs])
        outputs = self._read(columns)
        for name in id_columns:
            kept = outputs.get(name)
            if not isinstance(kept, Reference) or kept.name != name:
                raise InvalidError(f"ProjectColumns: {name!r} tells whose rows are protected and must stay as it is.")
        width = sum(expression.width for expression in outputs.values())
        described = {name: expression.column for name, expression in outputs.items()}
        return row_by_row(space, described, width, lambda facts: facts.project(outputs))

    def apply(self, value: Table | ImputedTable, space: Space) -> Table | ImputedTable:
        """Write the columns."""
        columns, _ = rows_of(self, space)
        outputs = {name: (each.sql(), each.column) for name, each in self._read(columns).items()}
        if isinstance(value, ImputedTable):
            return value.project(outputs)
        return evolve(value, relation=value.relation.project(outputs))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Every row gives one row, which depends on it alone."""
        return int(d_in)

    def _read(self, columns: Columns) -> dict[str, Expression]:
        return {name: read(expression, columns) for name, expression in self.outputs}
