"""A SELECT over a sub-query that is released: all of it is worked out after the release, and free."""

from typing import final

from attrs import frozen
from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.expressions.node import Reference
from privet.tables.expressions.refusal import describe, shorten, written
from privet.tables.expressions.syntax import depth
from privet.tables.sql.aggregates import holds_aggregate
from privet.tables.sql.answer import Order, PostProcessing, check_labels
from privet.tables.sql.computed import Output, find_reach
from privet.tables.sql.scalar import read_scalar
from privet.tables.sql.select import Selection, read_order, read_rows
from privet.tables.sql.tree import is_whole, named, only, refuse, split_alias

_DEEPEST = 100


@final
@frozen
class Outer:
    """A SELECT, and the one within it that asks.

    Args:
        select: The outer one.
        inner: The one whose aggregates are released.
        name: What the outer one calls it.
    """

    select: exp.Select
    inner: exp.Select
    name: str


def find_outer(select: exp.Select, owner: tuple[str, ...]) -> Outer | None:
    """Tell whether a SELECT only works on what a sub-query releases; None where it asks aggregates itself."""
    clause = select.args.get("from_")
    asks = [part for part in ("group", "having", "joins") if select.args.get(part)]
    if clause is None or asks or any(holds_aggregate(item) is not None for item in select.expressions):
        return None
    source, before = clause.this, select.args.get("with_")
    queries = before.expressions if before is not None else []
    if isinstance(source, exp.Subquery):
        inner, earlier, name = source.this, queries, ""
    elif isinstance(source, exp.Table) and queries and source.name.lower() == queries[-1].alias.lower():
        inner, earlier, name = queries[-1].this, queries[:-1], source.name
    else:
        return None
    if type(inner) is not exp.Select or not _is_released(inner, owner) or (earlier and inner.args.get("with_")):
        return None
    for node, parts in ((clause, ("this",)), (source, ("this", "alias")), (before, ("expressions",))):
        if node is not None:
            only(node, *parts)
    if isinstance(source, exp.Table):
        only(queries[-1], "this", "alias")
        only(queries[-1].args["alias"], "this")
    alias = source.args.get("alias")
    if alias is not None:
        only(alias, "this")
        name = named(alias.this, "the name of a sub-query")
    inner = inner.copy()
    if earlier:
        inner.set("with_", exp.With(expressions=[each.copy() for each in earlier]))
    return Outer(select, inner, name)


def _is_released(inner: exp.Select, owner: tuple[str, ...]) -> bool:
    """Tell whether a SELECT has aggregates that are not of one person's rows each."""
    group = inner.args.get("group")
    keys = (
        [each.name.lower() for each in group.expressions if isinstance(each, exp.Column)] if group is not None else []
    )
    asked = any(holds_aggregate(split_alias(item)[0]) is not None for item in inner.expressions)
    return asked and not any(name.lower() in keys for name in owner)


def outer_after(selection: Selection, outer: Outer) -> PostProcessing:
    """Read what the outer SELECT makes of the columns of the inner one."""
    only(outer.select, "with_", "expressions", "from_", "where", "order", "limit", "offset")
    for part in ("order", "limit", "offset"):
        if outer.inner.args.get(part) is not None:
            raise refuse(f"{part.upper()} within a sub-query", outer.inner, "Write it in the outer SELECT.")
    shown: list[tuple[str, exp.Expr]] = []
    for item in outer.select.expressions:
        node, alias = split_alias(item)
        if isinstance(node, exp.Star):
            only(node)
            shown += [(each.label, selection.trees[each.label.lower()]) for each in selection.outputs]
        else:
            label = alias or (node.name if isinstance(node, exp.Column) else written(node))
            shown.append((label, _rewritten(selection, outer, node)))
    outputs = [_output(selection, label, tree) for label, tree in shown]
    if any(not each.value.references() for each in outputs):
        raise refuse("a column that is computed from nothing", outer.select, "Name columns of the sub-query.")
    full = [each.reach is not None or each.name in selection.released() for each in outputs]
    check_labels(
        [each.label for each, whole in zip(outputs, full, strict=True) if whole],
        [each.label for each, whole in zip(outputs, full, strict=True) if not whole],
    )
    conditions = []
    if outer.inner.args.get("having") is not None:
        only(outer.inner.args["having"], "this")
        conditions.append(selection.rewritten(outer.inner.args["having"].this, released=True))
    if outer.select.args.get("where") is not None:
        only(outer.select.args["where"], "this")
        conditions.append(_rewritten(selection, outer, outer.select.args["where"].this))
    condition = None
    if conditions:
        tree = exp.and_(*(exp.Paren(this=each) for each in conditions))
        condition = read_scalar(tree, selection.known(), selection.rows.dialect)
        if condition.kind != "boolean" or not condition.references():
            raise MismatchError(f"SQL: WHERE takes a condition on columns of the sub-query, got {condition.kind}.")
    trees = [tree for _, tree in shown]
    labels = {label.lower(): tree for label, tree in shown}
    order = []
    for each in read_order(outer.select.args.get("order")):
        value = _output(selection, "", _ordered(selection, outer, each.this, trees, labels)).value
        if not value.references():
            raise refuse(f"{shorten(written(each.this))} in ORDER BY", each, "Name a column of the sub-query.")
        order.append(Order(value, bool(each.args.get("desc")), bool(each.args.get("nulls_first"))))
    return PostProcessing(
        columns=tuple(outputs),
        having=condition,
        order=tuple(order),
        limit=read_rows(outer.select.args.get("limit"), exp.Limit),
        offset=read_rows(outer.select.args.get("offset"), exp.Offset) or 0,
    )


def _ordered(
    selection: Selection, outer: Outer, node: exp.Expr, trees: list[exp.Expr], labels: dict[str, exp.Expr]
) -> exp.Expr:
    """Follow a place or a name of the outer list; else read an expression of the inner one's columns."""
    if isinstance(node, exp.Literal):
        if node.is_string or not is_whole(node.name) or not 1 <= int(node.name) <= len(trees):
            raise refuse(f"ORDER BY {shorten(node.name)}", node, "Name a column, or give its place in the list.")
        return trees[int(node.name) - 1]
    plain = isinstance(node, exp.Column) and node.args.get("table") is None and node.name.lower() in labels
    return labels[node.name.lower()] if plain else _rewritten(selection, outer, node)


def _output(selection: Selection, label: str, tree: exp.Expr) -> Output:
    value = read_scalar(tree.copy(), selection.known(), selection.rows.dialect)
    name = value.name if isinstance(value, Reference) else None
    reach = None if name is not None else find_reach(tree, selection.numbers(), selection.rows.dialect)
    return Output(label, value, name, reach)


def _rewritten(selection: Selection, outer: Outer, node: exp.Expr) -> exp.Expr:
    """Put released columns in the place of the names of the inner SELECT list; any other name is refused."""
    inner = holds_aggregate(node)
    if inner is not None:
        raise refuse(f"{describe(inner)} of released values", node)
    if depth(node) > _DEEPEST:
        raise InvalidError(f"SQL: the expression is nested too deeply: {shorten(written(node))}.")
    whole = exp.Paren(this=node.copy())
    for found in list(whole.walk()):
        found.meta.clear()
        if isinstance(found, exp.Query):
            raise refuse(describe(found), node)
        if not isinstance(found, exp.Column):
            continue
        table = found.args.get("table")
        own = found.args.get("db") is None and (table is None or table.name.lower() == outer.name.lower())
        tree = selection.trees.get(found.name.lower()) if own and isinstance(found.this, exp.Identifier) else None
        if tree is None:
            there = ", ".join(each.label for each in selection.outputs)
            raise refuse(f"{shorten(written(found))}, which the sub-query does not give,", node, f"It gives {there}.")
        found.replace(exp.Paren(this=tree.copy()))
    made: exp.Expr = whole.this
    return made
