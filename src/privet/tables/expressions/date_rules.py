"""The rules of reading dates: their parts, differences, and intervals that are added to them."""

from functools import partial
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import arithmetic, dates, intervals
from privet.tables.expressions.casts import read_text
from privet.tables.expressions.catalog import refused, shorten, where, written
from privet.tables.expressions.expression_reader import ExpressionReader, Rule
from privet.tables.expressions.folding import folded
from privet.tables.expressions.node import Expression, Literal

_OTHER_NAMES = {"dow": "dayofweek", "doy": "dayofyear", "weekofyear": "week", "isoweek": "week"}


def _add(reader: ExpressionReader, node: exp.Add) -> Expression:
    reader.only(node, "this", "expression")
    if isinstance(node.expression, exp.Interval):
        return _shifted(reader, node.this, node.expression, sign=1)
    if isinstance(node.this, exp.Interval):
        return _shifted(reader, node.expression, node.this, sign=1)
    left, right = _plainly(reader, node)
    if left.kind == "date" and right.kind == "integer":
        return intervals.DATE_ADD(Literal("day", "text"), right, left)
    if left.kind == "integer" and right.kind == "date":
        return intervals.DATE_ADD(Literal("day", "text"), left, right)
    return arithmetic.ADD(left, right)


def _subtract(reader: ExpressionReader, node: exp.Sub) -> Expression:
    reader.only(node, "this", "expression")
    if isinstance(node.expression, exp.Interval):
        return _shifted(reader, node.this, node.expression, sign=-1)
    left, right = _plainly(reader, node)
    if left.kind in dates.MOMENTS and right.kind in dates.MOMENTS:
        return dates.DATE_DIFF(Literal("day", "text"), right, left)
    if left.kind == "date" and right.kind == "integer":
        return intervals.DATE_ADD(Literal("day", "text"), arithmetic.NEGATE(right), left)
    return arithmetic.SUBTRACT(left, right)


def _plainly(reader: ExpressionReader, node: exp.Binary) -> tuple[Expression, Expression]:
    if isinstance(node.expression, exp.Null) or isinstance(node.this, exp.Null):
        raise InvalidError(f"A sum with null is always null: {shorten(written(node))}. Write x is null.")
    return reader.read(node.this), reader.read(node.expression)


def _shifted(reader: ExpressionReader, moment: Any, interval: exp.Interval, *, sign: int) -> Expression:
    """Read ``d + interval '3' month``; the number and the unit are written out."""
    reader.only(interval, "this", "unit")
    return _date_add(reader, moment, interval.this, interval.args.get("unit"), sign)


def _date_add(reader: ExpressionReader, moment: Any, number: Any, unit: Any, sign: int) -> Expression:
    value = folded(number) if isinstance(number, exp.Expr) else None
    if value is None and isinstance(number, exp.Literal) and number.is_string:
        value = read_text("integer", number.name)
    if not isinstance(value, int) or not isinstance(unit, exp.Var | exp.Literal):
        raise InvalidError(
            f"An interval must be a whole number and a unit that are written out, such as interval '3' month: "
            f"{shorten(reader.text)}."
        )
    part = unit.name.lower()
    part = part[:-1] if part.endswith("s") else part
    return intervals.DATE_ADD(Literal(part, "text"), Literal(sign * value, "integer"), reader.read(moment))


def _date_function(sign: int, reader: ExpressionReader, node: exp.Expr) -> Expression:
    """Read ``date_add(d, interval 3 day)`` and its like."""
    reader.only(node, "this", "expression", "unit")
    number, unit = node.args.get("expression"), node.args.get("unit")
    if isinstance(number, exp.Interval):
        return _shifted(reader, node.this, number, sign=sign)
    return _date_add(reader, node.this, number, unit or exp.var("day"), sign)


def date_call(reader: ExpressionReader, name: str, node: exp.Anonymous) -> Expression:
    """Read ``dateadd(day, 3, d)`` and ``date_sub(d, interval 3 day)``."""
    arguments = node.expressions
    if name == "dateadd" and len(arguments) == 3:
        part = arguments[0].this if isinstance(arguments[0], exp.Column) else arguments[0]
        unit = exp.var(part.name) if isinstance(part, exp.Identifier) else part
        return _date_add(reader, arguments[2], arguments[1], unit, 1)
    if len(arguments) != 2 or not isinstance(arguments[1], exp.Interval):
        raise refused(reader.text, node)
    return _shifted(reader, arguments[0], arguments[1], sign=-1 if "sub" in name else 1)


def unit_of(reader: ExpressionReader, node: exp.Expr, part: Any) -> Literal:
    """Read a part of a date that is written out, such as ``'month'``."""
    if not isinstance(part, exp.Var) and not (isinstance(part, exp.Literal) and part.is_string):
        raise InvalidError(
            f"The part must be written out, such as 'month': {shorten(written(node))}{where(reader.text, node)}."
        )
    name = part.name.lower()
    return Literal(_OTHER_NAMES.get(name, name), "text")


def _extract(reader: ExpressionReader, node: exp.Extract) -> Expression:
    reader.only(node, "this", "expression")
    return dates.EXTRACT(unit_of(reader, node, node.this), reader.read(node.expression))


def _date_trunc(reader: ExpressionReader, node: exp.Expr) -> Expression:
    reader.only(node, "this", "unit")
    return dates.DATE_TRUNC(unit_of(reader, node, node.args.get("unit")), reader.read(node.this))


def _date_diff(reader: ExpressionReader, node: exp.DateDiff) -> Expression:
    reader.only(node, "this", "expression", "unit")
    part = unit_of(reader, node, node.args.get("unit"))
    return dates.DATE_DIFF(part, reader.read(node.expression), reader.read(node.this))


def _part(name: str, reader: ExpressionReader, node: exp.Expr) -> Expression:
    reader.only(node, "this")
    return dates.EXTRACT(Literal(name, "text"), reader.read(node.this))


DATE_RULES: dict[type, Rule] = {
    exp.Add: _add,
    exp.Sub: _subtract,
    exp.Year: partial(_part, "year"),
    exp.Quarter: partial(_part, "quarter"),
    exp.Month: partial(_part, "month"),
    exp.Week: partial(_part, "week"),
    exp.WeekOfYear: partial(_part, "week"),
    exp.Day: partial(_part, "day"),
    exp.DayOfMonth: partial(_part, "day"),
    exp.DayOfWeek: partial(_part, "dayofweek"),
    exp.DayOfWeekIso: partial(_part, "isodow"),
    exp.DayOfYear: partial(_part, "dayofyear"),
    exp.Hour: partial(_part, "hour"),
    exp.Minute: partial(_part, "minute"),
    exp.Second: partial(_part, "second"),
    exp.Extract: _extract,
    exp.TimestampTrunc: _date_trunc,
    exp.DateTrunc: _date_trunc,
    exp.DateDiff: _date_diff,
    exp.DateAdd: partial(_date_function, 1),
    exp.DateSub: partial(_date_function, -1),
    exp.TsOrDsAdd: partial(_date_function, 1),
    exp.TimestampAdd: partial(_date_function, 1),
    exp.TimestampSub: partial(_date_function, -1),
    exp.DatetimeAdd: partial(_date_function, 1),
    exp.DatetimeSub: partial(_date_function, -1),
}
