"""Conditions on released values: comparisons with literals, and, or, not; null and NaN are unknown."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, final

from attrs import frozen
from sqlglot import exp

from privet.errors import Invalid, Mismatch
from privet.tables.column import Kind
from privet.tables.expressions.refusal import describe, shorten, written
from privet.tables.sql_tree import number, only, refuse

Find = Callable[[exp.Expr], tuple[str, Kind]]  # gives the name and the kind of a column of the result
_SIGNS: dict[type[exp.Expr], str] = {
    exp.EQ: "eq",
    exp.NEQ: "ne",
    exp.LT: "lt",
    exp.LTE: "le",
    exp.GT: "gt",
    exp.GTE: "ge",
}
_DEEPEST = 100
_TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


class Condition(ABC):
    """Something that a row of a result fulfils or not."""

    @abstractmethod
    def holds(self, row: Mapping[str, Any]) -> bool | None:
        """Tell whether it holds; None where that is unknown."""


@final
@frozen
class Comparison(Condition):
    """A column beside a literal."""

    column: str
    sign: str
    value: Any

    def holds(self, row: Mapping[str, Any]) -> bool | None:
        """Compare; null and NaN compare with nothing."""
        found = row[self.column]
        if found is None or found != found:
            return None
        return bool(getattr(operator, self.sign)(found, self.value))


@final
@frozen
class Both(Condition):
    """Two conditions, both of which must hold."""

    first: Condition
    second: Condition

    def holds(self, row: Mapping[str, Any]) -> bool | None:
        """False where one is false, unknown where one is unknown."""
        found = (self.first.holds(row), self.second.holds(row))
        return False if False in found else None if None in found else True


@final
@frozen
class Negation(Condition):
    """A condition that must not hold."""

    of: Condition

    def holds(self, row: Mapping[str, Any]) -> bool | None:
        """Turn it round; unknown stays unknown."""
        found = self.of.holds(row)
        return None if found is None else not found


def read_condition(node: Any, find: Find, depth: int = 0) -> Condition:
    """Read a HAVING clause, or refuse it by name."""
    if depth > _DEEPEST:
        raise Invalid(f"SQL: more than {_DEEPEST} conditions within each other are not allowed in HAVING.")
    if isinstance(node, exp.Paren):
        only(node, "this")
        return read_condition(node.this, find, depth + 1)
    if type(node) is exp.Not:
        only(node, "this")
        return Negation(read_condition(node.this, find, depth + 1))
    if type(node) in (exp.And, exp.Or):
        only(node, "this", "expression")
        first, second = (read_condition(each, find, depth + 1) for each in (node.this, node.expression))
        if type(node) is exp.And:
            return Both(first, second)
        return Negation(Both(Negation(first), Negation(second)))
    if type(node) not in _SIGNS:
        raise refuse(f"{describe(node)} in HAVING", node, "Compare columns of the result with literals.")
    only(node, "this", "expression")
    sign, left, right = _SIGNS[type(node)], node.this, node.expression
    value = _literal(right)
    if value is None:
        sign, left, value = _TURNED[sign], right, _literal(left)
    if value is None:
        raise refuse("a comparison without a literal in HAVING", node, "Compare columns of the result with literals.")
    name, kind = find(left)
    wanted = {bool: "boolean", str: "text"}.get(type(value), "number")
    if wanted != (kind if kind in ("boolean", "text") else "number"):
        raise Mismatch(f"SQL: HAVING compares {kind} {shorten(name)} with {wanted}: {shorten(written(node))}.")
    return Comparison(name, sign, value)


def _literal(node: Any) -> Any:
    """Read a number, a text or a boolean; None for anything else."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return -number(node.this.name)
    if isinstance(node, exp.Literal):
        return node.name if node.is_string else number(node.name)
    return bool(node.this) if isinstance(node, exp.Boolean) else None
