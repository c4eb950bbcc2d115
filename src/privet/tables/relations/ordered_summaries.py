"""Summaries of the rows of one privacy unit that look for a row: medians, quantiles, modes, first and last values.

Each is a function of the multiset of rows: rows with equal values may trade ranks, and the value of a rank stays; ties
of an order are broken by the value itself. Proof: docs/tables/nodes/summarize_persons.md.
"""

import re
from fractions import Fraction

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import NUMBERS, ORDERED, Column
from privet.tables.expressions import Expression, shorten
from privet.tables.relations.summary import OverRows, Summary
from privet.tables.vocabulary import (
    call,
    case,
    cast,
    clamped,
    column,
    double_bounds,
    present,
    real,
    when,
    whole,
)

_SHARE = re.compile(r"(?:0|1|[01]?\.[0-9]{1,9}|[01]\.)")
_COMPARED = (*ORDERED, "text", "boolean")


def quantile(value: Expression, share: exp.Expr, text: str, names: tuple[str, str]) -> Summary:
    """Give the smallest value that at least a share of the values do not exceed.

    Args:
        value: What the values are.
        share: The share, a number that is written out, from 0 to 1.
        text: The summary as it was written, for messages.
        names: Free names for the rank of a row and for the number of values.
    """
    _check_ordered(value, text)
    part = _share(share, text)
    number, (top, bottom) = column(names[1], "r"), part.as_integer_ratio()
    times = exp.Mul(this=whole(top, "int128"), expression=cast(number, "int128"))
    up = exp.Add(this=exp.Paren(this=times), expression=whole(bottom - 1, "int128"))
    rank = call("greatest", whole(1, "int128"), exp.IntDiv(this=exp.Paren(this=up), expression=whole(bottom, "int128")))
    return Summary(
        sql=_at_rank(value, names[0], rank), column=evolve(value.column, nullable=True), over=_ranks(value, names)
    )


def median(value: Expression, text: str, names: tuple[str, str]) -> Summary:
    """Give the middle value; of an even number of numbers the mean of the two, of dates the earlier one."""
    if value.kind not in NUMBERS:
        return quantile(value, exp.Literal.number("0.5"), text, names)
    number = column(names[1], "r")
    one, two = whole(1), whole(2)
    low = exp.IntDiv(this=exp.Paren(this=exp.Add(this=number, expression=one)), expression=two)
    high = exp.Add(this=exp.Paren(this=exp.IntDiv(this=number.copy(), expression=two.copy())), expression=one.copy())
    lower, upper = _at_rank(value, names[0], low), _at_rank(value, names[0], high)
    if value.kind == "integer":
        both = exp.Add(this=cast(lower, "int128"), expression=cast(upper, "int128"))
        middle: exp.Expr = exp.Mul(this=cast(exp.Paren(this=both), "real"), expression=real(0.5))
    else:  # half of each, since their sum may leave the doubles; equal ones stay as they are
        halves = [exp.Mul(this=each.copy(), expression=real(0.5)) for each in (lower, upper)]
        same = exp.EQ(this=lower, expression=upper)
        middle = case([(same, lower.copy())], exp.Add(this=halves[0], expression=halves[1]))
    plus = exp.Paren(this=exp.Add(this=middle, expression=real(0.0)))  # no negative zero
    known = Column(kind="real", bounds=value.column.bounds)
    if known.bounds is None:
        return Summary(sql=plus, column=known, over=_ranks(value, names))
    low_end, high_end = (real(end) for end in double_bounds(known.bounds))
    return Summary(sql=clamped(plus, low_end, high_end, plus.copy()), column=known, over=_ranks(value, names))


def mode(value: Expression, text: str, name: str) -> Summary:
    """Give the value that occurs most often; of several, the smallest."""
    _check_compared(value, text)
    often = OverRows(name=name, function=present(value.sql()), within=value.sql())
    fewest = exp.Neg(this=exp.Paren(this=column(name, "r")))
    return Summary(
        sql=call("first_pair", fewest, value.sql()), column=evolve(value.column, nullable=True), over=(often,)
    )


def first(value: Expression, by: Expression, text: str) -> Summary:
    """Give the value of the row in which another one is smallest; of several such rows, the smallest value."""
    return _end("first_pair", value, by, text)


def last(value: Expression, by: Expression, text: str) -> Summary:
    """Give the value of the row in which another one is largest; of several such rows, the largest value."""
    return _end("last_pair", value, by, text)


def _end(meaning: str, value: Expression, by: Expression, text: str) -> Summary:
    _check_compared(value, text)
    _check_compared(by, text)
    return Summary(sql=call(meaning, by.sql(), value.sql()), column=evolve(value.column, nullable=True))


def _ranks(value: Expression, names: tuple[str, str]) -> tuple[OverRows, OverRows]:
    return (
        OverRows(name=names[0], function=call("row_number"), order=value.sql()),
        OverRows(name=names[1], function=present(value.sql())),
    )


def _at_rank(value: Expression, name: str, rank: exp.Expr) -> exp.Expr:
    return exp.Max(this=when(exp.EQ(this=column(name, "r"), expression=exp.Paren(this=rank)), value.sql()))


def _share(tree: exp.Expr, text: str) -> Fraction:
    written = tree.this if isinstance(tree, exp.Literal) and not tree.is_string else ""
    part = Fraction(written) if _SHARE.fullmatch(written) else Fraction(-1)
    if not 0 <= part <= 1:
        raise InvalidError(
            f"{shorten(text)}: the second argument of quantile must be a share from 0 to 1, written out with up to "
            "nine decimals, such as quantile(minutes, 0.9)."
        )
    return part


def _check_ordered(value: Expression, text: str) -> None:
    if value.kind not in ORDERED:
        raise InvalidError(f"{shorten(text)} needs numbers, dates or timestamps, got {value.kind}.")


def _check_compared(value: Expression, text: str) -> None:
    if value.kind not in _COMPARED:
        raise InvalidError(f"{shorten(text)} needs values with an order, got {value.kind}.")
