"""Summaries of the rows of one privacy unit: exact, and independent of the order of rows."""

from collections.abc import Callable
from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.core import default_grid
from privet.errors import InvalidError
from privet.tables.columns import LARGEST, NUMBERS, ORDERED, SMALLEST, Column, Columns
from privet.tables.expressions import Expression, Term, parse, shorten, tree_of
from privet.tables.relations.ordered_summaries import first, last, median, mode, quantile
from privet.tables.relations.summary import Summary
from privet.tables.vocabulary import call, case, cast, clamped, double_bounds, present, real, rows, steps, whole

_KNOWN = (
    "count(*), count(x), count(distinct x), sum(x), mean(x), min(x), max(x), median(x), quantile(x, 0.9), mode(x), "
    "first(x, day), last(x, day), any_value(x)"
)
_COUNTED = Column(kind="integer", nullable=False)


def read_summary(text: str, columns: Columns, at: int = 0) -> Summary:
    """Read a summary such as ``sum(minutes)``; what is inside is an expression of one row.

    Args:
        text: The summary.
        columns: What is known of the columns.
        at: Its place among several, so that what it computes of each row has a name of its own.

    >>> read_summary("max(age)", {"age": Column(kind="integer", bounds=(0, 120))}).column.bounds
    (Fraction(0, 1), Fraction(120, 1))
    """
    tree = tree_of(text)
    if isinstance(tree, exp.Anonymous) and tree.name.lower() == "mean" and len(tree.expressions) == 1:
        tree = exp.Avg(this=tree.expressions[0])
    if type(tree) is exp.IgnoreNulls and type(tree.this) is exp.AnyValue and not _extra(tree, "this"):
        tree = tree.this
    if type(tree) is exp.Count:
        return _count(tree, text, columns)
    second = _SECOND.get(type(tree), "")
    if type(tree) not in (*_MAKERS, *_RANKED, *_SECOND) or _extra(tree, "this", second) or tree.this is None:
        raise InvalidError(f"a summary must be one of {_KNOWN}, got {shorten(text)}.")
    value = parse(Term(tree.this), columns)
    names = (_free_name(f"privet rank {at}", columns), _free_name(f"privet number {at}", columns))
    parts = [value]
    if type(tree) in _MAKERS:
        made = _MAKERS[type(tree)](value, text)
    elif type(tree) in _RANKED:
        made = _RANKED[type(tree)](value, text, names)
    elif tree.args.get(second) is None:
        raise InvalidError(f"{shorten(text)} needs a second argument: quantile(x, 0.9), first(x, day), last(x, day).")
    elif type(tree) is exp.Quantile:
        made = quantile(value, tree.args["quantile"], text, names)
    else:
        by = parse(Term(tree.expression), columns)
        parts.append(by)
        made = (first if type(tree) in (exp.First, exp.ArgMin) else last)(value, by, text)
    reads = frozenset(name for part in parts for name in part.references())
    return evolve(made, width=sum(part.width for part in parts), reads=reads)


def _free_name(name: str, columns: Columns) -> str:
    taken = {each.casefold() for each in columns}
    while name.casefold() in taken:
        name += "_"
    return name


def _extra(tree: exp.Expr, *known: str) -> bool:
    return any(value for name, value in tree.args.items() if name not in known)


def _count(tree: exp.Expr, text: str, columns: Columns) -> Summary:
    inside = tree.this
    if isinstance(inside, exp.Star) and not _extra(tree, "this", "big_int"):
        return Summary(sql=rows(), column=_COUNTED)  # reads no column
    different = isinstance(inside, exp.Distinct)
    if different and len(inside.expressions) == 1 and not inside.args.get("on"):
        inside = inside.expressions[0]
    elif different or inside is None or _extra(tree, "this", "big_int"):
        raise InvalidError(f"a summary must be one of {_KNOWN}, got {shorten(text)}.")
    value = parse(Term(inside), columns)
    counted = present(value.sql())
    if different and value.kind == "list":
        raise InvalidError(f"{shorten(text)} needs single values, got a list; make a row for each item, with unnest.")
    if different:
        counted = exp.Count(this=exp.Distinct(expressions=[value.sql()]), big_int=True)
    return Summary(sql=counted, column=_COUNTED, width=value.width, reads=frozenset(value.references()))


def _sum(value: Expression, text: str) -> Summary:
    """Add up whole numbers directly, reals in grid steps; null where there is no value."""
    known, counted = _steps(value, text)
    total = exp.Sum(this=cast(counted, "int128"))
    if value.kind == "integer":
        fitting = clamped(total, whole(SMALLEST, "int128"), whole(LARGEST, "int128"), total.copy())
        return Summary(sql=cast(fitting, "integer"), column=Column(kind="integer"))
    scaled = exp.Mul(this=cast(total, "real"), expression=real(float(known.grid or 1)))
    return Summary(sql=_finite(scaled), column=Column(kind="real"))


def _mean(value: Expression, text: str) -> Summary:
    """Divide the exact sum by the number of values, within the bounds of the values."""
    known, counted = _steps(value, text)
    total = cast(exp.Sum(this=cast(counted, "int128")), "real")
    number = cast(present(counted), "real")
    mean = exp.Mul(
        this=exp.Paren(this=exp.Div(this=total, expression=exp.Nullif(this=number, expression=real(0.0)))),
        expression=real(float(known.grid or 1)),
    )
    if known.bounds is None:
        return Summary(sql=_finite(mean), column=Column(kind="real"))
    low, high = (real(end) for end in double_bounds(known.bounds))
    plus = exp.Paren(this=exp.Add(this=mean, expression=real(0.0)))  # a tiny negative one may be rounded to -0.0
    return Summary(sql=clamped(plus, low, high, plus.copy()), column=Column(kind="real", bounds=known.bounds))


def _least(value: Expression, text: str) -> Summary:
    return _extreme(value, text, exp.Min(this=value.sql()))


def _largest(value: Expression, text: str) -> Summary:
    return _extreme(value, text, exp.Max(this=value.sql()))


def _extreme(value: Expression, text: str, extreme: exp.Expr) -> Summary:
    if value.kind not in (*ORDERED, "text", "boolean"):
        raise InvalidError(f"{shorten(text)} needs values with an order, got {value.kind}.")
    return Summary(sql=extreme, column=evolve(value.column, nullable=True))


def _steps(value: Expression, text: str) -> tuple[Column, exp.Expr]:
    """Give a column of numbers with its grid, and its values in grid steps."""
    known = value.column
    if known.kind not in NUMBERS:
        raise InvalidError(f"{shorten(text)} needs numbers, got {known.kind}.")
    if known.kind == "integer":
        return evolve(known, categories=None), value.sql()
    if known.bounds is None:
        raise InvalidError(f"{shorten(text)} needs bounds of the values: put them in the codebook, or use clip(...).")
    grid = known.grid or default_grid(text, known.bounds)
    gridded = evolve(known, grid=grid)
    return gridded, steps(text, value.sql(), gridded)


def _finite(value: exp.Expr) -> exp.Expr:
    return case([(call("isfinite", value), value.copy())], None)


def summarized(known: Columns, summaries: Any) -> dict[str, Summary]:
    """Read several summaries, by name."""
    return {name: read_summary(text, known, at) for at, (name, text) in enumerate(summaries)}


_MAKERS: dict[type[exp.Expr], Callable[[Expression, str], Summary]] = {
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.Min: _least,
    exp.Max: _largest,
    exp.AnyValue: _least,  # any value will do, and the smallest does not depend on the order of rows
}
_RANKED: dict[type[exp.Expr], Callable[[Expression, str, tuple[str, str]], Summary]] = {
    exp.Median: median,
    exp.Mode: lambda value, text, names: mode(value, text, names[0]),
}
_SECOND: dict[type[exp.Expr], str] = {
    exp.Quantile: "quantile",
    exp.First: "expression",
    exp.Last: "expression",
    exp.ArgMin: "expression",
    exp.ArgMax: "expression",
}
