"""Counts, sums and squared lengths of rows in a ball."""

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
from privet.transforms.ball_moments import BallMoments, read_moments
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

UNIT = BallMoments()
DISC = pc.ClampNorm(radius=2, grid=2**-10)
AROUND = pc.ClampNorm(radius=2, grid=2**-10, origin=[5, -5])
COARSE = pc.ClampNorm(radius=Fraction(5, 2), grid=1)  # the radius is no whole number of grid steps
CASES = [
    Case(name="moments in a disc", chain=pc.matrix(2) >> DISC >> UNIT),
    Case(name="moments around an origin", chain=pc.matrix(2) >> AROUND >> UNIT),
    Case(name="moments of known size", chain=pc.matrix(2, size=1) >> DISC >> UNIT),
    Case(name="moments of numbers in order", chain=pc.matrix(1, size=2, ordered=True) >> DISC >> UNIT),
    Case(name="moments on a coarse grid", chain=pc.matrix(3) >> COARSE >> UNIT),
    Case(name="moments on a coarse grid, of known size", chain=pc.matrix(2, size=2) >> COARSE >> UNIT),
]


@frozen
class SumsOnly(TwinOf):
    """Charges for the sum and forgets the count and the squares beside it."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l2_squared=right.l2_squared / 3)


@frozen
class ReplacementsLikeAdditions(TwinOf):
    """Charges a replacement like one row, which moves the sum by one radius instead of two."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l2_squared=right.l2_squared * 3 / 4)


@frozen
class RawSquares(TwinOf):
    """Adds up the squared lengths themselves, not divided by the radius."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[-1] *= 2
        return right


TWINS = [
    Twin(law="map", case=Case(name="moments at the price of a sum", chain=pc.matrix(2) >> DISC >> SumsOnly(UNIT))),
    Twin(
        law="map",
        case=Case(
            name="moments replaced at one radius", chain=pc.matrix(2, size=1) >> DISC >> ReplacementsLikeAdditions(UNIT)
        ),
    ),
    Twin(
        law="map", case=Case(name="squares not measured by the radius", chain=pc.matrix(2) >> DISC >> RawSquares(UNIT))
    ),
]


def test_moments_are_exact() -> None:
    assert numbers_of(pc.matrix(2) >> DISC >> UNIT, [[2, 0], [0, 1], [math.nan, 1]]) == [6, 2, 1, Fraction(5, 2)]
    assert numbers_of(pc.matrix(2) >> AROUND >> UNIT, [[6, -5], [5, -3]]) == [4, 1, 2, Fraction(5, 2)]
    assert numbers_of(pc.matrix(2) >> DISC >> UNIT, []) == [0, 0, 0, 0]


def test_a_release_is_read_as_count_sum_and_squares() -> None:
    count, total, squares = read_moments(
        (pc.matrix(2) >> DISC >> UNIT)([[2, 0], [0, 1]]), Fraction(2), Fraction(1, 2**10)
    )
    assert (count, total.tolist(), squares) == (2, [2, 1], 5)


def test_the_maps_are_reached() -> None:
    """A row at the edge reaches the map of one row, its opposite for it the map of a replacement."""
    added, replaced = pc.matrix(2) >> DISC >> UNIT, pc.matrix(2, size=1) >> DISC >> UNIT
    claimed = added.map(1)
    assert isinstance(claimed, Parts)
    assert Parts.of(numbers_of(added, [[2, 0]])).l2_squared == claimed.l2_squared == 12
    moved = [a - b for a, b in zip(numbers_of(replaced, [[2, 0]]), numbers_of(replaced, [[-2, 0]]), strict=True)]
    allowed = replaced.map(2)
    assert isinstance(allowed, Parts)
    assert Parts.of(moved).l2_squared == allowed.l2_squared == 16


@pytest.mark.parametrize("radius", [Fraction(1), Fraction(3, 2), Fraction(5, 2), Fraction(7, 2), Fraction(5)])
def test_no_replacement_on_a_coarse_grid_moves_further(radius: Fraction) -> None:
    """All pairs of rows: rounding the squares down does not add to the bound of four squared radii."""
    edge = math.floor(radius)
    rows = [[a, b] for a in range(-edge, edge + 1) for b in range(-edge, edge + 1) if a * a + b * b <= radius**2]
    chain = pc.matrix(2, size=1) >> pc.ClampNorm(radius=radius, grid=1) >> UNIT
    allowed: Any = chain.map(2)
    results = np.array([chain([row]) for row in rows])
    moved = np.abs(results[:, None] - results[None, :])
    assert (moved**2).sum(axis=2).max() <= allowed.l2_squared
    assert moved.sum(axis=2).max() <= allowed.l1
    assert moved.max() <= allowed.linf


@pytest.mark.parametrize("radius", [Fraction(199, 100), Fraction(299, 100), Fraction(7, 2), Fraction(499, 100)])
def test_no_row_on_a_coarse_grid_moves_the_moments_further(radius: Fraction) -> None:
    """All rows of the ball, added to others: the radius is no whole number of grid steps."""
    edge = math.floor(radius)
    rows = [[a, b] for a in range(-edge, edge + 1) for b in range(-edge, edge + 1) if a * a + b * b <= radius**2]
    chain = pc.matrix(2) >> pc.ClampNorm(radius=radius, grid=1) >> UNIT
    allowed: Any = chain.map(1)
    for others in ([], [[1, 1], [0, 2]]):
        before = numbers_of(chain, others)
        for row in rows:
            after = numbers_of(chain, [*others, row])
            moved = Parts.of([a - b for a, b in zip(after, before, strict=True)])
            assert moved.l2_squared <= allowed.l2_squared
            assert moved.l1 <= allowed.l1
            assert moved.linf <= allowed.linf


def test_the_finest_grid_does_not_overflow() -> None:
    chain = pc.matrix(2) >> pc.ClampNorm(radius=1, grid=2**-30) >> UNIT
    assert numbers_of(chain, [[1, 0]] * 1000) == [1000, 1000, 0, 1000]


def test_rows_need_a_euclidean_ball_on_a_grid_that_fits() -> None:
    for ball in (
        pc.ClampNorm(radius=1, order=1),
        pc.ClampNorm(radius=1, order=2, grid=2**-31),
    ):
        with pytest.raises(MismatchError, match="needs a Euclidean ball with a radius of 1 to 2"):
            pc.matrix(2) >> ball >> UNIT
    with pytest.raises(MismatchError, match=r"put ClampNorm\(radius"):
        pc.matrix(2, bounds=(0, 1)) >> UNIT
