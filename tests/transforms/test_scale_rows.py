"""Scaled rows are functions of single rows, within multiplied descriptors."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain
from privet.core.rows import INT_MAX, INT_MIN
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

TURN = [[0.6, -0.8], [0.8, 0.6], [1, 1]]
BALL = pc.matrix(2) >> pc.ClampNorm(radius=2)

CASES = [
    Case(name="scaled integers", chain=pc.vector(int) >> pc.ScaleRows(factor=-3)),
    Case(name="scaled beyond 64 bits", chain=pc.vector(int, size=2) >> pc.ScaleRows(factor=2**70)),
    Case(name="scaled integers within bounds", chain=pc.vector(int, bounds=(-1, 9)) >> pc.ScaleRows(factor=-5)),
    Case(name="parts of integers", chain=pc.vector(int, bounds=(-1, 9)) >> pc.ScaleRows(factor=Fraction(1, 3))),
    Case(name="parts of any integers", chain=pc.vector(int, nullable=False) >> pc.ScaleRows(factor=Fraction(1, 3))),
    Case(name="scaled reals", chain=pc.vector(float, size=3, ordered=True) >> pc.ScaleRows(factor=-1e300)),
    Case(
        name="scaled reals within bounds",
        chain=pc.vector(float, bounds=(-1, 0.1)) >> pc.ScaleRows(factor=Fraction(-7, 3)),
    ),
    Case(
        name="scaled wide reals", chain=pc.vector(float, bounds=(-1e308, 1e308)) >> pc.ScaleRows(factor=Fraction(3, 4))
    ),
    Case(name="scaled with one bound", chain=pc.vector(float, bounds=(0.1, None)) >> pc.ScaleRows(factor=-0.3)),
    Case(name="scaled integers with one bound", chain=pc.vector(int, bounds=(2, None)) >> pc.ScaleRows(factor=2**62)),
    Case(name="scaled rows", chain=pc.matrix(2) >> pc.ScaleRows(factor=1e300)),
    Case(name="scaled rows within bounds", chain=pc.matrix(2, bounds=[(0, 1), (-3, 0.1)]) >> pc.ScaleRows(factor=-0.1)),
    Case(name="scaled rows in a ball", chain=BALL >> pc.ScaleRows(factor=-0.3) >> pc.VectorSum()),
    Case(name="turned rows", chain=pc.matrix(2) >> pc.ScaleRows(factor=TURN)),
    Case(name="turned rows within bounds", chain=pc.matrix(2, bounds=(-1, 3), size=2) >> pc.ScaleRows(factor=TURN)),
    Case(name="turned rows in a ball", chain=BALL >> pc.ScaleRows(factor=TURN) >> pc.VectorSum()),
    Case(
        name="turned rows in a diamond",
        chain=pc.matrix(2) >> pc.ClampNorm(radius=2, order=1, origin=[1, 4]) >> pc.ScaleRows(factor=TURN),
    ),
    Case(
        name="the sum of ones and a column",
        chain=pc.matrix(1) >> pc.ClampNorm(radius=2) >> pc.InsertOnes() >> pc.ScaleRows(factor=[[1, 1], [1, -1]]),
    ),
]


@frozen
class Unclamped(TwinOf):
    """Multiplies, and does not read the result into its bounds and grid."""

    def apply(self, value: Any, space: Space) -> Any:
        return value * (-7 / 3)


@frozen
class Centred(TwinOf):
    """Subtracts the mean first: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        centre = np.ma.mean(value) if len(value) else 0
        return self.right.apply(np.ma.MaskedArray(value - (0 if centre is np.ma.masked else int(centre))), space)


@frozen
class Wraps(TwinOf):
    """Raises where 64 bits do not suffice: one row shows."""

    def apply(self, value: Any, space: Space) -> Any:
        if any(abs(3 * item) > INT_MAX for item in value.compressed().tolist()):
            raise OverflowError("too large")
        return self.right.apply(value, space)


@frozen
class WrongBall(TwinOf):
    """Claims the old ball for the new rows."""

    def output(self, space: Space) -> Space:
        right = self.right.output(space)
        domain: Any = right.domain
        before: Any = space.domain
        return Space(
            MatrixDomain(columns=2, bounds=domain.bounds, nan=False, grid=domain.grid, norm=before.norm), right.metric
        )


TWINS = [
    Twin(
        law="map",
        case=Case(
            name="not clamped",
            chain=pc.vector(float, bounds=(-1, 0.1)) >> Unclamped(pc.ScaleRows(factor=Fraction(-7, 3))),
        ),
    ),
    Twin(
        law="map",
        case=Case(name="centred first", chain=pc.vector(int, bounds=(-1, 9)) >> Centred(pc.ScaleRows(factor=2))),
    ),
    Twin(law="parity", case=Case(name="too large", chain=pc.vector(int) >> Wraps(pc.ScaleRows(factor=3)))),
    Twin(law="map", case=Case(name="the ball before", chain=BALL >> WrongBall(pc.ScaleRows(factor=2)))),
]


@given(st.lists(st.integers(INT_MIN, INT_MAX)), st.integers(-(2**65), 2**65).filter(bool))
def test_integers_saturate(values: list[int], factor: int) -> None:
    result = (pc.vector(int) >> pc.ScaleRows(factor=factor))(values).tolist()
    assert result == [min(max(item * factor, INT_MIN), INT_MAX) for item in values]


@given(st.floats(-100, 100), st.fractions(-50, 50, max_denominator=1000).filter(bool))
def test_reals_are_near_the_exact_product(value: float, factor: Fraction) -> None:
    chain = pc.vector(float, bounds=(-100, 100)) >> pc.ScaleRows(factor=factor)
    domain = chain.output.domain
    assert isinstance(domain, VectorDomain)
    assert domain.grid is not None
    read = float(pc.vector(float, bounds=(-100, 100)).domain.admit([value])[0])
    assert abs(Fraction(float(chain([value])[0])) - Fraction(read) * factor) <= domain.grid


def test_rows_times_a_matrix() -> None:
    chain = pc.matrix(2, bounds=[(0, 10), (-2, 3)]) >> pc.ScaleRows(factor=[[1, -1], [0.5, 0]])
    rows = [[3, 1], [math.nan, 1], [2, math.nan], [math.inf, 99]]
    result = chain(rows)
    assert result[0].tolist() == [2.0, 1.5]
    assert np.isnan(result[1]).tolist() == [True, True]
    assert np.isnan(result[2]).tolist() == [True, False]  # the second result does not read the missing number
    assert result[3].tolist() == [7.0, 5.0]
    assert repr(chain.output) == "matrix(2, bounds=((-3, 12), (0, 5)))"


def test_a_ball_becomes_a_ball_of_the_largest_singular_value() -> None:
    domain: Any = (BALL >> pc.ScaleRows(factor=[[3, 0], [0, 4]])).output.domain
    assert domain.norm.radius == 8
    diamond: Any = (
        pc.matrix(2) >> pc.ClampNorm(radius=2, order=1) >> pc.ScaleRows(factor=[[1, 2], [1, -3]])
    ).output.domain
    assert diamond.norm.radius == 10
    shifted: Any = (
        pc.matrix(1) >> pc.ClampNorm(radius=2, origin=[1]) >> pc.ScaleRows(factor=Fraction(1, 3))
    ).output.domain
    assert shifted.norm is None  # a third does not lie on a grid of powers of two
    assert shifted.bounds == ((Fraction(-1, 3), Fraction(1)),)


def test_inf_minus_inf_is_missing_or_blank() -> None:
    difference = pc.ScaleRows(factor=[[1, -1]])
    assert np.isnan((pc.matrix(2) >> difference)([[math.inf, math.inf]])).all()
    complete = pc.matrix(2) >> pc.ImputeConstant(value=0) >> difference
    assert complete([[math.inf, math.inf]]).tolist() == [[0.0]]


def test_directions_stay_apart() -> None:
    """Fewer rows in are fewer rows out, so sampling costs the same with and without the factor."""
    sampled = pc.PoissonSample(rate=0.1) >> pc.Sum() >> pc.Gaussian(scale=3)
    without, scaled = (
        pc.vector(int, bounds=(0, 3)) >> sampled,
        pc.vector(int, bounds=(0, 1)) >> pc.ScaleRows(factor=3) >> sampled,
    )
    assert scaled.map(1).delta(Fraction(1, 2)) == without.map(1).delta(Fraction(1, 2))


@pytest.mark.parametrize(
    ("space", "factor", "error", "message"),
    [
        (pc.vector(int, bounds=(0, 2**62)), 4, InvalidError, "within 64-bit integers"),
        (pc.vector(str), 4, MismatchError, "reads numbers, got a column of str"),
        (pc.vector(int), [[1]], MismatchError, "must be one number for a column, got a matrix"),
        (pc.matrix(2), [[1, 2, 3]], MismatchError, "must have 2 columns, one for each column of the table, got 3"),
        (pc.matrix(2), [[1, 2], [0, 0]], InvalidError, "an entry other than zero in every row"),
        (pc.records(a=int), 2, MismatchError, "put Select"),
        (pc.scalar(int), 2, MismatchError, "ScaleRows reads"),
        ((pc.matrix(1) >> pc.ClampNorm(radius=2) >> pc.InsertOnes()).output, 2, MismatchError, "before InsertOnes"),
    ],
)
def test_what_does_not_fit_is_refused(space: Space, factor: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> pc.ScaleRows(factor=factor)


def test_a_factor_beyond_the_floats_is_refused() -> None:
    with pytest.raises(InvalidError, match="within the floats"):
        pc.ScaleRows(factor=10**400)
    with pytest.raises(WrongTypeError, match="a list of rows"):
        pc.ScaleRows(factor=[1, 2])
