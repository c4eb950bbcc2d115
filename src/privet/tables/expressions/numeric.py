"""Functions of numbers: the absolute value, rounding, roots, powers, exponentials and logarithms.

Halves are rounded away from zero, for every kind and in casts too. Mathematical libraries round roots, powers and
logarithms almost, not quite, correctly; bounds allow 256 units in the last place. What is not defined or not finite is
null.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import evolve
from flint import arb
from sqlglot import exp

from privet.core import directed
from privet.errors import InvalidError
from privet.tables.columns import NUMBERS
from privet.tables.expressions.accepting import check_kind, constant, count, of, reals
from privet.tables.expressions.arithmetic import escapes
from privet.tables.expressions.node import Expression, Function, Literal, Nodes, never
from privet.tables.expressions.ranges import LARGEST_REAL, LIMITS, Range, anything, outward, within
from privet.tables.expressions.syntax import binary, guard, let, narrow, wide
from privet.tables.vocabulary import bare, call, case, cast, whole

_MOST_DIGITS = 15
_LARGE = Fraction(10) ** 280  # above this, rounding to digits may overflow on the way
Interval = tuple[Fraction, Fraction]
_LARGEST_EXPONENT = Fraction(7097, 10)  # exp of this is just below the largest double, 709.78 above
_TINIEST = Fraction(1, 2**1074)


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


def _abs_compile(x: Expression) -> exp.Expr:
    leaves = x.range.low < -LIMITS[x.kind][1]
    return narrow(call("abs", wide(x.sql()))) if leaves else call("abs", x.sql())


ABS = Function(
    name="abs",
    usage="abs(x)",
    meaning="the absolute value",
    nulls="x is null; x is -2^63",
    domain="the exact interval",
    accept=of("abs", NUMBERS),
    infer=lambda x: within(x.kind, *_absolute(x), nullable=x.nullable or x.low < -LIMITS[x.kind][1]),
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
        signed = _may_be_signed(x.range, Fraction(apply(x.range.high)))
        return guard(call(name, x.sql()), escapes=False, signed=signed)

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
TRUNC = _step("trunc", "x without its fraction", math.trunc)


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _sign_compile(x: Expression) -> exp.Expr:
    def body(value: exp.Expr) -> exp.Expr:
        signs = ((exp.GT, 1), (exp.LT, -1), (exp.EQ, 0))
        compared = [(binary(kind, value.copy(), cast(bare(0), x.kind)), whole(sign)) for kind, sign in signs]
        return case(compared, None)

    return let(x.sql(), body)


SIGN = Function(
    name="sign",
    usage="sign(x)",
    meaning="1 above zero, -1 below zero, 0 at zero; an integer",
    nulls="x is null",
    domain="the signs of the bounds, and what lies between",
    accept=of("sign", NUMBERS),
    infer=lambda x: within("integer", _sign(x.low), _sign(x.high), nullable=x.nullable),
    compile=_sign_compile,
)


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
        signed = _may_be_signed(x.range, _round_infer(x.range, digits.range).high)
        return guard(tree, escapes=False, signed=signed)
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

ROUNDINGS = (ABS, SIGN, FLOOR, CEIL, TRUNC, ROUND)


def _sqrt_infer(x: Range) -> Range:
    if x.high < 0:
        return Range(kind="real", categories=())
    ends = (Fraction(math.sqrt(max(end, Fraction(0)))) for end in (x.low, x.high))  # rounded correctly, so monotone
    return within("real", *ends, nullable=x.nullable or x.low < 0)


SQRT = Function(
    name="sqrt",
    usage="sqrt(x)",
    meaning="the square root",
    nulls="x is null; x is negative",
    domain="the exact interval",
    accept=reals("sqrt", 1),
    infer=_sqrt_infer,
    compile=lambda x: guard(call("sqrt", x.sql()), escapes=x.range.low < 0, signed=False),
)


def _exp_infer(x: Range) -> Range:
    bounds = _exponentials(min(x.low, _LARGEST_EXPONENT), min(x.high, _LARGEST_EXPONENT))
    low, high = outward(*bounds)
    overflow = x.high > _LARGEST_EXPONENT
    return within("real", max(low, Fraction(0)), LARGEST_REAL if overflow else high, nullable=x.nullable or overflow)


EXP = Function(
    name="exp",
    usage="exp(x)",
    meaning="e to the power x",
    nulls="x is null; the result leaves the doubles",
    domain="the interval, rounded outward",
    accept=reals("exp", 1),
    infer=_exp_infer,
    compile=lambda x: guard(call("exp", x.sql()), escapes=x.range.high > _LARGEST_EXPONENT, signed=False),
    foldable=never,
)


def _logarithm(name: str, usage: str, meaning: str, base: int | None) -> Function:
    def rule(value: arb) -> arb:
        return value.log() if base is None else value.log() / arb(base).log()

    def end(value: Fraction, side: str) -> Fraction:
        return Fraction(0) if value == 1 else directed(rule, value, toward="down" if side == "low" else "up")

    def infer(x: Range) -> Range:
        if x.high <= 0:
            return Range(kind="real", categories=())
        low, high = outward(end(max(x.low, _TINIEST), "low"), end(x.high, "high"))
        return within("real", low, high, nullable=x.nullable or x.low <= 0)

    return Function(
        name=name,
        usage=usage,
        meaning=meaning,
        nulls="x is null; x is 0 or negative",
        domain="the interval, rounded outward",
        accept=reals(name, 1),
        infer=infer,
        compile=lambda x: guard(call(name, x.sql()), escapes=x.range.low <= 0, signed=False),
        foldable=never,
    )


LN = _logarithm("ln", "ln(x)", "the natural logarithm", None)
LOG10 = _logarithm("log10", "log10(x), log(x)", "the logarithm to base 10", 10)
LOG2 = _logarithm("log2", "log2(x)", "the logarithm to base 2", 2)


def _power_interval(x: Range, y: Range) -> Interval | None:
    """Bound x to the power y; None where anything may happen."""
    if x.low > 0:  # y ln x is largest and smallest at corners
        logs = [b * (directed(arb.log, a, toward=side) if a != 1 else 0) for a in (x.low, x.high)
                for b in (y.low, y.high) for side in ("down", "up")]  # fmt: skip
        return None if max(logs) > _LARGEST_EXPONENT else _exponentials(min(logs), max(logs))
    if y.low == y.high and y.low.denominator == 1 and 0 < y.low <= 64:  # a whole power, of any sign
        ends = [x.low ** int(y.low), x.high ** int(y.low)]
        even = y.low % 2 == 0
        return (Fraction(0) if even and x.low <= 0 <= x.high else min(ends)), max(ends)
    if x.low >= 0 and y.low > 0:
        top = _power_interval(within("real", max(x.high, _TINIEST), max(x.high, _TINIEST), nullable=False), y)
        return None if top is None else (Fraction(0), top[1])
    return None


def _exponentials(low: Fraction, high: Fraction) -> Interval:
    bottom = directed(arb.exp, low, toward="down") if low > -800 else Fraction(0)
    top = directed(arb.exp, high, toward="up") if high > -800 else _TINIEST
    return bottom, top


def _pow_bounds(x: Range, y: Range) -> Interval | None:
    interval = _power_interval(x, y)
    if interval is None or max(map(abs, interval)) > LARGEST_REAL / 2:
        return None
    low, high = outward(*interval)
    return (max(low, Fraction(0)) if interval[0] >= 0 else low), high


def _pow_infer(x: Range, y: Range) -> Range:
    bounds = _pow_bounds(x, y)
    return anything("real") if bounds is None else within("real", *bounds, nullable=x.nullable or y.nullable)


def _pow_compile(x: Expression, y: Expression) -> exp.Expr:
    escapes, signed = _pow_bounds(x.range, y.range) is None, x.range.low < 0  # an odd power may be rounded to -0.0
    return guard(call("pow", x.sql(), y.sql()), escapes=escapes, signed=signed)


POW = Function(
    name="pow",
    usage="pow(x, y), x ** y",
    meaning="x to the power y, always real; 1 where y is 0",
    nulls="x or y is null; x is 0 and y negative; x is negative and y not whole; the result leaves the doubles",
    domain="the interval, rounded outward, where x is positive or y a whole literal, else any real",
    accept=reals("pow", 2),
    infer=_pow_infer,
    compile=_pow_compile,
    foldable=never,
)

POWERS = (SQRT, EXP, LN, LOG10, LOG2, POW)
