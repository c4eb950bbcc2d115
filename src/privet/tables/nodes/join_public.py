"""Columns of a public table, added to each row that has partners there."""

from typing import Any, Literal, final, get_args

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, is_among, short
from privet.errors import InvalidError
from privet.tables.columns import Column, Columns
from privet.tables.nodes.joined import How, joined_columns
from privet.tables.relations.public_table import PublicTable
from privet.tables.relations.table_space import Table, UnitDistance, like, limits_of, table_of

HowPublic = Literal["inner", "left", "right"]
_CATEGORIES = ("integer", "text", "boolean")


@final
@frozen(kw_only=True)
class JoinPublic(Transformation):
    """Match each row with the rows of a public table that have the same keys.

    Args:
        public: The public table, which says how many of its rows share their keys at most.
        how: ``inner`` leaves out rows without a partner; ``left`` keeps them, with nulls in the public columns;
            ``right`` leaves them out, and makes the public keys the groups: a key without rows is a group of zero.

    Guarantee: counted in persons ``map(d_in) = d_in``; counted in rows ``d_in`` times ``public.most``.
    Proof: docs/tables/nodes/join_public.md.

    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.columns.column import Column
    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> described = {"ward": column("text"), "floor": column("integer")}
    >>> floors = PublicTable(source=[{"ward": "a", "floor": 1}], described=described, on=("ward",))
    >>> visits = Space(TableDomain(columns={"ward": Column(kind="text")}), RowDistance())
    >>> (visits >> JoinPublic(public=floors)).output
    Space(table(ward: text, floor: integer), RowDistance())
    >>> (visits >> JoinPublic(public=evolve(floors, most=3))).map(2)
    6
    """

    public: PublicTable
    how: HowPublic = field(default="inner")

    @how.validator
    def _check_how(self, _: object, value: object) -> None:
        if not is_among(value, get_args(HowPublic)):
            raise InvalidError(f"join_public.how must be one of {', '.join(get_args(HowPublic))}, got {short(value)}.")

    def output(self, space: Space) -> Space:
        """The columns of both; behind a right join the keys are those of the public table."""
        columns, id_columns = table_of(self, space)
        for name in self.public.columns:
            if name in id_columns:
                raise InvalidError(f"join_public: {name!r} tells whose rows are protected and must stay as it is.")
        joined = joined_columns("join_public", columns, self.public.columns, self.public.on, self._how)
        if self.how == "right":
            joined |= {name: self._listed(name, columns) for name in self.public.on}
        return like(space, joined, limits_of(space).repeated(self.public.most))

    def apply(self, value: Table, space: Space) -> Table:
        """Write the join."""
        columns, _ = table_of(self, self.output(space))
        other = self.public.relation(value.engine)
        joined = value.relation.join(other, on=self.public.on, how=self._how)
        return evolve(value, relation=evolve(joined, columns=columns))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Every row gives the rows of its partners, which depend on it and on the public table alone."""
        return int(d_in) * (1 if isinstance(space.metric, UnitDistance) else self.public.most)

    @property
    def _how(self) -> How:
        return "left" if self.how == "left" else "inner"

    def _listed(self, name: str, columns: Columns) -> Column:
        """Say that a key has one of the public values."""
        kind = columns[name].kind
        if kind not in _CATEGORIES:
            raise InvalidError(
                f"join_public: how='right' makes groups of the keys, and {name!r} is {kind}; keys of groups are "
                f"{', '.join(_CATEGORIES)}. Use how='inner'."
            )
        at = self.public.on.index(name)
        values = tuple(dict.fromkeys(key[at] for key in self.public.keys or ()))
        if not values:
            raise InvalidError("join_public: how='right' needs a public table with keys; this one has none.")
        return evolve(columns[name], categories=values, nullable=False)
