"""Moving rows into a ball."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.frames import MatrixDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

ROWS = pc.matrix(2)
EUCLIDEAN = pc.ClampNorm(radius=1, order=2)
CASES = [
    Case(name="rows into a disc", chain=ROWS >> EUCLIDEAN),
    Case(name="rows into a diamond", chain=pc.matrix(2) >> pc.ClampNorm(radius=0.7, order=1)),
    Case(
        name="rows around an origin",
        chain=pc.matrix(1, size=2, ordered=True) >> pc.ClampNorm(radius=5, order=2, origin=[-0.1]),
    ),
]


@frozen
class Unchecked(TwinOf):
    """Scales in floats and rounds to the nearest step, without looking where that lies."""

    def apply(self, value: Any, space: Space) -> Any:
        rows = np.nan_to_num(np.clip(value, -1e150, 1e150))
        norms = np.maximum(np.sqrt((rows * rows).sum(axis=1)), 1.0)
        return np.rint(rows / norms[:, None] * 2.0**32) / 2.0**32


@frozen
class ByTheLongestRow(TwinOf):
    """Divides all rows by the longest one, so that one row moves every other."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        longest = max(np.nan_to_num(np.abs(value), posinf=1.0).max(initial=1.0), 1.0)
        return np.trunc(right / longest * 2.0**32) / 2.0**32


@frozen
class NaNKept(TwinOf):
    """Leaves rows with NaN as they are."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[np.isnan(value).any(axis=1)] = np.nan
        return right


TWINS = [
    Twin(law="map", case=Case(name="scaled in floats without a check", chain=ROWS >> Unchecked(EUCLIDEAN))),
    Twin(law="map", case=Case(name="divided by the longest row", chain=ROWS >> ByTheLongestRow(EUCLIDEAN))),
    Twin(law="map", case=Case(name="rows of NaN kept", chain=ROWS >> NaNKept(EUCLIDEAN))),
]


def rows_of(chain: Any, rows: Any) -> Any:
    return chain.run(chain.input.domain.admit(rows))


@given(
    st.lists(st.tuples(*[st.floats(allow_nan=False)] * 3), min_size=1, max_size=20),
    st.sampled_from((1, 2)),
    st.sampled_from((Fraction(1), Fraction(1, 3), Fraction(10**9))),
)
def test_every_row_lies_in_the_ball_exactly(rows: list[tuple[float, ...]], order: Any, radius: Fraction) -> None:
    chain = pc.matrix(3) >> pc.ClampNorm(radius=radius, order=order)
    for row in rows_of(chain, rows).tolist():
        assert sum(abs(Fraction(item)) ** order for item in row) <= radius**order


@given(st.floats(0.5, 0.999), st.integers(1, 10**6))
def test_rows_just_outside_are_moved_just_inside(share: float, far: int) -> None:
    """Rows on the edge, where floats cannot decide: none may lie outside, none far inside."""
    chain = pc.matrix(2) >> EUCLIDEAN
    row = [share, math.sqrt(1 - share**2) * (1 + far * 2.0**-52)]
    norm = sum(Fraction(item) ** 2 for item in rows_of(chain, [row])[0].tolist())
    assert 1 - Fraction(1, 2**29) < norm <= 1


def test_rows_inside_are_kept_on_the_grid() -> None:
    chain = pc.matrix(2) >> pc.ClampNorm(radius=1, grid=Fraction(1, 8))
    assert rows_of(chain, [[0.5, -0.25], [0.0, 1.0], [0.3, -0.3]]).tolist() == [[0.5, -0.25], [0.0, 1.0], [0.25, -0.25]]


def test_a_row_keeps_its_direction() -> None:
    got = rows_of(pc.matrix(2) >> pc.ClampNorm(radius=5, origin=[1, 1]), [[31.0, 41.0]])
    assert got.tolist() == [[pytest.approx(4), pytest.approx(5)]]


def test_missing_numbers_move_a_row_to_the_origin() -> None:
    chain = pc.matrix(2) >> pc.ClampNorm(radius=1, origin=[3, 4])
    assert rows_of(chain, [[math.nan, 4.0], [None, None]]).tolist() == [[3.0, 4.0], [3.0, 4.0]]


def test_infinities_have_a_direction() -> None:
    chain = pc.matrix(2) >> EUCLIDEAN
    got = rows_of(chain, [[math.inf, 0.0], [-math.inf, math.inf]])
    assert got == pytest.approx(np.array([[1, 0], [-math.sqrt(0.5), math.sqrt(0.5)]]))


def test_the_widest_ball_does_not_overflow() -> None:
    got = rows_of(pc.matrix(2) >> pc.ClampNorm(radius=1e308), [[1e308, 1.7e308], [math.inf, 0.0], [-1e308, 0.0]])
    assert np.isfinite(got).all()
    assert got[1].tolist() == [pytest.approx(1e308), 0.0]


def test_a_row_on_the_edge_is_kept() -> None:
    chain = pc.matrix(3) >> pc.ClampNorm(radius=27, grid=1)
    assert rows_of(chain, [[2, 10, 25], [-7, 14, 22]]).tolist() == [[2, 10, 25], [-7, 14, 22]]


def test_the_output_space_has_the_right_descriptors() -> None:
    """Bounds that the rows had before the clamp are not kept: they may lie elsewhere now."""
    domain = (pc.matrix(2, bounds=(50, 60)) >> EUCLIDEAN).output.domain
    assert isinstance(domain, MatrixDomain)
    assert domain.bounds == ((Fraction(-1), Fraction(1)),) * 2
    assert domain.norm is not None
    assert domain.norm.radius == 1
    assert not domain.nan


def test_the_origin_is_rounded_to_the_grid() -> None:
    domain = (pc.matrix(1) >> pc.ClampNorm(radius=1, origin=[0.3], grid=Fraction(1, 4))).output.domain
    assert isinstance(domain, MatrixDomain)
    assert domain.norm is not None
    assert domain.norm.origin == (Fraction(1, 4),)


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"radius": 0}, InvalidError, "ClampNorm.radius must be above zero, got 0"),
        ({"radius": 1, "order": 3}, InvalidError, "ClampNorm.order must be one of 1, 2"),
        ({"radius": 1, "origin": 5}, WrongTypeError, "ClampNorm.origin must be a list"),
        ({"radius": 1, "origin": [0, "a"]}, NotExactError, r"ClampNorm.origin\[1\]"),
    ],
)
def test_wrong_parameters_are_refused(parameters: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        pc.ClampNorm(**parameters)


def test_the_origin_has_as_many_numbers_as_the_rows() -> None:
    with pytest.raises(MismatchError, match="has 3 numbers, the rows have 2"):
        ROWS >> pc.ClampNorm(radius=1, origin=[0, 0, 0])


def test_a_column_is_refused() -> None:
    with pytest.raises(MismatchError, match="start from pc.matrix"):
        pc.vector(float) >> EUCLIDEAN
