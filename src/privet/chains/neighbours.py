"""Made-up data for the laws: rows that break software, and neighbours made of them."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from privet.core import (
    INT_MAX,
    INT_MIN,
    MatrixDomain,
    RecordsDomain,
    Space,
    SymmetricDistance,
    VectorDomain,
)
from privet.errors import MismatchError

Neighbours = tuple[list[Any], list[Any]]
_ROWS: dict[type, tuple[Any, ...]] = {
    int: (0, 1, -1, 7, INT_MAX, INT_MIN, 10**30, None),
    float: (0.0, -0.0, 0.1, 1.0, -1.0, 5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan, None),
    bool: (True, False, None),
    str: ("a", "b", "", "\x00", "ä", None),
}
_JUNK: tuple[Any, ...] = ("text", math.nan, [1], object())
_FEW = 12  # rows of which all pairs are tried


def odd_rows(space: Space) -> list[Any]:
    """Return rows at the edges of a domain, and some that are no rows at all."""
    domain = space.domain
    if isinstance(domain, VectorDomain):
        return [*_cells(domain), *_JUNK]
    columns = [_cells(column) for column in _columns(space)]
    longest = max(map(len, columns))
    return [
        tuple(column[(at + shift * place) % len(column)] for place, column in enumerate(columns))
        for shift in (0, 1)
        for at in range(longest)
    ]


def _cells(domain: VectorDomain) -> list[Any]:
    limits = domain.sides if domain.bounds is None else domain.bounds
    ends = [domain.kind(end) for end in limits or () if end is not None]
    beyond = [value + shift for value in ends for shift in (0, 1, -1)]
    return [*beyond, *(domain.categories or ()), *_ROWS[domain.kind]]


def _columns(space: Space) -> list[VectorDomain]:
    domain = space.domain
    if isinstance(domain, RecordsDomain):
        return [column for _, column in domain.columns]
    if isinstance(domain, MatrixDomain) and domain.norm is None:
        bounds = domain.bounds or (None,) * domain.columns
        return [VectorDomain(kind=float, nan=True, bounds=pair, grid=domain.grid) for pair in bounds]
    raise MismatchError(f"no made-up data are known for {space!r}: pass data=[...], a list of data sets.")


def neighbours_of(space: Space, more: list[Any]) -> Iterator[Neighbours]:
    """Return pairs of data sets that differ in a few rows.

    Args:
        space: A space of columns, matrices or records.
        more: Further rows, which come first.
    """
    rows = [*more, *odd_rows(space)]
    size: int | None = getattr(space.domain, "size", None)
    if size is None:
        yield from _added(rows)
    else:
        yield from _replaced(rows, size)
    if isinstance(space.metric, SymmetricDistance):
        some = rows[: len(rows) if size is None else size]
        yield some, some[::-1]
        yield from ((some, [*some[at:], *some[:at]]) for at in range(1, len(some)))


def _added(rows: list[Any]) -> Iterator[Neighbours]:
    for row, rest in product(rows, ([], rows[:3], rows)):
        yield rest, [row, *rest]
        yield [*rest, row], rest
        yield rest, [*rest[:1], row, row, *rest[1:]]
    for row, other in product(rows[:_FEW], rows[:_FEW]):
        yield [row] * 3, [other] * 4


def _replaced(rows: list[Any], size: int) -> Iterator[Neighbours]:
    if not size:
        return
    rest = (rows * size)[: size - 1]
    for row, other in product(rows, rows[:_FEW]):
        yield [row, *rest], [other, *rest]
        yield [row] * size, [other, *[row] * (size - 1)]
    for row, other in product(rows[:_FEW], rows[:_FEW]):
        yield [row] * size, [other] * size
