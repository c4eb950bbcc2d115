"""Arithmetic of numbers that are written out: exact, and made a double once, at the end.

What an analyst types is a decimal. As doubles, ``0.06 - 0.01`` is below ``0.05``, and a row with 0.05 is lost from
``BETWEEN 0.06 - 0.01 AND 0.06 + 0.01``. The meaning is in docs/tables/expressions.md.
"""

import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from sqlglot import exp

from privet.tables.columns import LARGEST, SMALLEST, Kind
from privet.tables.expressions.ranges import overflows
from privet.tables.expressions.syntax import KIND_OF

Number = tuple[Kind, Fraction]  # integer or real, and the exact value
FOLDED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg, exp.Cast, exp.TryCast)
Operation = Callable[[Fraction, Fraction], Fraction]
_OPERATIONS: dict[type[exp.Expr], Operation] = {
    exp.Add: lambda x, y: x + y,
    exp.Sub: lambda x, y: x - y,
    exp.Mul: lambda x, y: x * y,
    exp.Div: lambda x, y: x / y,
}
_FLAGS = ("typed", "safe")  # set by the parser: any two numbers are divided in the same way here
_LONGEST = 400  # characters of a number, and places before or after its point
_MOST_BITS = 4096  # of a numerator or a denominator: beyond, doubles do


def folded(node: exp.Expr) -> int | float | None:
    """Give the value of an expression of numbers that are written out; None where it is none, or has no value.

    >>> import sqlglot
    >>> folded(sqlglot.parse_one("0.06 + 0.01")), 0.06 + 0.01
    (0.07, 0.06999999999999999)
    """
    constant = exact(node)
    if constant is None:
        return None
    kind, value = constant
    return int(value) if kind == "integer" else float(value)


def exact(node: Any) -> Number | None:
    """Give the exact value and the kind; None for whatever is left to the functions, with their nulls and refusals."""
    if isinstance(node, exp.Paren):
        return exact(node.this)
    if isinstance(node, exp.Literal):
        return None if node.is_string else _written(node.name)
    if isinstance(node, exp.Neg):
        inner = exact(node.this)
        return None if inner is None else _fitting(inner[0], -inner[1])
    if isinstance(node, exp.Cast):  # a TryCast is one too
        return _cast(node)
    operation = _OPERATIONS.get(type(node))
    return None if operation is None else _operated(node, operation)


def _operated(node: exp.Expr, operation: Operation) -> Number | None:
    if any(part for name, part in node.args.items() if name not in ("this", "expression", *_FLAGS)):
        return None
    left = exact(node.this)
    right = exact(node.expression) if left is not None else None
    if left is None or right is None or (type(node) is exp.Div and right[1] == 0):
        return None
    whole = left[0] == right[0] == "integer" and type(node) is not exp.Div
    return _fitting("integer" if whole else "real", operation(left[1], right[1]))


def _written(digits: str) -> Number | None:
    if digits.isascii() and digits.isdigit():
        return _fitting("integer", Fraction(int(digits))) if len(digits) <= _LONGEST else None
    try:
        value = Decimal(digits) if len(digits) <= _LONGEST else None
    except InvalidOperation:
        return None
    if value is None or not value.is_finite() or abs(value.adjusted()) > _LONGEST:
        return None
    return _fitting("real", Fraction(value))


def _cast(node: exp.Expr) -> Number | None:
    kind, inner = KIND_OF.get(node.args["to"].this), exact(node.this)
    if inner is None or kind not in ("integer", "real") or node.args["to"].expressions:
        return None
    value = inner[1]
    if kind == "integer":  # halves away from zero, as all casts
        value = Fraction(math.floor(abs(value) + Fraction(1, 2)) * (1 if value >= 0 else -1))
    return _fitting(kind, value)


def _fitting(kind: Kind, value: Fraction) -> Number | None:
    """Refuse what is null by its kind, and fractions that have grown too long to be worth it."""
    if kind == "integer":
        return (kind, value) if SMALLEST <= value <= LARGEST else None
    if overflows(value, value) or max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        return None
    return kind, value
