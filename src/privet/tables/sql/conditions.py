"""Conditions of WHERE and ON, taken apart: conjuncts, equations of columns, and values that a column must have."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Kind
from privet.tables.expressions import exact
from privet.tables.sql.tree import is_whole_literal

_MOST = 500  # conditions of one clause
_MOST_VALUES = 10_000

Equation = tuple[exp.Column, exp.Column]


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """Take conditions joined by AND apart, in the order in which they are written."""
    waiting, parts, seen = [] if node is None else [node], [], 0
    while waiting:
        each, seen = waiting.pop(), seen + 1
        if seen > 3 * _MOST:
            raise InvalidError(f"SQL: more than {_MOST} conditions in one clause are not allowed.")
        if type(each) is exp.And:
            waiting += [each.expression, each.this]
        elif type(each) is exp.Paren:
            waiting.append(each.this)
        else:
            parts.append(each)
    return parts


def equation(node: exp.Expr) -> Equation | None:
    """Give both sides of an equation of two columns; None for any other condition."""
    if type(node) is not exp.EQ or type(node.this) is not exp.Column or type(node.expression) is not exp.Column:
        return None
    return node.this, node.expression


def common_equations(node: exp.Expr) -> list[exp.Expr]:
    """Give the equations of columns that stand in every part of conditions joined by OR.

    Where the whole is true, some part is, and with it the equation. So it may be used to join, and the whole stays.
    """
    parts = list(_disjuncts(node))
    if len(parts) < 2:
        return []
    first = {each.sql(): each for each in conjuncts(parts[0]) if equation(each) is not None}
    for part in parts[1:]:
        own = {each.sql() for each in conjuncts(part)}
        first = {text: each for text, each in first.items() if text in own}
    return list(first.values())


def _disjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if type(each) is exp.Or:
            waiting += [each.expression, each.this]
        elif type(each) is exp.Paren:
            waiting.append(each.this)
        else:
            yield each


def all_of(nodes: Sequence[exp.Expr]) -> exp.Where:
    """Put conditions together again."""
    return exp.Where(this=exp.and_(*(exp.Paren(this=each.copy()) for each in nodes)))


def listed_values(node: exp.Expr, kind_of: "dict[int, Kind]") -> tuple[exp.Column, tuple[object, ...]] | None:
    """Read ``x IN (1, 2)`` or ``x = 1``: the column, and the values that it has where the condition holds.

    Args:
        node: The condition.
        kind_of: The kinds of columns, by the identity of their nodes.
    """
    column, values = None, list[exp.Expr]()
    if type(node) is exp.In and not any(node.args.get(part) for part in ("query", "unnest", "field", "is_global")):
        column, values = node.this, node.expressions
    elif type(node) is exp.EQ:
        sides = (node.this, node.expression)
        column, value = sides if type(sides[0]) is exp.Column else sides[::-1]
        values = [value]
    if type(column) is not exp.Column or not 1 <= len(values) <= _MOST_VALUES:
        return None
    read = [_value(each, kind_of.get(id(column))) for each in values]
    return None if None in read else (column, tuple(dict.fromkeys(read)))


def constant(node: exp.Expr) -> object:
    """Read a text, a whole number or a truth value that is written out; None for anything else."""
    kinds: tuple[Kind, ...] = ("text", "boolean", "integer")
    values = [_value(node, kind) for kind in kinds]
    return next((each for each in values if each is not None), None)


def _value(node: exp.Expr, kind: Kind | None) -> object:
    """Read a value as a key has it; None if it is no constant of this kind."""
    if kind == "text" and isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    if kind == "boolean" and isinstance(node, exp.Boolean):
        return bool(node.this)
    if kind == "integer":
        inner = node.this if isinstance(node, exp.Neg) else node
        if is_whole_literal(inner):
            return -int(inner.name) if isinstance(node, exp.Neg) else int(inner.name)
    if kind == "real" and (known := exact(node)) is not None:
        return float(known[1])
    return None


def mentioned_names(tree: exp.Expr) -> frozenset[str] | None:
    """Give the names of all columns in a statement, in lower case; None if ``*`` stands for some."""
    for star in tree.find_all(exp.Star):
        if not isinstance(star.parent, exp.Count):
            return None
    columns = {each.name.lower() for each in tree.find_all(exp.Column)}
    using = {each.name.lower() for join in tree.find_all(exp.Join) for each in join.args.get("using") or ()}
    return frozenset(columns | using)
