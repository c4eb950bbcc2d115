"""Arithmetic: + - * / // % and the sign. Integers in 64 bits, reals as finite doubles; what leaves them is null."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import LARGEST, NUMBERS, SMALLEST
from privet.tables.expressions.accepting import alike, check_kind, count, of, reals
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import Range, anything, overflows, rounded, within
from privet.tables.expressions.syntax import binary, guard, let, narrow, operand, wide
from privet.tables.vocabulary import bare, call, cast

Interval = tuple[Fraction, Fraction]
Rule = Callable[[Range, Range], Interval]


def plain(argument: Expression) -> exp.Expr:
    """Write an integer literal without its type: beside an expression of 64 bits it takes that."""
    return bare(argument.value) if isinstance(argument, Literal) else argument.sql()


def infix(sign: str) -> Callable[[tuple[str, ...]], str]:
    """Write ``(x sign y)``."""
    return lambda texts: f"({texts[0]} {sign} {texts[1]})"


def _product(x: Range, y: Range) -> Interval:
    corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
    return min(corners), max(corners)


def escapes(x: Range, interval: Sequence[Fraction]) -> bool:
    """Tell whether a result may leave the kind, so that it must be guarded and may be null."""
    low, high = interval
    return overflows(low, high) if x.kind == "real" else low < SMALLEST or high > LARGEST


def may_be_signed(x: Range, y: Range, interval: Interval | None) -> bool:
    """Whether a product or quotient may be -0.0: some factor is negative, and the result may be rounded to zero."""
    if min(x.low, y.low) >= 0:
        return False
    return interval is None or rounded(interval[0]) <= 0 <= rounded(interval[1])


def _pair(name: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        return alike(name, of(name, NUMBERS, NUMBERS)(arguments))

    return accept


def _whole_pair(name: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2)
        if any(argument.kind == "real" for argument in arguments):
            raise InvalidError(f"{name} is for integers, got a real. Write floor(x / y) instead.")
        return tuple(check_kind(name, argument, ["integer"]) for argument in arguments)

    return accept


def _basic(sign: str, meaning: str, rule: Rule, tree: type[exp.Binary]) -> Function:
    def infer(x: Range, y: Range) -> Range:
        low, high = interval = rule(x, y)
        if x.kind == "real":
            low, high = rounded(low), rounded(high)
        return within(x.kind, low, high, nullable=x.nullable or y.nullable or escapes(x, interval))

    def compiled(x: Expression, y: Expression) -> exp.Expr:
        interval = rule(x.range, y.range)
        if x.kind == "real":
            signed = tree is exp.Mul and may_be_signed(x.range, y.range, interval)
            return guard(binary(tree, x.sql(), y.sql()), escapes=escapes(x.range, interval), signed=signed)
        if not escapes(x.range, interval):
            return binary(tree, plain(x), plain(y))
        return narrow(binary(tree, wide(plain(x)), wide(plain(y))))

    return Function(
        name=sign,
        usage=f"x {sign} y",
        meaning=meaning,
        nulls="x or y is null; the result leaves 64 bits, or the doubles",
        domain="the exact interval",
        accept=_pair(sign),
        infer=infer,
        compile=compiled,
        write=infix(sign),
    )


def whole(value: int) -> int | None:
    """Give null beyond 64 bits."""
    return value if SMALLEST <= value <= LARGEST else None


ADD = _basic("+", "the sum", lambda x, y: (x.low + y.low, x.high + y.high), exp.Add)
SUBTRACT = _basic("-", "the difference", lambda x, y: (x.low - y.high, x.high - y.low), exp.Sub)
MULTIPLY = _basic("*", "the product", _product, exp.Mul)


def _zero(known: Range) -> bool:
    return known.low <= 0 <= known.high


def _quotient(x: Range, y: Range) -> Interval | None:
    """Bound the quotients by divisors that are not zero; None where those come arbitrarily near to it."""
    parts = [(y.low, y.high)]
    if _zero(y):
        if not y.whole:
            return None
        parts = [(low, high) for low, high in ((y.low, Fraction(-1)), (Fraction(1), y.high)) if low <= high]
    corners = [a / b for a in (x.low, x.high) for part in parts for b in part] or [Fraction(0)]
    return min(corners), max(corners)


def _divide_infer(x: Range, y: Range) -> Range:
    interval = _quotient(x, y)
    if interval is None:
        return anything("real")
    nullable = x.nullable or y.nullable or _zero(y) or overflows(*interval)
    return within("real", rounded(interval[0]), rounded(interval[1]), nullable=nullable)


def _divide_compile(x: Expression, y: Expression) -> exp.Expr:
    interval = _quotient(x.range, y.range)
    tree = binary(exp.Div, x.sql(), y.sql())
    escapes = interval is None or _zero(y.range) or overflows(*interval)
    return guard(tree, escapes=escapes, signed=may_be_signed(x.range, y.range, interval))


DIVIDE = Function(
    name="/",
    usage="x / y",
    meaning="the quotient, always real, of integers too",
    nulls="x or y is null; y is 0; the result leaves the doubles",
    domain="the exact interval where y is an integer or cannot be 0, else any real",
    accept=reals("/", 2),
    infer=_divide_infer,
    compile=_divide_compile,
    write=infix("/"),
)


def _divisors(y: Range) -> list[int]:
    """The extreme divisors of both signs, zero left out."""
    low, high = int(y.low), int(y.high)
    ends = {low, high} | ({-1} if low <= -1 <= high else set()) | ({1} if low <= 1 <= high else set())
    return sorted(ends - {0})


def toward_zero(x: int, y: int) -> int:
    """Divide and drop the fraction."""
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def _whole_quotient(x: Range, y: Range) -> Interval | None:
    corners = [toward_zero(int(a), b) for a in (x.low, x.high) for b in _divisors(y)]
    return (Fraction(min(corners)), Fraction(max(corners))) if corners else None


def _remainder(x: Range, y: Range) -> Interval | None:
    largest = max((abs(divisor) for divisor in _divisors(y)), default=0) - 1
    if largest < 0:
        return None
    low = Fraction(0) if x.low >= 0 else max(x.low, Fraction(-largest))
    high = Fraction(0) if x.high <= 0 else min(x.high, Fraction(largest))
    return low, high


def _overflow_by_minus_one(x: Range, y: Range) -> bool:
    return x.low <= SMALLEST and y.low <= -1 <= y.high


def _positive_one(divisor: exp.Expr) -> exp.Expr:
    """Divide by 1 instead of -1: the remainder is 0 all the same, and the engine does not stumble over -2^63 / -1."""
    minus_one, zero = (binary(kind, divisor.copy(), bare(value)) for kind, value in ((exp.EQ, -1), (exp.NEQ, 0)))
    return exp.Case(ifs=[exp.If(this=minus_one, true=cast(bare(1), "integer")), exp.If(this=zero, true=divisor.copy())])


def _whole_division(sign: str, meaning: str, domain: str, rule: Any, tree: type[exp.Binary]) -> Function:
    def infer(x: Range, y: Range) -> Range:
        interval = rule(x, y)
        if interval is None:
            return Range(kind="integer", categories=())
        nullable = x.nullable or y.nullable or _zero(y) or (sign == "//" and _overflow_by_minus_one(x, y))
        return within("integer", *interval, nullable=nullable)

    def compiled(x: Expression, y: Expression) -> exp.Expr:
        overflow = _overflow_by_minus_one(x.range, y.range)
        divisor = plain(y)
        if sign == "%" and overflow:
            divisor = let(y.sql(), _positive_one)
        elif _zero(y.range):
            divisor = call("nullif", y.sql(), bare(0))
        if sign == "//" and overflow:
            return narrow(binary(tree, wide(x.sql()), wide(divisor)))
        return binary(tree, plain(x), divisor)

    return Function(
        name=sign,
        usage=f"x {sign} y",
        meaning=meaning,
        nulls="x or y is null; y is 0" + ("; -2^63 // -1" if sign == "//" else ""),
        domain=domain,
        accept=_whole_pair(sign),
        infer=infer,
        compile=compiled,
        write=infix(sign),
    )


WHOLE_DIVIDE = _whole_division(
    "//",
    "the quotient of integers, rounded toward zero",
    "the exact interval",
    _whole_quotient,
    exp.IntDiv,
)
REMAINDER = _whole_division(
    "%",
    "x - (x // y) * y, with the sign of x",
    "between 0 and x, nearer to 0 than y",
    _remainder,
    exp.Mod,
)


def _negate_compile(x: Expression) -> exp.Expr:
    if escapes(x.range, (-x.range.high, -x.range.low)):
        return narrow(exp.Neg(this=operand(wide(x.sql()))))
    if x.kind == "real" and x.range.low <= 0 <= x.range.high:
        return binary(exp.Sub, bare(0.0), x.sql())  # -x would make -0.0 of 0.0
    return exp.Neg(this=operand(x.sql()))


NEGATE = Function(
    name="unary -",
    usage="-x",
    meaning="the number of the other sign",
    nulls="x is null; x is -2^63",
    domain="the exact interval",
    accept=of("unary -", NUMBERS),
    infer=lambda x: within(x.kind, -x.high, -x.low, nullable=x.nullable or escapes(x, (-x.high, -x.low))),
    compile=_negate_compile,
    write=lambda texts: f"(-{texts[0]})",
)

FUNCTIONS = (ADD, SUBTRACT, MULTIPLY, DIVIDE, WHOLE_DIVIDE, REMAINDER, NEGATE)
