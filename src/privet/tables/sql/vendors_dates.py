"""Dates and timestamps in the SQL of other systems: weekdays, weeks, parts, formats and moments."""

import re

from sqlglot import exp

from privet.tables.engines.grammar import Grammar
from privet.tables.sql.vendor_reading import Reading
from privet.tables.sql.vendors_formats import has_clock, why_no_format

_SUNDAY_IS_ONE: tuple[Grammar, ...] = ("bigquery", "mysql", "tsql", "spark", "databricks")
_MONDAY_IS_ONE: tuple[Grammar, ...] = ("trino", "presto")
_OTHER_WEEKS: tuple[Grammar, ...] = ("bigquery", "mysql", "tsql")
_MOMENTS: tuple[Grammar, ...] = ("bigquery", "spark", "databricks")  # TIMESTAMP is a moment, whatever the zone
_MOMENT = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?", re.ASCII)
FORMATTED = (exp.StrToTime, exp.StrToDate, exp.ParseDatetime, exp.ParseTime)
_UNITS = {"MM": "MONTH", "MON": "MONTH", "YYYY": "YEAR", "YY": "YEAR", "DD": "DAY", "ISOWEEK": "WEEK"}  # others' names


def weekday(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Number the days of a week as the grammar does."""
    if reading.grammar in _SUNDAY_IS_ONE:
        number = exp.Extract(this=exp.var("DAYOFWEEK"), expression=_moment(node))
        return exp.Paren(this=exp.Add(this=number, expression=exp.Literal.number(1)))
    if reading.grammar in _MONDAY_IS_ONE and not isinstance(node, exp.DayOfWeek):
        return exp.Extract(this=exp.var("ISODOW"), expression=_moment(node))
    return None


def _moment(node: exp.Expr) -> exp.Expr:
    inner: exp.Expr = node.expression if isinstance(node, exp.Extract) else node.this
    return inner.copy()


def date_part(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``EXTRACT(part FROM d)``: weekdays and weeks differ."""
    name = node.this.name.upper() if isinstance(node.this, exp.Var | exp.Literal) else ""
    if name in ("DAYOFWEEK", "DOW"):
        return weekday(reading, node)
    if name == "ISOWEEK":
        return exp.Extract(this=exp.var("WEEK"), expression=_moment(node))
    if name in ("DATE", "TIME"):
        return exp.cast(_moment(node), name)
    if isinstance(node.this, exp.WeekStart) or name.startswith("WEEK"):
        week(reading, node)
    return None


def week(reading: Reading, node: exp.Expr) -> None:
    """Refuse weeks that begin on Sunday."""
    if reading.grammar in _OTHER_WEEKS:
        raise reading.refuse(node, "its weeks begin on Sunday, weeks here on Monday. Use ISO weeks, days or months.")


def monday(node: exp.Expr) -> exp.Expr:
    """Write ``WEEKDAY(d)``, which is 0 on Monday."""
    number = exp.Extract(this=exp.var("ISODOW"), expression=node.expressions[0].copy())
    return exp.Paren(this=exp.Sub(this=number, expression=exp.Literal.number(1)))


def truncated_date(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``DATE_TRUNC``: units have other names, and weeks begin on other days."""
    unit = node.args.get("unit")
    name = unit.name.upper() if isinstance(unit, exp.Var | exp.Literal | exp.WeekStart) else ""
    if isinstance(unit, exp.WeekStart) and name != "MONDAY":
        raise reading.refuse(node, "its weeks begin on another day, weeks here on Monday. Use ISO weeks.")
    if isinstance(unit, exp.WeekStart):
        name = "WEEK"
    elif name.startswith("WEEK"):
        week(reading, node)
    renamed = node.copy()
    renamed.set("unit", exp.Literal.string(_UNITS.get(name, name)))
    return renamed


def full_periods(reading: Reading, node: exp.Expr) -> None:
    """Refuse differences in full periods."""
    raise reading.refuse(node, "it counts full periods of 24 hours. Write DATE_DIFF of two dates for days.")


def timestamp_literal(reading: Reading, node: exp.Expr) -> exp.Expr:
    """Read a cast to a moment, which is what some systems mean by TIMESTAMP; timestamps are in UTC here."""
    value = node.this.copy()
    if isinstance(value, exp.Literal):
        bare = re.sub(r"( ?UTC|Z)$", "", value.name)
        if not _MOMENT.fullmatch(bare):
            raise reading.refuse(node, "timestamps are in UTC here. Write it in UTC, TIMESTAMP '2024-01-31 12:30:00'.")
        value = exp.Literal.string(bare)
    return exp.Cast(this=value, to=exp.DataType(this=exp.DType.TIMESTAMP))


def timestamp_call(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``TIMESTAMP(x)`` without a zone where it is a moment."""
    return timestamp_literal(reading, node) if reading.grammar in _MOMENTS and node.args.get("zone") is None else None


def formatted_date(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read a text in a format: the plain call, whose format is that of strptime."""
    form = node.args.get("format")
    if not isinstance(form, exp.Literal):
        raise reading.refuse(node, "the format must be written out.")
    plain = form.name.replace("strict", "")  # some parsers note where two digits are needed
    why = why_no_format(plain, reading.grammar)
    if why:
        raise reading.refuse(node, why)
    kind = "parse_time" if isinstance(node, exp.ParseTime) else "parse_timestamp"
    if isinstance(node, exp.StrToDate) and not has_clock(plain):
        kind = "parse_date"
    return exp.Anonymous(this=kind, expressions=[exp.Literal.string(plain), node.this.copy()])


def dated(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``TO_DATE(s, 'YYYY-MM-DD')``."""
    form = node.args.get("format")
    if form is None:
        return None
    return formatted_date(reading, exp.StrToDate(this=node.this.copy(), format=form.copy()))
