"""Least squares on trees: against the full normal equations, in floats and in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError
from privet.mechanisms.consistent_tree import ConsistentTree, add_up, summable
from privet.mechanisms.trees import consistent
from privet.noise import discrete_laplace

QUIET = settings(deadline=None, max_examples=60)


@frozen
class Sample:
    """A ragged tree with variances of levels, and its normal equations."""

    parents: tuple[np.ndarray, ...]
    variances: tuple[float | None, ...]

    @property
    def tree(self) -> ConsistentTree:
        return ConsistentTree(parents=self.parents, variances=self.variances)

    @property
    def design(self) -> np.ndarray:
        """What each node is made of: leaves."""
        return np.concatenate(add_up(self.parents, np.eye(self.tree.sizes[-1])))

    @property
    def precision(self) -> np.ndarray:
        return np.concatenate(
            [np.full(n, 0.0 if v is None else 1 / v) for n, v in zip(self.tree.sizes, self.variances, strict=True)]
        )

    @property
    def covariance(self) -> np.ndarray:
        """Of the estimates of all nodes."""
        return np.asarray(self.design @ np.linalg.inv(self.design.T * self.precision @ self.design) @ self.design.T)

    @property
    def weights(self) -> np.ndarray:
        """Of the noise of each node in the estimate of each node."""
        return np.asarray(self.covariance * self.precision)

    def spread(self, sizes: Sequence[float]) -> np.ndarray:
        return np.concatenate([np.full(n, size) for n, size in zip(self.tree.sizes, sizes, strict=True)])


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    parents, above = [], 1
    for _ in range(draw(st.integers(1, 3))):
        further = draw(st.lists(st.integers(0, above - 1), max_size=4))
        parents.append(np.array(draw(st.permutations([*range(above), *further]))))
        above += len(further)
    known = st.one_of(st.none(), st.floats(0.05, 20))
    variances = [*draw(st.lists(known, min_size=len(parents), max_size=len(parents))), draw(st.floats(0.05, 20))]
    return Sample(tuple(parents), tuple(variances))


def values(sample: Sample, seed: int) -> list[np.ndarray]:
    numbers = np.random.default_rng(seed)
    return [numbers.normal(size=(n, 2)) * 100 for n in sample.tree.sizes]


@QUIET
@given(samples(), st.integers(0, 1000))
def test_estimates_solve_the_normal_equations(sample: Sample, seed: int) -> None:
    given_values = values(sample, seed)
    root = np.sqrt(sample.precision)[:, None]
    leaves = np.linalg.lstsq(sample.design * root, np.concatenate(given_values) * root, rcond=None)[0]
    assert np.allclose(np.concatenate(sample.tree.fit(given_values)), sample.design @ leaves, atol=1e-7)


@QUIET
@given(samples())
def test_variances_are_those_of_the_covariance_matrix(sample: Sample) -> None:
    found = sample.tree.power_sums([known or 0.0 for known in sample.variances], 2)
    assert np.allclose(np.concatenate(found), np.diag(sample.covariance))


@QUIET
@given(samples(), st.lists(st.floats(0.1, 3), min_size=4, max_size=4))
def test_power_sums_and_largest_weights_are_those_of_the_full_matrix(sample: Sample, sizes: list[float]) -> None:
    used = [size if known else 0.0 for size, known in zip(sizes, sample.variances, strict=False)]
    spread = sample.spread(used)
    assert np.allclose(np.concatenate(sample.tree.power_sums(used, 4)), sample.weights**4 @ spread)
    assert np.allclose(np.concatenate(sample.tree.largest(used)), (np.abs(sample.weights) * spread).max(axis=1))


@QUIET
@given(samples())
def test_no_node_has_a_larger_variance_than_its_own_number(sample: Sample) -> None:
    found = sample.tree.power_sums([known or 0.0 for known in sample.variances], 2)
    for level, own in zip(found, sample.variances, strict=True):
        assert own is None or (level <= own * (1 + 1e-12)).all()


def test_the_comparison_notices_wrong_variances_and_a_wrong_tree() -> None:
    sample = Sample((np.array([0, 0]), np.array([0, 0, 0, 1])), (1.0, 2.0, 3.0))
    numbers = [np.arange(n, dtype=float) ** 2 for n in sample.tree.sizes]
    right = sample.weights @ np.concatenate(numbers)
    equal = ConsistentTree(parents=sample.parents, variances=(1.0, 1.0, 1.0))
    even = ConsistentTree(parents=(np.array([0, 0]), np.array([0, 0, 1, 1])), variances=sample.variances)
    assert np.allclose(np.concatenate(sample.tree.fit(numbers)), right)
    assert not np.allclose(np.concatenate(equal.fit(numbers)), right)
    assert not np.allclose(np.concatenate(even.fit(numbers)), right)


@QUIET
@given(st.lists(st.integers(-50, 50), min_size=15, max_size=15))
def test_fractions_give_what_the_trees_of_ordered_bins_give(numbers: list[int]) -> None:
    levels = (tuple(numbers[7:]), tuple(numbers[3:7]), tuple(numbers[1:3]), (numbers[0],))
    parents = tuple(np.arange(n) // 2 for n in (2, 4, 8))
    tree = ConsistentTree(parents=parents, variances=(Fraction(1),) * 4)
    fitted = tree.fit([[Fraction(item) for item in level] for level in reversed(levels)])
    assert tuple(fitted[-1]) == consistent(levels, 2)
    assert [list(level) for level in add_up(parents, fitted[-1])] == [list(level) for level in fitted]


def test_variances_are_those_of_simulated_noise() -> None:
    sample = Sample((np.array([0, 0, 0]), np.array([0, 0, 1, 2, 2, 2])), (8.0, 8.0, 8.0))
    draws = 20_000
    noise = [discrete_laplace(Fraction(2), size=n * draws).reshape(n, draws) for n in sample.tree.sizes]
    errors = np.concatenate(sample.tree.fit(noise))
    expected = np.concatenate(sample.tree.power_sums([8.0] * 3, 2))
    # the discrete law has variance 7.84; the estimate of a variance by 20,000 draws errs by 1.6 % at most (Laplace)
    assert np.allclose(errors.var(axis=1), expected * 7.84 / 8, rtol=0.09)


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_summable_floats_add_up_exactly_in_any_order(numbers: list[float], order: Any) -> None:
    rounded = summable(np.array(numbers)).tolist()
    total = sum(map(Fraction, rounded), Fraction(0))
    order.shuffle(rounded)
    running = 0.0
    for item in rounded:
        running += item
    assert Fraction(running) == total
    assert np.allclose(sorted(rounded), sorted(numbers), atol=max(np.abs(numbers).sum() * 2.0**-52, 5e-324), rtol=0)


def test_summable_is_total() -> None:
    for odd in ([0.0, 0.0], [5e-324, 0.0], [1.7e308, 1.7e308], [np.inf, 1.0], [np.nan, 1.0]):
        assert summable(np.array(odd)).shape == (2,)


@pytest.mark.parametrize(
    ("parents", "variances"), [(([0, 0],), (1.0,)), (([0],), (1.0, None)), (([0],), (1.0, 0.0)), (([1],), (1.0, 1.0))]
)
def test_what_is_no_tree_is_refused(parents: Any, variances: Any) -> None:
    with pytest.raises(InvalidError, match="ConsistentTree"):
        ConsistentTree(parents=parents, variances=variances)
