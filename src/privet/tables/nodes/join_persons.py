"""Rows of the same person in two queries, matched."""

from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import Transformation, TransformationChain
from privet.core import Distance, Space, positive, whole
from privet.errors import InvalidError, MismatchError
from privet.tables.nodes.joined import How, check_how, joined_columns, renamed_columns, under_our_ids
from privet.tables.relations.caps import Caps, cap
from privet.tables.relations.table_space import Database, Table, like, limits_of, table_of


@final
@frozen(kw_only=True)
class JoinPersons(Transformation):
    """Match the rows of two queries that belong to the same person and have the same values of further columns.

    Where the id columns of the two have different names, they match by their place and keep the names of the first.

    Args:
        first: One query.
        second: The other.
        on: Columns to match beside the id columns.
        rows: How many rows of each person in the second query are matched at most.
        how: ``inner`` leaves out rows without a partner; ``left`` keeps those of the first query.
        key: A secret number of 63 bits that decides which rows those are.
        rows_from_caps: Whether ``rows`` is what the caps of a codebook say, for files, which then leave it out.

    Guarantee: counted in persons ``map(d_in) = d_in``.
    Proof: docs/tables/nodes/join_persons.md.

    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.nodes.from_table import FromTable
    >>> from privet.tables.relations.table_space import DatabaseDomain, UnitDistance
    >>> number = Column(kind="integer")
    >>> tables = {"visits": {"id": number, "day": number}, "people": {"id": number, "age": number}}
    >>> space = Space(DatabaseDomain(tables=tables), UnitDistance(("id",)))
    >>> visits, people = (space >> FromTable(name=name) for name in tables)
    >>> (space >> JoinPersons(first=visits, second=people, rows=1, key=7)).output
    Space(table(id: integer, day: integer, age: integer), UnitDistance(id_columns=('id',)))
    """

    first: TransformationChain
    second: TransformationChain
    on: tuple[str, ...] = ()
    rows: int = field(converter=whole, validator=positive)
    how: How = field(default="inner")
    key: int = field(repr=False)
    rows_from_caps: bool = field(default=False, eq=False, repr=False)

    @how.validator
    def _check_how(self, _: object, value: object) -> None:
        check_how("join", value)

    def output(self, space: Space) -> Space:
        """The columns of both."""
        if self.first.input != space or self.second.input != space:
            raise MismatchError("join needs two queries of the same private tables.")
        columns, id_columns = table_of(self, self.first.output)
        others, their_ids = table_of(self, self.second.output)
        if not id_columns:
            raise InvalidError(
                "join matches the rows of a person: the unit must be Persons(id=...). Where rows are protected one by "
                "one, a private join has no bounded effect; join_public adds public columns."
            )
        matched = tuple(dict.fromkeys((*id_columns, *self.on)))
        others = renamed_columns(others, under_our_ids("join", others, their_ids, id_columns))
        limits = limits_of(self.first.output).joined(limits_of(self.second.output), rows=self.rows)
        return like(self.first.output, joined_columns("join", columns, others, matched, self.how), limits)

    def apply(self, value: Database, space: Space) -> Table:
        """Cap the second, then write the join."""
        first, second = self.first.run(value), self.second.run(value)
        _, id_columns = table_of(self, self.first.output)
        others, their_ids = table_of(self, self.second.output)
        matched = tuple(dict.fromkeys((*id_columns, *self.on)))
        names = under_our_ids("join", others, their_ids, id_columns)
        theirs = second.relation.rename(names) if names else second.relation
        used = [name for name in theirs.columns if name not in id_columns]
        capped = cap(theirs, Caps(rows=self.rows), person=id_columns, groups=(), used=used, key=self.key)
        return Table(relation=first.relation.join(capped, on=matched, how=self.how), engine=value.engine)

    def stability(self, d_in: Any, space: Space) -> Distance:
        """The joined rows of a person depend on the rows of that person alone."""
        return int(d_in)
