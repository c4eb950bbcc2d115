"""SELECTs over a sub-query that is released: they are computed after the release, and cost nothing."""

from collections.abc import Iterator, Sequence
from typing import TypeGuard, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.expressions import Expression, depth, describe, shorten, written
from privet.tables.sql.aggregates import holds_aggregate, refuse_aggregates
from privet.tables.sql.ends import read_order, read_rows
from privet.tables.sql.plain_names import plain_name
from privet.tables.sql.post_processing import Order, PostProcessing
from privet.tables.sql.select import Selection
from privet.tables.sql.tree import is_star, is_whole_literal, named, only, read_scalar, refuse, split_alias

Items = list[tuple[str, exp.Expr]]
"""The label of each column of a SELECT list, and its expression over released columns."""
_TOTALS: dict[type[exp.Expr], str] = {
    exp.Sum: "sum",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Count: "count",
}
_TOTALS_HINT = "Of released values there are COUNT, SUM, AVG, MIN and MAX, each by itself, of all groups together."
_DEEPEST = 100
_MOST_LEVELS = 16


@final
@frozen
class _Level:
    """A SELECT over a sub-query.

    Args:
        select: The SELECT.
        name: The name that its sub-query has in it.
    """

    select: exp.Select
    name: str


@final
@frozen
class Outer:
    """SELECTs over a sub-query, from the outermost inward, and the SELECT of the sub-query.

    Args:
        levels: The SELECTs that are computed after the release.
        inner: The inner SELECT, whose aggregates are released.
        totals: Whether the outermost SELECT makes one row of all groups.
    """

    levels: tuple[_Level, ...]
    inner: exp.Select
    totals: bool = False


def find_outer(select: exp.Select, id_columns: tuple[str, ...]) -> Outer | None:
    """Split SELECTs that only compute from what a sub-query releases; None for a SELECT with its own aggregates."""
    of_released = _find_totals(select, id_columns)
    if of_released is not None:
        return of_released
    levels: list[_Level] = []
    earlier: list[exp.Expr] = []
    while len(levels) < _MOST_LEVELS:
        if any(select.args.get(part) for part in ("group", "having", "joins", "distinct")):
            return None
        if any(holds_aggregate(item) is not None for item in select.expressions):
            return None
        part = _find_sub_query(select, earlier)
        if part is None or type(part.inner) is not exp.Select:
            return None
        levels.append(_Level(select, part.name))
        select, earlier = part.inner, part.earlier
        if _is_released(select, id_columns):
            return Outer(tuple(levels), _with_earlier(select, earlier))
    return None


def _find_totals(select: exp.Select, id_columns: tuple[str, ...]) -> Outer | None:
    """Find a SELECT with aggregates over a sub-query that has the privacy clause, so that it is the one released."""
    inner = [each for each in select.find_all(exp.Select) if each is not select and each.meta.get("private")]
    if not inner or not any(holds_aggregate(item) is not None for item in select.expressions):
        return None
    part = _find_sub_query(select, [])
    if part is None or part.inner is not inner[0] or not _is_released(part.inner, id_columns):
        return None
    return Outer((_Level(select, part.name),), _with_earlier(inner[0], part.earlier), totals=True)


@final
@frozen
class _SubQuery:
    """The only sub-query of a SELECT, in FROM or as the last one of WITH.

    Args:
        inner: Its query.
        earlier: The other queries of WITH, which it may name.
        name: The name that it has in the SELECT around it.
    """

    inner: exp.Expr
    earlier: list[exp.Expr]
    name: str


def _find_sub_query(select: exp.Select, earlier: Sequence[exp.Expr]) -> _SubQuery | None:
    """Find the sub-query that FROM reads; None if FROM reads a table or nothing.

    A query of WITH that nothing reads is not passed over: only the last one is found.
    """
    clause, with_clause = select.args.get("from_"), select.args.get("with_")
    source = None if clause is None else clause.this
    queries = [*earlier, *([] if with_clause is None else with_clause.expressions)]
    if source is None or (with_clause is not None and with_clause.args.get("recursive")):
        return None
    alias = source.args.get("alias")
    name = None if alias is None else named(alias.this, "the name of a sub-query")
    if isinstance(source, exp.Subquery):
        return _SubQuery(source.this, queries, name or "")
    is_plain = isinstance(source, exp.Table) and source.args.get("db") is None
    if is_plain and queries and source.name.lower() == queries[-1].alias.lower():
        return _SubQuery(queries[-1].this, queries[:-1], name or source.name)
    return None


def _with_earlier(select: exp.Select, earlier: Sequence[exp.Expr]) -> exp.Select:
    """Give a SELECT the queries of WITH that stand before it."""
    if not earlier:
        return select
    own = select.args.get("with_")
    copied = select.copy()
    queries = [*earlier, *([] if own is None else own.expressions)]
    copied.set("with_", exp.With(expressions=[each.copy() for each in queries]))
    return copied


def _is_released(inner: exp.Expr, id_columns: tuple[str, ...]) -> TypeGuard[exp.Select]:
    """Tell whether a query is a SELECT with aggregates that are not of one person's rows each."""
    if type(inner) is not exp.Select:
        return False
    group = inner.args.get("group")
    listed = [split_alias(item)[0] for item in inner.expressions]
    nodes = [] if group is None else listed if group.args.get("all") else group.expressions
    places = [int(each.name) - 1 for each in nodes if is_whole_literal(each)]
    nodes = [*nodes, *(listed[at] for at in places if 0 <= at < len(listed))]
    keys = [each.name.lower() for each in nodes if isinstance(each, exp.Column)]
    aggregates = any(holds_aggregate(item) is not None for item in listed)
    return aggregates and not any(name.lower() in keys for name in id_columns)


def outer_after(selection: Selection, outer: Outer) -> PostProcessing:
    """Read what the outer SELECTs compute from the columns of the inner one."""
    for select in (outer.inner, *(level.select for level in outer.levels[1:])):
        for part in ("order", "limit", "offset"):
            if select.args.get(part) is not None:
                raise refuse(f"{part.upper()} within a sub-query", select, "Write it in the outer SELECT.")
    if outer.totals:
        return _totals(selection, outer)
    having = outer.inner.args.get("having")
    conditions = [] if having is None else [selection.rewritten(having.this, selection.having_labels())]
    items: Items = [(each.label, selection.trees[each.label.lower()]) for each in selection.outputs]
    below = items
    for level in reversed(outer.levels):
        only(level.select, "with_", "expressions", "from_", "where", "order", "limit", "offset")
        below = items
        where = level.select.args.get("where")
        if where is not None:
            conditions.append(_rewritten(below, level, where.this))
        items = _items(below, level)
    first = outer.levels[0]
    return PostProcessing(
        columns=tuple(selection.read_outputs(items)),
        having=_condition(selection, conditions),
        order=tuple(_order(selection, first, below, items)),
        limit=read_rows(first.select.args.get("limit"), exp.Limit),
        offset=read_rows(first.select.args.get("offset"), exp.Offset) or 0,
    )


def _totals(selection: Selection, outer: Outer) -> PostProcessing:
    """Read the aggregates of what the sub-query releases: one row of all its groups."""
    (level,), having = outer.levels, outer.inner.args.get("having")
    for part in ("group", "having", "order", "joins", "distinct"):
        if level.select.args.get(part):
            raise refuse(f"{part.upper()} around a released sub-query", level.select, _TOTALS_HINT)
    only(level.select, "with_", "expressions", "from_", "where", "limit", "offset")
    below: Items = [(each.label, selection.trees[each.label.lower()]) for each in selection.outputs]
    conditions = [] if having is None else [selection.rewritten(having.this, selection.having_labels())]
    where = level.select.args.get("where")
    if where is not None:
        conditions.append(_rewritten(below, level, where.this))
    items: Items = []
    totals: list[str] = []
    for node, alias in map(split_alias, level.select.expressions):
        argument = node.this
        if type(node) not in _TOTALS or not isinstance(argument, exp.Expr) or isinstance(argument, exp.Distinct):
            raise refuse(f"{shorten(written(node))} of released values", node, _TOTALS_HINT)
        only(node, "this", "big_int")
        taken = {label.lower() for label, _ in items}
        every = isinstance(argument, exp.Star)
        items.append((alias or plain_name(node, taken), exp.true() if every else _rewritten(below, level, argument)))
        totals.append(_TOTALS[type(node)])
    for (label, tree), name in zip(items, totals, strict=True):
        kind = read_scalar(tree.copy(), selection.known(), selection.rows.dialect).kind
        if name in ("sum", "avg") and kind not in ("integer", "real"):
            raise MismatchError(f"SQL: {name.upper()} of {shorten(label)} takes numbers, got {kind}.")
    return PostProcessing(
        columns=tuple(evolve(each, name=None, reach=None) for each in selection.read_outputs(items)),
        having=_condition(selection, conditions),
        limit=read_rows(level.select.args.get("limit"), exp.Limit),
        offset=read_rows(level.select.args.get("offset"), exp.Offset) or 0,
        totals=tuple(totals),
    )


def _items(below: Items, level: _Level) -> Items:
    """Read a list over the columns of a sub-query: the label of each column, and its expression."""
    items: Items = []
    for item in level.select.expressions:
        node, alias = split_alias(item)
        if is_star(node):
            only(node if isinstance(node, exp.Star) else node.this)
            table = "" if isinstance(node, exp.Star) else node.args["table"].name
            if table and table.lower() != level.name.lower():
                raise refuse(f"{shorten(written(node))}, which names no sub-query of FROM,", node, "Write *.")
            items += below
        else:
            taken = {label.lower() for label, _ in items}
            label = alias or (node.name if isinstance(node, exp.Column) else plain_name(node, taken))
            items.append((label, _rewritten(below, level, node)))
    return items


def _condition(selection: Selection, conditions: Sequence[exp.Expr]) -> Expression | None:
    """Read the HAVING of the inner SELECT and the WHERE of the outer ones as one condition."""
    if not conditions:
        return None
    tree = exp.and_(*(exp.Paren(this=each) for each in conditions))
    condition = read_scalar(tree, selection.known(), selection.rows.dialect)
    if condition.kind != "boolean" or not condition.references():
        raise MismatchError(f"SQL: WHERE takes a condition on columns of the sub-query, got {condition.kind}.")
    return condition


def _order(selection: Selection, level: _Level, below: Items, items: Items) -> Iterator[Order]:
    """Read the ORDER BY of the outermost SELECT."""
    for each in read_order(level.select.args.get("order")):
        tree = _sort_key(level, each.this, below, items)
        value = read_scalar(tree.copy(), selection.known(), selection.rows.dialect)
        if not value.references():
            raise refuse(f"{shorten(written(each.this))} in ORDER BY", each, "Name a column of the sub-query.")
        yield Order(value, bool(each.args.get("desc")), bool(each.args.get("nulls_first")))


def _sort_key(level: _Level, node: exp.Expr, below: Items, items: Items) -> exp.Expr:
    """Follow a place or a label of the outer list; read anything else as an expression of the inner columns."""
    if isinstance(node, exp.Literal):
        if not is_whole_literal(node) or not 1 <= int(node.name) <= len(items):
            raise refuse(f"ORDER BY {shorten(node.name)}", node, "Name a column, or give its place in the list.")
        return items[int(node.name) - 1][1]
    labels = {label.lower(): tree for label, tree in items}
    plain = isinstance(node, exp.Column) and node.args.get("table") is None and node.name.lower() in labels
    return labels[node.name.lower()] if plain else _rewritten(below, level, node)


def _rewritten(below: Items, level: _Level, node: exp.Expr) -> exp.Expr:
    """Replace the names of the inner SELECT list by released columns; refuse any other name."""
    refuse_aggregates(node, "of released values", node)
    if depth(node) > _DEEPEST:
        raise InvalidError(f"SQL: the expression is nested too deeply: {shorten(written(node))}.")
    whole = exp.Paren(this=node.copy())
    for each in list(whole.walk()):
        each.meta.clear()
        if isinstance(each, exp.Query):
            raise refuse(describe(each), node)
        if isinstance(each, exp.Column):
            each.replace(exp.Paren(this=_released_tree(below, level, each, node).copy()))
    rewritten: exp.Expr = whole.this
    return rewritten


def _released_tree(below: Items, level: _Level, column: exp.Column, node: exp.Expr) -> exp.Expr:
    """Give the expression over released columns that a name of the inner SELECT list stands for."""
    table = column.args.get("table")
    of_inner = column.args.get("db") is None and (table is None or table.name.lower() == level.name.lower())
    trees = {label.lower(): tree for label, tree in reversed(below)}
    tree = trees.get(column.name.lower()) if of_inner and isinstance(column.this, exp.Identifier) else None
    if tree is None:
        names = ", ".join(label for label, _ in below)
        raise refuse(f"{shorten(written(column))}, which the sub-query does not give,", node, f"It gives {names}.")
    return tree
