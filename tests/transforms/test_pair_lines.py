"""Heights of lines through random pairs. Where points are added, the coupling of the proof is built here: the laws
share the coins of rows, which is the right coupling for replacements only."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.chains.transformation import RandomTransformation
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.mechanisms.quantile_interval import QuantileInterval
from privet.transforms.matchings import keys_of_points
from privet.transforms.pair_lines import PairLines
from privet.transforms.theil_sen_slopes import TheilSenSlopes
from tests.laws import Case, Twin
from tests.transforms.coupled_pairs import coins_without, places_gone, without

UNIT = PairLines(at=[1, 3], bounds=(-8, 8), grid=Fraction(1, 8))
OFTEN = evolve(UNIT, matchings=3)
POINTS = pc.matrix(2, bounds=(0, 4), grid=Fraction(1, 4))
FREE = POINTS >> UNIT


def sized(size: int, **more: Any) -> Space:
    return pc.matrix(2, bounds=(0, 4), size=size, **more)


CASES = [
    Case(name="lines of an even size", chain=sized(4) >> UNIT),
    Case(name="lines of an odd size", chain=sized(3) >> OFTEN),
    Case(name="lines at one place", chain=sized(2, grid=1) >> PairLines(at=[-5], bounds=(-1, 1), matchings=2)),
]


@frozen
class Once(RandomTransformation):
    """Charges for one matching, although every point is in three."""

    def output(self, space: Space) -> Space:
        return OFTEN.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return OFTEN.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return OFTEN.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return UNIT.stability(d_in, space)


@frozen
class OnePlace(Once):
    """Charges for one of two places."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        whole = OFTEN.stability(d_in, space)
        return evolve(whole, l0=min(1, whole.l0), l1=whole.linf, l2_squared=whole.linf**2)


@frozen
class AtTheQuarters(Once):
    """Evaluates the lines at the quarters of the range of the data."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        x = np.nan_to_num(value[:, 0])
        low, high = (float(x.min()), float(x.max())) if len(x) else (0.0, 4.0)
        at = [Fraction(low + share * (high - low)) for share in (0.25, 0.75)]
        return evolve(OFTEN, at=at).combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return OFTEN.stability(d_in, space)


TWINS = [
    Twin(law="map", case=Case(name="one matching charged", chain=sized(6) >> Once())),
    Twin(law="map", case=Case(name="one place charged", chain=sized(6) >> OnePlace())),
    Twin(law="map", case=Case(name="quarters of the data", chain=sized(9) >> AtTheQuarters())),
]


def heights(points: Any, unit: PairLines = UNIT, space: Space = POINTS) -> list[Any]:
    """The heights of the lines through the points, which are paired in their order."""
    value, keys = space.domain.admit(points), np.arange(len(points))
    coins = np.repeat(keys[:, None], unit.matchings, axis=1)
    return [part.tolist() for part in unit.combine(value, coins, space)]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(0, 0), (2, 4)], [2.0, 6.0]),
        ([(2, 4), (0, 0)], [2.0, 6.0]),
        ([(0, 0), (0.25, 4)], [8.0, 8.0]),
        ([(1, 3), (1, 2)], [None, None]),
        ([(1, 3), (1, 3)], [None, None]),
        ([(math.nan, 3), (1, 3)], [None, None]),
        ([(0, 3), (1, math.nan)], [None, None]),
        ([(0, 0), (4, 0.25)], [0.0, 0.25]),  # 1/16 lies between 0 and 1/8: half to even
        ([(0, 0.25), (4, 0)], [0.25, 0.0]),  # 3/16 and 1/16, between 1/8 and 1/4, and 0 and 1/8
        ([(0, 0), (3, 1)], [0.375, 1.0]),
    ],
)
def test_a_height_is_exact_or_missing(points: Any, expected: Any) -> None:
    assert [part[0] for part in heights(points)] == expected


def height(first: Any, second: Any, at: Fraction, unit: PairLines) -> float | None:
    """The definition, in fractions."""
    if first[0] == second[0] or any(math.isnan(item) for item in (*first, *second)):
        return None
    (x, y), (u, v) = (tuple(map(Fraction, point)) for point in (first, second))
    step = unit._step()
    low, high = math.ceil(unit.bounds[0] / step), math.floor(unit.bounds[1] / step)
    return float(min(max(round((y + (at - x) * (v - y) / (u - x)) / step), low), high) * step)


@pytest.mark.parametrize("grid", [Fraction(4), Fraction(1, 8), Fraction(1, 2**20), Fraction(1, 2**48)])
@pytest.mark.parametrize("bounds", [(-1, 1), (0, 2**20), (-(2**40), 2**40)])
def test_whole_numbers_of_any_size_give_the_definition(grid: Fraction, bounds: Any) -> None:
    """Numbers that need more than 64 bits too."""
    source = np.random.default_rng(1)
    space = pc.matrix(2, bounds=bounds, grid=Fraction(1, 2**10))
    unit = PairLines(at=[Fraction(1, 2), -700], bounds=(-9, 10), grid=grid)
    for _ in range(25):
        low, high = bounds if source.random() < 0.5 else (-1, 2)
        rows = source.uniform(low, high, size=(8, 2))
        value = space.domain.admit(rows).tolist()
        pairs = list(zip(value[::2], value[1::2], strict=True))
        assert heights(rows, unit, space) == [[height(*pair, at, unit) for pair in pairs] for at in unit.at]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
def test_the_coupling_has_the_right_law_and_moves_one_pair(count: int) -> None:
    """Over all orders, what is left is every way to pair the others, equally often, and one pair differs at most."""

    def pairs(order: Any) -> frozenset[frozenset[int]]:
        return frozenset(map(frozenset, zip(order[::2], order[1::2], strict=False)))

    orders = [list(order) for order in permutations(range(count))]
    for removed in (0, count - 1):
        others = [point for point in range(count) if point != removed]
        right = Counter(pairs(order) for order in permutations(others))
        assert Counter(pairs(without(order, removed)) for order in orders) == {
            way: many * count for way, many in right.items()
        }
        apart = [pairs(order) ^ pairs(without(order, removed)) for order in orders]
        assert max(map(len, apart)) == (0 if count == 1 else 1 if count % 2 == 0 else 2)


@pytest.mark.parametrize("matchings", [1, 3])
@pytest.mark.parametrize("unit", [UNIT, TheilSenSlopes(bounds=(-9, 9), grid=Fraction(1, 64))])
def test_fewer_points_move_the_results_as_the_map_says(unit: Any, matchings: int) -> None:
    """Of 600 tables about 20 reach the map with three matchings, so that none does less than once in 10^8 runs."""
    source, reached = random.Random(7), set()
    chain = POINTS >> evolve(unit, matchings=matchings)
    link = chain.links[0]
    for _ in range(600):
        rows = [[source.choice([0, 1, 2.25, 4, math.nan]), source.uniform(0, 4)] for _ in range(source.randrange(1, 9))]
        value = POINTS.domain.admit(rows)
        gone = source.sample(range(len(rows)), min(source.choice([1, 1, 2, 3]), len(rows)))
        less = np.delete(value, gone, axis=0)
        assert len(places_gone(value, less) or []) == len(gone)
        coins = link.unit.coins(len(value), POINTS)
        one = link.unit.combine(value, coins, POINTS)
        other = link.unit.combine(less, coins_without(coins, gone), POINTS)
        moved = chain.output.metric.distance(one, other, chain.output.domain)
        assert moved <= chain.map(len(gone))
        reached.add((len(gone), moved if isinstance(moved, int) else int(moved.linf)))
    assert (1, 2 * matchings) in reached, "one point may replace a pair of each matching"


def test_every_matching_is_drawn_by_itself() -> None:
    """Forty points have the same order twice with a chance below 1e-47; one matching again would bring nothing."""
    first, second = np.argsort(keys_of_points(40, 2), axis=0).T
    assert (first != second).any()


def test_the_map_multiplies_by_the_matchings_and_adds_up_the_places() -> None:
    d_out: Any = (POINTS >> OFTEN).map(1)
    assert (d_out.l0, d_out.l1, d_out.l2_squared, d_out.linf) == (2, 12, 72, 6)
    public: Any = (sized(5) >> OFTEN).map(2)
    assert public.linf == 6
    assert (POINTS >> OFTEN).map(0).l0 == 0  # type: ignore[union-attr]
    assert (POINTS >> TheilSenSlopes(bounds=(-1, 1), matchings=10)).map(1) == 20


def test_medians_of_two_places_cost_twice_one() -> None:
    median = QuantileInterval(alpha=Fraction(1, 2), temperature=60)
    chain = POINTS >> OFTEN >> pc.ParallelComposition(each=median)
    assert chain.map(1).epsilon() == Fraction(2 * 6, 60)


def test_few_points_have_no_lines() -> None:
    for rows in ([], [(1, 2)]):
        assert [part.tolist() for part in FREE(rows)] == [[], []]
    assert [len(part) for part in (sized(5) >> OFTEN)([(0, 0)])] == [6, 6]


def test_every_matching_pairs_by_keys_of_its_own() -> None:
    rows = [(at, at**2 / 4) for at in range(5)]
    found = {tuple(map(str, (POINTS >> OFTEN)(rows)[0].tolist())) for _ in range(50)}
    assert len(found) > 10
    assert all(len(each) == 6 for each in found)


def test_many_points_take_no_time() -> None:
    """50,000 points in ten matchings, in 64-bit numbers."""
    space = pc.matrix(2, bounds=(-1, 1), grid=Fraction(1, 2**20))
    value = space.domain.admit(np.random.default_rng(0).uniform(-1, 1, size=(50_000, 2)))
    unit = PairLines(at=[-0.5, 0.5], bounds=(-4, 4), grid=Fraction(1, 2**16), matchings=10)
    assert [len(part) for part in unit.apply(value, space)] == [250_000] * 2


def test_all_pairs_are_refused_with_the_reason() -> None:
    with pytest.raises(InvalidError, match="got 'all': one row is in n - 1 of all pairs, and the number of rows n is"):
        PairLines(at=[0], bounds=(0, 1), matchings="all")
    with pytest.raises(InvalidError, match="TheilSenSlopes.matchings must be a whole number such as 10, got 'all'"):
        TheilSenSlopes(bounds=(0, 1), matchings="all")
    with pytest.raises(InvalidError, match="above zero"):
        PairLines(at=[0], bounds=(0, 1), matchings=0)
    with pytest.raises(WrongTypeError, match="whole number"):
        PairLines(at=[0], bounds=(0, 1), matchings=1.5)
    with pytest.raises(WrongTypeError, match="a list of one or more numbers"):
        PairLines(at=[], bounds=(0, 1))


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="needs bounded columns"):
        pc.matrix(2) >> UNIT
    with pytest.raises(MismatchError, match="PairLines reads points"):
        pc.matrix(3, bounds=(0, 1)) >> UNIT
    with pytest.raises(MismatchError, match="PairLines reads unordered points"):
        pc.matrix(2, bounds=(0, 4), size=3, ordered=True) >> UNIT


@pytest.mark.parametrize("rows", [0, 2])
def test_a_column_that_is_always_zero_and_grids_far_apart(rows: int) -> None:
    """Products of bounds are zero then, and the ratio of the grids has 70 bits."""
    space = pc.matrix(1, bounds=(0, 2**40), grid=2**20) >> pc.AppendConstants(values=[0])
    chain = space >> PairLines(at=[0], bounds=(0, 2**-30), grid=2**-50)
    assert len(chain([[2**20], [2**30]][:rows])) == 1
