"""Keys that are real numbers of which only a few can occur: ``FLOOR(price)``, ``age / 10``, ``CASE ... THEN 0.5 END``.

What can occur follows from the expression and the codebook, so that the groups are public.
"""

from collections.abc import Sequence
from itertools import product
from math import ceil, floor, prod
from typing import Any

from privet.tables.columns import Column
from privet.tables.engines.default import evaluate
from privet.tables.expressions import Call, Expression, Literal, Reference, parse

_MOST = 1_000
_EXACT = 2**53  # whole numbers up to this are doubles
_TEXT = parse('cast("x" as text)', {"x": Column(kind="real")})


def real_values(value: Expression) -> list[float] | None:
    """List all values that an expression may have, in order; None if they are many, or engines need not agree on them.

    >>> columns = {"age": Column(kind="integer", bounds=(0, 20)), "price": Column(kind="real", bounds=(0, 2))}
    >>> real_values(parse("floor(age / 10) * 10", columns))
    [0.0, 10.0, 20.0]
    >>> real_values(parse("case when price > 1 then 0.5 else round(price) end", columns))
    [0.0, 0.5, 1.0, 2.0]
    >>> real_values(parse("price", columns))
    """
    values = _values(value)
    return None if values is None else sorted({float(each) for each in values if each is not None})


def real_texts(values: Sequence[float]) -> list[str]:
    """Write numbers as the engine does."""
    (texts,) = evaluate([_TEXT.sql()], {"x": ("real", list(values))}, len(values))
    return texts


def _values(value: Expression) -> Sequence[Any] | None:
    """List what may occur, null included; more may be listed than do occur."""
    listed = value.values()
    if listed is not None:
        return listed
    few = _multiples(value)
    if few is not None:
        return few
    return _computed(value) if isinstance(value, Call) else None


def _multiples(value: Expression) -> list[Any] | None:
    """List the whole numbers between the bounds, or the multiples to which ``round`` rounds."""
    places = 0
    if isinstance(value, Call) and value.function.name == "round" and value.kind == "real":
        places = int(value.arguments[1].range.low)
    elif value.kind != "integer" and not value.range.whole:
        return None
    low, high = (end * 10**places if places >= 0 else end / 10**-places for end in (value.range.low, value.range.high))
    first, last = ceil(low), floor(high)
    if last - first >= _MOST or max(abs(first), abs(last)) > _EXACT:
        return None
    unit = 10 ** abs(places)
    numbers = [each / unit if places > 0 else each * unit if places else each for each in range(first, last + 1)]
    return [*(float(each) if value.kind == "real" else each for each in numbers), None]


def _computed(value: Call) -> Sequence[Any] | None:
    """Compute a call at all combinations of what its arguments may be."""
    lists = [_values(each) for each in value.arguments]
    few = [each for each in lists if each is not None]
    if len(few) < len(lists) or not few or prod(map(len, few)) > _MOST:
        return None
    rows = list(product(*few))
    if not all(map(value.function.foldable, rows)):
        return None
    slots = [
        each if isinstance(each, Literal) else Reference(f"x{at}", each.column)
        for at, each in enumerate(value.arguments)
    ]
    columns = {
        each.name: (each.kind, [row[at] for row in rows])
        for at, each in enumerate(slots)
        if isinstance(each, Reference)
    }
    (values,) = evaluate([value.function.compile(*slots)], columns, len(rows))
    return values
