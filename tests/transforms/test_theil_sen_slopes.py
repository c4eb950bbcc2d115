"""Slopes of random pairs. Where rows are added, the coupling of the proof is built and enumerated here: the laws share
the coins of rows, which is the right coupling for replacements only."""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.chains.transformation import RandomTransformation
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin

UNIT = pc.TheilSenSlopes(bounds=(-10, 10), grid=Fraction(1, 64))
OFTEN = pc.TheilSenSlopes(bounds=(-10, 10), grid=Fraction(1, 64), matchings=3)
FREE = pc.matrix(2) >> UNIT
CASES = [
    Case(name="slopes of an even size", chain=pc.matrix(2, size=4) >> UNIT),
    Case(name="slopes of an odd size", chain=pc.matrix(2, size=3) >> UNIT),
    Case(name="slopes of three matchings", chain=pc.matrix(2, size=5) >> OFTEN),
]


@frozen
class ReplacedHalf(RandomTransformation):
    """Charges one for a replaced point, although one slope is removed and another added."""

    def output(self, space: Space) -> Space:
        return UNIT.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return UNIT.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return UNIT.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(d_in + 1) // 2


@frozen
class Divided(ReplacedHalf):
    """Divides floats: two points with one x have an infinite slope, or none."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        shuffled = value[np.argsort(coins[:, 0])]
        half = len(value) // 2
        rise = shuffled[:half] - shuffled[half : 2 * half]
        with np.errstate(all="ignore"):
            return np.ma.MaskedArray(rise[:, 1] / rise[:, 0])

    def stability(self, d_in: Any, space: Space) -> Distance:
        return UNIT.stability(d_in, space)


@frozen
class OneMatching(RandomTransformation):
    """Charges for one of three matchings."""

    def output(self, space: Space) -> Space:
        return OFTEN.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return OFTEN.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return OFTEN.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return UNIT.stability(d_in, space)


TWINS = [
    Twin(law="map", case=Case(name="half a slope", chain=pc.matrix(2, size=4) >> ReplacedHalf())),
    Twin(law="map", case=Case(name="infinite slopes", chain=pc.matrix(2, size=2) >> Divided())),
    Twin(law="map", case=Case(name="one matching of slopes", chain=pc.matrix(2, size=6) >> OneMatching())),
]

POINTS = [(0.0, 0.0), (1.0, 1.5), (3.0, 1.0), (4.0, 9.0), (7.0, 2.0), (9.0, 9.5)]
Slopes = tuple[float, ...]


def slope(first: int, second: int) -> float:
    found: float = UNIT.combine(np.array([POINTS[first], POINTS[second]]), np.array([0, 1]), FREE.input).tolist()[0]
    return found


def slopes(pairs: Any) -> Slopes:
    return tuple(sorted(slope(*pair) for pair in pairs))


def law_of(count: int) -> Counter[Slopes]:
    """The exact distribution of the slopes of the first points: one outcome for each order of the keys."""
    value = np.array(POINTS[:count])
    orders = permutations(range(count))
    return Counter(tuple(sorted(UNIT.combine(value, np.array(keys), FREE.input).tolist())) for keys in orders)


def matchings(count: int) -> Iterator[list[tuple[int, int]]]:
    """All ways to pair up an even number of points, each as often as a shuffle gives it."""
    for order in permutations(range(count)):
        yield list(zip(order[::2], order[1::2], strict=True))


def apart(x: Slopes, y: Slopes) -> int:
    return ((Counter(x) - Counter(y)) + (Counter(y) - Counter(x))).total()


def times(counts: Counter[Slopes], factor: int) -> Counter[Slopes]:
    return Counter({item: factor * many for item, many in counts.items()})


@pytest.mark.parametrize("even", [2, 4])
def test_one_point_more_than_an_even_number_replaces_one_slope(even: int) -> None:
    """The new point stays alone, or takes the partner of a point chosen at random, which then stays alone."""
    coupling = []
    for pairs in matchings(even):
        coupling.append((slopes(pairs), slopes(pairs)))
        for left in range(even):
            moved = [tuple(even if point == left else point for point in pair) for pair in pairs]
            coupling.append((slopes(pairs), slopes(moved)))
    assert Counter(x for x, _ in coupling) == times(law_of(even), even + 1), "its first half is the unit on the points"
    assert Counter(y for _, y in coupling) == law_of(even + 1), "its second half is the unit with one point more"
    assert max(apart(x, y) for x, y in coupling) == FREE.map(1) == 2


@pytest.mark.parametrize("odd", [1, 3, 5])
def test_one_point_more_than_an_odd_number_adds_one_slope(odd: int) -> None:
    """The new point is paired with the one that was left out."""
    coupling = [(slopes([pair for pair in pairs if odd not in pair]), slopes(pairs)) for pairs in matchings(odd + 1)]
    assert Counter(x for x, _ in coupling) == times(law_of(odd), odd + 1)
    assert Counter(y for _, y in coupling) == law_of(odd + 1)
    assert {apart(x, y) for x, y in coupling} == {1}


def test_two_points_more_cost_three() -> None:
    assert [FREE.map(d_in) for d_in in range(5)] == [0, 2, 3, 5, 6]


def test_the_map_multiplies_by_the_matchings() -> None:
    assert [(pc.matrix(2) >> OFTEN).map(d_in) for d_in in range(4)] == [0, 6, 9, 15]
    assert (pc.matrix(2, size=100) >> OFTEN).map(2) == 6


def test_dropping_the_last_row_before_the_shuffle_costs_three() -> None:
    """The first two of three points are always paired, and apart in two of three pairings of four points."""
    before = slopes([(0, 1)])
    far = [apart(before, after) for after in law_of(4).elements()]
    assert sum(distance == 3 for distance in far) == 16, "of 24 orders: so in every coupling"
    assert FREE.map(1) == 2


def test_all_pairings_are_equally_likely() -> None:
    assert set(law_of(4).values()) == {8}
    assert len(law_of(4)) == 3
    assert set(law_of(5).values()) == {8}
    assert len(law_of(5)) == 15


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(0, 0), (1, 2)], 2.0),
        ([(0, 0), (1, 99)], 10.0),
        ([(1, 5), (1, 6)], None),
        ([(1, 5), (1, 5)], None),
        ([(0, math.nan), (1, 6)], None),
        ([(0, 0), (math.inf, 6)], None),
        ([(0, 0), (5e-324, -1e308)], -10.0),
        ([(-1e308, -1e308), (1e308, 1e308)], 1.0),
        ([(0, 0), (3, 1)], 21 / 64),
    ],
)
def test_a_slope_is_exact_or_missing(points: Any, expected: float | None) -> None:
    assert FREE(points).tolist() == [expected]


def test_few_points_give_no_slopes() -> None:
    assert FREE([]).tolist() == []
    assert FREE([(1, 2)]).tolist() == []


def test_a_public_size_stays_public() -> None:
    chain = pc.matrix(2, size=5) >> UNIT
    assert len(chain([(0, 0)])) == 2
    assert chain.map(2) == 2


@pytest.mark.parametrize("space", [pc.vector(float), pc.matrix(3), pc.matrix(2, size=3, ordered=True)])
def test_only_matrices_of_points_are_read(space: Space) -> None:
    with pytest.raises(MismatchError, match="TheilSenSlopes reads (unordered )?points"):
        space >> UNIT
