"""FROM and WITH: private tables, their joins, their unions, and summaries of each person."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import closest
from privet.tables.expressions import Expression, Reference, describe, shorten, written
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.aggregates import holds_aggregate, refuse_aggregates
from privet.tables.sql.plain_names import plain_name
from privet.tables.sql.rows import Source, SqlRows, added, projected, renamed
from privet.tables.sql.tree import compiled, free_name, named, only, refuse, split_alias

_CALLS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
}
_CALLS_HINT = "For each person there are COUNT, COUNT(DISTINCT x), SUM, AVG, MIN and MAX."
Pairs = dict[str, str]  # from a column of the added table to the column on its left that it must equal
_MOST = 20  # equations of one join
_DEEPEST = 16  # selects within selects


def summarized_rows(rows: SqlRows, items: list[exp.Expr], group: exp.Expr) -> SqlRows:
    """Read the SELECT list and the keys of a sub-query whose GROUP BY holds the id."""
    keys = [_key(rows, node) for node in group.expressions]
    id_column = _summarized_id(rows, keys, group)
    query, key_columns = _add_keys(rows.query, keys, group)
    summaries: dict[str, str] = {}  # from new columns to calls, as ``summarize`` takes them
    outputs: dict[str, str] = {}  # from labels to the columns that they show
    for item in items:
        node, alias = split_alias(item)
        if type(node) in _CALLS:
            label = alias or node.key
            column = free_name(label, {each.lower() for each in (*query.columns, *summaries)})
            summaries[column] = _summary(rows, node)
        else:
            label, column = _selected(rows, node, alias, key_columns)
        if label.lower() in {other.lower() for other in outputs}:
            raise InvalidError(
                f"SQL: two columns of a sub-query are called {shorten(label)}; name one of them with AS."
            )
        rows.check_id_name(label, column if column in key_columns.values() else None)
        outputs[label] = column
    others = [name for name in key_columns.values() if name != id_column]
    summarized = query.summarize(*others, **summaries)
    columns = summarized.columns
    shown = projected(summarized, {label: Reference(name, columns[name]) for label, name in outputs.items()})
    return rows.next(shown, 3).showing(outputs)


def _summarized_id(rows: SqlRows, keys: list[Expression], group: exp.Expr) -> str:
    """Name the id column, which must be one of the keys."""
    id_columns = rows.query.id_columns
    if not id_columns or id_columns[0] not in {value.name for value in keys if isinstance(value, Reference)}:
        hint = f"Group by the id, {id_columns[0]!r}, too." if id_columns else "The codebook has no id."
        raise refuse("GROUP BY without the id in a sub-query", group, f"A group is rows of one person. {hint}")
    if len(id_columns) > 1:
        raise refuse("GROUP BY in a sub-query", group, "Persons within a period are protected.")
    return id_columns[0]


def _add_keys(query: RowQuery, keys: list[Expression], group: exp.Expr) -> tuple[RowQuery, dict[str, str]]:
    """Add a column for every key that is an expression; name the columns of all keys, by what the keys compile to."""
    names: dict[str, str] = {}
    for value, node in zip(keys, group.expressions, strict=True):
        if isinstance(value, Reference):
            name = value.name
        else:
            name = plain_name(node, {each.lower() for each in query.columns})
            query = added(query, {name: value})
        if compiled(value) in names:
            raise refuse("the same key twice in GROUP BY", group)
        names[compiled(value)] = name
    return query, names


def _key(rows: SqlRows, node: exp.Expr) -> Expression:
    if isinstance(node, exp.Literal):
        raise refuse(f"GROUP BY {shorten(node.name)} in a sub-query", node, "Name the columns.")
    refuse_aggregates(node, "in GROUP BY", node)
    return rows.read(node)


def _selected(rows: SqlRows, node: exp.Expr, alias: str | None, key_columns: dict[str, str]) -> tuple[str, str]:
    """Read an item that is a key: its label, and the column of the key."""
    if holds_aggregate(node) is not None:
        raise refuse(f"{describe(node)} in a sub-query with GROUP BY", node, _CALLS_HINT)
    if isinstance(node, exp.Star):
        raise refuse("SELECT *", node, "Name the columns.")
    value = rows.read(node)
    column = key_columns.get(compiled(value))
    if column is None:
        raise refuse(f"{shorten(written(node))} without an aggregate", node, "Put it in GROUP BY.")
    if alias is None and not isinstance(value, Reference):
        raise refuse("a column without a name", node, "Name it with AS.")
    return alias or rows.seen_as(column), column


def _summary(rows: SqlRows, node: exp.Expr) -> str:
    """Write a call as ``summarize`` takes it; its argument is read, and written anew."""
    only(node, "this", "big_int")
    name, argument = _CALLS[type(node)], node.this
    if isinstance(argument, exp.Star) and name == "count":
        return "count(*)"
    distinct = isinstance(argument, exp.Distinct)
    if distinct:
        if name != "count" or len(argument.expressions) != 1:
            raise refuse(f"DISTINCT in {describe(node)}", node, _CALLS_HINT)
        argument = argument.expressions[0]
    if argument is None:
        raise refuse(f"{describe(node)} without an argument", node, _CALLS_HINT)
    refuse_aggregates(argument, f"within {describe(node)}", node)
    value = rows.read(argument)
    if set(rows.query.id_columns) & set(value.references()):
        raise refuse(f"{describe(node)} of the id", node)
    return f"{name}({'distinct ' if distinct else ''}{value})"


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
    """

    tables: Mapping[str, SqlRows]
    named: Mapping[str, SqlRows] = field(factory=dict)
    matched: int | None = None
    depth: int = 0

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
        only(node, "expressions", "from_", "joins", "where", "with_", "group")
        rows = deeper.source(node)
        group = node.args.get("group")
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
        scope = self
        for each in clause.expressions:
            name = _alias(each, "WITH")
            if name is None or scope._find(name) is not None:
                raise InvalidError(
                    f"SQL: the name {shorten(name or '')} of WITH is not allowed: it has a meaning already."
                )
            scope = evolve(scope, named={**scope.named, name.lower(): scope.inner(each.this)})
        return scope

    def _from(self, node: exp.Expr) -> SqlRows:
        if isinstance(node, exp.Subquery):
            if not isinstance(node.this, exp.Query) or isinstance(node.this, exp.Subquery):
                raise refuse("a table in parentheses" if isinstance(node.this, exp.Table) else "this sub-query", node)
            return self.inner(node.this).called(_alias(node, "a sub-query") or "")
        if not isinstance(node, exp.Table):
            raise refuse(f"{describe(node)} in FROM", node)
        if not isinstance(node.this, exp.Identifier):
            raise refuse(f"{describe(node.this)} in FROM", node)
        name = named(node.this, "a table")
        rows = self._find(name)
        if rows is None:
            raise InvalidError(
                f"SQL: there is no table {shorten(name)}; there are {self._known()}.{closest(name, self.tables)}"
            )
        return rows.called(_alias(node, "a table") or name)

    def _find(self, name: str) -> SqlRows | None:
        tables = {table.lower(): rows for table, rows in self.tables.items()}
        return tables.get(name.lower()) or self.named.get(name.lower())

    def _known(self) -> str:
        return ", ".join(map(repr, self.tables))


def _alias(node: exp.Expr, what: str) -> str | None:
    alias = node.args.get("alias")
    return None if alias is None else named(alias.this, f"the name of {what}")
