"""A SELECT over a sub-query that is released: it is computed after the release, and costs nothing."""

from collections.abc import Iterator
from typing import TypeGuard, final

from attrs import frozen
from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.expressions import Expression, depth, describe, shorten, written
from privet.tables.sql.aggregates import holds_aggregate, refuse_aggregates
from privet.tables.sql.answer import Order, PostProcessing
from privet.tables.sql.computed import Output
from privet.tables.sql.plain_names import plain_name
from privet.tables.sql.select import Selection, read_order, read_rows
from privet.tables.sql.tree import is_whole_literal, named, only, read_scalar, refuse, split_alias

Items = list[tuple[str, exp.Expr]]
"""The label of each column of a SELECT list, and its expression over released columns."""
_DEEPEST = 100


@final
@frozen
class Outer:
    """A SELECT over a sub-query, and the SELECT of the sub-query.

    Args:
        select: The outer SELECT.
        inner: The inner SELECT, whose aggregates are released.
        name: The name of the sub-query in the outer SELECT.
    """

    select: exp.Select
    inner: exp.Select
    name: str


@final
@frozen
class _SubQuery:
    """The only sub-query of a SELECT, in FROM or as the last one of WITH.

    Args:
        source: What stands in FROM.
        inner: Its SELECT.
        earlier: The other queries of WITH, which the SELECT may name.
        name: The name that it has in WITH; empty for a sub-query in FROM.
    """

    source: exp.Expr
    inner: exp.Expr
    earlier: list[exp.Expr]
    name: str = ""


def find_outer(select: exp.Select, id_columns: tuple[str, ...]) -> Outer | None:
    """Split a SELECT that only computes from what a sub-query releases; None for a SELECT with its own aggregates."""
    if any(select.args.get(part) for part in ("group", "having", "joins")):
        return None
    if any(holds_aggregate(item) is not None for item in select.expressions):
        return None
    part = _find_sub_query(select)
    if part is None or not _is_released(part.inner, id_columns):
        return None
    if part.earlier and part.inner.args.get("with_"):
        return None
    alias = part.source.args.get("alias")
    name = part.name if alias is None else named(alias.this, "the name of a sub-query")
    inner = part.inner.copy()
    if part.earlier:
        inner.set("with_", exp.With(expressions=[each.copy() for each in part.earlier]))
    return Outer(select, inner, name)


def _find_sub_query(select: exp.Select) -> _SubQuery | None:
    """Find the sub-query that FROM reads; None if FROM reads a table or nothing."""
    clause, with_clause = select.args.get("from_"), select.args.get("with_")
    source = None if clause is None else clause.this
    queries = [] if with_clause is None else with_clause.expressions
    if isinstance(source, exp.Subquery):
        return _SubQuery(source, source.this, queries)
    if isinstance(source, exp.Table) and queries and source.name.lower() == queries[-1].alias.lower():
        return _SubQuery(source, queries[-1].this, queries[:-1], source.name)
    return None


def _is_released(inner: exp.Expr, id_columns: tuple[str, ...]) -> TypeGuard[exp.Select]:
    """Tell whether a query is a SELECT with aggregates that are not of one person's rows each."""
    if type(inner) is not exp.Select:
        return False
    group = inner.args.get("group")
    nodes = [] if group is None else group.expressions
    keys = [each.name.lower() for each in nodes if isinstance(each, exp.Column)]
    aggregates = any(holds_aggregate(split_alias(item)[0]) is not None for item in inner.expressions)
    return aggregates and not any(name.lower() in keys for name in id_columns)


def outer_after(selection: Selection, outer: Outer) -> PostProcessing:
    """Read what the outer SELECT computes from the columns of the inner one."""
    only(outer.select, "with_", "expressions", "from_", "where", "order", "limit", "offset")
    for part in ("order", "limit", "offset"):
        if outer.inner.args.get(part) is not None:
            raise refuse(f"{part.upper()} within a sub-query", outer.inner, "Write it in the outer SELECT.")
    items = _items(selection, outer)
    return PostProcessing(
        columns=tuple(_outputs(selection, outer, items)),
        having=_condition(selection, outer),
        order=tuple(_order(selection, outer, items)),
        limit=read_rows(outer.select.args.get("limit"), exp.Limit),
        offset=read_rows(outer.select.args.get("offset"), exp.Offset) or 0,
    )


def _items(selection: Selection, outer: Outer) -> Items:
    """Read the outer list: the label of each column, and its expression over released columns."""
    items: Items = []
    for item in outer.select.expressions:
        node, alias = split_alias(item)
        if isinstance(node, exp.Star):
            items += [(each.label, selection.trees[each.label.lower()]) for each in selection.outputs]
        else:
            taken = {label.lower() for label, _ in items}
            label = alias or (node.name if isinstance(node, exp.Column) else plain_name(node, taken))
            items.append((label, _rewritten(selection, outer, node)))
    return items


def _outputs(selection: Selection, outer: Outer, items: Items) -> list[Output]:
    """Compute the columns of the result, and refuse labels of which one would hide another."""
    outputs = selection.read_outputs(items)
    if any(not each.value.references() for each in outputs):
        raise refuse("a column that is computed from nothing", outer.select, "Name columns of the sub-query.")
    return outputs


def _condition(selection: Selection, outer: Outer) -> Expression | None:
    """Read the HAVING of the inner SELECT and the WHERE of the outer one as one condition."""
    conditions = []
    having, where = outer.inner.args.get("having"), outer.select.args.get("where")
    if having is not None:
        conditions.append(selection.rewritten(having.this, released=True))
    if where is not None:
        conditions.append(_rewritten(selection, outer, where.this))
    if not conditions:
        return None
    tree = exp.and_(*(exp.Paren(this=each) for each in conditions))
    condition = read_scalar(tree, selection.known(), selection.rows.dialect)
    if condition.kind != "boolean" or not condition.references():
        raise MismatchError(f"SQL: WHERE takes a condition on columns of the sub-query, got {condition.kind}.")
    return condition


def _order(selection: Selection, outer: Outer, items: Items) -> Iterator[Order]:
    """Read the outer ORDER BY."""
    for each in read_order(outer.select.args.get("order")):
        tree = _sort_key(selection, outer, each.this, items)
        value = read_scalar(tree.copy(), selection.known(), selection.rows.dialect)
        if not value.references():
            raise refuse(f"{shorten(written(each.this))} in ORDER BY", each, "Name a column of the sub-query.")
        yield Order(value, bool(each.args.get("desc")), bool(each.args.get("nulls_first")))


def _sort_key(selection: Selection, outer: Outer, node: exp.Expr, items: Items) -> exp.Expr:
    """Follow a place or a label of the outer list; read anything else as an expression of the inner columns."""
    if isinstance(node, exp.Literal):
        if not is_whole_literal(node) or not 1 <= int(node.name) <= len(items):
            raise refuse(f"ORDER BY {shorten(node.name)}", node, "Name a column, or give its place in the list.")
        return items[int(node.name) - 1][1]
    labels = {label.lower(): tree for label, tree in items}
    plain = isinstance(node, exp.Column) and node.args.get("table") is None and node.name.lower() in labels
    return labels[node.name.lower()] if plain else _rewritten(selection, outer, node)


def _rewritten(selection: Selection, outer: Outer, node: exp.Expr) -> exp.Expr:
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
            each.replace(exp.Paren(this=_released_tree(selection, outer, each, node).copy()))
    rewritten: exp.Expr = whole.this
    return rewritten


def _released_tree(selection: Selection, outer: Outer, column: exp.Column, node: exp.Expr) -> exp.Expr:
    """Give the expression over released columns that a name of the inner SELECT list stands for."""
    table = column.args.get("table")
    of_inner = column.args.get("db") is None and (table is None or table.name.lower() == outer.name.lower())
    tree = selection.trees.get(column.name.lower()) if of_inner and isinstance(column.this, exp.Identifier) else None
    if tree is None:
        names = ", ".join(each.label for each in selection.outputs)
        raise refuse(f"{shorten(written(column))}, which the sub-query does not give,", node, f"It gives {names}.")
    return tree
