"""Bins: a column of numbers or dates cut into public groups with a name each."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

from privet.core import read_number, short
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.columns import LARGEST, LENGTHS, NUMBERS, Column, to_date
from privet.tables.expressions.dates import truncate
from privet.tables.expressions.node import Reference

MOST_BINS = 999  # for which a case has room
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_EXACT = 2**53  # up to here every whole number is a float


@final
class Binned(str):
    """The text of bins that remembers how an analyst asked for them.

    Args:
        text: The expression.
        words: The column, and edges, width or period.
    """

    words: Mapping[str, Any]

    def __new__(cls, text: str, words: Mapping[str, Any]) -> "Binned":
        """Make the text."""
        made = super().__new__(cls, text)
        made.words = words
        return made


def binned(
    name: str, known: Column, *, edges: Sequence[Any] | None = None, width: Any = None, by: Any = None
) -> Binned:
    """Write the expression that names the bin of a value; null, and what lies outside of the edges, has none.

    Args:
        name: The column.
        known: What is known of it.
        edges: Rising numbers: a bin reaches from one, included, to the next; the last bin includes its end.
        width: Or the width of all bins, from the lower bound of the column to the upper; the last may be narrower.
        by: Or a calendar period, for dates and timestamps: day, week, month, quarter or year.

    Guarantee: every value between the first and the last edge has exactly one bin, the one whose name says so.
    Proof: docs/tables/bins.md.

    >>> print(binned("age", Column(kind="integer", bounds=(0, 20)), width=10))
    case when "age" < 0 then null when "age" < 10 then '[0, 10)' when "age" <= 20 then '[10, 20]' end
    """
    if sum(given is not None for given in (edges, width, by)) != 1:
        raise WrongTypeError("bin takes one of edges=[...], width=... and by=...")
    ends = list(edges) if isinstance(edges, Iterable) and not isinstance(edges, str) else edges
    text = _calendar(name, known, by) if by is not None else _intervals(name, known, ends, width)
    return Binned(text, {"name": name, "edges": ends, "width": width, "by": by})


def _intervals(name: str, known: Column, edges: Sequence[Any] | None, width: Any) -> str:
    if known.kind not in NUMBERS:
        raise MismatchError(
            f"bin: {name!r} is {known.kind}; edges and widths are for numbers, use by='month' for dates."
        )
    numbers = _edges(name, known, edges, width)
    if not 2 <= len(numbers) <= MOST_BINS + 1:
        raise InvalidError(f"bin must give between one and {MOST_BINS} bins, got {len(numbers) - 1}.")
    texts = [_text(name, known, number) for number in numbers]
    if any(Fraction(low) >= Fraction(high) for low, high in pairwise(texts)):
        raise InvalidError("bin: two edges are the same number to a computer; leave one out, or use a larger width.")
    # for whole numbers, to be below an edge is to be below the next whole number: no float is compared with
    whole = known.kind == "integer"
    below = [str(math.ceil(number)) for number in numbers] if whole else texts
    last = str(math.floor(numbers[-1])) if whole else texts[-1]
    column = Reference(name, known)
    cases = [f"when {column} < {below[0]} then null"]
    between = range(1, len(texts) - 1)
    cases += [f"when {column} < {below[at]} then '[{texts[at - 1]}, {texts[at]})'" for at in between]
    cases.append(f"when {column} <= {last} then '[{texts[-2]}, {texts[-1]}]'")
    return f"case {' '.join(cases)} end"


def _edges(name: str, known: Column, edges: Any, width: Any) -> list[Fraction]:
    if edges is not None:
        if isinstance(edges, str) or not hasattr(edges, "__iter__"):
            raise WrongTypeError(
                f"bin.edges must be a list of rising numbers, got {type(edges).__name__}. For equal widths write "
                "bin('spending', width=20)."
            )
        read = [read_number(f"bin.edges[{at}]", edge) for at, edge in enumerate(edges)]
        if len(read) < 2 or any(low >= high for low, high in pairwise(read)):
            raise InvalidError("bin.edges must be two or more rising numbers.")
        return read
    step = read_number("bin.width", width)
    if step <= 0:
        raise InvalidError(f"bin.width must be above zero, got {short(step)}.")
    if known.bounds is None:
        raise InvalidError(f"bin: {name!r} has no bounds; give edges=[...], or put bounds in the codebook.")
    lower, upper = known.bounds
    count = math.ceil((upper - lower) / step)
    if count > MOST_BINS:
        raise InvalidError(f"bin must give at most {MOST_BINS} bins, got {count}; use a larger width.")
    inner = [lower + step * at for at in range(count)]
    return [*inner, upper]


def _calendar(name: str, known: Column, by: Any) -> str:
    if known.kind not in ("date", "timestamp"):
        raise MismatchError(f"bin: {name!r} is {known.kind}; by={by!r} is for dates and timestamps.")
    if by not in LENGTHS:
        raise InvalidError(f"bin.by must be one of {', '.join(LENGTHS)}, got {by!r}.")
    if known.bounds is None:
        raise InvalidError(f"bin: {name!r} has no bounds; put them in the codebook.")
    first, last = (to_date(known.kind, math.floor(end)) for end in known.bounds)
    begins: list[date] = [truncate(by, first)]
    while (following := _next(begins[-1], by)) is not None and following <= last:
        if len(begins) == MOST_BINS:
            raise InvalidError(f"bin must give at most {MOST_BINS} bins; use a longer period.")
        begins.append(following)
    column = Reference(name, known)
    cases = [f"when {column} < date '{end}' then '{_label(begin, by)}'" for begin, end in pairwise(begins)]
    cases.append(f"when {column} >= date '{begins[-1]}' then '{_label(begins[-1], by)}'")  # no later one is possible
    return f"case {' '.join(cases)} end"


def _next(day: date, by: str) -> date | None:
    """Give the begin of the next period; none where the calendar ends."""
    if by in ("day", "week"):
        days = 1 if by == "day" else 7
        return day + timedelta(days=days) if (date.max - day).days >= days else None
    later = day.year * 12 + day.month - 1 + _MONTHS[by]
    return date(later // 12, later % 12 + 1, 1) if later // 12 <= date.max.year else None


def _label(begin: date, by: str) -> str:
    if by == "year":
        return f"{begin.year:04}"
    if by == "quarter":
        return f"{begin.year:04}-Q{(begin.month + 2) // 3}"
    return f"{begin.year:04}-{begin.month:02}" if by == "month" else begin.isoformat()


def _text(name: str, known: Column, value: Fraction) -> str:
    """Write a number as it is typed: whole, or as the shortest decimal, which is read back as the same float."""
    if known.kind == "integer" and abs(value) > LARGEST:
        raise InvalidError(f"bin: {name!r} holds 64-bit integers; its edges must lie within them, got {short(value)}.")
    if value.denominator == 1 and (known.kind == "integer" or abs(value) <= _EXACT):
        return str(value.numerator)
    try:
        return repr(float(value))
    except OverflowError:
        raise InvalidError(f"bin: an edge of {name!r} is too large for a real, got {short(value)}.") from None
