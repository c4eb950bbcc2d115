"""A first column of ones."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.balls import Norm
from privet.core.frames import MatrixDomain
from privet.core.metric import SymmetricDistance
from privet.core.space import Space
from privet.errors import MismatchError
from privet.transforms.sum_of_outer_products import symmetric
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

CASES = [
    Case(name="ones before a matrix", chain=pc.matrix(1, size=2, ordered=True) >> pc.InsertOnes()),
    Case(name="ones before a bounded matrix", chain=pc.matrix(1, bounds=(5, 9)) >> pc.InsertOnes()),
    Case(name="ones in a ball", chain=pc.matrix(2) >> pc.ClampNorm(radius=3) >> pc.InsertOnes()),
    Case(name="ones in a ball of order 1", chain=pc.matrix(2) >> pc.ClampNorm(radius=3, order=1) >> pc.InsertOnes()),
    Case(
        name="products with ones",
        chain=pc.matrix(1) >> pc.ClampNorm(radius=3, grid=2**-3) >> pc.InsertOnes() >> pc.SumOfOuterProducts(),
    ),
]


@frozen
class Shares(TwinOf):
    """Inserts one over the number of rows: every row changes when one is added."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.column_stack([np.full(len(value), 1 / max(len(value), 1)), value])


@frozen
class SameRadius(TwinOf):
    """Forgets that the ones lie away from the centre, too."""

    def output(self, space: Space) -> Space:
        right = self.right.output(space)
        assert isinstance(space.domain, MatrixDomain)
        assert isinstance(right.domain, MatrixDomain)
        assert space.domain.norm is not None
        assert right.domain.norm is not None
        norm = evolve(right.domain.norm, radius=space.domain.norm.radius)
        return pc.Space(evolve(right.domain, norm=norm), right.metric)


@frozen
class Behind(TwinOf):
    """Puts the ones after the columns, so that bounds belong to the wrong columns."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.column_stack([value, np.ones(len(value))])


BALL = pc.matrix(1) >> pc.ClampNorm(radius=1)
TWINS = [
    Twin(law="map", case=Case(name="ones beyond the ball", chain=BALL >> SameRadius(pc.InsertOnes()))),
    Twin(law="map", case=Case(name="shares for ones", chain=pc.matrix(1) >> Shares(pc.InsertOnes()))),
    Twin(law="map", case=Case(name="ones behind", chain=pc.matrix(1, bounds=(5, 9)) >> Behind(pc.InsertOnes()))),
]


def test_every_row_begins_with_one() -> None:
    rows = (pc.matrix(1) >> pc.InsertOnes())([[2], [None]])
    assert rows[0].tolist() == [1.0, 2.0]
    assert rows[1, 0] == 1.0
    assert math.isnan(rows[1, 1])
    assert (pc.matrix(1) >> pc.InsertOnes())([]).shape == (0, 2)


def test_bounds_are_kept_and_one_lies_at_one() -> None:
    domain = (pc.matrix(1, bounds=(5, 9)) >> pc.InsertOnes()).output.domain
    assert isinstance(domain, MatrixDomain)
    assert domain.bounds == ((Fraction(1), Fraction(1)), (Fraction(5), Fraction(9)))


@pytest.mark.parametrize(("order", "before", "after"), [(1, 2, 3), (2, Fraction(3, 4), Fraction(5, 4))])
def test_the_ball_grows_a_coordinate_at_zero(order: Any, before: Any, after: Any) -> None:
    space = pc.matrix(1) >> pc.ClampNorm(radius=before, order=order, origin=[6])
    domain = (space >> pc.InsertOnes()).output.domain
    assert isinstance(domain, MatrixDomain)
    assert domain.norm == Norm(order=order, radius=Fraction(after), origin=(Fraction(0), Fraction(6)))


def test_products_with_the_ones_are_the_sums_and_the_number_of_rows() -> None:
    rows = [[1, 2], [3, -4], [0.5, 0]]
    products = pc.matrix(2) >> pc.ClampNorm(radius=8) >> pc.InsertOnes() >> pc.SumOfOuterProducts()
    design = np.column_stack([np.ones(3), np.array(rows)])
    assert symmetric(products(rows), 3).tolist() == (design.T @ design).tolist()
    assert products(rows)[0] == 3.0


def test_rows_with_a_one_lie_in_the_larger_ball() -> None:
    ball = Norm(order=1, radius=Fraction(2), origin=(Fraction(6),))
    domain = MatrixDomain(columns=1, bounds=((Fraction(5), Fraction(9)),), grid=Fraction(1, 4), norm=ball, nan=False)
    chain = pc.Space(domain, SymmetricDistance()) >> pc.InsertOnes()
    after = chain.output.domain
    assert isinstance(after, MatrixDomain)
    assert after.norm == Norm(order=1, radius=Fraction(3), origin=(Fraction(0), Fraction(6)))
    assert after.member(chain.run(np.array([[8.0]])))


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (pc.matrix(1, bounds=(0, 100), grid=2), "a grid that contains one"),
        (pc.matrix(1, bounds=(0, 1e-20)), "a grid that contains one"),
        (pc.vector(float), "reads a matrix, got vector"),
        (pc.records(age=int), "reads a matrix, got records"),
    ],
)
def test_a_grid_without_one_is_refused(space: Space, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> pc.InsertOnes()
