"""``CROSS JOIN UNNEST(list)`` of a column of a private table: a row for each of its items."""

from collections.abc import Sequence

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import shorten
from privet.tables.sql.conditions import all_of, conjuncts
from privet.tables.sql.public_rows import names_of
from privet.tables.sql.rows import Source, SqlRows
from privet.tables.sql.tree import free_name, only, refuse

_HINT = "Write FROM t CROSS JOIN UNNEST(t.list) AS item."


def is_list_join(join: exp.Join) -> bool:
    """Tell whether a join makes rows of a list of the rows before it."""
    node = join.this
    return isinstance(node, exp.Unnest) and any(isinstance(each, exp.Column) for each in node.expressions)


def unnested_list(rows: SqlRows, join: exp.Join) -> SqlRows:
    """Make a row for each item of a list.

    Args:
        rows: The rows that have the list.
        join: The join with ``UNNEST``.
    """
    node = join.this
    side = str(join.args.get("side") or "").upper()
    if side not in ("", "LEFT") or join.args.get("on") or join.args.get("using"):
        raise refuse("this join with UNNEST", join, f"{_HINT} LEFT JOIN UNNEST(...) ON TRUE keeps rows without items.")
    if node.args.get("offset"):
        raise refuse("the place of an item", node, f"{_HINT} Items have no numbers here.")
    only(join, "this", "kind", "side")
    only(node, "expressions", "alias")
    table, item = names_of(node)
    column = node.expressions[0]
    name = rows.find(column)
    if name is None:
        raise refuse(f"UNNEST of {shorten(column.name)}, which is no column of the tables before it,", join, _HINT)
    known = rows.query.columns[name]
    if known.item is None:
        what = f"UNNEST of {shorten(column.name)}, which is {known.kind} and no list,"
        raise refuse(what, join, "The codebook declares a list with most_items.")
    rows.check_id_name(item, None)
    inner = free_name(item, {each.lower() for each in rows.query.columns})
    made = rows.next(rows.query.unnest(name, into=inner, how="left" if side else "inner"))
    return evolve(made, sources=(*rows.sources, Source(table, {item: inner})))


def split_conditions(
    where: exp.Expr | None, joins: Sequence[exp.Join], others: Sequence[exp.Join]
) -> tuple[exp.Where | None, exp.Where | None]:
    """Split WHERE into what is read before lists are unnested, and what names their items.

    Args:
        where: The clause.
        joins: The joins with ``UNNEST`` of lists.
        others: The other joins, whose ON must name no item.
    """
    for each in joins:
        if len(each.this.expressions) != 1:
            raise refuse("UNNEST of several lists", each.this, _HINT)
    items = [names_of(each.this) for each in joins]
    for each in others:
        on = each.args.get("on")
        if on is not None and _mentions(on, items):
            hint = "Unnest the list in a sub-query, and join that."
            raise refuse("an item of UNNEST in the ON of another join", each, hint)
    parts = conjuncts(None if where is None else where.this)
    before = [each for each in parts if not _mentions(each, items)]
    after = [each for each in parts if _mentions(each, items)]
    return all_of(before) if before else None, all_of(after) if after else None


def _mentions(node: exp.Expr, items: Sequence[tuple[str, str]]) -> bool:
    for column in node.find_all(exp.Column):
        for table, item in items:
            if column.name.lower() == item.lower() and column.table.lower() in ("", table.lower()):
                return True
    return False


def check_first(node: exp.Expr) -> None:
    """Refuse UNNEST of a column where no table stands before it."""
    if isinstance(node, exp.Unnest) and any(isinstance(each, exp.Column) for each in node.expressions):
        raise InvalidError(f"SQL: UNNEST of a column needs its table before it. {_HINT}")
