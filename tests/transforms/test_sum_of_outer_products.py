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
from privet.errors import MismatchError
from privet.transforms.sum_of_outer_products import symmetric
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

UNIT = pc.SumOfOuterProducts()
DISC = pc.ClampNorm(radius=2, order=2)
AROUND = pc.ClampNorm(radius=2, order=2, origin=[5, -5])
CASES = [
    Case(name="products in a disc", chain=pc.matrix(2) >> DISC >> UNIT),
    Case(name="products of known size", chain=pc.matrix(2, size=1) >> AROUND >> UNIT),
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


TWINS = [
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
