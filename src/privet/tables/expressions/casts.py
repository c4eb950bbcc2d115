"""Casts: between all kinds that have one meaning in each other. What does not convert is null."""

import re
from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import LARGEST, SMALLEST, Kind
from privet.tables.expressions.accepting import MIDNIGHT, REAL_OF_INTEGER, UNNEST, brief, of
from privet.tables.expressions.arithmetic import whole
from privet.tables.expressions.node import Expression, Function
from privet.tables.expressions.numeric import away
from privet.tables.expressions.ranges import DAY, LIMITS, Range, anything, finite, texts, truth, within
from privet.tables.expressions.syntax import binary, finite_unsigned, let
from privet.tables.vocabulary import bare, call, cast, try_cast, when

Tree = exp.Expr
_DATE = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
TIME = r"([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,6}))?)?"
SYNTAX: dict[Kind, str] = {
    "integer": " *[+-]?[0-9]{1,50} *",
    "real": r" *[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})? *",
    "boolean": "(?i:true|false|t|f|yes|no|y|n|1|0)",
    "date": _DATE,
    "timestamp": f"{_DATE}(?:[ T]{TIME})?",
}
WORDS: dict[Kind, str] = {
    "integer": "the number of up to 50 decimal digits, with a sign or not, spaces around allowed: ' -12 '",
    "real": "the nearest double of a decimal number, with an exponent or not, spaces around allowed: '-1.5e3'",
    "boolean": "true for true, t, yes, y, 1; false for false, f, no, n, 0; small letters or capitals",
    "date": "the date written as '2024-01-31'",
    "timestamp": "'2024-01-31', '2024-01-31 12:30' or '2024-01-31 12:30:15.25', with a T for the space or not",
}


def read_text(kind: Kind, text: str) -> Any:
    """Read a text that is written out; None where its syntax is another one."""
    match = re.fullmatch(SYNTAX[kind], text, re.ASCII)
    if match is None:
        return None
    if kind == "integer":
        return whole(int(text))
    if kind == "real":
        return finite(float(text))
    if kind == "boolean":
        return text[0] in "tTyY1"
    parts = [int(part) for part in match.groups(default="0")[:6]]
    try:
        if kind == "date":
            return date(*parts)
        return datetime(*parts, int((match[7] or "0").ljust(6, "0")))  # type: ignore[call-arg, arg-type]  # noqa: DTZ001
    except ValueError:
        return None


def _from_text(kind: Kind) -> Function:
    def compiled(tree: Tree) -> Tree:
        def body(value: Tree) -> Tree:
            fits = call("matches", value.copy(), bare(SYNTAX[kind]))
            if kind in ("date", "timestamp"):  # the engine knows the year 0000, Python does not
                fits = exp.And(this=fits, expression=binary(exp.GTE, value.copy(), bare("0001")))
            return when(fits, try_cast(value.copy(), kind))

        parsed = let(tree, body)
        return finite_unsigned(parsed) if kind == "real" else parsed

    return _cast("text", kind, WORDS[kind], lambda _: anything(kind), compiled, lambda text: read_text(kind, text))


def _cast(
    source: Kind,
    target: Kind,
    meaning: str,
    infer: Callable[[Range], Range],
    compiled: Callable[[Tree], Tree],
    convert: Callable[[Any], Any] | None = None,
) -> Function:
    return Function(
        name=f"cast {source} as {target}",
        usage=f"cast(x as {target}) of {source}",
        meaning=meaning,
        nulls="x is null" + ("; x does not convert" if source == "text" else ""),
        domain=_domain(source, target),
        accept=of("cast", [source]),
        infer=infer,
        compile=lambda x: compiled(x.sql()),
        convert=convert,
        write=lambda texts: f"cast({texts[0]} as {target})",
    )


def _domain(source: Kind, target: Kind) -> str:
    if target == "boolean":
        return "true, false"
    if source == "boolean":
        return "0 to 1" if target in LIMITS else "'true', 'false'"
    if target in LIMITS and source in LIMITS:
        return "the converted bounds"
    long = f" no longer than any {source}" if target == "text" else ""
    return f"the converted categories, else any {target}{long}"


def _engine(target: Kind) -> Callable[[Tree], Tree]:
    return lambda tree: cast(tree, target)


def _real_to_integer(known: Range) -> Range:
    low, high = (Fraction(away(float(end))) for end in (known.low, known.high))
    return within("integer", low, high, nullable=known.nullable or low < SMALLEST or high > LARGEST)


def _whole_sql(tree: Tree) -> Tree:
    def body(value: Tree) -> Tree:
        fits = exp.And(
            this=binary(exp.GTE, value.copy(), bare(float(SMALLEST))),
            expression=binary(exp.LT, value.copy(), bare(float(LARGEST + 1))),
        )
        return when(fits, try_cast(value.copy(), "integer"))

    return let(call("round", tree), body)


def _text(length: int) -> Callable[[Range], Range]:
    return lambda known: texts(length, nullable=known.nullable)


def _zero_or_one(kind: Kind) -> Callable[[Range], Range]:
    return lambda known: within(kind, 0, 1, nullable=known.nullable)


def _nonzero(zero: Any) -> Callable[[Tree], Tree]:
    return lambda tree: binary(exp.NEQ, tree, bare(zero))


CASTS: dict[tuple[Kind, Kind], Function] = {
    ("integer", "real"): evolve(
        REAL_OF_INTEGER,
        name="cast integer as real",
        usage="cast(x as real) of integer",
        write=lambda texts: f"cast({texts[0]} as real)",
    ),
    ("date", "timestamp"): evolve(
        MIDNIGHT,
        name="cast date as timestamp",
        usage="cast(x as timestamp) of date",
        write=lambda texts: f"cast({texts[0]} as timestamp)",
    ),
    ("timestamp", "date"): _cast(
        "timestamp",
        "date",
        "the day",
        lambda x: within("date", x.low // DAY, x.high // DAY, nullable=x.nullable),
        _engine("date"),
    ),
    ("real", "integer"): evolve(
        _cast(
            "real",
            "integer",
            "the nearest integer, halves away from zero",
            _real_to_integer,
            _whole_sql,
        ),
        nulls="x is null; beyond 64 bits",
    ),
    ("boolean", "integer"): _cast("boolean", "integer", "1 or 0", _zero_or_one("integer"), _engine("integer")),
    ("boolean", "real"): _cast("boolean", "real", "1 or 0", _zero_or_one("real"), _engine("real")),
    ("integer", "boolean"): _cast(
        "integer", "boolean", "whether x is not 0", lambda x: truth(nullable=x.nullable), _nonzero(0)
    ),
    ("real", "boolean"): _cast(
        "real", "boolean", "whether x is not 0", lambda x: truth(nullable=x.nullable), _nonzero(0.0)
    ),
    ("integer", "text"): _cast(
        "integer",
        "text",
        "the decimal digits",
        lambda x: texts(max(len(str(int(end))) for end in (x.low, x.high)), nullable=x.nullable),
        _engine("text"),
    ),
    ("real", "text"): _cast(
        "real",
        "text",
        "the shortest decimal, as in Python; zero has no sign",
        _text(24),  # -2.2250738585072014e-308
        _engine("text"),
    ),
    ("boolean", "text"): _cast("boolean", "text", "'true' or 'false'", _text(5), _engine("text")),
    ("date", "text"): _cast("date", "text", "as 2024-01-31", _text(10), _engine("text")),
    ("timestamp", "text"): _cast("timestamp", "text", "as 2024-01-31 12:00:00.5", _text(26), _engine("text")),
    ("text", "integer"): _from_text("integer"),
    ("text", "real"): _from_text("real"),
    ("text", "boolean"): _from_text("boolean"),
    ("text", "date"): _from_text("date"),
    ("text", "timestamp"): _from_text("timestamp"),
}


def convert(argument: Expression, kind: Kind) -> Expression:
    """Cast an expression to a kind."""
    if argument.kind == kind:
        return argument
    function = CASTS.get((argument.kind, kind))
    if function is None:
        hint = " Use extract or date_diff." if "integer" in (argument.kind, kind) else ""
        hint = f" {UNNEST}" if argument.kind == "list" else hint
        raise InvalidError(f"cast: there is no meaning of {argument.kind} as {kind}: {brief(argument)}.{hint}")
    return function(argument)


FUNCTIONS = tuple(CASTS.values())
