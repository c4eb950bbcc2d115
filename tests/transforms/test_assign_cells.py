"""Cells of a public tree: exact projections, so that a row lies in the same cell alone and among others."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms.assign_cells import AssignCells
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

PLANE = pc.matrix(2) >> pc.ClampNorm(radius=2, grid=2**-10)
AROUND = pc.matrix(2) >> pc.ClampNorm(radius=Fraction(10, 3), origin=[100, Fraction(-1, 3)])
ENDS = pc.matrix(17, bounds=(-1, 1), grid=1) >> pc.ClampNorm(radius=5, grid=1)
HALVES = AssignCells(axes=[[1, 1]], levels=[[(0, 0, 0, 1)]])
DROPS = AssignCells(axes=[[0.6, 0.8], [-0.8, 0.6]], levels=[[(0, 0.1, 0, 1)], [(1, -0.2, -1, 0), (1, 0.3, 1, 2)]])
AXIS = [(1 + at % 3) / 10 * (-1) ** at for at in range(17)]  # tenths: their sums are zero, but for rounding
MANY = AssignCells(axes=[AXIS], levels=[[(0, 0, 0, 1)]])
CASES = [
    Case(name="halves of a ball", chain=PLANE >> HALVES),
    Case(name="cells, some of them dropped", chain=PLANE >> DROPS),
    Case(name="cells around a far origin", chain=AROUND >> DROPS),
    Case(name="cells in a diamond", chain=pc.matrix(2) >> pc.ClampNorm(radius=1, order=1, grid=2**-20) >> DROPS),
    Case(name="cells of known size", chain=pc.matrix(2, size=3) >> pc.ClampNorm(radius=2, grid=2**-10) >> DROPS),
    Case(name="cells of 17 columns", chain=ENDS >> MANY),
]


@frozen
class Medians(TwinOf):
    """Splits at the median of the projections: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        scores = right[:, 1] + right[:, 2]
        right[:, 0] = scores > (np.median(scores) if len(scores) else 0)
        return right


@frozen
class Rounds(TwinOf):
    """Adds up products of floats along an axis, in an order that depends on the layout of memory."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 0] = np.sum(value * np.array(AXIS), axis=1) > 0
        return right


@frozen
class Renumbered(TwinOf):
    """Numbers the cells that have rows."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 0] = np.unique(right[:, 0], return_inverse=True)[1]
        return right


@frozen
class NoCell(TwinOf):
    """Gives a row that lies in no cell a number outside the bounds."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[right[:, 0] == 3, 0] = -1
        return right


@frozen
class Raises(TwinOf):
    """Raises for a row that lies in no cell."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        if (right[:, 0] == 3).any():
            raise ValueError("a row in no cell")
        return right


TWINS = [
    Twin(law="map", case=Case(name="a split at the median", chain=PLANE >> Medians(HALVES))),
    Twin(law="row by row", case=Case(name="projections that round", chain=ENDS >> Rounds(MANY))),
    Twin(law="map", case=Case(name="cells numbered by the data", chain=PLANE >> Renumbered(DROPS))),
    Twin(law="membership", case=Case(name="no cell is minus one", chain=PLANE >> NoCell(DROPS))),
    Twin(law="parity", case=Case(name="no cell is an error", chain=PLANE >> Raises(DROPS))),
]


def test_rows_walk_down_the_tree() -> None:
    chain = PLANE >> AssignCells(axes=[[1, 0], [0, 1]], levels=[[(0, 0.5, 0, 1)], [(1, 0, 0, 1), (1, 0, -1, 2)]])
    rows = [[0, -1], [0, 1], [1, -1], [1, 1], [0.5, 0.25]]
    assert chain(rows)[:, 0].tolist() == [0, 1, 3, 2, 1]
    assert chain(rows)[:, 1:].tolist() == rows
    assert chain([]).shape == (0, 3)
    assert chain([[math.nan, 1]]).tolist() == [[0, 0, 0]]  # which the ball has moved to its origin


def test_offsets_are_those_from_the_origin() -> None:
    chain = pc.matrix(2) >> pc.ClampNorm(radius=2, origin=[10, 20], grid=2**-10) >> HALVES
    assert chain([[11, 20], [10, 19]]).tolist() == [[1, 1, 0], [0, 0, -1]]


@pytest.mark.parametrize(
    ("columns", "axis", "radius"),
    [(3, [0.1, 0.2, 0.3], 1), (3, [2.0**99, 1, -(2.0**99)], 7), (4, [1e-30, 1, 1e-9, -1], 2**10), (2_000, None, 40)],
)
def test_a_projection_is_the_exact_sum_of_whole_numbers(columns: int, axis: Any, radius: int) -> None:
    """In floats, in any order and memory, it is what fractions give; and its numbers are far from the end of floats."""
    source = np.random.default_rng(columns)
    axes = source.normal(size=(1, columns)) if axis is None else np.array([axis])
    unit, grid = AssignCells(axes=axes, levels=[[(0, 0, 0, 1)]]), Fraction(1, 2**20)
    whole, step = unit._directions(Fraction(radius), grid)
    steps = np.trunc(source.uniform(-1, 1, size=(40, columns)) * float(radius / grid / columns))
    found = steps @ whole.T
    alone = [(np.asfortranarray(steps)[at : at + 1] @ whole.T)[0, 0] for at in range(len(steps))]
    assert found[:, 0].tolist() == alone
    for row, score in zip(steps.tolist(), found[:, 0].tolist(), strict=True):
        assert score == sum(int(a) * int(b) for a, b in zip(row, whole[0].tolist(), strict=True))
    largest = sum(abs(int(item)) for item in whole[0].tolist()) * math.floor(radius / grid)
    assert largest < 2**51
    assert (np.abs(whole * step - axes) <= step).all()


def test_a_very_wide_matrix_stays_exact() -> None:
    """A row of the largest numbers along the largest axis, in 2^18 columns of which each rounds by nearly a step."""
    columns, radius = 2**18, Fraction(2**31 - 1)
    unit = AssignCells(axes=[[1.9] * columns], levels=[[(0, 0, 0, 1)]])
    whole, _ = unit._directions(radius, Fraction(1))
    assert sum(int(item) for item in whole[0].tolist()) * int(radius) < 2**51


def test_a_score_at_a_threshold_is_below_it() -> None:
    chain = PLANE >> AssignCells(axes=[[1, 1]], levels=[[(0, 0.5, 0, 1)]])
    step = 2.0**-10
    assert chain([[0.25, 0.25], [0.25, 0.25 + step], [-0.0, 0.0]])[:, 0].tolist() == [0, 1, 0]
    for end, cell in ((math.inf, 0), (-math.inf, 1)):
        assert (PLANE >> AssignCells(axes=[[1, 1]], levels=[[(0, end, 0, 1)]]))([[1, 1]])[0, 0] == cell


@pytest.mark.parametrize(
    ("axes", "levels", "problem"),
    [
        ([], [[(0, 0, 0, 1)]], "axes must be rows of the same number of finite numbers"),
        ([[1], [1, 2]], [[(0, 0, 0, 1)]], "axes must be rows"),
        ([[math.nan]], [[(0, 0, 0, 1)]], "axes must be rows"),
        ([[2.0**100]], [[(0, 0, 0, 1)]], "axes must be rows"),
        ("ab", [[(0, 0, 0, 1)]], "axes must be rows"),
        ([[1]], [], "levels must be levels with one split for each cell"),
        ([[1]], [[]], "levels must be"),
        ([[1]], 3, "levels must be"),
        ([[1]], [[(0, 0)]], "levels must be"),
        ([[1]], [[(0, math.nan, 0, 1)]], "levels must be"),
        ([[1]], [[(0, 0, -2, 0)]], "levels must be"),
        ([[1]], [[(0, 0, -1, -1)]], "levels must be"),
        ([[1]], [[(0, 0, -1, -1)], []], "levels must be"),
        ([[1]], [[(0, 0, 0, 1)], [(0, 0, 0, 1)]], "levels must be"),
    ],
)
def test_what_is_no_tree_is_refused(axes: Any, levels: Any, problem: str) -> None:
    with pytest.raises(InvalidError, match=f"AssignCells.{problem}"):
        AssignCells(axes=axes, levels=levels)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="none of the 1 axes"):
        AssignCells(axes=[[1]], levels=[[(1, 0, 0, 1)]])
    with pytest.raises(MismatchError, match="have 2 numbers each, and the rows have 3 columns"):
        pc.matrix(3) >> pc.ClampNorm(radius=1) >> HALVES
    with pytest.raises(MismatchError, match="needs rows of bounded norm"):
        pc.matrix(2, bounds=(0, 1)) >> HALVES
    for radius, grid in ((4, 2), (2**13, 2**-20)):
        with pytest.raises(MismatchError, match=r"at least 2\^-32 of the radius"):
            pc.matrix(2) >> pc.ClampNorm(radius=radius, grid=grid) >> HALVES
