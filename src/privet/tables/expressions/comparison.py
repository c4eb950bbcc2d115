"""Comparisons: exact between integers and reals, by code points between texts; null where a side is null."""

from collections.abc import Callable

from sqlglot import exp

from privet.tables.columns import NUMBERS
from privet.tables.expressions.accepting import alike, count
from privet.tables.expressions.arithmetic import infix, plain
from privet.tables.expressions.node import Expression, Function, Nodes, Ranges, never
from privet.tables.expressions.ranges import Range, truth
from privet.tables.expressions.syntax import binary, operand
from privet.tables.vocabulary import cast, try_cast

_EXACT = 2**53  # integers up to here are doubles


def _accept(sign: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(sign, arguments, 2)
        if {argument.kind for argument in arguments} == set(NUMBERS):
            return arguments
        return alike(sign, arguments)

    return accept


def _infer(ranges: Ranges) -> Range:
    return truth(nullable=any(known.nullable for known in ranges))


def _mixed(tree: type[exp.Binary], whole: Expression, real: Expression, *, swapped: bool) -> exp.Expr:
    """Compare a large integer with a real, exactly.

    Let d be the double next to i. Rounding is monotone, so d < r implies i < r, and d > r implies i > r. If d = r, r
    is whole and below 2^64, and i is compared with it in 128 bits.
    """

    def ordered(kind: type[exp.Binary], left: exp.Expr, right: exp.Expr) -> exp.Expr:
        return binary(kind, right, left) if swapped else binary(kind, left, right)

    near = cast(whole.sql(), "real")
    large = try_cast(real.sql(), "int128")
    tie = binary(exp.And, binary(exp.EQ, near, real.sql()), ordered(tree, whole.sql(), large))
    if tree is exp.EQ:
        return tie
    strict = {exp.LTE: exp.LT, exp.GTE: exp.GT}.get(tree, tree)
    return binary(exp.Or, ordered(strict, near.copy(), real.sql()), tie)


def _compile(tree: type[exp.Binary]) -> Callable[[Nodes], exp.Expr]:
    def compiled(arguments: Nodes) -> exp.Expr:
        x, y = arguments
        if x.kind == y.kind:
            left, right = (plain(side) if side.kind == "integer" else side.sql() for side in (x, y))
            return binary(tree, left, right)
        whole, real = (x, y) if x.kind == "integer" else (y, x)
        if max(abs(whole.range.low), abs(whole.range.high)) > _EXACT:
            return _mixed(tree, whole, real, swapped=whole is y)
        left, right = (cast(side.sql(), "real") if side is whole else side.sql() for side in (x, y))
        return binary(tree, left, right)

    return compiled


def _compare(sign: str, meaning: str, tree: type[exp.Binary]) -> Function:
    return Function(
        name=sign,
        usage=f"x {sign} y",
        meaning=meaning + "; integers with reals exactly, texts by code points, false before true",
        nulls="x or y is null",
        domain="true, false",
        accept=_accept(sign),
        infer=_infer,
        compile=_compile(tree),
        write=infix(sign),
    )


EQUAL = _compare("=", "whether x equals y", exp.EQ)
NOT_EQUAL = _compare("<>", "whether x differs from y", exp.NEQ)
BELOW = _compare("<", "whether x is below y", exp.LT)
AT_MOST = _compare("<=", "whether x is y or below", exp.LTE)
ABOVE = _compare(">", "whether x is above y", exp.GT)
AT_LEAST = _compare(">=", "whether x is y or above", exp.GTE)


def _count_one(name: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 1)
        return arguments

    return accept


IS_NULL = Function(
    name="is null",
    usage="x is null, x is not null",
    meaning="whether x is null",
    nulls="never",
    domain="true, false",
    accept=_count_one("is null"),
    infer=lambda ranges: Range(
        kind="boolean",
        categories=(True,) if ranges[0].never else (False, True) if ranges[0].nullable else (False,),
        nullable=False,
    ),
    compile=lambda arguments: exp.Is(this=operand(arguments[0].sql()), expression=exp.Null()),
    foldable=never,
    strict=False,
    write=lambda texts: f"({texts[0]} is null)",
)

FUNCTIONS = (EQUAL, NOT_EQUAL, BELOW, AT_MOST, ABOVE, AT_LEAST, IS_NULL)
