"""Conditions: comparisons, and the logic of three values.

Comparisons are exact between integers and reals, by code points between texts, and null where a side is null. Null is
"not known": false and null is false, true or null is true.
"""

from collections.abc import Callable

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import KINDS, NUMBERS, Kind
from privet.tables.expressions.accepting import alike, brief, count, of, several_of, to_real, to_timestamp, unlike
from privet.tables.expressions.arithmetic import infix, plain
from privet.tables.expressions.casts import convert, read_text
from privet.tables.expressions.node import Expression, Function, Literal, Nodes, never
from privet.tables.expressions.ranges import Range, truth_of
from privet.tables.expressions.syntax import binary, operand
from privet.tables.vocabulary import bare, cast, try_cast

_EXACT = 2**53  # integers up to here are doubles


def _compared(sign: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(sign, arguments, 2)
        arguments = _with_literals(sign, arguments)
        if {argument.kind for argument in arguments} == set(NUMBERS):
            return arguments
        return alike(sign, arguments)

    return accept


def _with_literals(sign: str, arguments: Nodes) -> Nodes:
    """Give a literal the kind of what it is compared with, if it has that meaning: ``age = '30'``, ``ill = 1``."""
    x, y = arguments
    if isinstance(y, Literal) and not isinstance(x, Literal):
        return _as_literal(sign, x, y)
    if isinstance(x, Literal) and not isinstance(y, Literal):
        return _as_literal(sign, y, x)[::-1]
    return arguments


def _as_literal(sign: str, x: Expression, literal: Literal) -> Nodes:
    """Read a literal beside an expression of another kind. A text beside a number that is written out is read too."""
    if x.kind == literal.kind or literal.value is None:
        return x, literal
    if literal.kind == "text":
        return x, _read_literal(sign, x.kind, literal)
    if x.kind == "boolean" and literal.kind == "integer" and literal.value in (0, 1) and sign in ("=", "<>", "in"):
        return x, Literal(bool(literal.value), "boolean")
    if x.kind == "integer" and literal.kind == "boolean" and sign in ("=", "<>", "in"):
        return x, Literal(int(literal.value), "integer")
    if x.kind == "text" and literal.kind in (*NUMBERS, "boolean") and sign in ("=", "<>", "in"):
        return convert(x, literal.kind), literal
    return x, literal


def _read_literal(sign: str, kind: Kind, literal: Literal) -> Literal:
    """Read a text that is written out as a value of another kind."""
    kinds: dict[Kind, tuple[Kind, ...]] = {"integer": NUMBERS, "date": ("date", "timestamp")}
    for each in kinds.get(kind, (kind,)):
        value = read_text(each, literal.value)
        if value is not None:
            return Literal(value, each)
    raise InvalidError(f"{unlike(sign, kind, 'text')} {brief(literal)} is no {kind}.")


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


def _compile(tree: type[exp.Binary]) -> Callable[..., exp.Expr]:
    def compiled(x: Expression, y: Expression) -> exp.Expr:
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
        accept=_compared(sign),
        infer=truth_of,
        compile=_compile(tree),
        write=infix(sign),
    )


EQUAL = _compare("=", "whether x equals y", exp.EQ)
NOT_EQUAL = _compare("<>", "whether x differs from y", exp.NEQ)
BELOW = _compare("<", "whether x is below y", exp.LT)
AT_MOST = _compare("<=", "whether x is y or below", exp.LTE)
ABOVE = _compare(">", "whether x is above y", exp.GT)
AT_LEAST = _compare(">=", "whether x is y or above", exp.GTE)


IS_NULL = Function(
    name="is null",
    usage="x is null, x is not null",
    meaning="whether x is null",
    nulls="never",
    domain="true, false",
    accept=of("is null", (*KINDS, "list")),
    infer=lambda x: Range(
        kind="boolean",
        categories=(True,) if x.never else (False, True) if x.nullable else (False,),
        nullable=False,
    ),
    compile=lambda x: exp.Is(this=operand(x.sql()), expression=exp.Null()),
    foldable=never,
    strict=False,
    write=lambda texts: f"({texts[0]} is null)",
)


def _possible(known: Range) -> set[bool | None]:
    """Give the truth values that may occur."""
    listed = (False, True) if known.categories is None else known.categories
    return {*listed, *([None] if known.nullable or known.never else [])}


def _truths(values: set[bool | None]) -> Range:
    return Range(kind="boolean", categories=tuple(v for v in (False, True) if v in values), nullable=None in values)


def _chain(name: str, meaning: str, decides: bool, tree: type[exp.Connector]) -> Function:  # noqa: FBT001 - the value
    def compiled(*arguments: Expression) -> exp.Expr:
        if len(arguments) == 1:
            return operand(arguments[0].sql())
        half = len(arguments) // 2  # balanced, so that a long chain is no deep tree
        return tree(this=compiled(*arguments[:half]), expression=compiled(*arguments[half:]))

    def infer(*ranges: Range) -> Range:
        parts = [_possible(known) for known in ranges]
        values: set[bool | None] = {decides} if any(decides in part for part in parts) else set()
        if all((not decides) in part for part in parts):
            values.add(not decides)
        if all(part - {decides} for part in parts) and any(None in part for part in parts):
            values.add(None)
        return _truths(values)

    return Function(
        name=name,
        usage=f"x {name} y",
        meaning=meaning,
        nulls=f"some are null, and none is {str(decides).lower()}",
        domain="true, false",
        accept=several_of(name, ["boolean"]),
        infer=infer,
        compile=compiled,
        strict=False,
        foldable=never,
        write=lambda texts: "(" + f" {name} ".join(texts) + ")",
    )


AND = _chain("and", "whether all are true", False, exp.And)  # noqa: FBT003
OR = _chain("or", "whether some is true", True, exp.Or)  # noqa: FBT003
NOT = Function(
    name="not",
    usage="not x",
    meaning="the other one",
    nulls="x is null",
    domain="true, false",
    accept=of("not", ["boolean"]),
    infer=lambda x: _truths({None if value is None else not value for value in _possible(x)}),
    foldable=never,
    compile=lambda x: exp.Not(this=operand(x.sql())),
    write=lambda texts: f"(not {texts[0]})",
)


def _listed(arguments: Nodes) -> Nodes:
    count("in", arguments, 2, 100_000)
    x, *items = arguments
    if x.kind == "text" and items and all(isinstance(item, Literal) and item.kind == "integer" for item in items):
        x = convert(x, "integer")
    for item in items:
        if not isinstance(item, Literal):
            raise InvalidError(
                f"in takes a list of values that are written out, got {brief(item)}. Write x = a or x = b."
            )
    return (x, *(_as(x, item) for item in items))


def _as(x: Expression, item: Expression) -> Expression:
    """Give an item the kind of what is compared with it, if nothing is lost."""
    if isinstance(item, Literal) and item.value is not None and item.kind in ("text", "integer"):
        item = _as_literal("in", x, item)[1] if x.kind != "text" else item
    if item.kind == x.kind:
        return item
    if x.kind == "timestamp" and item.kind == "date":
        return to_timestamp(item)
    if isinstance(item, Literal) and x.kind == "real" and item.kind == "integer":
        near = to_real(item)
        if isinstance(near, Literal) and (near.value is None or int(near.value) == item.value):
            return near
    if isinstance(item, Literal) and x.kind == "integer" and item.kind == "real" and item.value == int(item.value):
        return Literal(int(item.value), "integer")
    raise unlike("in", x.kind, item.kind)


def _in_compile(x: Expression, *items: Expression) -> exp.Expr:
    listed = [bare(item.value) if isinstance(item, Literal) and x.kind == "integer" else item.sql() for item in items]
    return exp.In(this=operand(x.sql()), expressions=listed)


IN = Function(
    name="in",
    usage="x in ('a', 'b'), x not in (1, 2)",
    meaning="whether x is one of the values, which are written out",
    nulls="x is null; x is not listed and null is",
    domain="true, false",
    accept=_listed,
    infer=truth_of,
    compile=_in_compile,
    strict=False,
    write=lambda texts: f"({texts[0]} in ({', '.join(texts[1:])}))",
)

COMPARISONS = (EQUAL, NOT_EQUAL, BELOW, AT_MOST, ABOVE, AT_LEAST, IS_NULL)
CONNECTIVES = (AND, OR, NOT, IN)
