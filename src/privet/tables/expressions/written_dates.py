"""Dates and timestamps in formats that are written out: the formats that columns of a codebook may have."""

from sqlglot import exp

from privet.tables.columns import ISO, check_date_format
from privet.tables.expressions.accepting import check_kind, constant, count
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import anything
from privet.tables.expressions.syntax import let
from privet.tables.vocabulary import parsed

_SHORT = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%D": "%m/%d/%y", "%R": "%H:%M", "%e": "%d", "%h": "%b", "%-": "%"}


def expanded(written: str) -> str:
    """Write the short forms of a format out.

    >>> expanded("%F %R")
    '%Y-%m-%d %H:%M'
    """
    parts = written.split("%%")  # no part begins in the second half of an escaped sign
    for short, long in _SHORT.items():
        parts = [part.replace(short, long) for part in parts]
    return "%%".join(parts)


def _accept(arguments: Nodes) -> Nodes:
    count("strptime", arguments, 2)
    written = constant("strptime", "the format", check_kind("strptime", arguments[1], ["text"]))
    form = expanded(written)
    form = form.upper() if form == ISO else form  # the word of codebooks is no format here
    return check_kind("strptime", arguments[0], ["text"]), Literal(
        check_date_format("timestamp", form, "strptime: the format"), "text"
    )


def _compile(x: Expression, written: Expression) -> exp.Expr:
    (form,) = written.range.categories or ("",)
    return let(x.sql(), lambda value: parsed(value, form))


STRPTIME = Function(
    name="strptime",
    usage="strptime(s, '%d.%m.%Y %H:%M'), parse_timestamp('%d.%m.%Y', s), parse_date('%d.%m.%Y', s)",
    meaning="the timestamp that s writes in this format, one of [those of columns](reading.md#dates); parse_date gives "
    "the date",
    nulls="s is null; s is written otherwise, or there is no such day",
    domain="any timestamp, or any date",
    accept=_accept,
    infer=lambda *_: anything("timestamp"),
    compile=_compile,
)

FUNCTIONS = (STRPTIME,)
