"""Sub-queries with GROUP BY id: one row for each person, made of all of their rows."""

from collections.abc import Iterable

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.node import Expression, Reference
from privet.tables.expressions.refusal import describe, shorten, written
from privet.tables.sql.aggregates import holds_aggregate
from privet.tables.sql.rows import SqlRows, added, projected
from privet.tables.sql.scalar import compiled
from privet.tables.sql.tree import only, refuse, split_alias

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
    only(group, "expressions")
    owner = rows.query.id_columns
    keys = [_key(rows, node) for node in group.expressions]
    if not owner or owner[0] not in {value.name for value in keys if isinstance(value, Reference)}:
        whose = f"Group by the id, {owner[0]!r}, too." if owner else "The codebook has no id."
        raise refuse("GROUP BY without the id in a sub-query", group, f"Rows of one person are put together. {whose}")
    if len(owner) > 1:
        raise refuse("GROUP BY in a sub-query", group, "Persons within a period are protected.")
    query, names = rows.query, dict[str, str]()  # the keys, compiled, and the columns that hold them
    for value in keys:
        name = value.name if isinstance(value, Reference) else _free(str(value), query.columns)
        if not isinstance(value, Reference):
            query = added(query, {name: value})
        if compiled(value) in names:
            raise refuse("the same key twice in GROUP BY", group)
        names[compiled(value)] = name
    summaries: dict[str, str] = {}
    outputs: dict[str, str] = {}  # the columns that are seen, and those that hold them
    for item in items:
        node, alias = split_alias(item)
        if type(node) in _CALLS:
            name = alias or node.key
            summaries[_free(name, (*query.columns, *summaries))] = _summary(rows, node)
            held = list(summaries)[-1]
        else:
            name, held = _selected(rows, node, alias, names)
        if name.lower() in {other.lower() for other in outputs}:
            raise InvalidError(f"SQL: two columns of a sub-query are called {shorten(name)}; name one of them with AS.")
        rows.check_owner(name, held if held in names.values() else None)
        outputs[name] = held
    others = [name for name in names.values() if name not in owner]
    made = query.summarize(*others, **summaries)
    known = made.columns
    made = projected(made, {name: Reference(held, known[held]) for name, held in outputs.items()})
    return rows.next(made, 3).showing(outputs)


def _key(rows: SqlRows, node: exp.Expr) -> Expression:
    if isinstance(node, exp.Literal):
        raise refuse(f"GROUP BY {shorten(node.name)} in a sub-query", node, "Name the columns.")
    inner = holds_aggregate(node)
    if inner is not None:
        raise refuse(f"{describe(inner)} in GROUP BY", node)
    return rows.read(node)


def _selected(rows: SqlRows, node: exp.Expr, alias: str | None, names: dict[str, str]) -> tuple[str, str]:
    inner = holds_aggregate(node)
    if inner is not None:
        raise refuse(f"{describe(node)} in a sub-query with GROUP BY", node, _HINT)
    if isinstance(node, exp.Star):
        raise refuse("SELECT *", node, "Name the columns.")
    value = rows.read(node)
    held = names.get(compiled(value))
    if held is None:
        raise refuse(f"{shorten(written(node))} without an aggregate", node, "Put it in GROUP BY.")
    if alias is None and not isinstance(value, Reference):
        raise refuse("a column without a name", node, "Name it with AS.")
    return alias or rows.seen_as(held), held


def _summary(rows: SqlRows, node: exp.Expr) -> str:
    """Write a call as the builder takes it, its argument read and written anew."""
    only(node, "this", "big_int")
    name, argument = _CALLS[type(node)], node.this
    if isinstance(argument, exp.Star) and name == "count":
        only(argument)
        return "count(*)"
    distinct = isinstance(argument, exp.Distinct)
    if distinct:
        only(argument, "expressions")
        if name != "count" or len(argument.expressions) != 1:
            raise refuse(f"DISTINCT in {describe(node)}", node, _HINT)
        argument = argument.expressions[0]
    if argument is None:
        raise refuse(f"{describe(node)} without an argument", node, _HINT)
    inner = holds_aggregate(argument)
    if inner is not None:
        raise refuse(f"{describe(inner)} within {describe(node)}", node)
    value = rows.read(argument)
    if set(rows.query.id_columns) & set(value.references()):
        raise refuse(f"{describe(node)} of the id", node)
    return f"{name}({'distinct ' if distinct else ''}{value})"


def _free(name: str, taken: Iterable[str]) -> str:
    names = {each.lower() for each in taken}
    while name.lower() in names:
        name += " "
    return name
