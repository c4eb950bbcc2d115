"""One row for each item of a list."""

from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, one_of, positive, whole
from privet.errors import InvalidError, MismatchError
from privet.tables.columns import Column, find_column
from privet.tables.nodes.joined import How
from privet.tables.relations.table_space import Table, UnitDistance, like, limits_of, table_of
from privet.tables.vocabulary import Relation, call, check_names, column, named, selection
from privet.tables.vocabulary import whole as whole_number


def _most(value: Any) -> int | None:
    return None if value is None else whole(value)


@final
@frozen(kw_only=True)
class UnnestList(Transformation):
    """Make one row for each of the first items of a list; a list that is null or empty gives no row, or one with null.

    Args:
        name: The column of lists.
        most: How many items of a list are kept at most, the first ones; None for as many as the codebook says.
        into: What to call the item; the name of the list where the item takes its place.
        how: ``inner`` leaves out rows without items; ``left`` keeps them, with null for the item.

    Guarantee: counted in persons ``map(d_in) = d_in``; counted in rows ``most`` times ``d_in``.
    Proof: docs/tables/nodes/unnest_list.md.

    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> tags = Column(kind="list", item=Column(kind="text"), most=5)
    >>> space = Space(TableDomain(columns={"tags": tags}), RowDistance())
    >>> chain = space >> UnnestList(name="tags", into="tag")
    >>> chain.output, chain.map(1)
    (Space(table(tags: list, tag: text), RowDistance()), 5)
    """

    name: str
    most: int | None = field(default=None, converter=_most)
    into: str
    how: How = field(default="inner", validator=one_of("inner", "left"))

    @most.validator
    def _check_most(self, attribute: Any, value: int | None) -> None:
        if value is not None:
            positive(self, attribute, value)

    def output(self, space: Space) -> Space:
        """The columns, and the item."""
        columns, id_columns = table_of(self, space)
        known = self._list(space)
        if self.into in id_columns:
            raise InvalidError(f"unnest: {self.into!r} tells whose rows are protected and must stay as it is.")
        if self.into != self.name and self.into in columns:
            raise InvalidError(f"unnest.into: there is a column {self.into!r} already; give another name.")
        described = {**columns, self.into: evolve(known.values, nullable=True)}
        check_names("unnest", described)
        return like(space, described, limits_of(space).repeated(self.rows_of(known)).wider(known.values.length or 0))

    def apply(self, value: Table, space: Space) -> Table:
        """Write the items."""
        known, _ = table_of(self, self.output(space))
        meaning = "each_item" if self.how == "inner" else "each_item_or_null"
        item = call(meaning, column(self.name, "r"), whole_number(self.rows_of(self._list(space))))
        outputs: list[exp.Expr] = [named(item, name) if name == self.into else column(name, "r") for name in known]
        return evolve(value, relation=Relation(query=selection(outputs, value.relation.derived()), columns=known))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Every row gives as many rows as its list has items that are kept, which depend on it alone."""
        return int(d_in) * (1 if isinstance(space.metric, UnitDistance) else self.rows_of(self._list(space)))

    def rows_of(self, known: Column) -> int:
        """Give how many rows one row becomes at most, for what is known of the list."""
        declared = known.most or 1
        return declared if self.most is None else min(self.most, declared)

    def _list(self, space: Space) -> Column:
        columns, _ = table_of(self, space)
        known = find_column("unnest", self.name, columns)
        if known.item is None:
            instead = " Cut a text with split(...)." if known.kind == "text" else ""
            raise MismatchError(f"unnest takes a column of lists, and {self.name!r} is {known.kind}.{instead}")
        return known
