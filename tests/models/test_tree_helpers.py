"""What trees and forests share: selections from a budget, shrunk shares, the range of a target, random splits."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

import privet as pv
from privet.core import Parts
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.models import target_range
from privet.models.binning import Binning
from privet.models.features import Categorical, Features, Numeric
from privet.models.forest_scores import crossing, leaf_scores, start_scores
from privet.models.leaf_shares import class_weights, number_weights, overall, shrunk, tree_shares
from privet.models.leaf_sums import Rows
from privet.models.public_coins import Coins
from privet.models.random_trees import random_tree
from privet.models.signal import Signal
from privet.models.spending import spending_of
from privet.models.target_range import TargetRange, release_range
from tests.laws.replay import replayed


def reach(length: Any) -> Parts:
    return Parts(l0=1, l1=Fraction(length), l2_squared=Fraction(length) ** 2, linf=Fraction(length))


@pytest.mark.parametrize("share", [Fraction(1), Fraction(1, 3), Fraction(7, 1000)])
def test_a_selection_costs_its_share_and_hardly_less(share: Fraction) -> None:
    pure = spending_of("Tree", pv.budget(epsilon=1), ("pure", "concentrated"))
    unit = pure.selection(reach(6), share)
    assert isinstance(unit, PermuteAndFlip)
    assert share * (1 - Fraction(1, 2**30)) < 6 / unit.scale <= share
    some = spending_of("Tree", pv.budget(rho="1/40"), ("pure", "concentrated"))
    other = some.selection(reach(6), share)
    assert isinstance(other, Exponential)
    rho = (6 / other.temperature) ** 2 / 8
    assert share / 40 * (1 - Fraction(1, 2**30)) < rho <= share / 40
    assert other.loss(6, None).rho() <= share / 40  # type: ignore[arg-type]


def test_one_candidate_costs_nothing() -> None:
    spending = spending_of("Tree", pv.budget(epsilon=1), ("pure",))
    unit = spending.selection(reach(0), Fraction(1))
    assert unit.loss(0, None).epsilon() == 0  # type: ignore[arg-type]


def test_numbers_are_two_classes() -> None:
    weights = number_weights(np.array([-1.0, 0.0, 0.5, 1.0, 1 / 3]))
    assert weights[:4].tolist() == [[1, 0], [0.5, 0.5], [0.25, 0.75], [0, 1]]
    assert (weights.sum(axis=1) == 1).all()
    assert class_weights(np.array([1.0, 0.0, 7.0]), 2).tolist() == [[0, 1], [1, 0], [0, 0]]


def test_shares_lie_between_those_of_the_parent_and_the_sums() -> None:
    parent = np.array([0.7, 0.3])
    found = shrunk(np.array([[10.0, 90.0], [-5.0, 3.0], [0.0, 0.0]]), parent, 100.0)
    assert np.allclose(found.sum(axis=1), 1)
    assert 0.3 < found[0, 1] < 0.9
    assert np.allclose(found[1:], parent, atol=0.1)


def test_shares_of_a_tree_follow_signal_and_ignore_noise() -> None:
    clear = np.array([[900.0, 100], [100, 900], [500, 500], [10, 10]])
    found = tree_shares(clear, 1.0)
    assert [level.shape for level in found] == [(1, 2), (2, 2), (4, 2)]
    assert np.abs(found[-1][:3, 1] - [0.1, 0.9, 0.5]).max() < 0.02
    source = np.random.default_rng(1)
    gaps, raw = [], []
    for _ in range(50):
        noisy = np.full((16, 2), 500.0) + 100 * source.normal(size=(16, 2))
        gaps.append(np.abs(tree_shares(noisy, 100.0)[-1] - 0.5).mean())
        raw.append(np.abs(noisy / noisy.sum(axis=1, keepdims=True) - 0.5).mean())
    assert np.mean(gaps) < 0.9 * np.mean(raw)
    assert (tree_shares(np.full((4, 3), -50.0), 10.0)[-1] > 0).all()
    assert np.allclose(overall(np.array([-3.0, 9.0])), [0.1, 0.9])


def some_range(counts: Any, noise: float = 0.0) -> TargetRange:
    return TargetRange(lower=-0.5, upper=0.25, counts=np.asarray(counts, dtype=float), noise=noise)


def test_targets_are_narrowed_and_widened() -> None:
    found = some_range(np.ones(32))
    assert found.narrowed(np.array([-1.0, -0.5, -0.125, 0.25, 1.0])).tolist() == [-1, -1, 0, 1, 1]
    assert found.widened(np.array([-9.0, -1.0, 0.0, 1.0])).tolist() == [-0.5, -0.5, -0.125, 0.25]


def test_classes_of_targets_have_about_equal_size() -> None:
    counts = np.zeros(32)
    counts[:4] = 100, 300, 100, 500
    targets = -1 + (np.arange(32) + 0.5) / 16
    assert some_range(counts).classes(targets, 2).tolist() == [0] * 3 + [1] * 29
    assert set(some_range(counts, 1000.0).classes(targets, 4).tolist()) == {0, 1, 2, 3}


def test_numbers_of_rows_are_pooled_by_their_variances() -> None:
    both = Rows(count=100, noise=3).pooled(Rows(count=200, noise=4))
    assert both.count == 136
    assert abs(both.noise - 2.4) < 1e-12


def test_sums_cross_zero_where_they_fall() -> None:
    assert crossing((2, 4, 8), [-1, -2, -3]) == 2
    assert crossing((2, 4, 8), [3, 2, 1]) == 8
    assert crossing((0, 1, 3), [1, 2, -1.5]) == crossing((0, 1, 3), [1.5, 1.5, -1.5])
    assert 2 < crossing((2, 4, 8), [1, -1, 5]) <= 8


COLUMNS = Features(columns=(Numeric(lower=0, upper=1), Categorical(values=("a", "b", "c"))))
BINS = Binning(features=COLUMNS, bins=5, edges=(None, None))


def test_random_trees_split_every_column_both_ways() -> None:
    with replayed(seed=1):
        coins = Coins()
        trees = [random_tree(BINS, 3, coins) for _ in range(200)]
    for tree in trees:
        assert {column for column, _ in tree} == {0, 1}
        assert all({*table} == {0, 1} and len(table) == BINS.sizes[column] for column, table in tree)
    thresholds = {table[:5] for tree in trees for column, table in tree if column == 0}
    assert thresholds == {tuple(int(code > at) for code in range(5)) for at in range(4)}


def test_scores_of_leaves() -> None:
    """With hardly any noise the scores of one tree are the logarithms of what its leaves have."""
    sums = np.array([[[9_000.0, 1_000.0], [5_000.0, 5_000.0]]])
    base = overall(sums.sum(axis=(0, 1)))
    start, scores = start_scores(base, "logistic"), leaf_scores(sums, base, 1e-6, "logistic")
    assert np.allclose(start + scores[0], np.log(np.array([[1 / 9], [1.0]])), atol=1e-2)
    means = start_scores(base, "squared") + leaf_scores(sums, base, 1e-6, "squared")[0]
    assert np.allclose(means, [[-0.8], [0.0]], atol=1e-2)
    many = leaf_scores(sums, base, 1e-6, "multinomial")
    assert np.allclose(many.sum(axis=2), 0)


def ends(counts: list[float], noise: float) -> tuple[float, float]:
    """Give the ends that a release with these counts has, in parts of 32 bins."""
    rows = SimpleNamespace(release=lambda *_, **__: np.array(counts), account=None)
    with (
        mock.patch.object(target_range, "private_rows", return_value=rows),
        mock.patch.object(target_range, "deviation", return_value=noise),
    ):
        found = release_range(SimpleNamespace(target=np.zeros(0)), Fraction(1))  # type: ignore[arg-type]
    return found.lower, found.upper


@pytest.mark.parametrize(
    ("counts", "noise", "expected"),
    [
        ([0] * 14 + [500] * 4 + [0] * 14, 10, (-1 + 28 / 32, 1 - 28 / 32)),
        ([3] * 14 + [500] * 4 + [-3] * 14, 10, (-1 + 28 / 32, 1 - 28 / 32)),
        ([0] * 7 + [100] * 25, 10, (-1, 1)),  # not worth it
        ([0] * 8 + [100] * 24, 10, (-0.5, 1)),
        ([0] * 14 + [500] * 4 + [0] * 14, 34, (-1, 1)),  # one in twenty rows does not stand out in one bin
        ([12] * 14 + [500] * 4 + [0] * 14, 10, (-1 + 8 / 32, 1 - 28 / 32)),  # five bins of twelve rows stand out
        ([0.1] * 14 + [500] * 4 + [0] * 14, 0, (-1 + 28 / 32, 1 - 28 / 32)),
        ([0] * 10 + [2000] + [0] * 21, 10, (-1 + 20 / 32, 1 - 40 / 32)),  # one bin alone would be too narrow
        ([0] * 32, 10, (-1, 1)),
        ([-9] * 32, 10, (-1, 1)),
    ],
)
def test_ends_without_rows_are_cut_off(counts: list[float], noise: float, expected: tuple[float, float]) -> None:
    assert ends(counts, noise) == pytest.approx(expected)


def test_a_judgement_says_where_ends_were_cut_off() -> None:
    good, column = Signal(expected=True, reason="Enough."), Numeric(lower=0, upper=100)
    whole = TargetRange(lower=-1, upper=1, counts=np.zeros(32), noise=1.0)
    part = TargetRange(lower=-1, upper=-0.5, counts=np.zeros(32), noise=1.0)
    assert whole.noted(good, column) == good
    assert part.noted(good, column).expected
    assert part.noted(good, column).reason == (
        "Enough. Hardly any target was seen beyond 0 to 25: those beyond are moved to these ends."
    )
    x = np.linspace(-1, 1, 40_000)  # a hundredth of them is 30 deviations of the noise of fourteen bins
    for kind in (pv.models.GradientBoostingRegressor, pv.models.RandomForestRegressor, pv.models.DecisionTreeRegressor):
        model = kind(rho=1, bounds=(-1, 1), target_bounds=(-100, 100)).fit(x[:, None], 10 * x)
        assert -20 < model.target_range_[0] <= -9
        assert 9 <= model.target_range_[1] < 20
        assert "Hardly any target was seen beyond -" in model.explain()
