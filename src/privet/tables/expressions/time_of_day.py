"""Times of day: texts such as ``'09:30:00'``, whose order is that of the times.

They have no kind of their own. ``cast(x as time)`` and ``parse_time`` write a time always in the same way, so that
equal times are equal texts.
"""

import re
from collections.abc import Callable

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import check_clock_format, format_pattern
from privet.tables.expressions.accepting import brief, check_kind, constant, count, of
from privet.tables.expressions.casts import TIME
from privet.tables.expressions.node import Call, Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import Range, only, texts
from privet.tables.expressions.syntax import binary, let
from privet.tables.expressions.written_dates import expanded
from privet.tables.vocabulary import bare, call, cast, try_cast, when

_ANY_DAY = "1970-01-01 "
_BEGINS = len(_ANY_DAY) + 1  # the place of the time in the text of a timestamp
_LONGEST = len("23:59:59.999999")
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{0,5}[1-9])?", re.ASCII)
_CUTS = {"hour": (2, ":00:00"), "minute": (5, ":00"), "second": (8, "")}
_PLACES = {"hour": 1, "minute": 4, "second": 7}


def _clock(moment: exp.Expr) -> exp.Expr:
    """Write the time of a timestamp."""
    return call("substr", cast(moment, "text"), bare(_BEGINS))


def _as_time(known: Range) -> Range:
    return texts(_LONGEST, nullable=True if known.kind == "text" else known.nullable)


OF_TIMESTAMP = Function(
    name="cast timestamp as time",
    usage="cast(x as time) of timestamp, time(x)",
    meaning="the time of day, as the text '09:30:00' or '09:30:00.25'",
    nulls="x is null",
    domain="any text of a time",
    accept=of("cast", ["timestamp"]),
    infer=_as_time,
    compile=lambda x: _clock(x.sql()),
    write=lambda texts: f"cast({texts[0]} as time)",
)


def _read_clock(tree: exp.Expr) -> exp.Expr:
    def body(value: exp.Expr) -> exp.Expr:
        moment = try_cast(binary(exp.DPipe, bare(_ANY_DAY), value.copy()), "timestamp")
        return when(call("matches", value.copy(), bare(TIME)), _clock(moment))

    return let(tree, body)


OF_TEXT = Function(
    name="cast text as time",
    usage="cast(x as time) of text, time '09:30:00'",
    meaning="the time of day that is written as '09:30', '09:30:15' or '09:30:15.25', as such a text with seconds",
    nulls="x is null; x does not convert",
    domain="any text of a time",
    accept=of("cast", ["text"]),
    infer=_as_time,
    compile=lambda x: _read_clock(x.sql()),
    write=lambda texts: f"cast({texts[0]} as time)",
)


def _format_accept(arguments: Nodes) -> Nodes:
    count("parse_time", arguments, 2)
    written = constant("parse_time", "the format", check_kind("parse_time", arguments[0], ["text"]))
    form = check_clock_format("parse_time", expanded(written))
    return Literal(form, "text"), check_kind("parse_time", arguments[1], ["text"])


def _parse_compile(written: Expression, x: Expression) -> exp.Expr:
    (form,) = written.range.categories or ("",)

    def body(value: exp.Expr) -> exp.Expr:
        trimmed = call("trim", value.copy())
        fits = call("matches", trimmed, bare(format_pattern(form)))
        return when(fits, _clock(call("parse_timestamp", trimmed.copy(), bare(form))))

    return let(x.sql(), body)


PARSE_TIME = Function(
    name="parse_time",
    usage="parse_time('%I:%M %p', s)",
    meaning="the time of day that s writes in this format, as the text '09:30:00'; parts not named are zero",
    nulls="s is null; s is written otherwise, or there is no such time",
    domain="any text of a time",
    accept=_format_accept,
    infer=lambda _, known: _as_time(known),
    compile=_parse_compile,
)


def is_time(argument: Expression) -> bool:
    """Tell whether an expression gives times of day, however its column calls them."""
    if isinstance(argument, Literal):
        return argument.kind == "text" and (argument.value is None or _TIME.fullmatch(argument.value) is not None)
    return isinstance(argument, Call) and argument.function.name in _GIVING


def _accept(name: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2)
        part = constant(name, "the part", check_kind(name, arguments[0], ["text"])).lower()
        if part not in _CUTS:
            raise InvalidError(f"{name}: the part of a time must be one of {', '.join(_CUTS)}, got '{part}'.")
        if not is_time(arguments[1]):
            hint = "date_trunc" if arguments[1].kind in ("date", "timestamp") else "cast(... as time)"
            raise InvalidError(
                f"{name} takes a time of day, got {arguments[1].kind}: {brief(arguments[1])}. Use {hint}."
            )
        return Literal(part, "text"), arguments[1]

    return accept


def _trunc_infer(part: Range, known: Range) -> Range:
    (name,) = part.categories or ("hour",)
    length, rest = _CUTS[name]
    if name == "hour":
        hours = only("text", [f"{hour:02}{rest}" for hour in range(24)])
        return hours if not known.nullable else only("text", [*(hours.categories or ()), None])
    return texts(length + len(rest), nullable=known.nullable)


def _trunc_compile(part: Expression, x: Expression) -> exp.Expr:
    length, rest = _CUTS[(part.range.categories or ("hour",))[0]]
    cut = call("substr", x.sql(), bare(1), bare(length))
    return binary(exp.DPipe, cut, bare(rest)) if rest else cut


TIME_TRUNC = Function(
    name="time_trunc",
    usage="time_trunc(t, hour)",
    meaning="the first moment of the hour, minute or second that holds the time of day t, as a text",
    nulls="t is null",
    domain="the 24 full hours; else any text of a time",
    accept=_accept("time_trunc"),
    infer=_trunc_infer,
    compile=_trunc_compile,
    write=lambda texts: f"time_trunc({texts[1]}, {texts[0][1:-1]})",
)


def clock_part(part: str, tree: exp.Expr) -> exp.Expr:
    """Give the hour, minute or second of the text of a time."""
    return try_cast(call("substr", tree, bare(_PLACES[part]), bare(2)), "integer")


_GIVING = frozenset(each.name for each in (OF_TIMESTAMP, OF_TEXT, PARSE_TIME, TIME_TRUNC))
FUNCTIONS = (PARSE_TIME, TIME_TRUNC)
CASTS = (OF_TIMESTAMP, OF_TEXT)


def time_of(argument: Expression) -> Expression:
    """Cast an expression to a time of day."""
    if is_time(argument):
        return argument
    if argument.kind in ("text", "timestamp"):
        return (OF_TEXT if argument.kind == "text" else OF_TIMESTAMP)(argument)
    raise InvalidError(
        f"cast: there is no time of day of {argument.kind}: {brief(argument)}. Use a timestamp or a text."
    )
