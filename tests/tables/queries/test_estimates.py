"""How caps and bounds are read off noisy counts: public bins, quantiles, least error, noise told from persons."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.noise import discrete_laplace
from privet.tables.aggregates.noise import Noise
from privet.tables.columns.auto import auto
from privet.tables.columns.column import Column
from privet.tables.queries.estimates import BoundsSearch, CapSearch, bars_of, bounds_search, cap_search, full, rungs

QUIET = settings(deadline=None, max_examples=25)


@pytest.mark.parametrize("largest", [*range(1, 40), 2**20, 2**62])
def test_rungs_rise_to_the_largest_by_at_most_half(largest: int) -> None:
    found = rungs(largest)
    assert found[0] == 1
    assert found[-1] == largest
    assert all(a < b <= max(a + 1, a * 1.5) for a, b in pairwise(found))


COUNTS = st.lists(st.integers(-50, 10**6), min_size=300, max_size=300)
QUANTILES = st.sampled_from([None, 0.5, 0.95, 1])


@QUIET
@given(COUNTS, QUANTILES, st.sampled_from([(0, 1), (-7, -3), (-(2**40), 5), (1900, 2100), None]), st.integers(0, 10**5))
def test_whatever_is_counted_the_bounds_are_within_the_column(counts: Any, part: Any, ends: Any, spared: int) -> None:
    for wanted in (part, (0.005, 0.995), (0, 1)):
        search = bounds_search("sum", "x", Column(kind="integer", bounds=ends), auto(quantile=wanted))
        lower, upper = search.choose(full(counts[: len(search.cuts) - 1], (20, 5)), spared)  # type: ignore[misc]
        assert search.widest[0] <= lower < upper <= search.widest[1]
        assert ends is None or (ends[0] <= lower and upper <= ends[1])


@QUIET
@given(COUNTS, QUANTILES, st.integers(1, 2**20), st.integers(0, 10**5))
def test_whatever_is_counted_the_cap_is_one_of_the_candidates(counts: Any, part: Any, most: int, spared: int) -> None:
    search = cap_search("rows", auto(quantile=part), most)
    assert search.choose(full(counts[: len(search.cuts) - 1], (20, 5)), spared) in rungs(most)


def test_quantiles_are_exact_where_there_is_no_noise() -> None:
    caps = CapSearch(cap="rows", auto=auto(quantile=0.9), cuts=(1, 2, 3, 5))
    assert [caps.choose(each, 0) for each in ([90, 5, 5], [89, 1, 10], [0, 0, 9])] == [1, 2, 4]
    bounds = BoundsSearch(column="x", auto=auto(quantile=(0.1, 0.8)), cuts=(-2, 0, 1, 2, 8), grid=Fraction(1, 2))
    found: list[Any] = [bounds.choose(counts, 0) for counts in ([10, 10, 60, 20], [11, 9, 59, 21])]
    assert found == [(0, Fraction(1, 2)), (-1, Fraction(7, 2))]


def test_least_error_leaves_out_as_many_as_are_spared_but_never_more_than_a_quarter() -> None:
    caps = CapSearch(cap="rows", auto=auto(), cuts=(1, 2, 3, 5, 7))
    assert [caps.choose([60, 20, 15, 5], spared) for spared in (4, 5, 19, 20, 10**9)] == [6, 4, 4, 2, 2]


def test_noise_alone_is_taken_for_persons_with_probability_beta() -> None:
    """The bars are those of the stated tails: one lower, and the probability would be above."""
    far, near = bars_of(Noise(kind="laplace", scale=10, grid=1), 40, Fraction(1, 10_000))
    reach = [1 / (1 + math.exp(-0.1)) * math.exp(-0.1 * bar) for bar in (far, far - 1, near, near - 1)]
    assert 1 - (1 - reach[0]) ** 40 <= 1e-4 < 1 - (1 - reach[1]) ** 40
    assert reach[2] <= 0.1 < reach[3]


def _heavy(kind: str) -> Any:
    rng = np.random.default_rng(5)
    sizes = rng.lognormal(1, 1, 10_000) if kind == "lognormal" else rng.pareto(1.2, 10_000) + 1
    return np.minimum(np.ceil(sizes), 5000).astype(int)


@pytest.mark.parametrize("kind", ["lognormal", "pareto"])
def test_a_cap_is_within_a_factor_of_two_of_the_quantile_at_epsilon_1(kind: str) -> None:
    """10,000 persons and a share of a tenth; 2,000 draws: each fails only where noise is beyond 20 times its scale."""
    sizes, search = _heavy(kind), cap_search("rows", auto(quantile=0.95, beta=1e-12), 2**62)
    exact = np.histogram(sizes, bins=np.array(search.cuts))[0]
    bars = bars_of(Noise(kind="laplace", scale=10, grid=1), len(exact), search.auto.beta)
    wanted = float(np.quantile(sizes, 0.95))
    for _ in range(2000):
        noisy = exact + discrete_laplace(Fraction(10), size=len(exact))
        found: Any = search.choose(full(noisy.tolist(), bars), 0)
        assert wanted / 2 <= found <= wanted * 2


@pytest.mark.parametrize("ends", [(0, 1), (-7, -3), (-(2**40), 5), (1900, 2100), None])
def test_the_bins_of_a_column_follow_each_other_from_end_to_end(ends: Any) -> None:
    search = bounds_search("sum", "x", Column(kind="integer", bounds=ends), auto())
    assert all(a < b for a, b in pairwise(search.cuts))
    assert (search.cuts[0], search.cuts[-1] - 1) == tuple(map(int, ends or (1 - 2**62, 2**62 - 1)))
    nearest = min(max(0, search.cuts[0]), search.cuts[-1] - 1)
    assert (nearest, nearest + 1) in list(pairwise(search.cuts))  # a bin by itself: zeros are told apart


def test_least_error_begins_at_zero_where_that_hardly_widens() -> None:
    search = BoundsSearch(column="x", auto=auto(), cuts=(0, 1, 2, 4, 5, 9, 17), grid=Fraction(1))
    found: list[Any] = [search.choose(counts, 0) for counts in ([0, 0, 0, 50, 50, 50], [0, 0, 0, 0, 50, 50])]
    assert found == [(0, 16), (5, 16)]


def test_one_value_gets_bounds_of_one_step() -> None:
    search = bounds_search("sum", "x", Column(kind="real", bounds=(0, 8), grid=0.5), auto())
    only = [0] * (len(search.cuts) - 1)
    found: list[Any] = [search.narrowest, search.choose([9, *only[1:]], 0), search.choose([*only[1:], 9], 0)]
    assert found == [(0, Fraction(1, 2)), (0, Fraction(1, 2)), (Fraction(13, 2), 8)]
