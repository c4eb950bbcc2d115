"""The median with its smooth sensitivity."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.exact import ball, ends, precision
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.transforms import column_steps
from privet.transforms.smooth_median import Ranked, smooth_maximum
from privet.transforms.smooth_pairs import FLOOR, SmoothDistance, SmoothDomain, smooth
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

COLUMN = pc.vector(int, bounds=(0, 100))
SIZED = pc.vector(int, bounds=(0, 100), size=5)
WIDEST = pc.vector(int, bounds=(-(2**63), 2**63 - 1), size=3)
CASES = [
    Case(name="smooth median", chain=COLUMN >> pc.SmoothMedian(beta=0.5)),
    Case(name="smooth median, at once", chain=COLUMN >> pc.SmoothMedian(beta=1000)),
    Case(name="smooth median of reals", chain=pc.vector(float, bounds=(-0.1, 0.3)) >> pc.SmoothMedian(beta=0.07)),
    Case(name="smooth median of known size", chain=SIZED >> pc.SmoothMedian(beta=0.4)),
    Case(name="smooth median of 64 bits", chain=WIDEST >> pc.SmoothMedian(beta=2)),
    Case(
        name="smooth median of the widest reals",
        chain=pc.vector(float, bounds=(-1e308, 1e308)) >> pc.SmoothMedian(beta=1),
    ),
]


def ranked_of(value: Any) -> Ranked:
    """The rows between 0 and 100, sorted."""
    return Ranked(np.sort(column_steps(value, COLUMN.domain, missing=0)), 0, 100)  # type: ignore[arg-type]


@frozen
class LocalOnly(TwinOf):
    """Takes the local sensitivity of these data for the bound."""

    def apply(self, value: Any, space: Space) -> Any:
        ranked = ranked_of(value)
        return ranked.at(ranked.middle), max(Fraction(ranked.by_row(0)), FLOOR)


@frozen
class EachRounded(TwinOf):
    """Rounds every weight up to two digits by itself, so that neighbouring weights may differ by more than e^beta."""

    def apply(self, value: Any, space: Space) -> Any:
        ranked = ranked_of(value)
        weights = [Fraction(math.ceil(100 * math.exp(-0.5 * k)), 100) for k in range(40)]
        return ranked.at(ranked.middle), max(weight * ranked.by_row(k) for k, weight in enumerate(weights))


@frozen
class RoundedDown(TwinOf):
    """Takes weights a little below e^(-beta k): a factor e^beta for one step is then exceeded by a hair."""

    def apply(self, value: Any, space: Space) -> Any:
        ranked = ranked_of(value)
        factor = Fraction(math.exp(-0.5)) * (1 - Fraction(1, 2**50))
        return ranked.at(ranked.middle), max(factor**k * ranked.by_row(k) for k in range(60))


@frozen
class RowsForReplacements(TwinOf):
    """Takes the sensitivity to one added or removed row where rows are replaced."""

    def apply(self, value: Any, space: Space) -> Any:
        ranked = ranked_of(value)
        return ranked.at(ranked.middle), smooth_maximum(ranked.by_row, 5, 100, Fraction(2, 5))


@frozen
class WithoutTheBounds(TwinOf):
    """Forgets that rows may come in at the bounds."""

    def apply(self, value: Any, space: Space) -> Any:
        ranked = ranked_of(value)
        rows = ranked.rows
        seen = Ranked(rows, int(rows[0]), int(rows[-1])) if len(rows) else ranked
        return ranked.at(ranked.middle), smooth_maximum(seen.by_row, len(rows), 100, Fraction(1, 2))


@frozen
class HalfTheBound(TwinOf):
    """Halves a bound that the data attain."""

    def apply(self, value: Any, space: Space) -> Any:
        answer, bound = self.right.apply(value, space)
        return answer, bound / 2


@frozen
class OneRowFree(TwinOf):
    """Counts one changed row too few."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return max(d_in - 1, 0)


RIGHT = pc.SmoothMedian(beta=0.5)
TWINS = [
    Twin(law="map", case=Case(name="local sensitivity only", chain=COLUMN >> LocalOnly(RIGHT))),
    Twin(law="map", case=Case(name="weights rounded one by one", chain=COLUMN >> EachRounded(RIGHT))),
    Twin(law="map", case=Case(name="weights rounded down", chain=COLUMN >> RoundedDown(RIGHT))),
    Twin(
        law="map",
        case=Case(name="rows for replacements", chain=SIZED >> RowsForReplacements(pc.SmoothMedian(beta=0.4))),
    ),
    Twin(law="map", case=Case(name="sensitivity without the bounds", chain=COLUMN >> WithoutTheBounds(RIGHT))),
    Twin(law="map", case=Case(name="half of the bound", chain=COLUMN >> HalfTheBound(RIGHT))),
    Twin(law="map", case=Case(name="smooth median, one row free", chain=COLUMN >> OneRowFree(RIGHT))),
]


def within_a_factor(first: Fraction, second: Fraction, beta: Fraction) -> bool:
    with precision(256):
        return first <= ends(ball(second) * ball(beta).exp())[0]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 100), max_size=15), st.integers(0, 100), st.integers(1, 300), st.data())
def test_neighbours_have_close_bounds_and_close_medians(rows: list[int], new: int, percent: int, data: Any) -> None:
    beta = Fraction(percent, 100)
    pairs = [(COLUMN, rows, [*rows, new])]
    if rows:
        at = data.draw(st.integers(0, len(rows) - 1))
        sized = pc.vector(int, bounds=(0, 100), size=len(rows))
        pairs.append((sized, rows, [*rows[:at], new, *rows[at + 1 :]]))
    for space, x, y in pairs:
        chain = space >> pc.SmoothMedian(beta=beta)
        (q, s), (r, t) = (chain.run(space.domain.admit(data)) for data in (x, y))
        assert within_a_factor(s, t, beta)
        assert within_a_factor(t, s, beta)
        assert abs(q - r) <= min(s, t)


VALUES = range(4)
MULTISETS = [rows for size in range(7) for rows in combinations_with_replacement(VALUES, size)]


def ranked(rows: Any) -> Ranked:
    return Ranked(np.array(sorted(rows), dtype=np.int64), 0, 3)


def median(rows: Any) -> int:
    found = ranked(rows)
    return found.at(found.middle)


def more(rows: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Neighbours by one row."""
    added = {tuple(sorted((*rows, value))) for value in VALUES}
    return added | {rows[:at] + rows[at + 1 :] for at in range(len(rows))}


def replacing(rows: tuple[int, ...]) -> set[tuple[int, ...]]:
    """Neighbours by one replacement."""
    return {tuple(sorted((*rows[:at], value, *rows[at + 1 :]))) for at in range(len(rows)) for value in VALUES}


@pytest.mark.parametrize("relation", [more, replacing])
def test_the_spread_is_the_exact_local_sensitivity_at_each_distance(relation: Any) -> None:
    """Every data set within k steps is tried, over a domain of four values."""
    start = [rows for rows in MULTISETS if 1 <= len(rows) <= 4]
    for rows in start:
        near, seen = {rows}, {rows}
        for k in range(3):
            exactly = max(abs(median(x) - median(y)) for x in seen for y in relation(x))
            spread = ranked(rows).by_row if relation is more else ranked(rows).by_replacement
            assert spread(k) == exactly
            near = {y for x in near for y in relation(x)} - seen
            seen |= near


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 100), max_size=20), st.integers(1, 300))
def test_the_search_finds_the_largest_product(rows: list[int], percent: int) -> None:
    beta = Fraction(percent, 100)
    found = Ranked(np.array(sorted(rows), dtype=np.int64), 0, 100)
    for spread in (found.by_row, found.by_replacement):
        exactly = max(math.exp(-float(beta) * k) * spread(k) for k in range(len(rows) + 1))
        assert math.isclose(
            float(smooth_maximum(spread, len(rows), 100, beta)), max(exactly, float(FLOOR)), rel_tol=1e-6
        )


def test_worked_examples() -> None:
    chain = COLUMN >> pc.SmoothMedian(beta=1)
    assert chain([]) == (0, 100.0)
    answer, bound = chain([10, 20, 30, 40, 50])
    assert answer == 30
    assert math.isclose(bound, max(10, 20 / math.e, 30 / math.e**2, 40 / math.e**3, 90 / math.e**4), rel_tol=1e-8)
    assert chain([10, 20, 30, 40])[0] == 20


def test_in_order_or_not_a_replacement_is_a_replacement() -> None:
    ordered = pc.vector(int, bounds=(0, 100), size=5, ordered=True) >> RIGHT
    assert ordered([3, 1, 2, 5, 4]) == (SIZED >> RIGHT)([1, 2, 3, 4, 5])
    assert ordered.map(2) == 2


def test_equal_rows_need_little_noise() -> None:
    _, bound = (COLUMN >> pc.SmoothMedian(beta=0.5))([50] * 1000)
    assert bound == float(FLOOR)


def test_long_columns_are_quick() -> None:
    rows = np.arange(200_000) % 1000
    for space in (pc.vector(int, bounds=(0, 1000)), pc.vector(int, bounds=(0, 1000), size=200_000)):
        answer, bound = (space >> pc.SmoothMedian(beta=0.01))(rows)
        assert answer == 499
        assert 0 < bound < 10


def test_missing_values_count_as_the_value_nearest_to_zero() -> None:
    assert (pc.vector(float, bounds=(-5, 5)) >> pc.SmoothMedian(beta=1))([math.nan, None, -3.0, 4.0, 2.0])[0] == 0.0
    assert (pc.vector(int, bounds=(90, 100)) >> pc.SmoothMedian(beta=1))([95, None, None])[0] == 90


def test_a_replacement_or_a_row_has_distance_one() -> None:
    assert (COLUMN >> RIGHT).map(3) == 3
    assert (SIZED >> RIGHT).map(1) == (SIZED >> RIGHT).map(2) == 1


def test_the_distance_of_pairs_counts_moves() -> None:
    domain = SmoothDomain(kind=int, beta=Fraction(7, 10))
    measure = SmoothDistance().distance
    one = Fraction(10)
    assert measure((0, one), (0, one), domain) == 0
    assert measure((0, one), (10, one), domain) == 1
    assert measure((0, one), (11, one), domain) == 2
    assert measure((0, one), (0, Fraction(20)), domain) == 1
    assert measure((0, one), (0, Fraction(21)), domain) == 2
    # in three steps the bound rises to 20.1 and falls again: 10 + 20.1 + 10
    assert measure((0, one), (40, one), domain) == 3
    assert measure((0, one), (41, one), domain) == 4


def test_pairs_are_read_by_a_total_function() -> None:
    space = smooth(float, beta=0.1, grid=0.5)
    admit, step = space.domain.admit, Fraction(1, 2)
    assert admit((1.3, 2.0)) == (3, 2 + step)
    for junk in (None, math.nan, -1.0, "text", -math.inf):
        assert admit((0.0, junk)) == (0, step * FLOOR + step)
    assert admit((None, math.inf))[1] > 10**308
    assert smooth(int, beta=0.1).domain.admit((7, 2)) == (7, Fraction(2))
    with pytest.raises(WrongTypeError, match="expected a pair"):
        admit(3.0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pc.SmoothMedian(beta=0), InvalidError, "SmoothMedian.beta must be above zero, got 0."),
        (lambda: pc.SmoothMedian(beta=math.inf), NotExactError, "SmoothMedian.beta"),
        (lambda: pc.vector(int) >> RIGHT, MismatchError, "put Clamp"),
        (lambda: smooth(int, beta=-1), InvalidError, "smooth.beta must be above zero"),
        (lambda: smooth(float, beta=1), WrongTypeError, "smooth.grid is needed"),
        (lambda: smooth(str, beta=1), WrongTypeError, "smooth.kind must be int or float"),
        (lambda: smooth(int, beta=1, grid=2), InvalidError, "smooth.grid is 1 for whole numbers"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
