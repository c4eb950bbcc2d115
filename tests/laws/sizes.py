"""Reading tables of a wrong size: the coupling of the keys, and whether the choice of rows is fair."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from attrs import evolve

from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.core.metric import row_keys

Reader = Callable[[list[Any], Callable[[int], Any]], Any]


def chooses_rows(domain: Any) -> bool:
    """Whether a table that is too long keeps rows by their keys."""
    tables = isinstance(domain, VectorDomain | MatrixDomain | RecordsDomain)
    return tables and domain.size is not None and not domain.ordered


def read_both(domain: Any, x: list[Any], y: list[Any], match: Callable[[Any, Any], list[int | None]], seed: int) -> Any:
    """Read two tables with the keys of the proof: rows that both share have one key, and a successor takes over."""
    whole = evolve(domain, size=None)
    a, b = whole.admit(x), whole.admit(y)
    fresh = np.random.default_rng(seed).permutation(len(a) + len(b))  # different keys in a random order
    first = fresh[: len(a)]
    second = [fresh[len(a) + at] if source is None else first[source] for at, source in enumerate(match(a, b))]
    return domain.admit_sample(x, lambda _: first), domain.admit_sample(y, lambda _: np.array(second, dtype=np.int64))


def check_fair(read: Reader, rows: list[Any], size: int) -> None:
    """Every subset of that size is kept equally often among all orders of the keys: exact, without a draw."""
    times: Counter[Any] = Counter()
    for order in permutations(range(len(rows))):
        kept = row_keys(read(list(rows), partial(_ranks, order)))
        times[tuple(sorted(map(repr, kept)))] += 1
    assert len(times) == comb(len(rows), size), f"some subsets are never kept: {len(times)} of them are"
    assert len(set(times.values())) == 1, f"some subsets are kept more often: {sorted(times.values())}"


def _ranks(order: tuple[int, ...], rows: int) -> Any:
    assert rows == len(order), "there is one key for each row"
    return np.array(order)
