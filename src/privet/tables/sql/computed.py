"""Columns that a SELECT computes from released values, and the intervals that follow from theirs.

A computed column is a function of what is public already. It has an interval where the function rises or falls with one
released value, or with the ratio of two: then the ends of the interval go where the value goes.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, isfinite, nan
from typing import Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.tables.columns.column import Column
from privet.tables.engines.grammar import Grammar
from privet.tables.expressions.folding import exact
from privet.tables.expressions.node import Expression
from privet.tables.expressions.syntax import KIND_OF
from privet.tables.sql.released import computed
from privet.tables.sql.scalar import read_scalar

_BASE = "privet base"
_REAL = {_BASE: Column(kind="real")}
_ROUNDING = (exp.Round, exp.Floor, exp.Ceil)
Base = tuple[float, float, float, float]  # a released value, its standard error, and the ends of its interval
Moved = tuple[float, float, float]  # the standard error and the ends of a computed value


@final
@frozen
class MonotoneColumn:
    """How the interval of a computed column follows from that of what it is computed from.

    Args:
        base: The released column, or the numerator and the denominator of a ratio.
        value: The function, of the column ``privet base``; it rises or falls with it.
        smooth: The same without rounding, for standard errors.
        rising: Whether it rises.
    """

    base: tuple[str, ...]
    value: Expression
    smooth: Expression
    rising: bool

    def move(self, bases: Sequence[Base]) -> list[Moved]:
        """Give standard errors at first order, exact for a factor, and the ends of intervals."""
        points: list[float] = []
        for value, error, low, high in bases:
            points += [value - error, value + error, low, high]
        rows = [{_BASE: point if isfinite(point) else None} for point in points]
        smooth, moved = computed([self.smooth, self.value], rows)
        open_ends = (-inf, inf) if self.rising else (inf, -inf)
        found: list[Moved] = []
        for at, (_, _, low, high) in zip(range(0, len(points), 4), bases, strict=True):
            before, after = smooth[at], smooth[at + 1]
            error = nan if before is None or after is None else abs(float(after) - float(before)) / 2
            ends = [_end(*each) for each in zip((low, high), moved[at + 2 : at + 4], open_ends, strict=True)]
            found.append((error, *(ends if self.rising else reversed(ends))))
        return found


def _end(end: float, moved: float | None, open_end: float) -> float:
    if end != end:
        return nan
    return open_end if moved is None else float(moved)


@final
@frozen
class Output:
    """One column of the result.

    Args:
        label: What it is called.
        value: Its value, from the released columns.
        name: The released column that it is, where it is one.
        reach: What is known of its interval, where it is computed.
    """

    label: str
    value: Expression
    name: str | None = None
    reach: MonotoneColumn | None = None


@final
@frozen
class _Found:
    """The node on which a computed column depends, and whether it rises with it."""

    base: tuple[str, ...]
    node: exp.Expr
    rising: bool

    def turned(self, *, same: bool) -> "_Found":
        return self if same else evolve(self, rising=not self.rising)


Descend = Callable[[exp.Expr, Mapping[str, Column]], _Found | None]


def find_reach(tree: exp.Expr, numbers: Mapping[str, Column], dialect: Grammar) -> MonotoneColumn | None:
    """Find what the interval of a computed column follows from; None where it is not that simple.

    Args:
        tree: The expression over released columns.
        numbers: The released columns that are numbers with intervals.
        dialect: Whose SQL was written.
    """
    whole = exp.Paren(this=tree.copy())
    found = _descend(whole, numbers)
    if found is None:
        return None
    variable = exp.column(exp.to_identifier(_BASE, quoted=True))
    if len(found.base) == 1:
        found.node.replace(variable)
    else:
        for column, new in zip(_ratio(found.node), (variable, exp.Literal.number(1)), strict=True):
            column.replace(new)
    smooth = whole.copy()
    for node in [each for each in smooth.walk() if isinstance(each, _ROUNDING)]:
        node.replace(exp.Paren(this=node.this))
    value, unrounded = (read_scalar(each, _REAL, dialect) for each in (whole, smooth))
    return MonotoneColumn(found.base, value, unrounded, found.rising)


def _descend(node: exp.Expr, numbers: Mapping[str, Column]) -> _Found | None:
    """Go down through functions that rise or fall, to one released column or a ratio of two."""
    if isinstance(node, exp.Column):
        return _base(node, numbers)
    if isinstance(node, exp.Greatest | exp.Least):
        inner = [each for each in (node.this, *node.expressions) if _constant(each) is None]
        return _descend(inner[0], numbers) if len(inner) == 1 else None
    if isinstance(node, exp.Neg):
        return _falling(_descend(node.this, numbers))
    if isinstance(node, exp.Div | exp.SafeDivide) and _constant(node.expression) is None:
        return _of_ratio(node, numbers)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div):
        return _of_operation(node, numbers, _descend)
    return _descend(node.this, numbers) if _is_monotone(node) else None


def _base(node: exp.Column, numbers: Mapping[str, Column]) -> _Found | None:
    return _Found((node.name,), node, rising=True) if node.name in numbers else None


def _falling(found: _Found | None) -> _Found | None:
    return None if found is None else found.turned(same=False)


def _is_monotone(node: exp.Expr) -> bool:
    """Tell whether a node rises with its first argument, which is the only one with a column in it."""
    if isinstance(node, _ROUNDING):
        return not any(part.find(exp.Column) for part in _parts(node))
    return isinstance(node, exp.Paren) or _to_real(node)


def _of_operation(node: exp.Binary, numbers: Mapping[str, Column], descend: Descend) -> _Found | None:
    """Go down through an operation of which one side is a number."""
    left, right = _constant(node.this), _constant(node.expression)
    if (left is None) == (right is None) or (left is not None and isinstance(node, exp.Div)):
        return None
    found = descend(node.this if left is None else node.expression, numbers)
    factor = (left or 0.0) + (right or 0.0)  # one of them is the number
    if not isinstance(node, exp.Mul | exp.Div):
        return _falling(found) if isinstance(node, exp.Sub) and left is not None else found
    if factor == 0:
        return None
    return _falling(found) if factor < 0 else found


def _of_ratio(node: exp.Expr, numbers: Mapping[str, Column]) -> _Found | None:
    """Read a ratio of two released columns, each with a factor or without."""
    top, bottom = _factor(node.this, numbers), _factor(node.expression, numbers)
    if top is None or bottom is None or top.base == bottom.base:
        return None
    return _Found((*top.base, *bottom.base), node, top.rising == bottom.rising)


def _factor(node: exp.Expr, numbers: Mapping[str, Column]) -> _Found | None:
    """Go down through factors only: a sum of a column and a number has no simple ratio."""
    if isinstance(node, exp.Column):
        return _base(node, numbers)
    if isinstance(node, exp.Neg):
        return _falling(_factor(node.this, numbers))
    if isinstance(node, exp.Mul | exp.Div):
        return _of_operation(node, numbers, _factor)
    zero = isinstance(node, exp.Nullif) and _constant(node.expression) == 0  # a ratio over zero is null anyway
    return _factor(node.this, numbers) if zero or isinstance(node, exp.Paren) or _to_real(node) else None


def _ratio(node: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """Give the two columns of a ratio."""
    top, bottom = (next(side.find_all(exp.Column)) for side in (node.this, node.expression))
    return top, bottom


def _constant(node: Any) -> float | None:
    found = exact(node)
    return None if found is None else float(found[1])


def _parts(node: exp.Expr) -> list[exp.Expr]:
    """Give what a call has beside its first argument."""
    return [part for part in node.iter_expressions() if part is not node.this]


def _to_real(node: exp.Expr) -> bool:
    return type(node) is exp.Cast and KIND_OF.get(node.to.this) == "real"
