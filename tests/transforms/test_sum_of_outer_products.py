"""Sums of squares and products of rows."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms.sum_of_outer_products import symmetric
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

UNIT = pc.SumOfOuterProducts()
HALF = Fraction(140, 99)
WEIGHTED = pc.SumOfOuterProducts(weight=HALF)
DISC = pc.ClampNorm(radius=2, order=2)
AROUND = pc.ClampNorm(radius=2, order=2, origin=[5, -5])
CASES = [
    Case(name="products in a disc", chain=pc.matrix(2) >> DISC >> UNIT),
    Case(name="products of known size", chain=pc.matrix(2, size=1) >> AROUND >> UNIT),
    Case(name="weighted products", chain=pc.matrix(3) >> DISC >> WEIGHTED),
    Case(name="weighted products in a diamond", chain=pc.matrix(2) >> pc.ClampNorm(radius=2, order=1) >> WEIGHTED),
    Case(name="weighted products of known size", chain=pc.matrix(2, size=1) >> AROUND >> WEIGHTED),
    Case(
        name="weighted products of a diamond, of known size",
        chain=pc.matrix(2, size=2) >> pc.ClampNorm(radius=2, order=1) >> WEIGHTED,
    ),
    Case(name="weighted squares", chain=pc.matrix(1, size=2) >> DISC >> WEIGHTED),
    Case(
        name="combinations of weighted products",
        chain=pc.matrix(2) >> DISC >> WEIGHTED >> pc.Scale(factor=[[1, 1, 0], [0, -2, 1]]),
    ),
    Case(name="halves of weighted products", chain=pc.matrix(2) >> DISC >> WEIGHTED >> pc.Scale(factor=-0.5)),
    Case(name="squares in order", chain=pc.matrix(1, size=2, ordered=True) >> DISC >> UNIT),
]


@frozen
class OffDiagonalsOnce(TwinOf):
    """Doubles the entries off the diagonal, as in a quadratic form, and charges as if each counted once."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[1] *= 2
        return right


@frozen
class OriginForgotten(TwinOf):
    """Multiplies the rows themselves and charges for what they lie away from the origin."""

    def apply(self, value: Any, space: Space) -> Any:
        steps = [[int(Fraction(item) / space.domain.grid) for item in row] for row in value.tolist()]  # type: ignore[attr-defined]
        sums = [sum(row[i] * row[j] for row in steps) for i, j in ((0, 0), (0, 1), (1, 1))]
        return np.array(sums, dtype=object)


@frozen
class ReplacementsLikeAdditions(TwinOf):
    """Charges one square for a replacement, which removes one product and adds another."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l2_squared=right.l2_squared / 2)


@frozen
class TooHeavy(TwinOf):
    """Takes a weight above the square root of two at the price of the smaller one."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[1] = right[1] * 3 // 2
        return right


@frozen
class WeightForgotten(TwinOf):
    """Charges the l1 distance of numbers without a weight."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l1=right.l1 * Fraction(3, 2) / (1 + HALF / 2))


TWINS = [
    Twin(law="map", case=Case(name="too heavy a weight", chain=pc.matrix(2) >> DISC >> TooHeavy(WEIGHTED))),
    Twin(law="map", case=Case(name="a weight forgotten", chain=pc.matrix(2) >> DISC >> WeightForgotten(WEIGHTED))),
    Twin(law="map", case=Case(name="off-diagonals counted once", chain=pc.matrix(2) >> DISC >> OffDiagonalsOnce(UNIT))),
    Twin(law="map", case=Case(name="products without origin", chain=pc.matrix(2) >> AROUND >> OriginForgotten(UNIT))),
    Twin(
        law="map",
        case=Case(
            name="products replaced at one square",
            chain=pc.matrix(2, size=2) >> DISC >> ReplacementsLikeAdditions(UNIT),
        ),
    ),
]


def test_products_are_exact() -> None:
    chain = pc.matrix(3) >> pc.ClampNorm(radius=100) >> UNIT
    assert numbers_of(chain, [[1, 2, 3], [0, -1, 5]]) == [1, 2, 3, 5, 1, 34]


def test_rows_are_taken_from_the_origin() -> None:
    assert numbers_of(pc.matrix(2) >> AROUND >> UNIT, [[6, -5], [4, -4], [math.nan, 0]]) == [2, -1, 1]


def test_the_maps_are_reached() -> None:
    """One row along an axis; a row along one axis for a row along the other; a row along the diagonal for l1."""
    added, replaced = pc.matrix(2) >> DISC >> UNIT, pc.matrix(2, size=1) >> DISC >> UNIT
    assert added.map(1) == Parts(l0=3, l1=6, l2_squared=16, linf=4)
    assert Parts.of(numbers_of(added, [[2, 0]])).l2_squared == 16
    moved = [a - b for a, b in zip(numbers_of(replaced, [[2, 0]]), numbers_of(replaced, [[0, 2]]), strict=True)]
    claimed = replaced.map(2)
    assert isinstance(claimed, Parts)
    assert Parts.of(moved).l2_squared == claimed.l2_squared == 32
    assert 80 < claimed.l1**2 < 80 + Fraction(1, 10**9)
    diagonal = Parts.of(numbers_of(added, [[math.sqrt(2), math.sqrt(2)]])).l1
    assert Fraction(59, 10) < diagonal <= 6


def test_the_largest_sum_of_magnitudes_of_a_replacement_is_found_by_search() -> None:
    """On a fine circle of directions the bound for two columns, the root of 5, is approached and not exceeded."""
    angles = np.linspace(0, np.pi, 721)
    z = np.stack([np.cos(angles), np.sin(angles)])
    triangle = np.stack([z[0] ** 2, z[0] * z[1], z[1] ** 2])
    moved = np.abs(triangle[:, :, None] - triangle[:, None, :]).sum(axis=0)
    assert math.sqrt(5) - 1e-4 < moved.max() <= math.sqrt(5) + 1e-9


def test_a_release_becomes_a_symmetric_matrix() -> None:
    assert symmetric(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 3).tolist() == [[1, 2, 3], [2, 4, 5], [3, 5, 6]]


def test_rows_need_a_norm() -> None:
    with pytest.raises(MismatchError, match=r"put ClampNorm\(radius"):
        pc.matrix(2, bounds=(0, 1)) >> UNIT


def test_a_weighted_release_is_read_as_the_same_triangle() -> None:
    rows = [[1, 2, 3], [0, -1, 5]]
    ball = pc.matrix(3) >> pc.ClampNorm(radius=100)
    assert (ball >> WEIGHTED)(rows).tolist() == (ball >> UNIT)(rows).tolist() == [1, 2, 3, 5, 1, 34]
    member = (ball >> WEIGHTED).run(ball.input.domain.admit(rows))
    domain: Any = (ball >> WEIGHTED).output.domain
    assert [item * domain.grid for item in member.tolist()] == [1, 2 * HALF, 3 * HALF, 5, HALF, 34]
    assert domain.admit([1, 2, 3, 5, 1, 34]).tolist() == member.tolist()


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_the_weight_changes_no_l2_distance(order: Any, columns: int) -> None:
    for size in (None, 7):
        ball = pc.matrix(columns, size=size) >> pc.ClampNorm(radius=3, order=order)
        plain, heavy = (ball >> UNIT).map(4), (ball >> WEIGHTED).map(4)
        assert isinstance(plain, Parts)
        assert isinstance(heavy, Parts)
        assert plain.l2_squared == heavy.l2_squared
        assert plain.l1 <= heavy.l1 <= HALF * plain.l1


def test_gaussian_noise_off_the_diagonal_has_half_the_variance() -> None:
    """2,000 draws: the ratio of the two variances is 0.5 up to a standard error of 0.5 sqrt(2) / sqrt(1000) = 0.022."""
    noise = pc.Gaussian(scale=1000)
    chain = pc.matrix(2) >> pc.ClampNorm(radius=1) >> WEIGHTED >> noise
    draws = np.array([chain([]) for _ in range(2000)])
    spread = draws.var(axis=0)
    assert abs(spread[1] / spread[[0, 2]].mean() - 0.5) < 0.14
    assert abs(spread[0] / 1e6 - 1) < 0.25
    assert chain.map(1).rho() == (pc.matrix(2) >> pc.ClampNorm(radius=1) >> UNIT >> noise).map(1).rho()


def test_random_rows_move_the_weighted_triangle_no_further() -> None:
    """A search over rows of the unit ball, for one row and for a replacement, in every norm."""
    source = np.random.default_rng(3)
    z, w = (
        rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1) for rows in source.normal(size=(2, 20_000, 3))
    )
    first, second = np.triu_indices(3)
    weights = np.where(first == second, 1.0, float(HALF))
    one, other = (weights * rows[:, first] * rows[:, second] for rows in (z, w))
    for moved, chain in ((one, pc.matrix(3) >> pc.ClampNorm(radius=1) >> WEIGHTED),):
        _compare(moved, chain.map(1))
    _compare(one - other, (pc.matrix(3, size=2) >> pc.ClampNorm(radius=1) >> WEIGHTED).map(2))


def _compare(moved: Any, allowed: Any) -> None:
    assert np.abs(moved).sum(axis=1).max() <= float(allowed.l1) + 1e-9
    assert (moved**2).sum(axis=1).max() <= float(allowed.l2_squared) + 1e-9
    assert np.abs(moved).max() <= float(allowed.linf) + 1e-9


@pytest.mark.parametrize("weight", [0, Fraction(99, 100), Fraction(141, 99), 2, -1])
def test_other_weights_are_refused(weight: Any) -> None:
    with pytest.raises(InvalidError, match="weight must be at least 1 and at most the square root of 2, got"):
        pc.SumOfOuterProducts(weight=weight)


def test_weighted_numbers_are_compared_with_no_threshold() -> None:
    with pytest.raises(MismatchError):
        pc.matrix(2) >> DISC >> WEIGHTED >> pc.AboveThreshold(scale=1, threshold=3)
