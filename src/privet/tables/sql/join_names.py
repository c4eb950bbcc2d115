"""Names in the conditions of joins: which table of FROM each of them means."""

from collections.abc import Iterator, Sequence
from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.columns import find_column
from privet.tables.expressions import shorten
from privet.tables.sql.conditions import equation
from privet.tables.sql.rows import SqlRows
from privet.tables.sql.tree import named, refuse

Place = tuple[int, str]
"""A column: the place of its table in FROM, and its name in the query of that table."""


@final
@frozen
class Condition:
    """One condition of ON, USING or WHERE.

    Args:
        node: The condition; None for USING.
        places: The places of the tables whose columns it names.
        sides: Both sides, if it is an equation of two columns.
        in_where: Whether it stands in WHERE: then it holds behind all joins.
        implied: Whether another condition implies it: then it need not be checked again.
    """

    node: exp.Expr | None
    places: frozenset[int]
    sides: tuple[Place, Place] | None = None
    in_where: bool = False
    implied: bool = False


@final
@frozen
class Names:
    """Where the names of a statement lead.

    Args:
        tables: The tables of FROM, by place.
        merged: Names that USING made one column of several tables, in lower case.
    """

    tables: Sequence[SqlRows]
    merged: set[str] = field(factory=set)

    def place(self, node: exp.Column, most: int) -> Place | None:
        """Find a column in the tables up to a place; None if there is none."""
        every = [(at, inner) for at, rows in enumerate(self.tables[: most + 1]) if (inner := rows.find(node))]
        if len(every) > 1 and not (node.args.get("table") is None and node.name.lower() in self.merged):
            first = self.tables[every[0][0]].sources[0].name
            hint = f"Write {first}.{node.name}, with the table that is meant."
            raise refuse(f"{shorten(node.name)}, a column of several tables,", node, hint)
        return every[0] if every else None

    def condition(self, node: exp.Expr, most: int, *, in_where: bool, implied: bool = False) -> Condition:
        """Read which tables a condition names, of those up to a place."""
        places = [self.place(each, most) for each in node.find_all(exp.Column)]
        known = frozenset(range(most + 1)) if None in places else frozenset(each[0] for each in places if each)
        sides = None
        both = equation(node)
        if both is not None and None not in places:
            first, second = (self.place(each, most) for each in both)
            sides = (first, second) if first and second and first[0] != second[0] else None
        return Condition(node, known, sides, in_where, implied)

    def check_known(self, node: exp.Expr, most: int) -> None:
        """Refuse a name that is no column of the tables up to a place."""
        known = dict.fromkeys(name for rows in self.tables[: most + 1] for name in rows.visible)
        for column in node.find_all(exp.Column):
            if self.place(column, most) is None:
                find_column("SQL", column.name, known)

    def using(self, clause: exp.Join, right: int) -> Iterator[Condition]:
        """Read USING: equations of columns of the same name."""
        for item in clause.args["using"]:
            node = exp.Column(this=exp.to_identifier(named(item, "a column of USING"), quoted=True))
            second = self.tables[right].find(node)
            first = self.place(node, right - 1)
            if first is None or second is None:
                raise refuse(
                    f"USING {shorten(node.name)}, which is not a column of both,", clause, self._on(node, right)
                )
            self.merged.add(node.name.lower())
            yield Condition(None, frozenset((first[0], right)), (first, (right, second)))

    def _on(self, node: exp.Column, right: int) -> str:
        """Say which equation to write instead of USING: that of the ids, or one of two columns."""
        other = self.tables[right]
        mine = next((each for each in self.tables[:right] if each.query.id_columns), self.tables[0])
        names = mine.sources[0].name or "a", other.sources[0].name or "b"
        if not mine.query.id_columns or not other.query.id_columns:
            return f"Write the columns to match: ON {names[0]}.x = {names[1]}.y."
        ids = [each.seen_as(each.query.id_columns[0]) for each in (mine, other)]
        equation = f"ON {names[0]}.{ids[0]} = {names[1]}.{ids[1]}"
        if node.name.lower() in (each.lower() for each in ids):
            return f"The ids of the two tables have different names. Write {equation}."
        return f"Write {equation}, and equations of further columns behind AND."
