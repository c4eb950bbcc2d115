"""The absolute value and rounding: halves away from zero, for every kind and in casts too."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import NUMBERS
from privet.tables.expressions.accepting import check_kind, constant, count, of
from privet.tables.expressions.arithmetic import escapes
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import LIMITS, Range, anything, within
from privet.tables.expressions.syntax import narrow, unsigned, wide
from privet.tables.vocabulary import bare, call

_MOST_DIGITS = 15
_LARGE = Fraction(10) ** 280  # above this, rounding to digits may overflow on the way


def away(value: float) -> float:
    """Round to the nearest whole number, halves away from zero."""
    size = math.floor(abs(value))
    size += Fraction(abs(value)) - size >= Fraction(1, 2)
    return math.copysign(float(size), value)


def _may_be_signed(x: Range, high: Fraction) -> bool:
    """Whether a negative number may be rounded to -0.0, where the largest result is ``high``."""
    return x.low < 0 <= high


def _absolute(known: Range) -> tuple[Fraction, Fraction]:
    low = Fraction(0) if known.low <= 0 <= known.high else min(abs(known.low), abs(known.high))
    return low, max(abs(known.low), abs(known.high))


def _abs_infer(x: Range) -> Range:
    return within(x.kind, *_absolute(x), nullable=x.nullable or x.low < -LIMITS[x.kind][1])


def _abs_compile(x: Expression) -> exp.Expr:
    if x.range.low < -LIMITS[x.kind][1]:
        return narrow(call("abs", wide(x.sql())))
    return call("abs", x.sql())


ABS = Function(
    name="abs",
    usage="abs(x)",
    meaning="the absolute value",
    nulls="x is null; x is -2^63",
    domain="the exact interval",
    accept=of("abs", NUMBERS),
    infer=_abs_infer,
    compile=_abs_compile,
)


def _step(name: str, meaning: str, apply: Callable[[Any], int]) -> Function:
    def infer(x: Range) -> Range:
        if x.kind == "integer":
            return x
        return evolve(within("real", apply(x.low), apply(x.high), nullable=x.nullable), whole=True)

    def compiled(x: Expression) -> exp.Expr:
        if x.kind == "integer":
            return x.sql()
        tree = call(name, x.sql())
        return unsigned(tree) if _may_be_signed(x.range, Fraction(apply(x.range.high))) else tree

    return Function(
        name=name,
        usage=f"{name}(x)",
        meaning=meaning + "; of the kind of x",
        nulls="x is null",
        domain="the exact interval",
        accept=of(name, NUMBERS),
        infer=infer,
        compile=compiled,
    )


FLOOR = _step("floor", "the largest whole number that is not above x", math.floor)
CEIL = _step("ceil", "the smallest whole number that is not below x", math.ceil)


def _round_accept(arguments: Nodes) -> Nodes:
    count("round", arguments, 1, 2)
    x = check_kind("round", arguments[0], NUMBERS)
    digits = arguments[1] if len(arguments) == 2 else Literal(0, "integer")
    places = constant("round", "the number of digits", check_kind("round", digits, ["integer"]))
    if abs(places) > _MOST_DIGITS:
        raise InvalidError(f"round: digits must lie between -{_MOST_DIGITS} and {_MOST_DIGITS}, got {places}.")
    return x, digits


def _rounded_real(x: float, places: int) -> float:
    """Round as the engine does: by a power of ten, in doubles."""
    unit = float(10 ** abs(places))
    if places < 0:
        value = away(x / unit) * unit
        return value if math.isfinite(value) else x
    scaled = x * unit
    return away(scaled) / unit if math.isfinite(scaled) else x


def _round_infer(x: Range, digits: Range) -> Range:
    places = int(digits.low)
    if x.kind == "integer":
        ends = [_rounded_whole(int(end), places) for end in (x.low, x.high)]
        return within("integer", *ends, nullable=x.nullable or escapes(x, ends))
    if max(abs(x.low), abs(x.high)) > _LARGE:
        return anything("real", nullable=x.nullable)
    ends = [Fraction(_rounded_real(float(end), places)) for end in (x.low, x.high)]
    return within("real", *ends, nullable=x.nullable)


def _rounded_whole(x: int, places: int) -> Fraction:
    if places >= 0:
        return Fraction(x)
    unit = 10**-places
    size = (abs(x) + unit // 2) // unit * unit
    return Fraction(size if x >= 0 else -size)


def _round_compile(x: Expression, digits: Expression) -> exp.Expr:
    places = int(digits.range.low)
    if x.kind == "real":
        tree = call("round", x.sql(), bare(places)) if places else call("round", x.sql())
        return unsigned(tree) if _may_be_signed(x.range, _round_infer(x.range, digits.range).high) else tree
    if places >= 0:
        return x.sql()
    if escapes(x.range, [_rounded_whole(int(end), places) for end in (x.range.low, x.range.high)]):
        return narrow(call("round", wide(x.sql()), bare(places)))
    return call("round", x.sql(), bare(places))


ROUND = Function(
    name="round",
    usage="round(x), round(x, digits)",
    meaning=f"the nearest multiple of 10^-digits, halves away from zero; digits from -{_MOST_DIGITS} to {_MOST_DIGITS}",
    nulls="x is null; an integer leaves 64 bits",
    domain="the rounded bounds",
    accept=_round_accept,
    infer=_round_infer,
    compile=_round_compile,
)

FUNCTIONS = (ABS, FLOOR, CEIL, ROUND)
