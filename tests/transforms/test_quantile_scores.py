"""Scores of candidates for a quantile."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.transforms.ranks import _CELLS, rows_around
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

WIDE = [-2, -1, 0, 0.1, 1, 2, 1000]
WHOLE = [-5, -1, 0, 1, 6, 7, 8]
CASES = [
    Case(name="median scores", chain=pc.vector(float) >> pc.QuantileScores(candidates=WIDE, alpha=0.5)),
    Case(name="quantile scores, uneven", chain=pc.vector(int) >> pc.QuantileScores(candidates=WHOLE, alpha=0.9)),
    Case(
        name="quantile scores, thirds", chain=pc.vector(int) >> pc.QuantileScores(candidates=[0], alpha=Fraction(1, 3))
    ),
    Case(name="quantile scores, least", chain=pc.vector(float) >> pc.QuantileScores(candidates=WIDE, alpha=0)),
    Case(name="quantile scores, largest", chain=pc.vector(int) >> pc.QuantileScores(candidates=WHOLE, alpha=1)),
    Case(
        name="quantile scores, least, sized",
        chain=pc.vector(int, size=5) >> pc.QuantileScores(candidates=WHOLE, alpha=0),
    ),
    Case(
        name="quantile scores, largest, ordered",
        chain=pc.vector(float, size=3, ordered=True) >> pc.QuantileScores(candidates=WIDE, alpha=1),
    ),
    Case(
        name="quantile scores, fine",
        chain=pc.vector(float) >> pc.QuantileScores(candidates=WIDE, alpha=Fraction(10**30 - 1, 3 * 10**30)),
    ),
    Case(name="quantile scores, sized", chain=pc.vector(int, size=5) >> pc.QuantileScores(candidates=WHOLE, alpha=0.2)),
    Case(
        name="quantile scores, ordered",
        chain=pc.vector(float, size=3, ordered=True) >> pc.QuantileScores(candidates=WIDE, alpha=0.5),
    ),
    Case(
        name="quantile scores of bounded rows",
        chain=pc.vector(float) >> pc.Clamp(bounds=(-1, 1)) >> pc.QuantileScores(candidates=[-0.5, 0, 0.5], alpha=0.7),
    ),
]


@frozen
class Halved(TwinOf):
    """Charges half, as if no score could rise while another falls."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return self.right.stability(d_in, space) / 2  # type: ignore[operator, return-value]


@frozen
class FloatScores(TwinOf):
    """Computes the scores in floats of 32 bits and truncates them to steps."""

    def apply(self, value: Any, space: Space) -> Any:
        exactly = self.right.apply(value, space)
        return np.array([int(np.float32(int(item)) * np.float32(1.001)) for item in exactly], dtype=object)


@frozen
class HalfAReplacement(TwinOf):
    """Charges a replacement half."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction(d_in, 4)


@frozen
class OneForAll(TwinOf):
    """Charges one for a row for any alpha, as if all scores changed in one direction."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction(d_in)


UNEVEN = pc.QuantileScores(candidates=WHOLE, alpha=0.9)
TWINS = [
    Twin(law="map", case=Case(name="scores at half their range", chain=pc.vector(int) >> Halved(UNEVEN))),
    Twin(
        law="map",
        case=Case(
            name="scores in floats",
            chain=pc.vector(float)
            >> FloatScores(pc.QuantileScores(candidates=WIDE, alpha=Fraction(10**9, 10**9 * 2 + 1))),
        ),
    ),
    Twin(
        law="map",
        case=Case(
            name="one way at any alpha",
            chain=pc.vector(int) >> OneForAll(pc.QuantileScores(candidates=WHOLE, alpha=0.6)),
        ),
    ),
    Twin(law="map", case=Case(name="half a replaced row", chain=pc.vector(int, size=5) >> HalfAReplacement(UNEVEN))),
]


@given(
    st.lists(st.floats(allow_nan=False), max_size=30),
    st.sets(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=12),
)
def test_ranks_by_cells_are_exact(rows: list[float], points: set[float]) -> None:
    """Beyond 2^15 rows they are counted by cells; repeating every row takes us there."""
    where = np.array(sorted(points))
    column = np.array(rows, dtype=np.float64)
    many = np.tile(column, _CELLS // max(len(rows), 1) + 1)
    below, above = rows_around(many, where)
    times = len(many) // max(len(rows), 1) if rows else 0
    assert below.tolist() == [times * sum(row < point for row in rows) for point in where]
    assert above.tolist() == [times * sum(row > point for row in rows) for point in where]


def test_ranks_of_the_largest_integers_are_exact() -> None:
    column = np.tile(np.array([2**63 - 1, 2**63 - 2, -(2**63)]), _CELLS)
    points = np.array([*range(2**63 - 10, 2**63)], dtype=np.int64)
    below, above = rows_around(column, points)
    assert (below // _CELLS).tolist() == [1] * 9 + [2]
    assert (above // _CELLS).tolist() == [2] * 8 + [1, 0]


@given(st.lists(st.integers(-10, 10) | st.none(), max_size=30), st.fractions(0, 1))
def test_the_scores_are_the_definition(rows: list[int | None], alpha: Fraction) -> None:
    chain = pc.vector(int) >> pc.QuantileScores(candidates=WHOLE, alpha=alpha)
    kept = [row for row in rows if row is not None]
    scores = chain.run(chain.input.domain.admit(rows))
    for point, score in zip(WHOLE, scores.tolist(), strict=True):
        inside = (1 - alpha) * sum(row < point for row in kept) - alpha * sum(row > point for row in kept)
        assert Fraction(score, alpha.denominator) == -abs(inside)


def test_the_map_is_met() -> None:
    """Rows on both sides of the quantile, and one more row above all candidates: one score rises, another falls."""
    chain = pc.vector(int) >> pc.QuantileScores(candidates=[0, 10], alpha=0.9)
    rows = [5] * 10
    before, after = chain.run(np.ma.MaskedArray(rows)), chain.run(np.ma.MaskedArray([*rows, 20]))
    assert chain.output.metric.distance(before, after, chain.output.domain) == chain.map(1) == Fraction(18, 10)


@pytest.mark.parametrize(
    ("given_", "error", "message"),
    [
        ([], WrongTypeError, "must be a list of one or more numbers"),
        (7, WrongTypeError, "must be a list of one or more numbers"),
        ([1, 1], InvalidError, r"QuantileScores.candidates must rise, got 1 before 1\."),
        ([1, "b"], NotExactError, r"QuantileScores.candidates\[1\]"),
    ],
)
def test_candidates_must_rise(given_: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.QuantileScores(candidates=given_, alpha=0.5)


@pytest.mark.parametrize(
    ("space", "candidates", "message"),
    [
        (pc.vector(str), [1], "reads numbers, got a column of str"),
        (pc.vector(int), [0.5], "whole numbers of 64 bits"),
        (pc.vector(int), [2**63], "whole numbers of 64 bits"),
        (pc.vector(float), [10**400], "within the floats"),
        (pc.vector(float), [1, 1 + Fraction(1, 10**30)], "must differ as floats"),
    ],
)
def test_candidates_must_fit_the_column(space: Space, candidates: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> pc.QuantileScores(candidates=candidates, alpha=0.5)


@pytest.mark.parametrize("alpha", [0, 1])
def test_the_extreme_quantiles_change_in_one_direction(alpha: int) -> None:
    unit = pc.QuantileScores(candidates=WHOLE, alpha=alpha)
    assert (pc.vector(int) >> unit).map(3) == 3
    assert (pc.vector(int, size=5) >> unit).map(4) == 2
    assert (pc.vector(int, size=5, ordered=True) >> unit).map(3) == 3
