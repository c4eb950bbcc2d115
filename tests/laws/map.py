"""The map law: no neighbours end up further apart than the map says."""

import random
import zlib
from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from privet.chains.transformation import RandomTransformation, TransformationChain
from privet.core.metric import HammingDistance, InsertDelete, Parts, row_keys
from tests.laws.cases import Case
from tests.laws.inputs import EXAMPLES, SHARE, TABLE_SHARE, TWIN, extreme_pairs, neighbours, off_by_one
from tests.laws.replay import replayed
from tests.laws.sizes import chooses_rows, read_both
from tests.laws.tables import (
    TABLE_EXAMPLES,
    TABLE_TWIN,
    admitted,
    extreme_tables,
    input_distance,
    is_table,
    table_neighbours,
)


def check_map(case: Case, *, quick: bool = False, pairs: int | None = None) -> None:
    """Measure input and output distances on neighbours and compare with the map; check the map's own shape.

    Args:
        case: A placed transformation.
        quick: Draw until a pair fails, however many that takes (for twins).
        pairs: How many random pairs, where that is not the usual number; then all extreme pairs are measured too,
            of which otherwise a share is.
    """
    chain = case.chain
    assert isinstance(chain, TransformationChain), "the map law is for transformations"
    _check_shape(chain)
    tables = is_table(chain)
    every = 1 if quick or pairs is not None else TABLE_SHARE if tables else SHARE
    start = zlib.crc32(case.name.encode()) % every  # each case begins elsewhere: all kinds of pairs meet some unit
    for x, y in islice(extreme_tables(chain) if tables else extreme_pairs(chain), start, None, every):
        _check_pair(chain, x, y)
    for x, y in islice(off_by_one(chain), start, None, every):
        _check_pair(chain, x, y, d_in=1)  # the distance of what came, not of what was read

    often = (TABLE_TWIN if quick else TABLE_EXAMPLES) if tables else (TWIN if quick else EXAMPLES)
    for number in range(often if pairs is None else pairs):
        # tables of one space meet the same neighbours, which are loaded once
        source = random.Random(number if tables else f"{number} {case.name}")
        pair = table_neighbours(chain, source) if tables else neighbours(chain, source)
        try:
            _check_pair(chain, *pair)
        except AssertionError as error:
            error.add_note(f"neighbours: {pair}")
            raise


def _check_pair(chain: TransformationChain, x: list[Any], y: list[Any], d_in: Any = None) -> None:
    domain = chain.input.domain
    seed = zlib.crc32(repr((x, y)).encode())
    if chooses_rows(domain):
        a, b = read_both(domain, x, y, lambda first, second: matched(first, second, chain.input.metric), seed)
    else:
        a, b = admitted(domain, x), admitted(domain, y)
    assert domain.member(a), "map law: admitting a column did not give a member"
    assert domain.member(b), "map law: admitting a column did not give a member"
    d_in = input_distance(chain.input, x, y) if d_in is None else d_in
    with replayed(seed=seed):
        fa, fb = _run_both(chain, a, b)
    for result in (fa, fb):
        assert chain.output.domain.member(result), "map law: the result is not in the output domain"
    d_out = chain.output.metric.distance(fa, fb, chain.output.domain)
    assert _within(d_out, chain.map(d_in)), f"map law: inputs {d_in} apart came out {d_out} apart"
    if all(link.unit.inclusive for link in chain.links):
        _check_inclusion((a, fa), (b, fb))
        _check_inclusion((b, fb), (a, fa))


def _check_inclusion(more: tuple[Any, Any], less: tuple[Any, Any]) -> None:
    """Less data in is never more or other data out, where a unit says so."""
    if Counter(row_keys(less[0])) <= Counter(row_keys(more[0])):
        kept = Counter(row_keys(less[1])) <= Counter(row_keys(more[1]))
        assert kept, "map law: a unit that says it is inclusive gave other rows for fewer rows"


def _run_both(chain: TransformationChain, a: Any, b: Any) -> tuple[Any, Any]:
    """Run a chain on both inputs; a unit that tosses coins tosses them once for the rows that both share."""
    for link in chain.links:
        if isinstance(link.unit, RandomTransformation):
            coins = link.unit.coins(len(a), link.input)
            fresh = link.unit.coins(len(b), link.input)
            shared = _arranged(coins, fresh, matched(a, b, link.input.metric))
            a, b = link.unit.combine(a, coins, link.input), link.unit.combine(b, shared, link.input)
        else:
            a, b = link.unit.apply(a, link.input), link.unit.apply(b, link.input)
    return a, b


def matched(a: Any, b: Any, metric: Any) -> list[int | None]:
    """For each row of b, the row of a that is the same record; equal records are interchangeable."""
    first, second = row_keys(a), row_keys(b)
    if isinstance(metric, HammingDistance):
        return list(range(len(second)))  # a replaced record's successor takes over its coin
    if isinstance(metric, InsertDelete):
        same = {target: source for source, target in common_rows(first, second)}
        aligned = [same.get(at) for at in range(len(second))]
        return aligned if len(first) != len(second) else _handed_over(aligned)
    places: dict[Any, list[int]] = {}
    for at, key in enumerate(first):
        places.setdefault(key, []).append(at)
    found: list[int | None] = [places[key].pop(0) if places.get(key) else None for key in second]
    return found if len(first) != len(second) else _handed_over(found)


def _handed_over(found: list[int | None]) -> list[int | None]:
    """Between data of one size a record is replaced, and its successor takes over its coin."""
    left = iter(sorted(set(range(len(found))) - set(found)))
    return [next(left) if place is None else place for place in found]


def common_rows(first: list[Any], second: list[Any]) -> list[tuple[int, int]]:
    """The places of a longest common subsequence."""
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            longer = max(best[i + 1][j], best[i][j + 1])
            best[i][j] = best[i + 1][j + 1] + 1 if first[i] == second[j] else longer
    found, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _arranged(coins: Any, fresh: Any, match: list[int | None]) -> Any:
    if isinstance(coins, tuple):
        return tuple(_arranged(one, other, match) for one, other in zip(coins, fresh, strict=True))
    both = np.concatenate([np.asarray(coins), np.asarray(fresh)])
    return both[[len(coins) + at if source is None else source for at, source in enumerate(match)]]


def _within(d_out: Any, allowed: Any) -> bool:
    return bool(d_out <= allowed)


def _check_shape(chain: TransformationChain) -> None:
    zero = chain.map(0)
    nothing: Any = Parts(l0=0, l1=0, l2_squared=0, linf=0) if isinstance(zero, Parts) else Fraction(0)
    assert zero == nothing, "map law: inputs at distance zero must come out at distance zero"
    before = zero
    for d_in in (1, 2, 3, 4, 7, 100):
        after = chain.map(d_in)
        assert _within(before, after), "map law: a map must not fall as the distance grows"
        before = after
