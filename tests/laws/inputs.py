"""Inputs for the laws: columns with everything that breaks software, and their neighbours."""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from privet.core.domain import VectorDomain
from privet.core.metric import HammingDistance, InsertDelete
from privet.core.space import Space

BIG = 2**63
FLOATS = (0.0, -0.0, 0.1, 1.0, -1.0, 5e-324, -5e-324, 1e-300, 1e16, 1e308, -1e308, math.inf, -math.inf, math.nan, None)
INTEGERS = (0, 1, -1, 7, BIG - 1, -BIG, BIG, 10**30, -(10**30), None)
WORDS: tuple[Any, ...] = ("a", "b", "", "\x00", "ä", None)
JUNK: tuple[Any, ...] = ("text", None, math.nan, [1], {}, object(), 1 + 2j, b"x", True)

LAW = settings(
    max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
TWIN = settings(LAW, phases=(Phase.generate,))


def specials(domain: VectorDomain) -> list[Any]:
    """The values most likely to break a unit on this domain, its bounds among them."""
    basic: dict[type, tuple[Any, ...]] = {int: INTEGERS, float: FLOATS, bool: (True, False, None), str: WORDS}
    found = list(basic[domain.kind])
    if domain.bounds is not None:
        for end in domain.bounds:
            value = domain.kind(end)
            found += [value, value + 1, value - 1]
    return found


def ends(space: Space, chain_bounds: tuple[Any, ...]) -> list[Any]:
    """Values at and around the bounds that the chain clamps to."""
    domain = space.domain
    assert isinstance(domain, VectorDomain)
    return [domain.kind(value) for value in chain_bounds if domain.kind in (int, float)]


def bounds_in(chain: Any) -> tuple[Any, ...]:
    """Every bound that some unit of the chain works with."""
    found: list[Any] = []
    for link in chain.links:
        for domain in (link.input.domain, link.output.domain):
            found += [*(getattr(domain, "bounds", None) or ())]
    return tuple(found)


def extreme_pairs(chain: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Neighbours at the corners: one special value more or less, or one for another, in small and longer columns."""
    domain = chain.input.domain
    assert isinstance(domain, VectorDomain)
    values = [*specials(domain), *ends(chain.input, bounds_in(chain))]
    if domain.size is not None or isinstance(chain.input.metric, HammingDistance):
        size = domain.size or 0
        for first, second in product(values, values) if size else ():
            rest = values[: size - 1] + [values[0]] * max(size - 1 - len(values), 0)
            yield [first, *rest], [second, *rest]
            yield [first] * size, [second] * size
            yield [first, *[None] * (size - 1)], [second, *[None] * (size - 1)]
        return
    for value in values:
        for rest in ([], values[:3], [value] * 5, values):
            yield rest, [value, *rest]
    yield values, values[::-1] if not isinstance(chain.input.metric, InsertDelete) else values
    for first, second in product(values, values):
        yield [first] * 3, [second] * 4


@st.composite
def neighbours(draw: Any, chain: Any) -> tuple[list[Any], list[Any]]:
    """Two columns of the chain's input that differ in a few rows, and in order where order does not count."""
    domain = chain.input.domain
    assert isinstance(domain, VectorDomain)
    pool = [*specials(domain), *ends(chain.input, bounds_in(chain))]
    value = st.one_of(st.sampled_from(pool), _ordinary(domain.kind))
    fixed = domain.size is not None
    xs = draw(st.lists(value, min_size=domain.size or 0, max_size=domain.size if fixed else 12))
    ys = list(xs)
    for _ in range(draw(st.integers(0, 3))):
        if fixed:
            if ys:
                ys[draw(st.integers(0, len(ys) - 1))] = draw(value)
        elif ys and draw(st.booleans()):
            del ys[draw(st.integers(0, len(ys) - 1))]
        else:
            ys.insert(draw(st.integers(0, len(ys))), draw(value))
    if not isinstance(chain.input.metric, HammingDistance | InsertDelete):
        ys = draw(st.permutations(ys))
    return xs, ys


def _ordinary(kind: type) -> st.SearchStrategy[Any]:
    return {
        int: st.integers(-(10**6), 10**6),
        float: st.floats(-1e6, 1e6),
        bool: st.booleans(),
        str: st.text(max_size=3),
    }[kind]


@st.composite
def raw_neighbours(draw: Any, chain: Any) -> tuple[list[Any], list[Any]]:
    """Columns that a careless caller may hand over: junk among the values, any size, one row apart."""
    domain = chain.input.domain
    pool = st.one_of(st.sampled_from(specials(domain)), st.sampled_from(JUNK), _ordinary(domain.kind))
    xs = draw(st.lists(pool, max_size=8))
    ys = list(xs)
    if ys and draw(st.booleans()):
        ys[draw(st.integers(0, len(ys) - 1))] = draw(pool)
    else:
        ys.insert(draw(st.integers(0, len(ys))), draw(pool))
    return xs, ys
