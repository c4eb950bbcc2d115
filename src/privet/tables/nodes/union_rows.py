"""The rows of two queries, one after the other."""

from typing import Any, final

from attrs import evolve, frozen

from privet.chains.transformation import Transformation, TransformationChain
from privet.core import Distance, Space
from privet.errors import MismatchError
from privet.tables.columns import Column
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.joined import renamed_columns, under_our_ids, widest
from privet.tables.relations.table_space import Database, DatabaseDomain, Table, UnitDistance, like, limits_of, table_of


@final
@frozen(kw_only=True)
class UnionRows(Transformation):
    """Put the rows of two queries of the same private tables together, duplicates included.

    Args:
        first: One query.
        second: The other; it has the same columns, of the same kinds.

    Guarantee: counted in persons ``map(d_in) = d_in``; counted in rows ``d_in`` times how often one table is used.
    Proof: docs/tables/nodes/union_rows.md.

    >>> from privet.tables.relations.table_space import DatabaseDomain, RowDistance
    >>> ages = {"age": Column(kind="integer")}
    >>> space = Space(DatabaseDomain(tables={"old": ages, "new": ages}), RowDistance())
    >>> old, new = (space >> FromTable(name=name) for name in ("old", "new"))
    >>> (space >> UnionRows(first=old, second=new)).map(1), (space >> UnionRows(first=old, second=old)).map(1)
    (1, 2)
    """

    first: TransformationChain
    second: TransformationChain

    def output(self, space: Space) -> Space:
        """The columns, with what is known of the values of either."""
        if self.first.input != space or self.second.input != space:
            raise MismatchError("union needs two queries of the same private tables.")
        columns, id_columns = table_of(self, self.first.output)
        others, their_ids = table_of(self, self.second.output)
        others = renamed_columns(others, under_our_ids("union", others, their_ids, id_columns))
        if set(columns) != set(others):
            odd = sorted(set(columns) ^ set(others))
            raise MismatchError(
                f"union needs the same columns; only one has {', '.join(map(repr, odd))}: select others."
            )
        known = {name: _either(name, one, others[name]) for name, one in columns.items()}
        return like(self.first.output, known, limits_of(self.first.output).united(limits_of(self.second.output)))

    def apply(self, value: Database, space: Space) -> Table:
        """Write the union."""
        first, second = self.first.run(value), self.second.run(value)
        columns, _ = table_of(self, self.output(space))
        ours, theirs = table_of(self, self.first.output)[1], table_of(self, self.second.output)
        names = under_our_ids("union", *theirs, ours)
        second = evolve(second, relation=second.relation.rename(names)) if names else second
        parts = [evolve(part.relation.select(*columns), columns=columns) for part in (first, second)]
        return Table(relation=parts[0].union_all(parts[1]), engine=value.engine)

    def stability(self, d_in: Any, space: Space) -> Distance:
        """A person is added to or removed from both together; a row moves the result as often as its table is used."""
        if isinstance(space.metric, UnitDistance):
            return int(d_in)
        names = space.domain.tables if isinstance(space.domain, DatabaseDomain) else [""]
        return int(d_in) * max(_moved(self, name) for name in names)


def _either(name: str, one: Column, other: Column) -> Column:
    known = widest(one, other)
    if known is None:
        kinds = [f"a list of {each.item.kind}" if each.item else each.kind for each in (one, other)]
        raise MismatchError(f"union: {name!r} is {kinds[0]} in one and {kinds[1]} in the other.")
    return known


def _moved(union: UnionRows, name: str) -> int:
    """How many rows of the result one row of one table moves, at most."""
    return sum(_moved_by(chain, name) for chain in (union.first, union.second))


def _moved_by(chain: TransformationChain, name: str) -> int:
    begin, *rest = chain.links
    rows: Any
    if isinstance(begin.unit, FromTable):
        rows = int(begin.unit.name == name)
    elif isinstance(begin.unit, UnionRows):
        rows = _moved(begin.unit, name)
    else:
        rows = begin.unit.stability(1, begin.input)  # of whichever table
    for link in rest:
        rows = link.unit.stability(rows, link.input)
    return int(rows)
