"""JOIN: rows of the same person in two tables, matched by USING or by equations."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.refusal import describe, shorten
from privet.tables.sql.rows import Source, SqlRows, renamed
from privet.tables.sql.tree import named, only, refuse

Pairs = dict[str, str]  # columns of the table that is added, and the columns of those before that they equal
_MOST = 20  # equations of one join


def join_rows(left: SqlRows, clause: exp.Join, read: Callable[[exp.Expr], SqlRows], matched: Any) -> SqlRows:
    """Add a table to the rows of a FROM clause.

    Args:
        left: The rows so far.
        clause: The JOIN.
        read: Reads the table that it names.
        matched: How many rows of a person of that table are matched; None where nothing says.
    """
    how = _how(clause)
    only(clause, "this", "kind", "side", "using", "on")
    right = read(clause.this)
    (source,) = right.sources
    if source.name.lower() in {each.name.lower() for each in left.sources}:
        raise refuse("a JOIN of two tables with one name", clause, "Give one of them another name with AS.")
    owner = left.query.id_columns
    if not owner:
        raise refuse("JOIN", clause, "Joins match persons, and the codebook protects rows.")
    if len(owner) > 1:
        raise refuse("JOIN", clause, "The codebook protects persons within a period: use query.join(...).")
    pairs = _using(left, right, clause) if clause.args.get("using") else _equations(left, right, clause)
    if any(pairs.get(name) != name for name in owner):
        raise refuse(
            "a JOIN without the id", clause, f"Rows of one person are matched: add USING ({', '.join(owner)})."
        )
    if any((old in owner) != (new in owner) for old, new in pairs.items()):
        raise refuse("a JOIN of the id with another column", clause)
    if matched is None and not right.query.one_row_each:
        raise refuse(
            f"a JOIN with {shorten(source.name)}, of which a person may have several rows,",
            clause,
            "Say how many are matched at most, session.sql(..., join_rows=5) or WITH DIFFERENTIAL_PRIVACY "
            "OPTIONS(join_rows = 5), or make it one row for each person with a "
            f"sub-query that has GROUP BY {owner[0]}.",
        )
    names = _names(left, right, pairs)
    query = left.query.join(
        renamed(right.query, names),
        on=[name for name in pairs.values() if name not in owner],
        rows=matched if not right.query.one_row_each else None,
        how=how,
    )
    hidden = set(pairs) if how == "left" else set()  # null where there is no partner, which the joined column is not
    seen = {name: names[inner] for name, inner in source.columns.items() if inner not in hidden}
    made = left.next(query, right.steps + 3)
    return evolve(made, sources=(*left.sources, Source(source.name, seen)))


def _how(clause: exp.Join) -> Literal["inner", "left"]:
    kind, side, method = (str(clause.args.get(part) or "").upper() for part in ("kind", "side", "method"))
    if method or side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER") or (kind == "OUTER") > (side == "LEFT"):
        raise refuse(" ".join(filter(None, (method, side, kind, "JOIN"))), clause, "Write JOIN or LEFT JOIN.")
    if not clause.args.get("using") and not clause.args.get("on"):
        raise refuse("JOIN (or a second table) without USING or ON", clause, "Match persons: JOIN ... USING (id).")
    return "left" if side else "inner"


def _using(left: SqlRows, right: SqlRows, clause: exp.Join) -> Pairs:
    only(clause, "this", "kind", "side", "using")
    found: Pairs = {}
    for item in clause.args["using"]:
        node = exp.Column(this=exp.to_identifier(named(item, "a column of USING"), quoted=True))
        sides = [rows.find(node) for rows in (left, right)]
        if sides[0] is None or sides[1] is None:
            raise refuse(f"USING {shorten(node.name)}, which is not a column of both,", clause)
        found[sides[1]] = sides[0]
    return found


def _equations(left: SqlRows, right: SqlRows, clause: exp.Join) -> Pairs:
    found: Pairs = {}
    for each in _conjuncts(clause.args["on"]):
        if type(each) is not exp.EQ or not all(type(side) is exp.Column for side in (each.this, each.expression)):
            raise refuse(f"{describe(each)} in ON", clause, "Write equations of columns; the rest in WHERE.")
        sides = [(left.find(node), right.find(node)) for node in (each.this, each.expression)]
        ordered = sides if sides[0][0] is not None and sides[1][1] is not None else sides[::-1]
        (first, not_first), (not_second, second) = ordered
        if first is None or second is None or not_first is not None or not_second is not None:
            raise refuse("this equation in ON", clause, "Name a column of each table: visits.id = patients.id.")
        if second in found or first in found.values():
            raise refuse("a column twice in ON", clause)
        found[second] = first
    return found


def _conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    waiting, seen = [node], 0
    while waiting:
        node, seen = waiting.pop(), seen + 1
        if seen > 3 * _MOST:
            raise InvalidError(f"SQL: more than {_MOST} equations in ON are not allowed.")
        if type(node) is exp.And:
            only(node, "this", "expression")
            waiting += [node.expression, node.this]
        elif type(node) is exp.Paren:
            only(node, "this")
            waiting.append(node.this)
        else:
            yield node


def _names(left: SqlRows, right: SqlRows, pairs: Pairs) -> dict[str, str]:
    """Name the columns of the added table so that those that are matched agree and no others do."""
    (source,) = right.sources
    taken = {name.lower() for name in (*left.query.columns, *pairs.values())}
    names: dict[str, str] = {}
    for name in right.query.columns:
        new = pairs.get(name, name)
        if name not in pairs and new.lower() in taken:
            new = f"{source.name}.{name}"
            while new.lower() in taken:
                new += " "
        taken.add(new.lower())
        names[name] = new
    return names
