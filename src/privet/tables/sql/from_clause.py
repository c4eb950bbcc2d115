"""FROM and WITH: private tables, their joins, their unions, and summaries of each person."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import describe, shorten
from privet.tables.sql.rows import Source, SqlRows, renamed
from privet.tables.sql.summaries import distinct_rows, summarized_rows
from privet.tables.sql.table_names import Path, find_table, no_table, path_of
from privet.tables.sql.tree import free_name, named, only, refuse

Pairs = dict[str, str]  # from a column of the added table to the column on its left that it must equal
_MOST = 20  # equations of one join
_DEEPEST = 16  # selects within selects


def join_rows(left: SqlRows, clause: exp.Join, read: Callable[[exp.Expr], SqlRows], matched: int | None) -> SqlRows:
    """Add a table to the rows of a FROM clause.

    Args:
        left: The rows so far.
        clause: The JOIN.
        read: Reads the table that it names.
        matched: How many rows of a person are matched in that table; None if neither statement nor caller says.
    """
    how = _how(clause)
    only(clause, "this", "kind", "side", "using", "on")
    right = read(clause.this)
    (source,) = right.sources
    if source.name.lower() in {each.name.lower() for each in left.sources}:
        raise refuse("a JOIN of two tables with one name", clause, "Give one of them another name with AS.")
    id_column = _id_column(left, clause)
    pairs = _pairs(left, right, clause, id_column)
    if matched is None and not right.query.one_row_each:
        raise refuse(
            f"a JOIN with {shorten(source.name)}, of which a person may have several rows,",
            clause,
            "Say how many are matched at most, session.sql(..., join_rows=5) or WITH DIFFERENTIAL_PRIVACY "
            "OPTIONS(join_rows = 5), or make it one row for each person with a "
            f"sub-query that has GROUP BY {id_column}.",
        )
    names = _names(left, right, pairs)
    query = left.query.join(
        renamed(right.query, names),
        on=[name for name in pairs.values() if name != id_column],
        rows=matched if not right.query.one_row_each else None,
        how=how,
    )
    # in a left join these columns are null if there is no partner; the joined columns, which are seen, are not
    hidden = set(pairs) if how == "left" else set()
    seen = {name: names[inner] for name, inner in source.columns.items() if inner not in hidden}
    rows = left.next(query, right.steps + 3)
    return evolve(rows, sources=(*left.sources, Source(source.name, seen)))


def _id_column(left: SqlRows, clause: exp.Join) -> str:
    """Name the one id column; joins match persons."""
    id_columns = left.query.id_columns
    if not id_columns:
        raise refuse("JOIN", clause, "Joins match persons, and the codebook protects rows.")
    if len(id_columns) > 1:
        raise refuse("JOIN", clause, "The codebook protects persons within a period: use query.join(...).")
    return id_columns[0]


def _pairs(left: SqlRows, right: SqlRows, clause: exp.Join, id_column: str) -> Pairs:
    """Read USING or ON: both must match the id column with itself, and other columns with other columns."""
    pairs = _using(left, right, clause) if clause.args.get("using") else _equations(left, right, clause)
    if pairs.get(id_column) != id_column:
        raise refuse("a JOIN without the id", clause, f"A join matches rows of one person: add USING ({id_column}).")
    if any((old == id_column) != (new == id_column) for old, new in pairs.items()):
        raise refuse("a JOIN of the id with another column", clause)
    return pairs


def _how(clause: exp.Join) -> Literal["inner", "left"]:
    kind, side, method = (str(clause.args.get(part) or "").upper() for part in ("kind", "side", "method"))
    if method or side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER") or (kind == "OUTER") > (side == "LEFT"):
        raise refuse(" ".join(filter(None, (method, side, kind, "JOIN"))), clause, "Write JOIN or LEFT JOIN.")
    if not clause.args.get("using") and not clause.args.get("on"):
        raise refuse("JOIN (or a second table) without USING or ON", clause, "Match persons: JOIN ... USING (id).")
    return "left" if side else "inner"


def _using(left: SqlRows, right: SqlRows, clause: exp.Join) -> Pairs:
    only(clause, "this", "kind", "side", "using")
    pairs: Pairs = {}
    for item in clause.args["using"]:
        node = exp.Column(this=exp.to_identifier(named(item, "a column of USING"), quoted=True))
        sides = [rows.find(node) for rows in (left, right)]
        if sides[0] is None or sides[1] is None:
            raise refuse(f"USING {shorten(node.name)}, which is not a column of both,", clause)
        pairs[sides[1]] = sides[0]
    return pairs


def _equations(left: SqlRows, right: SqlRows, clause: exp.Join) -> Pairs:
    pairs: Pairs = {}
    for each in _conjuncts(clause.args["on"]):
        if type(each) is not exp.EQ or not all(type(side) is exp.Column for side in (each.this, each.expression)):
            raise refuse(f"{describe(each)} in ON", clause, "Write equations of columns; the rest in WHERE.")
        sides = [(left.find(node), right.find(node)) for node in (each.this, each.expression)]
        ordered = sides if sides[0][0] is not None and sides[1][1] is not None else sides[::-1]
        (first, not_first), (not_second, second) = ordered
        if first is None or second is None or not_first is not None or not_second is not None:
            raise refuse("this equation in ON", clause, "Name a column of each table: visits.id = patients.id.")
        if second in pairs or first in pairs.values():
            raise refuse("a column twice in ON", clause)
        pairs[second] = first
    return pairs


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    waiting, seen = [node], 0
    while waiting:
        node, seen = waiting.pop(), seen + 1
        if seen > 3 * _MOST:
            raise InvalidError(f"SQL: more than {_MOST} equations in ON are not allowed.")
        if type(node) is exp.And:
            waiting += [node.expression, node.this]
        elif type(node) is exp.Paren:
            waiting.append(node.this)
        else:
            yield node


def _names(left: SqlRows, right: SqlRows, pairs: Pairs) -> dict[str, str]:
    """Name the columns of the added table so that only matched columns share a name with the rows so far."""
    (source,) = right.sources
    taken = {name.lower() for name in (*left.query.columns, *pairs.values())}
    names: dict[str, str] = {}
    for name in right.query.columns:
        new = pairs.get(name, name)
        if name not in pairs and new.lower() in taken:
            new = free_name(f"{source.name}.{name}", taken)
        taken.add(new.lower())
        names[name] = new
    return names


@final
@frozen
class Scope:
    """The names that stand for rows at some place of a statement.

    Args:
        tables: The private tables, by name.
        named: The queries of the WITH clauses so far, by name in lower case.
        matched: How many rows of a person a join takes from the table that it adds; None if nothing says.
        depth: How many SELECTs this one is in.
        own: The names of this WITH clause so far, in lower case.
    """

    tables: Mapping[str, SqlRows]
    named: Mapping[str, SqlRows] = field(factory=dict)
    matched: int | None = None
    depth: int = 0
    own: frozenset[str] = frozenset()

    def source(self, select: exp.Select) -> SqlRows:
        """Read WITH, FROM, JOIN and WHERE."""
        if self.depth > _DEEPEST:
            raise InvalidError(f"SQL: more than {_DEEPEST} SELECTs within each other are not allowed.")
        scope = self._with(select.args.get("with_"))
        clause = select.args.get("from_")
        if clause is None:
            raise InvalidError(f"SQL: FROM is missing. The tables are {self._known()}.")
        rows = scope._from(clause.this)
        for join in select.args.get("joins") or ():
            if type(join) is not exp.Join:
                raise refuse(f"{describe(join)} in FROM", join)
            rows = join_rows(rows, join, scope._from, self.matched)
        return rows.where(select.args.get("where"))

    def inner(self, node: exp.Expr, names: Sequence[str] = ()) -> SqlRows:
        """Read the SELECT of a sub-query, or several with UNION ALL between.

        Args:
            node: The sub-query.
            names: Names for columns without one, by place.
        """
        deeper = evolve(self, depth=self.depth + 1)
        if isinstance(node, exp.Subquery) and node.args.get("alias") is None:  # parentheses around one side of a union
            return deeper.inner(node.this, names)
        if type(node) is exp.Union:
            return deeper._union(node)
        if type(node) is not exp.Select:
            raise refuse(f"{node.key.upper()} in FROM", node, "A sub-query is a SELECT ... FROM ... [WHERE ...].")
        only(node, "expressions", "from_", "joins", "where", "with_", "group", "distinct")
        rows = deeper.source(node)
        group = node.args.get("group")
        if node.args.get("distinct") is not None:
            return distinct_rows(rows, node)
        if group is not None:
            return summarized_rows(rows, node.expressions, group)
        return rows.selected(node.expressions, names)

    def _union(self, node: exp.Union) -> SqlRows:
        """Read both sides; columns are matched by place, and take the names of the first side."""
        if node.args.get("distinct") is not False:
            raise refuse("UNION", node, "Write UNION ALL: rows that are alike stay rows of their own.")
        if self.depth > _DEEPEST:
            raise InvalidError(f"SQL: more than {_DEEPEST} SELECTs within each other are not allowed.")
        first = self.inner(node.this)
        second = self.inner(node.expression, first.visible)
        if len(first.visible) != len(second.visible):
            raise refuse("UNION ALL of different numbers of columns", node)
        names = dict(zip(second.visible, first.visible, strict=True))
        ids = first.query.id_columns
        for old, new in names.items():
            if old != new and (old in ids or new in ids):
                raise refuse("UNION ALL with the id in another place", node, f"Select {ids[0]!r} in the same place.")
        hidden = [name for name in second.query.columns if name not in names]
        other = renamed(second.query, {**names, **{name: name for name in hidden}})
        return first.next(first.query.union(other), second.steps + 2)

    def _with(self, clause: exp.Expr | None) -> "Scope":
        if clause is None:
            return self
        scope = evolve(self, own=frozenset())
        for each in clause.expressions:
            name = _alias(each, "WITH")
            if name is None or name.lower() in scope.own:
                raise InvalidError(f"SQL: the name {shorten(name or '')} stands twice in WITH. Choose another.")
            rows = scope.inner(each.this)  # in its own query the name still means the table
            scope = evolve(scope, named={**scope.named, name.lower(): rows}, own=scope.own | {name.lower()})
        return scope

    def _from(self, node: exp.Expr) -> SqlRows:
        if isinstance(node, exp.Subquery):
            if not isinstance(node.this, exp.Query) or isinstance(node.this, exp.Subquery):
                raise refuse("a table in parentheses" if isinstance(node.this, exp.Table) else "this sub-query", node)
            return self.inner(node.this).called(_alias(node, "a sub-query") or "")
        if not isinstance(node, exp.Table):
            raise refuse(f"{describe(node)} in FROM", node)
        path = path_of(node)
        if path is None:
            raise refuse(f"{describe(node.this)} in FROM", node)
        alias = _alias(node, "a table")
        rows = self._find(path)
        if rows is None:
            raise no_table(path, self.tables)
        return rows.called(alias) if alias is not None else rows.called(path[-1], path)

    def _find(self, path: Path) -> SqlRows | None:
        """Find rows by name: queries of WITH hide tables, unless a schema is named."""
        if len(path) == 1 and path[0].lower() in self.named:
            return self.named[path[0].lower()]
        name = find_table(path, self.tables)
        return None if name is None else self.tables[name]

    def _known(self) -> str:
        return ", ".join(map(repr, self.tables))


def _alias(node: exp.Expr, what: str) -> str | None:
    alias = node.args.get("alias")
    return None if alias is None else named(alias.this, f"the name of {what}")
