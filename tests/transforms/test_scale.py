"""A public factor moves numbers as far as its norms say, exactly."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import Distance, Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.transforms.operator_norms import _above_all_roots, largest_eigenvalue, moved
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

CUMULATIVE = [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
TOTAL = [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
MIXED = [[1, -1, 0.5], [0, 2, -0.25]]
COUNTS = pc.vector(int) >> pc.Histogram(edges=[-5, 0, 7, 100])
ROWS = pc.matrix(3) >> pc.Clamp(bounds=[(-1, 1), (0, 10), (-2, 0.1)])

CASES = [
    Case(name="a scaled count", chain=pc.vector(int) >> pc.Count() >> pc.Scale(factor=-7)),
    Case(name="a scaled sum", chain=pc.vector(int, bounds=(-3, 5)) >> pc.Sum() >> pc.Scale(factor=Fraction(1, 3))),
    Case(name="a scaled sum of reals", chain=pc.vector(float, bounds=(-3, 5)) >> pc.Sum() >> pc.Scale(factor=-0.3)),
    Case(name="scaled counts", chain=COUNTS >> pc.Scale(factor=10**30)),
    Case(
        name="scaled sums of known size",
        chain=pc.matrix(2, bounds=(0, 1), size=3) >> pc.VectorMean() >> pc.Scale(factor=2),
    ),
    Case(name="scaled scores", chain=pc.vector(str) >> pc.ModeScores(categories=["a", "b"]) >> pc.Scale(factor=-0.5)),
    Case(name="cumulative counts", chain=COUNTS >> pc.Scale(factor=CUMULATIVE)),
    Case(name="combinations of counts", chain=COUNTS >> pc.Scale(factor=MIXED)),
    Case(name="combinations of sums", chain=ROWS >> pc.VectorSum() >> pc.Scale(factor=MIXED)),
    Case(
        name="combinations of sums in a ball",
        chain=pc.matrix(3) >> pc.ClampNorm(radius=2) >> pc.VectorSum() >> pc.Scale(factor=CUMULATIVE),
    ),
    Case(
        name="a total of sums of known size",
        chain=pc.matrix(3, bounds=(-1, 4), size=4) >> pc.VectorSum() >> pc.Scale(factor=[[1, 1, 1], [0, 0, 0]]),
    ),
]


@frozen
class RowSums(TwinOf):
    """Takes the largest row sum for the largest column sum."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=right.l0, l1=d_in.l1 * Fraction(5, 2), l2_squared=right.l2_squared, linf=right.linf)


@frozen
class SameCoordinates(TwinOf):
    """Forgets that one number enters several results."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=min(d_in.l0, 2), l1=right.l1, l2_squared=right.l2_squared, linf=right.linf)


@frozen
class LargestEntry(TwinOf):
    """Takes the largest entry of the matrix for its norm."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=right.l0, l1=right.l1, l2_squared=d_in.l2_squared, linf=right.linf)


@frozen
class Transposed(TwinOf):
    """Multiplies from the other side."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.array(np.array(TOTAL, dtype=object).T @ value, dtype=object)


@frozen
class Squared(TwinOf):
    """Forgets the square of the factor in the squared norm."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=right.l0, l1=right.l1, l2_squared=d_in.l2_squared * 10**30, linf=right.linf)


@frozen
class SignKept(TwinOf):
    """Keeps the sign of the distance: a negative factor then costs nothing."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return max(Fraction(d_in) * -7, Fraction(0))


@frozen
class Machine(TwinOf):
    """Multiplies floats of the machine."""

    def apply(self, value: Any, space: Space) -> Any:
        return [float(item) * 0.1 for item in value.tolist()]


TWINS = [
    Twin(law="map", case=Case(name="row sums", chain=COUNTS >> RowSums(pc.Scale(factor=CUMULATIVE)))),
    Twin(
        law="map", case=Case(name="the same coordinates", chain=COUNTS >> SameCoordinates(pc.Scale(factor=CUMULATIVE)))
    ),
    Twin(law="map", case=Case(name="the largest entry", chain=COUNTS >> LargestEntry(pc.Scale(factor=CUMULATIVE)))),
    Twin(law="map", case=Case(name="no square", chain=COUNTS >> Squared(pc.Scale(factor=10**30)))),
    Twin(law="map", case=Case(name="a sign kept", chain=pc.vector(int) >> pc.Count() >> SignKept(pc.Scale(factor=-7)))),
    Twin(law="map", case=Case(name="machine numbers", chain=COUNTS >> Machine(pc.Scale(factor=0.1)))),
    Twin(law="map", case=Case(name="a matrix from the right", chain=COUNTS >> Transposed(pc.Scale(factor=TOTAL)))),
]


rationals = st.fractions(min_value=-9, max_value=9, max_denominator=7)


@given(st.data())
def test_no_vector_moves_further(data: st.DataObject) -> None:
    """The map against an independent product, for random matrices and random differences."""
    m, n = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(rationals, min_size=n, max_size=n), min_size=m, max_size=m))
    delta = data.draw(st.lists(rationals, min_size=n, max_size=n))
    image = [sum((a * b for a, b in zip(row, delta, strict=True)), Fraction(0)) for row in rows]
    if any(map(any, rows)):
        assert Parts.of(image) <= moved(tuple(map(tuple, rows)), Parts.of(delta))


@given(st.lists(st.lists(rationals, min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_eigenvalue_is_bounded_from_above_and_near(rows: list[list[Fraction]]) -> None:
    if not any(map(any, rows)):
        return
    bound = float(largest_eigenvalue(tuple(map(tuple, rows))))
    reference = float(np.linalg.svd(np.array(rows, dtype=float), compute_uv=False).max() ** 2)
    assert reference * (1 - 1e-12) <= bound <= reference * (1 + 1e-8)


def test_the_test_of_a_bound_is_exact() -> None:
    """(t - 1)(t - 3): no derivative is negative from 3 on, and one is at 2, and at 0 where the value is positive."""
    assert _above_all_roots([1, -4, 3], 3)
    assert not _above_all_roots([1, -4, 3], 2)
    assert not _above_all_roots([1, -4, 3], 0)
    assert largest_eigenvalue(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(2)))) == 4


def test_very_large_matrices_have_a_simple_bound() -> None:
    ones = tuple(tuple(map(Fraction, row)) for row in np.tril(np.ones((151, 151), dtype=int)).tolist())
    assert largest_eigenvalue(ones) == 151 * 152 // 2  # the number of ones
    assert largest_eigenvalue(ones[:3]) == pytest.approx(np.linalg.norm(np.tril(np.ones((3, 3))), 2) ** 2)


def test_the_exercise_of_chapter_three() -> None:
    """Exercise 3d: the second number enters two results, and the third none."""
    chain = pc.numbers(3) >> pc.Scale(factor=[[0, 1, 0], [1, 0, 0], [0, 1, 0]])
    assert chain([1, 2, 3]).tolist() == [2, 1, 2]
    assert chain.map(pc.Parts(l0=1, l1=1, l2_squared=1, linf=1)) == pc.Parts(l0=2, l1=2, l2_squared=2, linf=1)


def test_whole_numbers_stay_whole_and_nothing_overflows() -> None:
    big = pc.numbers(2) >> pc.Scale(factor=10**20)
    assert big.run(np.array([2**62, -(2**62)])).tolist() == [2**62 * 10**20, -(2**62) * 10**20]
    assert big.output.domain == pc.numbers(2).domain
    third = pc.scalar(int) >> pc.Scale(factor=Fraction(1, 3))
    assert third.output == pc.scalar(float, grid=Fraction(1, 3))
    assert third(7) == 7 / 3
    product = pc.numbers(2) >> pc.Scale(factor=[[2**62, 2**62]])
    assert product.run(np.array([2**62, 2**62])).tolist() == [2**125]
    assert np.array_equal((pc.numbers(2) >> pc.Scale(factor=np.array([[1, 2]])))([3, 4]), [11])


def test_noise_follows() -> None:
    chain = COUNTS >> pc.Scale(factor=CUMULATIVE) >> pc.Laplace(scale=3)
    assert chain.map(1).epsilon() == 1


@pytest.mark.parametrize(
    ("factor", "error", "message"),
    [
        (0, InvalidError, "Scale.factor must be other than zero"),
        ([[0, 0]], InvalidError, "must have an entry other than zero"),
        ([[1, 2], [3]], WrongTypeError, "equally long lists"),
        ([1, 2], WrongTypeError, "a list of rows"),
        ([], WrongTypeError, "a list of rows"),
        ([[]], WrongTypeError, "a list of rows"),
        (float("nan"), NotExactError, "Scale.factor: expected a finite number"),
        ([[1, float("inf")]], NotExactError, r"Scale.factor\[0\]\[1\]: expected a finite number"),
        ("many", NotExactError, "Scale.factor"),
    ],
)
def test_other_factors_are_refused(factor: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Scale(factor=factor)


@pytest.mark.parametrize(
    ("space", "factor", "message"),
    [
        (pc.vector(int), 2, "use ScaleRows to multiply the rows"),
        (pc.choice([1, 2]), 2, "got choice"),
        (pc.numbers(3), [[1, 2]], "must have 3 columns, one for each number, got 2"),
        (pc.scalar(int), [[1]], "must be one number for scalar"),
        (pc.scores(2), [[1, 2]], "must be one number for"),
    ],
)
def test_other_spaces_are_refused(space: Space, factor: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> pc.Scale(factor=factor)
