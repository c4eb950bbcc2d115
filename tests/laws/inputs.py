"""Inputs for the laws: columns with everything that breaks software, and their neighbours."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from hypothesis import HealthCheck, settings

from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.core.metric import HammingDistance, InsertDelete, ReplacementDistance

BIG = 2**63
FLOATS = (0.0, -0.0, 0.1, 1.0, -1.0, 5e-324, -5e-324, 1e-300, 1e16, 1e308, -1e308, math.inf, -math.inf, math.nan, None)
INTEGERS = (0, 1, -1, 7, BIG - 1, -BIG, BIG, 10**30, -(10**30), None)
WORDS: tuple[Any, ...] = ("a", "b", "", "\x00", "ä", None)
JUNK: tuple[Any, ...] = ("text", None, math.nan, [1], {}, object(), 1 + 2j, b"x", True)

SHARE, TABLE_SHARE = 16, 4  # of the extreme pairs of a case, one in so many in a daily run, and all before a release

EXAMPLES, TWIN = 8, 3000  # random pairs for a case, of which tests/long draws more; those within which a twin fails

LAW = settings(max_examples=20, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


def specials(domain: Any) -> list[Any]:
    """The rows most likely to break a unit on this domain: single values of columns, tuples for tables."""
    if isinstance(domain, VectorDomain):
        return _column_specials(domain)
    columns = [_column_specials(column) for column in columns_of(domain)]
    longest = max(map(len, columns))
    return [
        tuple(column[(at + shift * place) % len(column)] for place, column in enumerate(columns))
        for at in range(longest)
        for shift in (0, 1)
    ]


def _column_specials(domain: VectorDomain) -> list[Any]:
    basic: dict[type, tuple[Any, ...]] = {int: INTEGERS, float: FLOATS, bool: (True, False, None), str: WORDS}
    found = list(basic[domain.kind])
    for end in domain.bounds or [side for side in domain.sides or () if side is not None]:
        value = domain.kind(end)
        found += [value, value + 1, value - 1]
    return [*found, *(domain.categories or ())]


def columns_of(domain: Any) -> list[VectorDomain]:
    """The columns of a table, as domains of their own."""
    if isinstance(domain, RecordsDomain):
        return [column for _, column in domain.columns]
    assert isinstance(domain, MatrixDomain)
    bounds = domain.bounds or (None,) * domain.columns
    return [VectorDomain(kind=float, nan=True, bounds=pair, grid=domain.grid if pair else None) for pair in bounds]


def bounds_in(chain: Any) -> list[Any]:
    """Every bound that some unit of the chain works with, as values of a column of numbers."""
    if not isinstance(chain.input.domain, VectorDomain) or chain.input.domain.kind not in (int, float):
        return []
    found: list[Any] = []
    for link in chain.links:
        for domain in (link.input.domain, link.output.domain):
            ends = getattr(domain, "bounds", None) or getattr(domain, "sides", None) or ()
            found += [chain.input.domain.kind(end) for end in ends if isinstance(end, Fraction)]
    return found


def ordered(chain: Any) -> bool:
    return isinstance(chain.input.metric, HammingDistance | InsertDelete)


def size_of(chain: Any) -> int | None:
    size: int | None = getattr(chain.input.domain, "size", None)
    return size


def extreme_pairs(chain: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Neighbours at the corners: one special row more or less, or one for another, in small and longer columns."""
    values = [*specials(chain.input.domain), *bounds_in(chain)]
    size = size_of(chain)
    if size is not None:
        missing = None if isinstance(chain.input.domain, VectorDomain) else ()
        for first, second in product(values, values) if size else ():
            rest = values[: size - 1] + [values[0]] * max(size - 1 - len(values), 0)
            yield [first, *rest], [second, *rest]
            yield [first] * size, [second] * size
            yield [first, *[missing] * (size - 1)], [second, *[missing] * (size - 1)]
        return
    for value in values:
        for rest in ([], values[:3], [value] * 5, values):
            yield rest, [value, *rest]
    yield values, values if ordered(chain) else values[::-1]
    for first, second in product(values, values):
        yield [first] * 3, [second] * 4


def off_by_one(chain: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Where a size is public: data of that size, of one row more and of one row less, one row apart."""
    size = size_of(chain)
    if not size or ordered(chain):
        return
    values = [*bounds_in(chain), *specials(chain.input.domain)][:10]
    replaced = isinstance(chain.input.metric, ReplacementDistance)
    for first, second in product(values, values):
        for length in (size, size - 1, size + 1):
            if replaced:  # one row is another, in data of a wrong size
                yield [first] * (length + 1), [*[first] * length, second]
                continue
            yield [first] * length, [*[first] * length, second]
            mixed = [values[at % len(values)] for at in range(length + 3)]
            yield mixed, [*mixed, second]


def _row(domain: Any, source: random.Random, ends: list[Any], known: list[Any]) -> Any:
    """Draw a row: one that is most likely to break a unit, a bound, or an ordinary one."""
    chance = source.random()
    if ends and chance < 0.3:
        return source.choice(ends)
    if chance < 0.6:
        return source.choice(known)
    if isinstance(domain, VectorDomain):
        return _ordinary(domain.kind, source)
    return tuple(
        source.choice(_column_specials(column)) if source.random() < 0.5 else _ordinary(column.kind, source)
        for column in columns_of(domain)
    )


def _ordinary(kind: type, source: random.Random) -> Any:
    if kind is int:
        return source.randint(-(10 ** source.randint(0, 6)), 10 ** source.randint(0, 6))
    if kind is float:
        return source.choice((source.uniform(-1e6, 1e6), source.gauss(0, 1), source.randint(-9, 9) / 2))
    if kind is bool:
        return source.random() < 0.5
    return "".join(source.choice("ab0 '%\\\n\u0300ß\u2028\U0001f600") for _ in range(source.randint(0, 3)))


def _length(source: random.Random, most: int) -> int:
    return source.choice((0, 1, 2, 3, source.randint(0, most), source.randint(0, most)))


def neighbours(chain: Any, source: random.Random) -> tuple[list[Any], list[Any]]:
    """Two data sets of the chain's input that differ in a few rows, and in order where order does not count."""
    domain, size, ends = chain.input.domain, size_of(chain), bounds_in(chain)
    known = specials(domain)
    xs: list[Any] = []
    for _ in range(_length(source, 12) if size is None else size):
        again = xs and source.random() < 0.2  # duplicates are rare by chance
        xs.append(source.choice(xs) if again else _row(domain, source, ends, known))
    ys = list(xs)
    for _ in range(source.randint(0, 3)):
        if size is not None:
            if ys:
                ys[source.randrange(len(ys))] = _row(domain, source, ends, known)
        elif ys and source.random() < 0.5:
            del ys[source.randrange(len(ys))]
        else:
            ys.insert(source.randint(0, len(ys)), _row(domain, source, ends, known))
    if not ordered(chain):
        source.shuffle(ys)
    return xs, ys


def raw_neighbours(chain: Any, source: random.Random) -> tuple[list[Any], list[Any]]:
    """Data that a careless caller may hand over: junk among the rows, any size, one row apart."""
    domain = chain.input.domain
    known = specials(domain)

    def row() -> Any:
        return source.choice(JUNK) if source.random() < 0.3 else _row(domain, source, [], known)

    xs = [row() for _ in range(_length(source, 8))]
    ys = list(xs)
    if ys and source.random() < 0.5:
        ys[source.randrange(len(ys))] = row()
    else:
        ys.insert(source.randint(0, len(ys)), row())
    return xs, ys
