"""Clamping keeps rows apart no further than they were, and within bounds."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.balls import Norm
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

CASES = [
    Case(name="clamp integers", chain=pc.vector(int) >> pc.Clamp(bounds=(0, 10))),
    Case(name="clamp to 64 bits", chain=pc.vector(int) >> pc.Clamp(bounds=(-(2**63), 2**63 - 1))),
    Case(name="clamp reals", chain=pc.vector(float) >> pc.Clamp(bounds=(-1, 0.1))),
    Case(name="clamp wide reals", chain=pc.vector(float) >> pc.Clamp(bounds=(-1e308, 1e308))),
    Case(name="clamp tiny reals", chain=pc.vector(float) >> pc.Clamp(bounds=(-1e-280, 1e-280))),
    Case(name="clamp of known size", chain=pc.vector(float, size=4) >> pc.Clamp(bounds=(0, 3), grid=0.25)),
    Case(name="clamp in order", chain=pc.vector(int, size=3, ordered=True) >> pc.Clamp(bounds=(-2, 2))),
    Case(name="clamp without nulls", chain=pc.vector(float, nullable=False) >> pc.Clamp(bounds=(5, 6))),
    Case(name="clamp a matrix", chain=pc.matrix(2, size=1) >> pc.Clamp(bounds=[(0, 1), (-0.1, 50)])),
    Case(name="clamp integers from below", chain=pc.vector(int) >> pc.Clamp(bounds=(-1, None))),
    Case(name="clamp reals from below", chain=pc.vector(float) >> pc.Clamp(bounds=(0.1, None))),
    Case(name="clamp reals from above", chain=pc.vector(float, nullable=False) >> pc.Clamp(bounds=(None, -0.1))),
    Case(name="clamp from above, of known size", chain=pc.vector(int, size=3) >> pc.Clamp(bounds=(None, 0))),
    Case(name="clamp from below, in order", chain=pc.vector(float, size=3, ordered=True) >> pc.Clamp(bounds=(1, None))),
    Case(
        name="clamp one side and then the other",
        chain=pc.vector(float) >> pc.Clamp(bounds=(0.1, None)) >> pc.Clamp(bounds=(None, 7)),
    ),
    Case(
        name="clamp a bounded column from below",
        chain=pc.vector(float, bounds=(-1, 5), grid=0.5) >> pc.Clamp(bounds=(0.3, None)),
    ),
    Case(
        name="a column with one bound, read, filled and added up",
        chain=pc.vector(int, bounds=(3, None), nullable=False) >> pc.Clamp(bounds=(3, 9)) >> pc.Sum(),
    ),
    Case(
        name="impute in a column with one bound",
        chain=pc.vector(float, bounds=(None, 0.1)) >> pc.ImputeConstant(value=0.1),
    ),
    Case(name="cast a column with one bound", chain=pc.vector(int, bounds=(3, None)) >> pc.Cast(to=float)),
    Case(name="bands of a column with one bound", chain=pc.vector(float, bounds=(3, None)) >> pc.LogBands()),
    Case(
        name="categories of a column with one bound",
        chain=pc.vector(int, bounds=(3, None)) >> pc.ClampCategories(categories=[0, 4], null_value=0),
    ),
    Case(
        name="clamp what other rows need",
        chain=pc.Space(VectorDomain(kind=int), pc.InsertDelete()) >> pc.Clamp(bounds=(0, 1)),
    ),
]


@frozen
class Omitted(TwinOf):
    """Claims bounds that it does not enforce."""

    def apply(self, value: Any, space: Space) -> Any:
        return value


@frozen
class UpperOnly(TwinOf):
    """Forgets the lower bound."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.minimum(value, 10)


@frozen
class Relative(TwinOf):
    """Clamps to the largest value seen: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        return right if len(right) == 0 else np.ma.maximum(right, right.max())


@frozen
class OffGrid(TwinOf):
    """Clamps reals without rounding them to the grid that the domain claims."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.clip(value, -1.0, 0.1)


@frozen
class Complains(TwinOf):
    """Raises when a value is out of bounds: the peers' most common leak."""

    def apply(self, value: Any, space: Space) -> Any:
        if len(value) and (np.ma.max(value) or 0) > 10:
            raise ValueError("value out of bounds")
        return self.right.apply(value, space)


@frozen
class Narrows(TwinOf):
    """Gives floats when a null occurs, integers otherwise: a dtype that reveals one row."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        return right.astype(float) if np.ma.getmaskarray(right).any() else right


@frozen
class Warns(TwinOf):
    """Prints values of the data."""

    def apply(self, value: Any, space: Space) -> Any:
        if np.ma.getmaskarray(value).any():
            print("nulls found")  # noqa: T201
        return self.right.apply(value, space)


@frozen
class BoundsExchanged(TwinOf):
    """Clamps every column of a matrix to the bounds of the first."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.clip(value, 0.0, 1.0)


@frozen
class OneSideRounded(TwinOf):
    """Clamps to the nearest float, which may lie beyond the bound."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.maximum(value, -0.1)  # the float lies below -1/10


@frozen
class WrongSide(TwinOf):
    """Takes a lower bound for an upper one."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.minimum(value, 10)


@frozen
class Lowest(TwinOf):
    """Clamps to the bound, or to the smallest positive value seen: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        above = right.compressed()[right.compressed() > 10]
        return right if len(above) == 0 else np.ma.maximum(right, above.min())


RIGHT = pc.Clamp(bounds=(0, 10))
TWINS = [
    Twin(law="map", case=Case(name="clamp omitted", chain=pc.vector(int) >> Omitted(RIGHT))),
    Twin(law="map", case=Case(name="only the upper bound clamped", chain=pc.vector(int) >> UpperOnly(RIGHT))),
    Twin(law="map", case=Case(name="clamped to the data", chain=pc.vector(int) >> Relative(RIGHT))),
    Twin(
        law="map", case=Case(name="reals off the grid", chain=pc.vector(float) >> OffGrid(pc.Clamp(bounds=(-1, 0.1))))
    ),
    Twin(
        law="map",
        case=Case(
            name="bounds of another column",
            chain=pc.matrix(2) >> BoundsExchanged(pc.Clamp(bounds=[(0, 1), (5, 9)], grid=2**-40)),
        ),
    ),
    Twin(
        law="map",
        case=Case(
            name="one side, rounded beyond the bound",
            chain=pc.vector(float) >> OneSideRounded(pc.Clamp(bounds=(-0.1, None))),
        ),
    ),
    Twin(law="map", case=Case(name="the other side", chain=pc.vector(int) >> WrongSide(pc.Clamp(bounds=(10, None))))),
    Twin(law="map", case=Case(name="side of the data", chain=pc.vector(int) >> Lowest(pc.Clamp(bounds=(10, None))))),
    Twin(law="parity", case=Case(name="raises out of bounds", chain=pc.vector(int) >> Complains(RIGHT))),
    Twin(law="parity", case=Case(name="dtype depends on nulls", chain=pc.vector(int) >> Narrows(RIGHT))),
    Twin(law="parity", case=Case(name="prints about nulls", chain=pc.vector(int) >> Warns(RIGHT))),
]


def test_values_move_to_the_nearest_bound_and_missing_values_stay() -> None:
    clamped = (pc.vector(float) >> pc.Clamp(bounds=(0, 1)))([-math.inf, -0.5, 0.25, 7.0, math.inf, math.nan, None])
    assert clamped.data.tolist()[:5] == [0.0, 0.0, 0.25, 1.0, 1.0]
    assert math.isnan(clamped.data[5])
    assert clamped.mask.tolist() == [False] * 6 + [True]


@given(st.floats(allow_nan=False), st.integers(-1000, 1000), st.integers(1, 1000))
def test_rounding_goes_to_the_nearest_grid_point_within_the_bounds(value: float, lower: int, width: int) -> None:
    unit = pc.Clamp(bounds=(lower, lower + width), grid=Fraction(1, 8))
    result = Fraction(float((pc.vector(float) >> unit)([value]).data[0]))
    far = Fraction(10**9 if value > 0 else -(10**9))
    expected = Fraction(value) if math.isfinite(value) else far
    held = min(max(expected, Fraction(lower)), Fraction(lower + width))
    assert abs(result - held) <= Fraction(1, 16)
    assert (result * 8).denominator == 1
    assert lower <= result <= lower + width


def test_the_default_grid_is_a_small_power_of_two() -> None:
    domain = (pc.vector(float) >> pc.Clamp(bounds=(0, 100))).output.domain
    assert isinstance(domain, VectorDomain)
    assert domain.grid == Fraction(128, 2**32)


def test_a_second_clamp_keeps_the_grid() -> None:
    chain = pc.vector(float) >> pc.Clamp(bounds=(0, 8), grid=0.5) >> pc.Clamp(bounds=(1, 4))
    domain = chain.output.domain
    assert isinstance(domain, VectorDomain)
    assert domain.grid == Fraction(1, 2)
    wider = pc.vector(float) >> pc.Clamp(bounds=(0, 1), grid=2**-50) >> pc.Clamp(bounds=(0, 1e6))
    assert wider([0.5]).data.tolist() == [0.5]


@pytest.mark.parametrize(
    ("bounds", "error", "message"),
    [
        ((5, 3), InvalidError, "Clamp.bounds: lower must be below upper, got lower=5, upper=3."),
        ((5, 5), InvalidError, "lower must be below upper"),
        ((None, None), NotExactError, "Clamp.bounds\\[0\\]"),
        ((None, math.nan), NotExactError, "Clamp.bounds\\[1\\]: expected a finite number, got nan."),
        (("a", None), NotExactError, "Clamp.bounds\\[0\\].*got str"),
        ([(0, 1), (0, None)], NotExactError, "Clamp.bounds"),
        ((0, math.nan), NotExactError, "Clamp.bounds\\[1\\]: expected a finite number, got nan."),
        ((-math.inf, 0), NotExactError, "Clamp.bounds\\[0\\]: expected a finite number, got -inf."),
        (("a", 0), NotExactError, "got str"),
        ((True, 2), NotExactError, "got a boolean"),
        ((1, 2, 3), WrongTypeError, "must be a pair"),
        ([(0, 1), (5, 3)], InvalidError, r"Clamp.bounds\[1\]: lower must be below upper, got lower=5, upper=3."),
        ([(0, 1), (0, 1, 2)], WrongTypeError, r"Clamp.bounds\[1\] must be a pair"),
        ([], WrongTypeError, "must be a pair"),
        (10, WrongTypeError, "must be a pair \\(lower, upper\\), got int."),
        (None, WrongTypeError, "must be a pair"),
    ],
)
def test_wrong_bounds_are_refused(bounds: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Clamp(bounds=bounds)


@pytest.mark.parametrize(
    ("space", "unit", "message"),
    [
        (pc.vector(int), pc.Clamp(bounds=(0.5, 3)), "must be whole numbers"),
        (pc.vector(int), pc.Clamp(bounds=(0, 2**64)), "64-bit"),
        (pc.vector(int), pc.Clamp(bounds=(0, 3), grid=0.5), "grid is for real values"),
        (pc.vector(str), pc.Clamp(bounds=(0, 3)), "column of numbers, got str"),
        (pc.vector(float), pc.Clamp(bounds=(0, 3), grid=0.1), "power of two"),
        (pc.vector(float), pc.Clamp(bounds=(0, 3), grid=4), "two points inside"),
        (pc.vector(float), pc.Clamp(bounds=(0, 3), grid=2**-60), "above 2\\^-53"),
        (pc.vector(float), pc.Clamp(bounds=(0, 1e-308)), "too close to zero"),
        (pc.vector(int), pc.Clamp(bounds=(0.5, None)), "must be whole numbers of 64 bits for a column of int, got 0.5"),
        (pc.vector(int), pc.Clamp(bounds=(None, 2**64)), "64 bits"),
        (pc.vector(str), pc.Clamp(bounds=(None, 1)), "column of numbers, got str"),
        (pc.vector(float), pc.Clamp(bounds=(0, None), grid=0.5), "Clamp.grid needs bounds on both sides"),
        (pc.vector(float), pc.Clamp(bounds=(10**400, None)), "within the floats"),
        (pc.matrix(2), pc.Clamp(bounds=(0, None)), r"need both sides, got \(0, None\): write the pair"),
        (pc.vector(int, bounds=(0, 10)), pc.Clamp(bounds=(10, None)), "lower=10, upper=10 with the bounds that the"),
        (pc.vector(int, bounds=(None, 3)), pc.Clamp(bounds=(7, None)), "lower=7, upper=3 with the bounds that the"),
    ],
)
def test_bounds_that_do_not_fit_the_column_are_refused(space: Space, unit: pc.Clamp, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        space >> unit


def test_clamp_reads_columns_only() -> None:
    with pytest.raises(MismatchError, match="start from pc.vector"):
        pc.scalar(int) >> pc.Clamp(bounds=(0, 1))


def test_each_column_of_a_matrix_has_its_own_bounds() -> None:
    rows = [[-1, 99], [0.5, 7], [math.inf, -math.inf], [math.nan, None]]
    clamped = (pc.matrix(2) >> pc.Clamp(bounds=[(0, 1), (5, 9)]))(rows)
    assert clamped[:3].tolist() == [[0.0, 9.0], [0.5, 7.0], [1.0, 5.0]]
    assert np.isnan(clamped[3]).all()
    assert (pc.matrix(2) >> pc.Clamp(bounds=(0, 1)))(rows)[:2].tolist() == [[0.0, 1.0], [0.5, 1.0]]


def test_a_matrix_has_one_grid_for_all_columns() -> None:
    wide = (pc.matrix(2) >> pc.Clamp(bounds=[(0, 1), (0, 100)])).output.domain
    assert isinstance(wide, MatrixDomain)
    assert wide.grid == Fraction(128, 2**32)
    again = (pc.matrix(2, bounds=(0, 8), grid=0.5) >> pc.Clamp(bounds=[(0, 1), (0, 4)])).output.domain
    assert isinstance(again, MatrixDomain)
    assert again.grid == Fraction(1, 2)
    finer = (pc.matrix(1, bounds=(0, 8), grid=4) >> pc.Clamp(bounds=[(0, 1)])).output.domain
    assert isinstance(finer, MatrixDomain)
    assert finer.grid == Fraction(1, 2**32)


def test_clamping_leaves_a_ball() -> None:
    """A row moved into bounds may leave the ball that it was in, so the claim is given up."""
    ball = Norm(order=2, radius=Fraction(1), origin=(Fraction(0),))
    space = pc.Space(MatrixDomain(columns=1, norm=ball, nan=False), pc.SymmetricDistance())
    domain = (space >> pc.Clamp(bounds=(5, 6))).output.domain
    assert isinstance(domain, MatrixDomain)
    assert domain.norm is None


def test_as_many_pairs_as_columns() -> None:
    with pytest.raises(WrongTypeError, match="a pair \\(lower, upper\\), or a list of 3 pairs"):
        pc.matrix(3) >> pc.Clamp(bounds=[(0, 1), (0, 1)])
    with pytest.raises(WrongTypeError, match="must be one pair \\(lower, upper\\) for a column, got a list of 2"):
        pc.vector(float) >> pc.Clamp(bounds=[(0, 1), (0, 1)])
    with pytest.raises(MismatchError, match="put Select"):
        pc.records(age=int) >> pc.Clamp(bounds=(0, 1))


def test_one_side_keeps_what_lies_beyond_the_other() -> None:
    values = [-math.inf, -0.5, -0.0, 0.1, 7.0, math.inf, math.nan, None]
    below = (pc.vector(float) >> pc.Clamp(bounds=(0, None)))(values)
    assert below.data.tolist()[:6] == [0.0, 0.0, 0.0, 0.1, 7.0, math.inf]
    above = (pc.vector(float) >> pc.Clamp(bounds=(None, 0)))(values)
    assert above.data.tolist()[:6] == [-math.inf, -0.5, 0.0, 0.0, 0.0, 0.0]
    for clamped in (below, above):
        assert math.isnan(clamped.data[6])
        assert clamped.mask.tolist() == [False] * 7 + [True]


@given(st.floats(allow_nan=False), st.fractions())
def test_one_side_clamps_to_a_float_within_the_bound(value: float, bound: Fraction) -> None:
    low = float((pc.vector(float) >> pc.Clamp(bounds=(bound, None)))([value]).data[0])
    high = float((pc.vector(float) >> pc.Clamp(bounds=(None, bound)))([value]).data[0])
    assert math.isinf(low) or Fraction(low) >= bound
    assert math.isinf(high) or Fraction(high) <= bound
    assert value in (low, high)


def test_two_sides_make_bounds() -> None:
    chain = pc.vector(float) >> pc.Clamp(bounds=(0, None)) >> pc.Clamp(bounds=(None, 10))
    both = (pc.vector(float) >> pc.Clamp(bounds=(0, 10))).output
    assert chain.output == both
    assert repr(pc.vector(int, bounds=(None, 3))) == "vector(int, bounds=(None, 3))"
    assert (pc.vector(int, bounds=(0, None)) >> pc.Clamp(bounds=(2, None))).output == pc.vector(int, bounds=(2, None))
    assert (pc.vector(int, bounds=(5, 9)) >> pc.Clamp(bounds=(2, None))).output == pc.vector(int, bounds=(5, 9))


@pytest.mark.parametrize("unit", [pc.Sum(), pc.EndpointSums(), pc.ImputeUniform(), pc.Variance()])
def test_units_that_need_bounds_need_both(unit: Any) -> None:
    with pytest.raises(MismatchError, match=r"with a bound on one side only, \(0, None\): put Clamp\(bounds"):
        pc.vector(float, bounds=(0, None)) >> unit


def test_an_identifier_with_one_bound_would_merge_persons() -> None:
    space = pc.persons("id", id=pc.vector(int, bounds=(0, None)), age=int)
    with pytest.raises(MismatchError, match="identifiers that no two persons share"):
        space >> pc.Truncate(id="id", rows=1)


def test_rows_that_resize_adds_lie_within_the_one_bound() -> None:
    with pytest.raises(MismatchError, match="must lie within the bounds of the table"):
        pc.vector(int, bounds=(5, None)) >> pc.Resize(n=3, imputation=2)
