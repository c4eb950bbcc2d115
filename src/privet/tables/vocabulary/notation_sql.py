"""Texts in the notation of a column, as SQL: total functions of one text each.

What fits a notation is decided by regular expressions, since the parsers of engines take other texts too. Statement:
docs/tables/reading.md.
"""

from typing import Literal

from sqlglot import exp

from privet.tables.columns import THOUSANDS, Column, format_pattern, number_pattern
from privet.tables.vocabulary.literals import call, case, cast, text, when, whole

Source = Literal["small", "large", "unsigned", "decimal", "float", "boolean", "text", "date", "timestamp", "zoned"]


def is_marker_text(value: exp.Expr, known: Column) -> exp.Expr:
    """Tell whether a text is a marker of a missing value, apart from spaces around it."""
    markers = [call("trim", text(each)) for each in known.notation.markers]
    return exp.In(this=call("trim", value.copy()), expressions=markers)


def without_markers(value: exp.Expr, known: Column) -> exp.Expr:
    """Make a text null that is a marker of a missing value, exactly as written."""
    markers = known.notation.markers
    if not markers:
        return value
    marked = exp.In(this=value, expressions=[text(each) for each in markers])
    return case([(marked, exp.null())], value.copy())


def cleaned_text(value: exp.Expr, known: Column) -> exp.Expr:
    """Take spaces off a text and change its capitals, as the column says."""
    for each in known.notation.clean:
        value = call(each, value)
    return value


def truth_of_words(value: exp.Expr, source: Source, known: Column) -> exp.Expr:
    """Read a truth value by its words, whatever their capitals; numbers by the digits that write them."""
    if source == "boolean":
        return value
    written = call("lower", call("trim", value if source == "text" else cast(value, "text")))
    notation = known.notation
    ways = []
    for words, truth in ((notation.true_words, exp.true()), (notation.false_words, exp.false())):
        listed = [call("lower", call("trim", text(each))) for each in words]
        ways.append((exp.In(this=written.copy(), expressions=listed), truth))
    return case(ways, None)


def parsed(value: exp.Expr, written: str) -> exp.Expr:
    """Read a text as a timestamp in one format; null where it is written otherwise, or there is no such day."""
    trimmed = call("trim", value.copy())
    fits = call("matches", trimmed, text(format_pattern(written)))
    return when(fits, call("parse_timestamp", trimmed.copy(), text(written)))


def plain_number(value: exp.Expr, known: Column) -> exp.Expr:
    """Write a number in plain digits with a point; null where the text is none in this notation."""
    notation = known.notation
    pattern = text(number_pattern(notation))

    def group(number: int) -> exp.Expr:
        return call("part", value.copy(), pattern.copy(), whole(number, "int32"))

    digits = group(3)
    for mark in THOUSANDS[notation.thousands] if notation.thousands else "":
        digits = call("replace", digits, text(mark), text(""))
    if notation.decimal == ",":
        digits = call("replace", digits, text(","), text("."))
    share = case([(exp.EQ(this=group(4), expression=text("%")), text("e-2"))], text(""))
    ends = [share] if notation.percent == "share" else []
    one_sign = exp.Or(
        this=exp.EQ(this=group(1), expression=text("")), expression=exp.EQ(this=group(2), expression=text(""))
    )
    fits = exp.And(this=call("matches", value.copy(), pattern.copy()), expression=exp.Paren(this=one_sign))
    return when(fits, call("concat", group(1), group(2), digits, *ends))
