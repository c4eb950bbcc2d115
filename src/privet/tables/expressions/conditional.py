"""Choices: case, coalesce, nullif, the least and the greatest, and clip."""

from collections.abc import Callable
from fractions import Fraction

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import ORDERED, Kind
from privet.tables.expressions.accepting import alike, alike_of, check_kind, constant, count
from privet.tables.expressions.node import Expression, Function, Nodes, by_engine
from privet.tables.expressions.ranges import Range, hull, within
from privet.tables.expressions.syntax import let, operand
from privet.tables.vocabulary import call, when

COMPARED: tuple[Kind, ...] = (*ORDERED, "text")


def _case_accept(arguments: Nodes) -> Nodes:
    """Accept (condition, value, condition, value, ..., otherwise)."""
    count("case", arguments, 3, 2_001)
    conditions = [check_kind("case when", condition, ["boolean"]) for condition in arguments[:-1:2]]
    values = alike("case", (*arguments[1:-1:2], arguments[-1]))
    pairs = zip(conditions, values, strict=False)
    return (*(node for pair in pairs for node in pair), values[-1])


def _case_infer(*ranges: Range) -> Range:
    values = [*ranges[1:-1:2], ranges[-1]]
    return hull(values, nullable=any(known.nullable for known in values))


def _case_compile(*arguments: Expression) -> exp.Expr:
    pairs = zip(arguments[:-1:2], arguments[1:-1:2], strict=True)
    branches = [exp.If(this=condition.sql(), true=value.sql()) for condition, value in pairs]
    return exp.Case(ifs=branches, default=arguments[-1].sql())


def _case_write(texts: tuple[str, ...]) -> str:
    pairs = zip(texts[:-1:2], texts[1:-1:2], strict=True)
    return "case " + " ".join(f"when {one} then {two}" for one, two in pairs) + f" else {texts[-1]} end"


CASE = Function(
    name="case",
    usage="case when c then x else y end, case x when 1 then y end, if(c, x, y)",
    meaning="the value of the first condition that is true, else the last; null without else",
    nulls="the chosen value is null",
    domain="all values of the branches",
    accept=_case_accept,
    infer=_case_infer,
    compile=_case_compile,
    strict=False,
    write=_case_write,
)


COALESCE = Function(
    name="coalesce",
    usage="coalesce(x, y, ...), ifnull(x, y)",
    meaning="the first that is not null",
    nulls="all are null",
    domain="all values of the arguments; not nullable if one of them is not",
    accept=alike_of("coalesce"),
    infer=lambda *ranges: hull(ranges, nullable=all(known.nullable for known in ranges)),
    compile=by_engine("coalesce"),
    strict=False,
)


NULLIF = Function(
    name="nullif",
    usage="nullif(x, y)",
    meaning="x, or null if x equals y",
    nulls="x is null; x equals y",
    domain="the values of x",
    accept=alike_of("nullif", most=2),
    infer=lambda x, _: evolve(x, nullable=True),
    compile=by_engine("nullif"),
    strict=False,
)


def _extreme_infer(choose: Callable[..., Fraction], near: str, far: str) -> Callable[..., Range]:
    """Infer for the least (near is "low") or the greatest (near is "high"): nulls are passed over."""

    def infer(*ranges: Range) -> Range:
        some = [known for known in ranges if not known.never] or list(ranges)
        kind, nullable = some[0].kind, all(known.nullable for known in ranges)
        if kind not in ORDERED:
            return Range(kind=kind, nullable=nullable, length=max(known.length for known in some))
        # one that is never null holds the result on its side; if any may be missing, any may be the result
        sure = [getattr(known, far) for known in some if not known.nullable]
        opposite = max if choose is min else min
        ends = {
            near: choose(getattr(known, near) for known in some),
            far: choose(sure) if sure else opposite(getattr(known, far) for known in some),
        }
        return within(kind, ends["low"], ends["high"], nullable=nullable)

    return infer


def _extreme(name: str, meaning: str, choose: Callable[..., Fraction], near: str, far: str) -> Function:
    return Function(
        name=name,
        usage=f"{name}(x, y, ...)",
        meaning=meaning + "; nulls are passed over, as in DuckDB and PostgreSQL",
        nulls="all are null",
        domain="the exact interval",
        accept=alike_of(name, COMPARED),
        infer=_extreme_infer(choose, near, far),
        compile=by_engine(name),
        strict=False,
    )


LEAST = _extreme("least", "the smallest", min, "low", "high")
GREATEST = _extreme("greatest", "the largest", max, "high", "low")


def _clip_accept(arguments: Nodes) -> Nodes:
    count("clip", arguments, 3)
    accepted = tuple(check_kind("clip", argument, ORDERED) for argument in alike("clip", arguments))
    low, high = (
        constant("clip", f"the {side} bound", end) for side, end in zip(("lower", "upper"), accepted[1:], strict=True)
    )
    if low > high:
        raise InvalidError(f"clip: lower must not be above upper, got lower={low}, upper={high}.")
    return accepted


def _clip_infer(x: Range, low: Range, high: Range) -> Range:
    ends = (min(max(end, low.low), high.low) for end in (x.low, x.high))
    return within(x.kind, *ends, nullable=x.nullable)


def _clip_compile(x: Expression, low: Expression, high: Expression) -> exp.Expr:
    def clipped(value: exp.Expr) -> exp.Expr:
        return call("least", call("greatest", value, low.sql()), high.sql())

    if not x.range.nullable:
        return clipped(x.sql())

    def body(value: exp.Expr) -> exp.Expr:  # the engine's least and greatest would move a null to a bound
        present = exp.Not(this=operand(exp.Is(this=operand(value.copy()), expression=exp.Null())))
        return when(present, clipped(value.copy()))

    return let(x.sql(), body)


CLIP = Function(
    name="clip",
    usage="clip(x, low, high)",
    meaning="x, moved to the nearer bound if it lies beyond; the bounds are written out",
    nulls="x is null",
    domain="the bounds, or those of x if narrower",
    accept=_clip_accept,
    infer=_clip_infer,
    compile=_clip_compile,
)


FUNCTIONS = (CASE, COALESCE, NULLIF, LEAST, GREATEST, CLIP)
