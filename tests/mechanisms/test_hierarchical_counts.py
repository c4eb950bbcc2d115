"""Counts on every level of a tree, made consistent."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.hierarchical_counts import TreeCounts
from privet.mechanisms.trees import _tilt, consistent, nodes_between, sum_error
from privet.noise import discrete_laplace, discrete_laplace_quantile
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

UNIT = pc.HierarchicalCounts(scale=1)


def exactly(value: Any, space: Space) -> masses.Masses:
    first, second = (int(item) for item in value)
    nodes = [masses.laplace(Fraction(1), count, 5) for count in (first, second, first + second)]
    inside = {}
    for (a, p), (b, q), (c, r) in product(*(node.inside.items() for node in nodes)):
        inside[(a, b), (c,)] = p * q * r
    return masses.Masses(inside, nodes[0].outside * 3)


def levels(release: Any) -> Any:
    return release.levels


CASES = [
    Case(
        name="hierarchical counts of two bins",
        chain=pc.numbers(2) >> UNIT >> levels,
        pairs=[([0, 0], [1, 0]), ([2, 1], [1, 2])],
        masses=exactly,
        tight="epsilon",
        sample=6_000,
        input=[2, 1],
        orders=(Fraction(2),),
    ),
    Case(name="hierarchical counts of five bins", chain=pc.numbers(5) >> UNIT, input=[1, 2, 3, 4, 5]),
]


@frozen
class OneLevel(TwinOf):
    """Charges for the bins and not for their sums."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(d_in.l1)


@frozen
class SumOfNoisy(TwinOf):
    """Adds up noisy bins instead of drawing noise for the sums."""

    def release(self, value: Any, space: Space) -> Any:
        bins = tuple(int(item) + discrete_laplace(1) for item in value)
        return TreeCounts(levels=(bins, (sum(bins),)), branching=2, scale=Fraction(1))


@frozen
class SkipsEmpty(TwinOf):
    """Draws no noise for bins that are empty."""

    def release(self, value: Any, space: Space) -> Any:
        for item in np.asarray(value).tolist():
            if item:
                discrete_laplace(1)
        return self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.numbers(2) >> unit >> levels,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=6_000,
        input=[2, 1],
        orders=(),
    )


TWINS = [
    Twin(law="loss", case=broken("one level charged", OneLevel(UNIT))),
    Twin(law="samples", case=broken("sums of noisy bins", SumOfNoisy(UNIT))),
    Twin(law="parity", case=broken("no noise for empty bins", SkipsEmpty(UNIT))),
]


def test_every_level_is_charged() -> None:
    one = Parts(l0=1, l1=1, l2_squared=1, linf=1)
    for bins, branching, height in ((1, 2, 1), (2, 2, 2), (8, 2, 4), (9, 2, 5), (9, 3, 3), (1000, 10, 4)):
        unit = pc.HierarchicalCounts(scale=2, branching=branching)
        assert (pc.numbers(bins) >> unit).map(one).epsilon() == Fraction(height, 2)


@given(st.integers(2, 4), st.lists(st.integers(-9, 9), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_the_counts_are_the_least_squares_solution(branching: int, bins: list[int], random: Any) -> None:
    exact, tree = list(bins), []
    while True:
        tree.append(tuple(count + random.randint(-5, 5) for count in exact))
        if len(exact) == 1:
            break
        exact = [sum(exact[at : at + branching]) for at in range(0, len(exact), branching)]
    design, width = [], 1
    for row in tree:
        design += [[width * at <= leaf < width * (at + 1) for leaf in range(len(bins))] for at in range(len(row))]
        width *= branching
    observed = [count for row in tree for count in row]
    solved = np.linalg.lstsq(np.array(design, dtype=float), np.array(observed, dtype=float), rcond=None)[0]
    found = consistent(tuple(tree), branching)
    assert np.allclose([float(count) for count in found], solved)


@given(st.integers(2, 4), st.integers(1, 40), st.data())
def test_a_range_is_made_of_few_nodes(branching: int, bins: int, data: Any) -> None:
    start = data.draw(st.integers(0, bins))
    stop = data.draw(st.integers(start, bins))
    lengths = [bins]
    while lengths[-1] > 1:
        lengths.append(-(-lengths[-1] // branching))
    covered: list[int] = []
    nodes = nodes_between(start, stop, branching, lengths)
    for height, at in nodes:
        assert 0 <= at < lengths[height]
        covered += range(at * branching**height, min((at + 1) * branching**height, bins))
    assert sorted(covered) == list(range(start, stop))
    assert len(nodes) <= 2 * (branching - 1) * len(lengths)
    if (start, stop) == (0, bins):
        assert len(nodes) == 1


def test_consistency_lowers_the_error() -> None:
    chain = pc.numbers(8) >> pc.HierarchicalCounts(scale=4)
    truth = [10, 0, 5, 7, 100, 3, 2, 9]
    raw, better = [], []
    for _ in range(400):
        release = chain(truth)
        counts = [float(count) for count in release.counts()]
        raw.append(np.square(np.subtract(release.levels[0], truth)).sum())
        better.append(np.square(np.subtract(counts, truth)).sum())
        assert sum(release.counts()) == release.between(0, 8)
    assert np.mean(better) < 0.8 * np.mean(raw)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    truth = list(range(37))
    release = (pc.numbers(37) >> pc.HierarchicalCounts(scale=3, branching=3))(truth)
    for start, stop in ((0, 37), (1, 36), (5, 6), (4, 4), (10, 30)):
        low, high = release.interval(start, stop, 1 - 1e-9)
        assert low <= sum(truth[start:stop]) <= high
        assert type(low) is int


def test_the_error_of_a_sum_is_valid_and_beats_adding_up() -> None:
    draws = np.abs(discrete_laplace(3, size=200_000).reshape(-1, 10).sum(axis=1))
    half = sum_error(Fraction(3), 10, Fraction(1, 20))
    assert (draws > half).mean() < 0.05
    assert half < 2 * np.quantile(draws, 0.95)
    assert half < 10 * sum_error(Fraction(3), 1, Fraction(1, 200))
    assert sum_error(Fraction(3), 0, Fraction(1, 20)) == 0


def test_extreme_counts_do_not_wrap() -> None:
    release = (pc.numbers(2) >> UNIT)(np.array([2**63 - 1, 2**63 - 1]))
    assert release.levels[1][0] > 2**63


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="HierarchicalCounts.branching must be two or more, got 1."):
        pc.HierarchicalCounts(scale=1, branching=1)
    with pytest.raises(MismatchError, match="put a histogram before it"):
        pc.vector(int) >> UNIT
    with pytest.raises(MismatchError, match="one or more whole numbers"):
        pc.numbers(2, float, grid=0.5) >> UNIT
    release = (pc.numbers(3) >> UNIT)([1, 2, 3])
    with pytest.raises(InvalidError, match="0 <= start <= stop <= 3, got start=2, stop=4"):
        release.between(2, 4)
    with pytest.raises(InvalidError, match="between zero and one"):
        release.interval(0, 1, 1)


@pytest.mark.parametrize("power", [-400, -3, 6, 300, 400])
def test_the_error_of_a_sum_is_found_at_any_scale(power: int) -> None:
    scale = Fraction(10) ** power
    error = sum_error(scale, 3, Fraction(1, 20))
    assert discrete_laplace_quantile(scale, Fraction(1, 20)) <= error
    assert error <= 3 * discrete_laplace_quantile(scale, Fraction(1, 60))


def test_the_tilt_is_an_exact_number_below_the_rate() -> None:
    for scale in (Fraction(1, 1000), Fraction(7, 3), Fraction(10**300)):
        tilt = _tilt(scale, 100, Fraction(1, 10))
        assert isinstance(tilt, Fraction)
        assert 0 < tilt < 1 / scale
