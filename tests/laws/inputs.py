"""Inputs for the laws: columns with everything that breaks software, and their neighbours."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.core.metric import HammingDistance, InsertDelete

BIG = 2**63
FLOATS = (0.0, -0.0, 0.1, 1.0, -1.0, 5e-324, -5e-324, 1e-300, 1e16, 1e308, -1e308, math.inf, -math.inf, math.nan, None)
INTEGERS = (0, 1, -1, 7, BIG - 1, -BIG, BIG, 10**30, -(10**30), None)
WORDS: tuple[Any, ...] = ("a", "b", "", "\x00", "ä", None)
JUNK: tuple[Any, ...] = ("text", None, math.nan, [1], {}, object(), 1 + 2j, b"x", True)

SHARE = 8  # of the extreme pairs of a case, one in so many in a daily run, and all of them before a release

LAW = settings(  # tests/long runs more pairs
    max_examples=20, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
TWIN = settings(LAW, phases=(Phase.generate,), max_examples=3000)  # ends with the first failure


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
    for end in domain.bounds or ():
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
            ends = getattr(domain, "bounds", None) or ()
            found += [chain.input.domain.kind(end) for end in ends if not isinstance(end, tuple)]
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
    for first, second in product(values, values):
        for length in (size, size - 1, size + 1):
            yield [first] * length, [*[first] * length, second]


def rows(domain: Any) -> st.SearchStrategy[Any]:
    """Single rows: special ones and ordinary ones."""
    if isinstance(domain, VectorDomain):
        return st.one_of(st.sampled_from(specials(domain)), _ordinary(domain.kind))
    cells = [st.one_of(st.sampled_from(_column_specials(c)), _ordinary(c.kind)) for c in columns_of(domain)]
    return st.one_of(st.sampled_from(specials(domain)), st.tuples(*cells))


@st.composite
def neighbours(draw: Any, chain: Any) -> tuple[list[Any], list[Any]]:
    """Two data sets of the chain's input that differ in a few rows, and in order where order does not count."""
    ends = bounds_in(chain)
    value = st.one_of(rows(chain.input.domain), st.sampled_from(ends)) if ends else rows(chain.input.domain)
    size = size_of(chain)
    xs = draw(st.lists(value, min_size=size or 0, max_size=12 if size is None else size))
    ys = list(xs)
    for _ in range(draw(st.integers(0, 3))):
        if size is not None:
            if ys:
                ys[draw(st.integers(0, len(ys) - 1))] = draw(value)
        elif ys and draw(st.booleans()):
            del ys[draw(st.integers(0, len(ys) - 1))]
        else:
            ys.insert(draw(st.integers(0, len(ys))), draw(value))
    return xs, ys if ordered(chain) else draw(st.permutations(ys))


def _ordinary(kind: type) -> st.SearchStrategy[Any]:
    return {
        int: st.integers(-(10**6), 10**6),
        float: st.floats(-1e6, 1e6),
        bool: st.booleans(),
        str: st.text(max_size=3),
    }[kind]


@st.composite
def raw_neighbours(draw: Any, chain: Any) -> tuple[list[Any], list[Any]]:
    """Data that a careless caller may hand over: junk among the rows, any size, one row apart."""
    pool = st.one_of(rows(chain.input.domain), st.sampled_from(JUNK))
    xs = draw(st.lists(pool, max_size=8))
    ys = list(xs)
    if ys and draw(st.booleans()):
        ys[draw(st.integers(0, len(ys) - 1))] = draw(pool)
    else:
        ys.insert(draw(st.integers(0, len(ys))), draw(pool))
    return xs, ys
