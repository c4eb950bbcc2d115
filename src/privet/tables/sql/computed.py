"""Columns that a SELECT computes from released values, and the intervals that follow from theirs.

A computed column is a function of public values. It has an interval if the function rises or falls with one released
value, or with the ratio of two: then the function maps the ends of their interval to the ends of its own. The engine
computes values, so that they mean the same as in a query.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum, inf, isfinite, nan
from typing import Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.tables.columns import Column
from privet.tables.engines.default import evaluate
from privet.tables.engines.grammar import Grammar
from privet.tables.expressions import KIND_OF, Call, Expression, Literal, Reference, exact, parse
from privet.tables.releases.json_text import check
from privet.tables.sql.tree import read_scalar

Row = Mapping[str, Any]  # the released values of one group, by column
_BASE = "privet base"
_REAL = {_BASE: Column(kind="real")}
_ROUNDING = (exp.Round, exp.Floor, exp.Ceil)
Base = tuple[float, float, float, float]  # a released value, its standard error, and the ends of its interval
Moved = tuple[float, float, float]  # the standard error and the ends of a computed value


@final
@frozen
class MonotoneColumn:
    """A computed column that rises or falls with one released value or ratio, from whose interval its own follows.

    Args:
        base: The released column, or the numerator and the denominator of a ratio.
        value: The function, of the column ``privet base``.
        smooth: The same function without rounding, for standard errors.
        rising: Whether it rises.
    """

    base: tuple[str, ...]
    value: Expression
    smooth: Expression
    rising: bool

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values; functions as SQL."""
        return {"base": list(self.base), "value": str(self.value), "smooth": str(self.smooth), "rising": self.rising}

    @classmethod
    def decode(cls, data: dict[str, Any]) -> "MonotoneColumn":
        """Read what ``encode`` wrote."""
        base = tuple(data["base"])
        check(1 <= len(base) <= 2 and type(data["rising"]) is bool)
        return cls(base, parse(data["value"], _REAL), parse(data["smooth"], _REAL), data["rising"])

    def move(self, bases: Sequence[Base]) -> list[Moved]:
        """Give standard errors at first order, exact for a factor, and the ends of intervals."""
        points: list[float] = []
        for value, error, low, high in bases:
            points += [value - error, value + error, low, high]
        rows = [{_BASE: point if isfinite(point) else None} for point in points]
        smooth, moved = computed([self.smooth, self.value], rows)
        open_ends = (-inf, inf) if self.rising else (inf, -inf)
        results: list[Moved] = []
        for at, (_, _, low, high) in zip(range(0, len(points), 4), bases, strict=True):
            before, after = smooth[at], smooth[at + 1]
            error = nan if before is None or after is None else abs(float(after) - float(before)) / 2
            ends = [_end(*each) for each in zip((low, high), moved[at + 2 : at + 4], open_ends, strict=True)]
            results.append((error, *(ends if self.rising else reversed(ends))))
        return results


def _end(end: float, moved: float | None, open_end: float) -> float:
    if end != end:
        return nan
    return open_end if moved is None else float(moved)


@final
@frozen
class End:
    """An end of the interval of a column of the result.

    Args:
        of: The label of the column.
        part: ``_low`` or ``_high``.
    """

    of: str
    part: str


@final
@frozen
class Output:
    """One column of the result.

    Args:
        label: Its label.
        value: Its value, from the released columns.
        name: The released column that it shows; None if it is computed.
        reach: How its interval follows from released ones; None if it does not.
        end: The end of an interval that it shows, instead of the value; None for all other columns.
    """

    label: str
    value: Expression
    name: str | None = None
    reach: MonotoneColumn | None = None
    end: End | None = None

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values; the value as SQL."""
        reach = None if self.reach is None else self.reach.encode()
        end = {} if self.end is None else {"end": [self.end.of, self.end.part]}
        return {"label": self.label, "value": str(self.value), "reach": reach, **end}

    @classmethod
    def decode(cls, data: dict[str, Any], known: Mapping[str, Column]) -> "Output":
        """Read what ``encode`` wrote, where this is known of the released columns."""
        check(isinstance(data["label"], str))
        value = parse(data["value"], known)
        if "end" in data:
            of, part = data["end"]
            check(isinstance(of, str) and part in ("_low", "_high") and data["reach"] is None)
            return cls(data["label"], value, end=End(of, part))
        name = value.name if isinstance(value, Reference) else None
        return cls(data["label"], value, name, None if data["reach"] is None else MonotoneColumn.decode(data["reach"]))


@final
@frozen
class _Dependence:
    """The node on which a computed column depends, and whether the column rises with it."""

    base: tuple[str, ...]
    node: exp.Expr
    rising: bool


Descend = Callable[[exp.Expr, Mapping[str, Column]], _Dependence | None]


def find_reach(tree: exp.Expr, numbers: Mapping[str, Column], dialect: Grammar) -> MonotoneColumn | None:
    """Find the released value or ratio from whose interval that of a computed column follows; None if there is none.

    Args:
        tree: The expression over released columns.
        numbers: The released columns that are numbers with intervals.
        dialect: The grammar of the statement.
    """
    whole = exp.Paren(this=tree.copy())
    dependence = _descend(whole, numbers)
    if dependence is None:
        return None
    variable = exp.column(exp.to_identifier(_BASE, quoted=True))
    if len(dependence.base) == 1:
        dependence.node.replace(variable)
    else:
        for column, new in zip(_ratio(dependence.node), (variable, exp.Literal.number(1)), strict=True):
            column.replace(new)
    smooth = whole.copy()
    for node in [each for each in smooth.walk() if isinstance(each, _ROUNDING)]:
        node.replace(exp.Paren(this=node.this))
    value, unrounded = (read_scalar(each, _REAL, dialect) for each in (whole, smooth))
    return MonotoneColumn(dependence.base, value, unrounded, dependence.rising)


def _descend(node: exp.Expr, numbers: Mapping[str, Column]) -> _Dependence | None:
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


def _base(node: exp.Column, numbers: Mapping[str, Column]) -> _Dependence | None:
    return _Dependence((node.name,), node, rising=True) if node.name in numbers else None


def _falling(dependence: _Dependence | None) -> _Dependence | None:
    return None if dependence is None else evolve(dependence, rising=not dependence.rising)


def _is_monotone(node: exp.Expr) -> bool:
    """Tell whether a node rises with its first argument, which is the only one with a column in it."""
    if isinstance(node, _ROUNDING):
        return not any(part.find(exp.Column) for part in _parts(node))
    return isinstance(node, exp.Paren) or _to_real(node)


def _of_operation(node: exp.Binary, numbers: Mapping[str, Column], descend: Descend) -> _Dependence | None:
    """Go down through an operation of which one side is a number."""
    left, right = _constant(node.this), _constant(node.expression)
    if (left is None) == (right is None) or (left is not None and isinstance(node, exp.Div)):
        return None
    dependence = descend(node.this if left is None else node.expression, numbers)
    factor = (left or 0.0) + (right or 0.0)  # one of them is the number
    if not isinstance(node, exp.Mul | exp.Div):
        return _falling(dependence) if isinstance(node, exp.Sub) and left is not None else dependence
    if factor == 0:
        return None
    return _falling(dependence) if factor < 0 else dependence


def _of_ratio(node: exp.Expr, numbers: Mapping[str, Column]) -> _Dependence | None:
    """Read a ratio of two released columns, each with or without a factor."""
    top, bottom = _factor(node.this, numbers), _factor(node.expression, numbers)
    if top is None or bottom is None or top.base == bottom.base:
        return None
    return _Dependence((*top.base, *bottom.base), node, top.rising == bottom.rising)


def _factor(node: exp.Expr, numbers: Mapping[str, Column]) -> _Dependence | None:
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


def _constant(node: exp.Expr) -> float | None:
    kind_and_value = exact(node)
    return None if kind_and_value is None else float(kind_and_value[1])


def _parts(node: exp.Expr) -> list[exp.Expr]:
    """Give all parts of a call but its first argument."""
    return [part for part in node.iter_expressions() if part is not node.this]


def _to_real(node: exp.Expr) -> bool:
    return type(node) is exp.Cast and KIND_OF.get(node.to.this) == "real"


TOTALS = ("sum", "avg", "min", "max", "count")
"""What makes one value of the released values of all groups."""


def total_of(name: str, values: Sequence[Any]) -> Any:
    """Put released values together as SQL does: nulls are passed over, and of none there is no value.

    >>> total_of("sum", [1.5, None, 2]), total_of("max", []), total_of("count", [None, 3.0])
    (3.5, None, 1.0)
    """
    known = [each for each in values if each is not None]
    if name == "count":
        return float(len(known))
    if not known:
        return None
    if name in ("min", "max"):
        return min(known) if name == "min" else max(known)
    return fsum(known) / (len(known) if name == "avg" else 1)


def computed(expressions: Sequence[Expression], rows: Sequence[Row]) -> list[list[Any]]:
    """Give the values of each expression, one for each row; an expression that only names a column needs no engine.

    Args:
        expressions: The expressions.
        rows: Values of the kinds of their columns; None is null.
    """
    functions = [each for each in expressions if isinstance(each, Call)]
    kinds = {each.name: each.declared.kind for function in functions for each in function.mentions()}
    columns = {name: (kind, [row[name] for row in rows]) for name, kind in kinds.items()}
    results = evaluate([each.sql() for each in functions], columns, len(rows)) if functions and rows else []
    values = {id(each): result for each, result in zip(functions, results, strict=bool(rows))}
    return [_plain(each, rows) if not isinstance(each, Call) else values.get(id(each), []) for each in expressions]


def _plain(expression: Expression, rows: Sequence[Row]) -> list[Any]:
    if isinstance(expression, Literal):
        return [expression.value] * len(rows)
    (name,) = expression.references()
    return [row[name] for row in rows]
