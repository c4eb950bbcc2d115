"""Scores by a user's function."""

import math
import sys
import warnings
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf


def rows_near(rows: tuple[Any, ...], candidate: int) -> Fraction:
    """Half the number of rows within one of the candidate."""
    return Fraction(sum(row is not None and abs(row - candidate) <= 1 for row in rows), 2)


def division(rows: tuple[Any, ...], candidate: int) -> Any:
    """Fails whenever the first row is the candidate; a claim that covers it must be wide."""
    return min(max(1 // (rows[0] - candidate), 0), 1)


def parts(rows: tuple[Any, ...], candidate: int) -> Any:
    """Gives a float, a string, a boolean or too fine a fraction."""
    return {0: 0.5, 1: "1", 2: True, 3: Fraction(1, 3), 4: 4}[candidate]


HALVES = pc.UserScores(function=rows_near, candidates=[0, 1, 7], range=0.5, grid=0.5)
FRAGILE = pc.UserScores(function=division, candidates=[0, 1, 7], range=1, lowest=0)
ANYTHING_ELSE: Any = len  # takes one argument where two are given: every score fails
NO_FUNCTION: Any = 3
CASES = [
    Case(name="user scores", chain=pc.vector(int) >> HALVES),
    Case(name="user scores of known size", chain=pc.vector(int, size=3) >> HALVES),
    Case(name="user scores in order", chain=pc.vector(int, size=3, ordered=True) >> HALVES),
    Case(name="user scores that fail", chain=pc.vector(int) >> FRAGILE),
    Case(
        name="user scores of words",
        chain=pc.vector(str) >> pc.UserScores(function=ANYTHING_ELSE, candidates=["a"], range=0),
    ),
    Case(
        name="user scores of reals",
        chain=pc.vector(float) >> pc.UserScores(function=lambda rows, c: rows.count(c), candidates=[0.0, 1.0], range=1),
    ),
]


@frozen
class LetsItRaise(TwinOf):
    """Lets the function's exceptions through."""

    def apply(self, value: Any, space: Space) -> Any:
        division(tuple(value.compressed().tolist()), 0)
        return self.right.apply(value, space)


@frozen
class ReplacementForOne(TwinOf):
    """Charges a replacement as one row."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction((d_in + 1) // 2, 2)


@frozen
class TooSmallAClaim(TwinOf):
    """Rests on a claim that does not hold."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction(d_in, 3)


TWINS = [
    Twin(law="parity", case=Case(name="a user's exception", chain=pc.vector(int) >> LetsItRaise(FRAGILE))),
    Twin(
        law="map",
        case=Case(name="a replacement for one row", chain=pc.vector(int, size=3) >> ReplacementForOne(HALVES)),
    ),
    Twin(law="map", case=Case(name="a claim too small", chain=pc.vector(int) >> TooSmallAClaim(HALVES))),
]


def test_only_exact_scores_on_the_grid_count() -> None:
    chain = pc.vector(int) >> pc.UserScores(function=parts, candidates=[0, 1, 2, 3, 4, 5], range=0, lowest=-9)
    assert chain([]).tolist() == [-9.0, -9.0, -9.0, -9.0, 4.0, -9.0]


def test_the_rows_come_sorted_unless_positions_count() -> None:
    seen: list[Any] = []

    def look(rows: tuple[Any, ...], candidate: Any) -> int:
        seen.append(rows)
        return 0

    unit = pc.UserScores(function=look, candidates=["x"], range=0)
    (pc.vector(float) >> unit)([2.0, None, float("nan"), -1.0])
    assert seen[0][:2] == (-1.0, 2.0)
    assert seen[0][2] != seen[0][2]
    assert seen[0][3] is None
    (pc.vector(int, size=3, ordered=True) >> unit)([3, None, 1])
    assert seen[1] == (3, None, 1)


def test_minus_zero_is_zero() -> None:
    signs = pc.UserScores(function=lambda rows, c: int(math.copysign(1, rows[0])), candidates=[0], range=0)
    assert (pc.vector(float) >> signs)([-0.0]).tolist() == [1.0]


def test_parameters_are_checked() -> None:
    with pytest.raises(WrongTypeError, match="UserScores.function must be a function"):
        pc.UserScores(function=NO_FUNCTION, candidates=[1], range=1)
    with pytest.raises(WrongTypeError, match="UserScores.candidates must be a list"):
        pc.UserScores(function=rows_near, candidates=[], range=1)
    with pytest.raises(InvalidError, match="UserScores.lowest must be a multiple of the grid"):
        pc.UserScores(function=rows_near, candidates=[1], range=1, lowest=0.5)
    with pytest.raises(InvalidError, match="UserScores.range must be zero or more"):
        pc.UserScores(function=rows_near, candidates=[1], range=-1)


def test_there_is_one_nan() -> None:
    signs = pc.UserScores(function=lambda rows, c: int(math.copysign(1, rows[0])), candidates=[0], range=0)
    assert (pc.vector(float) >> signs)([-math.nan]).tolist() == (pc.vector(float) >> signs)([math.nan]).tolist()


def test_warnings_of_the_function_are_silenced() -> None:
    def warn(rows: tuple[Any, ...], candidate: Any) -> int:
        warnings.warn("a row was seen", UserWarning, stacklevel=1)
        return 3

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        scores = (pc.vector(int) >> pc.UserScores(function=warn, candidates=[0], range=0))([1])
    assert (scores.tolist(), seen) == ([3.0], [])


def test_a_function_cannot_end_the_program() -> None:
    unit = pc.UserScores(function=lambda rows, c: sys.exit(1), candidates=[0], range=0, lowest=-1)
    assert (pc.vector(int) >> unit)([1]).tolist() == [-1.0]


def test_an_interrupt_passes() -> None:
    def interrupted(rows: tuple[Any, ...], candidate: Any) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        (pc.vector(int) >> pc.UserScores(function=interrupted, candidates=[0], range=0))([1])
