"""The rules of reading texts that write dates and times in a format, and times of day."""

from typing import Any

from sqlglot import exp

from privet.tables.expressions.casts import convert
from privet.tables.expressions.date_rules import unit_of
from privet.tables.expressions.expression_reader import ExpressionReader, Rule
from privet.tables.expressions.node import Expression
from privet.tables.expressions.time_of_day import PARSE_TIME, TIME_TRUNC, time_of
from privet.tables.expressions.written_dates import STRPTIME

TIME_CALLS = ("try_strptime", "parse_timestamp", "parse_datetime", "parse_date")


def time_call(reader: ExpressionReader, name: str, node: exp.Anonymous) -> Expression:
    """Read ``try_strptime(s, '%d.%m.%Y')``, or ``parse_date('%d.%m.%Y', s)`` and its like, whose format comes first."""
    first, second = (reader.read(each) for each in node.expressions)
    moment = STRPTIME(first, second) if name == "try_strptime" else STRPTIME(second, first)
    return convert(moment, "date") if name == "parse_date" else moment


def _strptime(reader: ExpressionReader, node: exp.StrToTime) -> Expression:
    reader.only(node, "this", "format")
    return STRPTIME(reader.read(node.this), reader.read(node.args.get("format")))


def _parse_time(reader: ExpressionReader, node: exp.ParseTime) -> Expression:
    reader.only(node, "this", "format")
    return PARSE_TIME(reader.read(node.this), reader.read(node.args.get("format")))


def _time_trunc(reader: ExpressionReader, node: exp.TimeTrunc) -> Expression:
    reader.only(node, "this", "unit")
    return TIME_TRUNC(unit_of(reader, node, node.args.get("unit")), reader.read(node.this))


def _time(reader: ExpressionReader, node: Any) -> Expression:
    reader.only(node, "this")
    return time_of(reader.read(node.this))


TIME_RULES: dict[type, Rule] = {
    exp.StrToTime: _strptime,
    exp.ParseTime: _parse_time,
    exp.TimeTrunc: _time_trunc,
    exp.TsOrDsToTime: _time,
    exp.Time: _time,
}
