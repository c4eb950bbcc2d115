"""Roots, powers, exponentials and logarithms: real, and null where they are not defined or not finite.

Mathematical libraries round these functions almost, not quite, correctly; bounds allow 256 units in the last place.
"""

import math
from fractions import Fraction

from flint import arb
from sqlglot import exp

from privet.core import directed
from privet.tables.expressions.accepting import reals
from privet.tables.expressions.node import Expression, Function, never
from privet.tables.expressions.ranges import LARGEST_REAL, Range, anything, outward, within
from privet.tables.expressions.syntax import finite, guard
from privet.tables.vocabulary import call

Interval = tuple[Fraction, Fraction]
_LARGEST_EXPONENT = Fraction(7097, 10)  # exp of this is just below the largest double, 709.78 above
_SMALLEST = Fraction(1, 2**1074)


def _sqrt_infer(x: Range) -> Range:
    if x.high < 0:
        return Range(kind="real", categories=())
    ends = (Fraction(math.sqrt(max(end, Fraction(0)))) for end in (x.low, x.high))  # rounded correctly, so monotone
    return within("real", *ends, nullable=x.nullable or x.low < 0)


def _sqrt_compile(x: Expression) -> exp.Expr:
    tree = call("sqrt", x.sql())
    return tree if x.range.low >= 0 else finite(tree)


SQRT = Function(
    name="sqrt",
    usage="sqrt(x)",
    meaning="the square root",
    nulls="x is null; x is negative",
    domain="the exact interval",
    accept=reals("sqrt", 1),
    infer=_sqrt_infer,
    compile=_sqrt_compile,
)


def _exp_infer(x: Range) -> Range:
    bounds = _exponentials(min(x.low, _LARGEST_EXPONENT), min(x.high, _LARGEST_EXPONENT))
    low, high = outward(*bounds)
    overflow = x.high > _LARGEST_EXPONENT
    return within("real", max(low, Fraction(0)), LARGEST_REAL if overflow else high, nullable=x.nullable or overflow)


def _exp_compile(x: Expression) -> exp.Expr:
    tree = call("exp", x.sql())
    return tree if x.range.high <= _LARGEST_EXPONENT else finite(tree)


EXP = Function(
    name="exp",
    usage="exp(x)",
    meaning="e to the power x",
    nulls="x is null; the result leaves the doubles",
    domain="the interval, rounded outward",
    accept=reals("exp", 1),
    infer=_exp_infer,
    compile=_exp_compile,
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
        low, high = outward(end(max(x.low, _SMALLEST), "low"), end(x.high, "high"))
        return within("real", low, high, nullable=x.nullable or x.low <= 0)

    def compiled(x: Expression) -> exp.Expr:
        tree = call(name, x.sql())
        return tree if x.range.low > 0 else finite(tree)

    return Function(
        name=name,
        usage=usage,
        meaning=meaning,
        nulls="x is null; x is 0 or negative",
        domain="the interval, rounded outward",
        accept=reals(name, 1),
        infer=infer,
        compile=compiled,
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
        top = _power_interval(within("real", max(x.high, _SMALLEST), max(x.high, _SMALLEST), nullable=False), y)
        return None if top is None else (Fraction(0), top[1])
    return None


def _exponentials(low: Fraction, high: Fraction) -> Interval:
    bottom = directed(arb.exp, low, toward="down") if low > -800 else Fraction(0)
    top = directed(arb.exp, high, toward="up") if high > -800 else _SMALLEST
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
    tree, bounds = call("pow", x.sql(), y.sql()), _pow_bounds(x.range, y.range)
    return guard(tree, escapes=bounds is None, signed=x.range.low < 0)  # an odd power may be rounded to -0.0


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

FUNCTIONS = (SQRT, EXP, LN, LOG10, LOG2, POW)
