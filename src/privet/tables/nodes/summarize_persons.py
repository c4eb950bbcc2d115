"""One row for each person: counts, sums, means, extremes, middle and first values of the person's rows."""

from collections.abc import Mapping
from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.chains.transformation import Transformation
from privet.core import Distance, Space
from privet.errors import InvalidError
from privet.tables.columns import Column, Columns, find_column
from privet.tables.relations.caps import has_ids
from privet.tables.relations.summaries import summarized
from privet.tables.relations.summary import Summary
from privet.tables.relations.table_space import Table, like, limits_of, table_of
from privet.tables.vocabulary import Relation, check_names, column, derived, named, selection

Summaries = tuple[tuple[str, str], ...]


def _summaries(value: Any) -> Summaries:
    return tuple(value.items()) if isinstance(value, Mapping) else tuple(value)


def _with_ranks(relation: Relation, group: list[str], summaries: list[Summary]) -> exp.Expr:
    """Give the rows with what summaries need of each, such as its rank; only columns that are read."""
    over = [each for summary in summaries for each in summary.over]
    if not over:
        return relation.derived()
    read = {name for summary in summaries for name in summary.reads}
    kept: list[exp.Expr] = [column(name, "r") for name in relation.columns if name in read or name in group]
    made = [named(each.sql([column(name, "r") for name in group]), each.name) for each in over]
    return derived(selection([*kept, *made], relation.derived()), "r")


@final
@frozen(kw_only=True)
class SummarizePersons(Transformation):
    """Replace the rows of each person by one row, or by one for each value of some columns.

    Args:
        keys: Columns to group by: one row for each person and each combination of their values.
        summaries: Names and what they are: ``{"visits": "count(*)", "longest": "max(minutes)"}``.

    Guarantee: counted in persons ``map(d_in) = d_in``.
    Proof: docs/tables/nodes/summarize_persons.md.

    >>> from privet.tables.relations.table_space import UnitDistance, TableDomain
    >>> visits = {"id": Column(kind="integer"), "minutes": Column(kind="integer", bounds=(0, 60))}
    >>> space = Space(TableDomain(columns=visits), UnitDistance(("id",)))
    >>> (space >> SummarizePersons(summaries={"longest": "max(minutes)"})).output.domain.describe()
    'table(id: integer, longest: integer)'
    """

    keys: tuple[str, ...] = ()
    summaries: Summaries = field(converter=_summaries)

    def output(self, space: Space) -> Space:
        """The id columns, the keys and the summaries."""
        columns, id_columns = table_of(self, space)
        if not id_columns:
            raise InvalidError("summarize puts the rows of a person together: the unit must be Persons(id=...).")
        for name in self.keys:
            if find_column("summarize", name, columns).kind == "list":
                raise InvalidError(f"summarize: {name!r} is a list; make a row for each item first, unnest({name!r}).")
        names = [*id_columns, *(name for name in self.keys if name not in id_columns)]
        check_names("summarize", [*names, *(name for name, _ in self.summaries)])
        if not self.summaries:
            raise InvalidError('summarize needs at least one summary, such as visits="count(*)".')
        summaries = self._read(columns)
        known: dict[str, Column] = {name: columns[name] for name in names}
        width = sum(summary.width for summary in summaries.values())
        known |= {name: summary.column for name, summary in summaries.items()}
        return like(space, known, limits_of(space).wider(width))

    def apply(self, value: Table, space: Space) -> Table:
        """Write the groups; rows without an identifier are left out."""
        columns, id_columns = table_of(self, space)
        names = [*id_columns, *(name for name in self.keys if name not in id_columns)]
        summaries = self._read(columns)
        outputs: list[exp.Expr] = [column(name, "r") for name in names]
        outputs += [named(summary.sql, name) for name, summary in summaries.items()]
        source = _with_ranks(has_ids(value.relation, id_columns), names, list(summaries.values()))
        query = selection(outputs, source, group_by=outputs[: len(names)])
        known, _ = table_of(self, self.output(space))
        return evolve(value, relation=Relation(query=query, columns=known))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """The rows of a person give the row of that person."""
        return int(d_in)

    def _read(self, columns: Columns) -> dict[str, Summary]:
        return summarized(columns, self.summaries)
