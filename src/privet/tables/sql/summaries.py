"""One row for each person: sub-queries whose GROUP BY holds the id."""

from collections.abc import Sequence
from fractions import Fraction

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import Expression, Reference, describe, parse, shorten, written
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.aggregates import grouped_items, holds_aggregate, refuse_aggregates
from privet.tables.sql.plain_names import plain_name
from privet.tables.sql.public_rows import public_summaries
from privet.tables.sql.rows import Ends, SqlRows, added
from privet.tables.sql.summary_calls import CALLS, CALLS_HINT, plain_calls, read_call
from privet.tables.sql.tree import (
    compiled,
    free_name,
    is_star,
    is_whole_literal,
    only,
    read_scalar,
    refuse,
    split_alias,
)

_HIDDEN = "privet rows"  # the summary of rows that have no other


def distinct_rows(rows: SqlRows, select: exp.Select) -> SqlRows:
    """Read ``SELECT DISTINCT`` in a sub-query: one row for each person and combination of values."""
    only(select.args["distinct"])
    items = rows.expanded(select.expressions)
    if select.args.get("group") is not None:
        raise refuse("DISTINCT with GROUP BY in a sub-query", select, "Leave DISTINCT out: groups differ anyway.")
    ids = rows.query.id_columns
    chosen = [rows.find(node) for node, _ in map(split_alias, items) if isinstance(node, exp.Column)]
    if not ids or ids[0] not in chosen:
        hint = f"Select the id, {ids[0]!r}, too." if ids else "The codebook has no id."
        raise refuse("SELECT DISTINCT without the id in a sub-query", select, f"A row is of one person. {hint}")
    return summarized_rows(rows, items, exp.Group(expressions=[split_alias(item)[0].copy() for item in items]))


def summarized_rows(rows: SqlRows, items: list[exp.Expr], group: exp.Expr) -> SqlRows:
    """Read the SELECT list and the keys of a sub-query whose GROUP BY holds the id, or that reads a public table."""
    nodes = _key_nodes(rows, items, group)
    keys = [_key(rows, node) for node in nodes]
    id_column = None if rows.public else _summarized_id(rows, keys, group)
    query, key_columns = _add_keys(rows.query, keys, nodes, group)
    summaries: dict[str, str] = {}  # from new columns to calls, as ``summarize`` takes them
    outputs: dict[str, str | exp.Expr] = {}  # from labels to the columns that they show, or what is computed from them
    for item in items:
        node, alias = split_alias(item)
        node = plain_calls(_without_nulls(node))
        column: str | exp.Expr
        if type(node) in CALLS:
            label = alias or node.key
            column = _add_summary(rows, node, label, summaries, query)
        elif holds_aggregate(node) is not None and alias is not None:
            label, column = alias, _computed(rows, node, summaries, query, key_columns)
        else:
            label, column = _selected(rows, node, alias, key_columns)
        if label.lower() in {other.lower() for other in outputs}:
            raise InvalidError(
                f"SQL: two columns of a sub-query are called {shorten(label)}; name one of them with AS."
            )
        rows.check_id_name(label, column if isinstance(column, str) and column in key_columns.values() else None)
        outputs[label] = column
    others = [name for name in key_columns.values() if name != id_column]
    calls = summaries or {_HIDDEN: "count(*)"}
    summarized = public_summaries(query, others, calls) if rows.public else query.summarize(*others, **calls)
    columns = summarized.columns
    values = {
        label: Reference(shown, columns[shown]) if isinstance(shown, str) else read_scalar(shown, columns, rows.dialect)
        for label, shown in outputs.items()
    }
    private = {} if rows.public else summaries
    bounds = {name: ends for name, call in private.items() if (ends := _ends(query, call)) is not None}
    return evolve(rows, summary_bounds={**rows.summary_bounds, **bounds}).projected(summarized, values, steps=3)


def _ends(query: RowQuery, call: str) -> Ends | None:
    """Give the bounds of a count or a sum of a person who keeps to the caps; None if nothing bounds it."""
    most, (name, _, argument) = query.most_rows, call.removesuffix(")").partition("(")
    if most is None or name not in ("count", "sum"):
        return None
    if name == "count":
        return Fraction(0), Fraction(most)
    bounds = parse(argument, query.columns).column.bounds
    return None if bounds is None else (most * min(bounds[0], Fraction(0)), most * max(bounds[1], Fraction(0)))


def _without_nulls(node: exp.Expr) -> exp.Expr:
    """Take away the IGNORE NULLS that some grammars write around ANY_VALUE: summaries leave nulls out."""
    return node.this if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue) else node


def _add_summary(rows: SqlRows, node: exp.Expr, label: str, summaries: dict[str, str], query: RowQuery) -> str:
    """Add a summary of each person, and name its column."""
    column = free_name(label, {each.lower() for each in (*query.columns, *summaries)})
    summaries[column] = read_call(rows, node)
    return column


def _computed(
    rows: SqlRows, node: exp.Expr, summaries: dict[str, str], query: RowQuery, key_columns: dict[str, str]
) -> exp.Expr:
    """Read an expression of summaries and keys: give it over their columns; all of it is of one person."""
    whole = exp.Paren(this=node.copy())
    for call in [each for each in whole.find_all(*CALLS) if each.find_ancestor(*CALLS) is None]:
        if not isinstance(call.parent, exp.Filter | exp.Window | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
            call.replace(
                exp.column(exp.to_identifier(_add_summary(rows, call, call.key, summaries, query), quoted=True))
            )
    refuse_aggregates(whole.this, "in a sub-query with GROUP BY", node, CALLS_HINT)
    added_columns = set(summaries)
    for column in list(whole.find_all(exp.Column)):
        if column.args.get("table") is None and column.name in added_columns:
            continue
        name = rows.find(column)
        if name is None or name not in key_columns.values() or name in rows.query.id_columns:
            raise refuse(f"{shorten(written(column))} without an aggregate", node, "Put it in GROUP BY.")
        column.replace(exp.column(exp.to_identifier(name, quoted=True)))
    computed: exp.Expr = whole.this
    return computed


def _summarized_id(rows: SqlRows, keys: list[Expression], group: exp.Expr) -> str:
    """Name the id column, which must be one of the keys."""
    id_columns = rows.query.id_columns
    if not id_columns or id_columns[0] not in {value.name for value in keys if isinstance(value, Reference)}:
        hint = f"Group by the id, {id_columns[0]!r}, too." if id_columns else "The codebook has no id."
        raise refuse("GROUP BY without the id in a sub-query", group, f"A group is rows of one person. {hint}")
    if len(id_columns) > 1:
        raise refuse("GROUP BY in a sub-query", group, "Persons within a period are protected.")
    return id_columns[0]


def _key_nodes(rows: SqlRows, items: Sequence[exp.Expr], group: exp.Expr) -> list[exp.Expr]:
    """Give the keys of GROUP BY; places, names of the SELECT list and ALL stand for items of the list."""
    listed = [split_alias(item) for item in items]
    if group.args.get("all"):
        return grouped_items([node for node, _ in listed])
    nodes: list[exp.Expr] = []
    for node in group.expressions:
        if isinstance(node, exp.Literal):
            if not is_whole_literal(node) or not 1 <= int(node.name) <= len(listed):
                raise refuse(f"GROUP BY {shorten(node.name)}", node, "Name a column, or give its place in the list.")
            nodes.append(listed[int(node.name) - 1][0])
            continue
        plain = isinstance(node, exp.Column) and node.args.get("table") is None and rows.find(node) is None
        same = [item for item, alias in listed if plain and alias is not None and alias.lower() == node.name.lower()]
        nodes.append(same[0] if same else node)
    return nodes


def _add_keys(
    query: RowQuery, keys: list[Expression], nodes: list[exp.Expr], group: exp.Expr
) -> tuple[RowQuery, dict[str, str]]:
    """Add a column for every key that is an expression; name the columns of all keys, by what the keys compile to."""
    names: dict[str, str] = {}
    for value, node in zip(keys, nodes, strict=True):
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
    refuse_aggregates(node, "in GROUP BY", node)
    return rows.read(node)


def _selected(rows: SqlRows, node: exp.Expr, alias: str | None, key_columns: dict[str, str]) -> tuple[str, str]:
    """Read an item that is a key: its label, and the column of the key."""
    if holds_aggregate(node) is not None:
        raise refuse(f"{describe(node)} in a sub-query with GROUP BY", node, CALLS_HINT)
    if is_star(node):
        raise refuse("SELECT *", node, "Name the columns.")
    value = rows.read(node)
    column = key_columns.get(compiled(value))
    if column is None:
        raise refuse(f"{shorten(written(node))} without an aggregate", node, "Put it in GROUP BY.")
    if alias is None and not isinstance(value, Reference):
        raise refuse("a column without a name", node, "Name it with AS.")
    return alias or rows.seen_as(column), column
