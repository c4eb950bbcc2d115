"""Sub-queries with GROUP BY id: one row for each person, computed from all of their rows."""

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import Expression, Reference, describe, shorten, written
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.aggregates import holds_aggregate, refuse_aggregates
from privet.tables.sql.rows import SqlRows, added, projected
from privet.tables.sql.tree import compiled, free_name, only, refuse, split_alias

_CALLS: dict[type[exp.Expr], str] = {
    exp.Count: "count",
    exp.Sum: "sum",
    exp.Avg: "mean",
    exp.Min: "min",
    exp.Max: "max",
}
_HINT = "For each person there are COUNT, COUNT(DISTINCT x), SUM, AVG, MIN and MAX."


def summarized_rows(rows: SqlRows, items: list[exp.Expr], group: exp.Expr) -> SqlRows:
    """Read the SELECT list and the keys of a sub-query whose GROUP BY holds the id."""
    keys = [_key(rows, node) for node in group.expressions]
    id_column = _id_column(rows, keys, group)
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


def _id_column(rows: SqlRows, keys: list[Expression], group: exp.Expr) -> str:
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
    for value in keys:
        if isinstance(value, Reference):
            name = value.name
        else:
            name = free_name(str(value), {each.lower() for each in query.columns})
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
        raise refuse(f"{describe(node)} in a sub-query with GROUP BY", node, _HINT)
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
            raise refuse(f"DISTINCT in {describe(node)}", node, _HINT)
        argument = argument.expressions[0]
    if argument is None:
        raise refuse(f"{describe(node)} without an argument", node, _HINT)
    refuse_aggregates(argument, f"within {describe(node)}", node)
    value = rows.read(argument)
    if set(rows.query.id_columns) & set(value.references()):
        raise refuse(f"{describe(node)} of the id", node)
    return f"{name}({'distinct ' if distinct else ''}{value})"
