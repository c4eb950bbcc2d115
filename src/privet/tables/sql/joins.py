"""The joins of a FROM clause: which tables are put together, on which columns, and in which order.

Inner joins, commas and CROSS JOIN say together which rows match: the order in which they are written means nothing. So
their conditions and those of WHERE are put together; each is used where it belongs: to filter one table, to match two
tables, or at the end. Outer joins are done in their place.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import shorten, written
from privet.tables.sql.attach import Joined, Pairs, attach, attach_keys
from privet.tables.sql.conditions import all_of, common_equations, conjuncts
from privet.tables.sql.instead import full_join_advice
from privet.tables.sql.join_names import Condition, Names, Place
from privet.tables.sql.rows import SqlRows
from privet.tables.sql.tree import only, refuse

Side = Literal["inner", "left", "right"]
_MOST_TABLES = 40


def joined_rows(
    tables: Sequence[SqlRows], clauses: Sequence[exp.Join], where: exp.Expr | None, matched: int | None
) -> SqlRows:
    """Put the tables of a FROM clause together.

    Args:
        tables: The tables, in the order of FROM.
        clauses: The joins, one for each table behind the first.
        where: The condition of WHERE.
        matched: How many rows of a person a join takes from a private table; None for what its caps say.
    """
    if len(tables) > _MOST_TABLES:
        raise InvalidError(f"SQL: more than {_MOST_TABLES} tables in one FROM are not allowed.")
    _check_names(tables, clauses)
    names = Names(tables)
    builder = _Builder(names, matched)
    parts = []  # of ON and USING, by join: names in them may be of earlier tables only
    for at, clause in enumerate(clauses, 1):
        only(clause, "this", "kind", "side", "using", "on", "method")
        using = list(names.using(clause, at)) if clause.args.get("using") else []
        on = conjuncts(clause.args.get("on"))
        parts.append([*using, *(names.condition(each, at, in_where=False) for each in on)])
        builder.conditions += [
            names.condition(each, at, in_where=False, implied=True) for whole in on for each in common_equations(whole)
        ]
    last, wheres = len(tables) - 1, conjuncts(where)
    builder.conditions += [names.condition(each, last, in_where=True) for each in wheres]
    builder.conditions += [
        names.condition(each, last, in_where=True, implied=True) for whole in wheres for each in common_equations(whole)
    ]
    for at, clause in enumerate(clauses, 1):
        side = _side(clause, tables[:at], tables[at])
        if side == "inner":
            builder.waiting.append(at)
            builder.conditions += parts[at - 1]
        else:
            if side == "right" and any(not each.args.get("on") and not each.args.get("using") for each in clauses):
                raise refuse("RIGHT JOIN beside a comma or CROSS JOIN", clause, "Write LEFT JOIN.")
            builder.outer(at, clause, parts[at - 1], side)
    return builder.end()


def _check_names(tables: Sequence[SqlRows], clauses: Sequence[exp.Join]) -> None:
    seen = {each.name.lower() for each in tables[0].sources}
    for rows, clause in zip(tables[1:], clauses, strict=True):
        own = {each.name.lower() for each in rows.sources}
        if own & seen:
            raise refuse("a JOIN of two tables with one name", clause, "Give one of them another name with AS.")
        seen |= own


def _side(clause: exp.Join, before: Sequence[SqlRows], table: SqlRows) -> Side:
    kind, side, method = (str(clause.args.get(part) or "").upper() for part in ("kind", "side", "method"))
    whole = " ".join(filter(None, (method, side, kind, "JOIN")))
    if method == "NATURAL":
        raise refuse(whole, clause, "Name the columns: JOIN ... USING (id).")
    if side == "FULL":
        raise refuse(whole, clause, _instead_of_full_join(before, table))
    conditioned = bool(clause.args.get("using") or clause.args.get("on"))
    if method or side not in ("", "LEFT", "RIGHT") or kind not in ("", "INNER", "OUTER", "CROSS"):
        raise refuse(whole, clause, "Write JOIN, LEFT JOIN or RIGHT JOIN.")
    if (kind == "OUTER" and not side) or (side and not conditioned) or (kind == "CROSS" and conditioned):
        raise refuse(whole, clause, "Say which rows match: JOIN ... ON a.id = b.id, or USING (id).")
    return "left" if side == "LEFT" else "right" if side == "RIGHT" else "inner"


def _instead_of_full_join(before: Sequence[SqlRows], table: SqlRows) -> str:
    mine = next((each for each in before if each.query.id_columns), None)
    if mine is None or not table.query.id_columns:
        return "Write LEFT JOIN. With RIGHT JOIN to a public table, its keys without rows are groups of zero."
    names = [each.sources[0].name or spare for each, spare in ((mine, "a"), (table, "b"))]
    ids = [each.seen_as(each.query.id_columns[0]) for each in (mine, table)]
    return full_join_advice(names[0], ids[0], names[1], ids[1])


class _Builder:
    """The rows of a FROM clause while tables are added to them.

    Args:
        names: Where names lead.
        matched: How many rows of a person a join takes from a private table.
    """

    def __init__(self, names: Names, matched: int | None) -> None:
        self.names = names
        self.matched = matched
        self.waiting = [0]  # the places of tables that are joined next, in any order
        self.conditions: list[Condition] = []  # those that were not used yet
        self.made: list[SqlRows] = []  # the rows so far; none before the first table
        self.now: dict[Place, str] = {}  # from columns of tables to the names that they have in the rows so far

    @property
    def rows(self) -> SqlRows:
        return self.made[0]

    def end(self) -> SqlRows:
        """Join what waits, and keep the rows of which all other conditions are true."""
        self._join_waiting(with_where=True)
        rest = [each.node for each in self.conditions if each.node is not None and not each.implied]
        return self.rows.where(all_of(rest)) if rest else self.rows

    def outer(self, at: int, clause: exp.Join, conditions: list[Condition], side: Side) -> None:
        """Join a table whose rows, or those on its left, stay without a partner."""
        self._join_waiting(with_where=side == "left")
        here = set(self._places())
        table = self.names.tables[at]
        theirs = [each for each in conditions if each.places == {at}]
        ours = [each for each in conditions if each.places and each.places <= here]
        matches = [each for each in conditions if each.sides is not None]
        constants = [each for each in conditions if not each.places]
        others = [each for each in conditions if each not in (*theirs, *ours, *matches, *constants)]
        if others:
            self.names.check_known(others[0].node or clause, at)
            hint = "In an outer join ON takes equations of columns, and conditions on one table. Filter in WHERE."
            raise refuse(f"{shorten(written(others[0].node or clause))} in ON", clause, hint)
        sides = [self._pair(each, at) for each in matches]
        pairs = {other: mine for mine, other in sides}
        if len(pairs) < len(sides) or len({mine for mine, _ in sides}) < len(sides):
            raise refuse("a column twice in the equations of an outer join", clause, "Leave one equation out.")
        merged = bool(clause.args.get("using"))
        kept, added = (self.rows, table) if side == "left" else (table, self.rows)
        on_kept, on_added = (ours, theirs) if side == "left" else (theirs, ours)
        pairs = pairs if side == "left" else {mine: other for other, mine in pairs.items()}
        added = _filtered(added, [*on_added, *constants])
        flags = [each.node for each in on_kept if each.node is not None]
        if not pairs and added.public:
            flags.append(exp.true())  # a constant that all rows of both tables share
        if kept.public and not added.public:
            if not pairs:
                hint = "Match columns of both: ON a.x = b.y."
                raise refuse("an outer join to a public table without an equation", clause, hint)
            if flags:
                hint = "Filter the public table in a sub-query."
                raise refuse(f"{shorten(written(flags[0]))} in ON", clause, hint)
            joined = attach_keys(added, kept, pairs, clause)
        else:
            joined = attach(kept, added, pairs, clause, matched=self.matched, how="left", flags=flags, merged=merged)
        self._replace(joined, at, table_is_kept=kept is table)

    def _replace(self, joined: Joined, at: int, *, table_is_kept: bool) -> None:
        """Go on with joined rows, in which columns have new names."""
        table = self.names.tables[at]
        ours, theirs = (joined.added, joined.kept) if table_is_kept else (joined.kept, joined.added)
        for place, name in self.now.items():
            self.now[place] = ours.get(name, name)
        for source in table.sources:
            self.now.update({(at, inner): theirs.get(inner, inner) for inner in source.columns.values()})
        self.made[:] = [joined.rows]

    def _places(self) -> set[int]:
        return {at for at, _ in self.now}

    def _pair(self, each: Condition, at: int) -> tuple[str, str]:
        """Give the names of both sides of an equation: that in the rows so far, and that in the table at a place."""
        assert each.sides is not None  # noqa: S101 - callers choose equations
        first, second = each.sides
        if first[0] == at:
            first, second = second, first
        return self.now[first], second[1]

    def _join_waiting(self, *, with_where: bool) -> None:
        """Join the tables that wait, each as soon as an equation connects it with the rows so far."""
        usable = [each for each in self.conditions if with_where or not each.in_where]
        tables = {at: self._take_own(at, usable) for at in self.waiting}
        if not self.made and tables:
            start = next((at for at, rows in tables.items() if not rows.public), next(iter(tables)))
            rows = tables.pop(start)
            self.made.append(rows)
            self.now.update({(start, name): name for source in rows.sources for name in source.columns.values()})
        while tables:
            at, pairs, used = self._next(tables, usable)
            every = () if pairs else (exp.true(),)  # a constant that all rows of both tables share
            joined = attach(self.rows, tables.pop(at), pairs, self._clause(at), matched=self.matched, flags=every)
            self._replace(joined, at, table_is_kept=False)
            for each in used:
                self.conditions.remove(each)
                usable.remove(each)
        self.waiting.clear()

    def _take_own(self, at: int, usable: list[Condition]) -> SqlRows:
        """Filter a table by the conditions that name no other."""
        own = [each for each in usable if each.places == {at} and each.node is not None]
        for each in own:
            self.conditions.remove(each)
            usable.remove(each)
        return _filtered(self.names.tables[at], own)

    def _next(self, tables: Mapping[int, SqlRows], usable: list[Condition]) -> tuple[int, Pairs, list[Condition]]:
        """Choose the next table, a private one if there is a choice, and the columns on which it is matched.

        A public table that no equation connects comes last: every row is paired with all of its rows.
        """
        here = self._places()
        for at in sorted(tables, key=lambda each: (tables[each].public, each)):
            equations = [each for each in usable if each.sides is not None and at in each.places]
            reached = [each for each in equations if each.places - {at} <= here]
            reached.sort(key=lambda each: tables[at].query.id_columns[:1] != (self._pair(each, at)[1],))  # the id first
            chosen: dict[str, str] = {}
            used: list[Condition] = []
            for each in reached:
                mine, other = self._pair(each, at)
                if other not in chosen and mine not in chosen.values() and self._matches(tables[at], mine, other):
                    chosen[other] = mine
                    used.append(each)
            if chosen and self._connects(tables[at], chosen):
                return at, chosen, used
        for at, table in tables.items():
            reached = [each for each in usable if each.sides is not None and at in each.places <= here | {at}]
            if table.public and not reached:
                return at, {}, []
        raise self._unconnected(tables, usable)

    def _matches(self, table: SqlRows, mine: str, other: str) -> bool:
        """Tell whether two columns can be matched."""
        first, second = self.rows.query.columns[mine], table.query.columns[other]
        if first.kind != second.kind or first.kind not in ("integer", "text", "boolean", "date"):
            return False
        ids = (mine in self.rows.query.id_columns[:1], other in table.query.id_columns[:1])
        return ids[0] == ids[1]

    def _connects(self, table: SqlRows, chosen: Pairs) -> bool:
        """Tell whether the matched columns suffice: two private tables must be matched on the id."""
        return table.public or self.rows.public or any(name in table.query.id_columns for name in chosen)

    def _clause(self, at: int) -> exp.Expr:
        name = self.names.tables[at].sources[0].name or "sub_query"
        return exp.Table(this=exp.to_identifier(name, quoted=True))

    def _unconnected(self, tables: Mapping[int, SqlRows], usable: list[Condition]) -> InvalidError:
        """Say why no table can be joined."""
        at = next((each for each, rows in tables.items() if not rows.public), next(iter(tables)))
        table, ids = tables[at], self.rows.query.id_columns
        name = table.sources[0].name
        if not table.public:
            if not ids:
                return refuse("JOIN", self._clause(at), "Joins match persons, and the codebook protects rows.")
            theirs = table.query.id_columns[0]
            first = self.rows.sources[0].name
            hint = f"A join matches rows of one person: add {first}.{ids[0]} = {name}.{theirs}."
            return refuse(f"a JOIN with {shorten(name)} without the id", self._clause(at), hint)
        equations = [each for each in usable if each.sides is not None and at in each.places]
        hint = "Match integers, texts, booleans or dates of one kind; the id of persons matches no public column."
        return refuse(f"a match with {shorten(name)} of these columns", equations[0].node or self._clause(at), hint)


def _filtered(rows: SqlRows, conditions: Sequence[Condition]) -> SqlRows:
    nodes = [each.node for each in conditions if each.node is not None and not each.implied]
    return rows.where(all_of(nodes)) if nodes else rows
