"""Persons in the raw data: some identifiers cannot be read, and distances are measured before reading."""

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import privet.calculus as pc
from privet.chains.transformation import TransformationChain
from privet.core.metric import Distance
from privet.core.space import Space
from tests.laws.map import matched
from tests.laws.replay import replayed

Rows = list[tuple[Any, int]]
IDENTIFIERS: dict[str, tuple[Any, list[Any]]] = {
    "integers beyond 64 bits": (int, [2**70, 2**71, -(2**70), -(2**71), 2**63 - 1, -(2**63), 1, 2]),
    "numbers that are not whole": (
        int,
        [1, 1.2, 0.9, 2, 1.5, 2.5, Fraction(15, 2), 7, 8, Decimal("7.0000000000000000000001"), Decimal("6.9"), 1e300],
    ),
    "floats beyond their exactness": (
        int,
        [2.0**63, -(2.0**64), 2.0**53, 2.0**53 + 2, math.inf, -math.inf, 1],
    ),
    "identifiers of the wrong kind": (int, ["ann", "bob", None, b"3", 1, 2]),
    "integers where text was stated": (str, [1, 2, 3, None, "ann", "bob"]),
    "unknown categories": (pc.vector(str, categories=["ann", "bob"]), ["cid", "dan", "eve", None, "ann"]),
    "unknown numbers": (pc.vector(int, categories=[1, 2]), [3, 4, 2**70, 1]),
}


def space_of(kind: Any) -> Space:
    """Give persons with one value each record, between 0 and 10."""
    return pc.persons("id", id=kind, v=pc.vector(int, bounds=(0, 10)))


def raw_distance(x: Rows, y: Rows) -> int:
    """Count persons added and removed by the raw identifiers, before reading."""
    first, second = (_people(rows) for rows in (x, y))
    both = first.keys() & second.keys()
    return len(first.keys() ^ second.keys()) + sum(2 * (first[who] != second[who]) for who in both)


def check_raw(chain: TransformationChain, ids: list[Any], reach: Any) -> None:
    """Add each person to a data set of all the others, and compare the change with the charge."""
    rows = [(who, value) for who in ids for value in (0, 10)]
    for who in ids:
        for base in ([row for row in rows if row[0] != who], [row for row in rows if row[0] != who and row[1] == 0]):
            for extra in ([(who, 10)], [(who, 0), (who, 10), (who, 10)]):
                x, y = base, base + extra
                assert raw_distance(x, y) == 1
                moved: Distance = _moved(chain, x, y)
                assert moved <= reach, f"one person more, and the result moves by {moved}"


def _moved(chain: TransformationChain, x: Rows, y: Rows) -> Any:
    link = chain.links[0]
    unit: Any = link.unit
    a, b = chain.input.domain.admit(x), chain.input.domain.admit(y)
    if hasattr(unit, "coins"):
        with replayed(seed=1):
            coins = unit.coins(len(b), link.input)
        match = matched(b, a, link.input.metric)
        assert None not in match
        fa, fb = unit.combine(a, coins[match], link.input), unit.combine(b, coins, link.input)
    else:
        fa, fb = unit.apply(a, link.input), unit.apply(b, link.input)
    for later in chain.links[1:]:
        following: Any = later.unit
        fa, fb = following.apply(fa, later.input), following.apply(fb, later.input)
    return chain.output.metric.distance(fa, fb, chain.output.domain)


def _people(rows: Rows) -> dict[Any, Counter[int]]:
    people: dict[Any, Counter[int]] = {}
    for who, value in rows:
        people.setdefault(who, Counter())[value] += 1
    return people
