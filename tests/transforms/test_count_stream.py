"""Count streams."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance
from tests.laws import Case, Twin
from tests.transforms.streams import Probed
from tests.transforms.twins import TwinOf

UNIT = pc.CountStream()
QUESTIONS = ((None, None), (0, 2), (-1, 8), (None, 0), (1, None), {7})
CASES = [
    Case(name="stream of counts", chain=pc.vector(int) >> Probed(UNIT, QUESTIONS)),
    Case(name="stream of counts, known size", chain=pc.vector(int, size=3) >> Probed(UNIT, QUESTIONS)),
    Case(name="stream of counts, asked", chain=pc.vector(float) >> UNIT >> pc.AskStream(queries=[(0, 1), (0.1, None)])),
]


@frozen
class OneWay(TwinOf):
    """Takes a replaced row for a change in one direction."""

    def output(self, space: Space) -> Space:
        return Space(self.right.output(space).domain, MonotonicStreamDistance())


@frozen
class Shares(TwinOf):
    """Answers percentages, some of which fall when a row is added."""

    def apply(self, value: Any, space: Space) -> Stream:
        counts = self.right.apply(value, space)
        return Stream(lambda: lambda query: 100 * counts.ask(query) // max(len(value), 1))


TWINS = [
    Twin(
        law="map",
        case=Case(name="a replaced row moves one way", chain=pc.vector(int, size=3) >> Probed(OneWay(UNIT), QUESTIONS)),
    ),
    Twin(law="map", case=Case(name="shares one way", chain=pc.vector(int) >> Probed(Shares(UNIT), QUESTIONS))),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [((None, None), 6), ((0, 1), 2), ((0.1, None), 3), ((None, 0), 1), ({0.5, math.inf}, 2), (set(), 0)],
)
def test_reals_are_counted(query: Any, expected: int) -> None:
    rows = [0.0, 0.5, 1.0, math.inf, -math.inf, 5e-324, math.nan, None]
    found = (pc.vector(float) >> UNIT)(rows).ask(query)
    assert found == expected + (query == (0, 1))


def test_ends_are_compared_exactly() -> None:
    big = (pc.vector(int) >> UNIT)([2**63 - 1, 2**53, 2**53 + 1])
    assert big.ask((2**53 + 1, None)) == 2
    assert big.ask((2**63, None)) == 0
    assert big.ask((None, 2**63)) == 3
    assert big.ask((Fraction(1, 2), 2**53)) == 0
    tenth = (pc.vector(float) >> UNIT)([0.1])
    assert tenth.ask((Fraction(1, 10), None)) == 1, "the float 0.1 is a little above one tenth"
    assert tenth.ask((None, Fraction(1, 10))) == 0


def test_ends_beyond_the_floats_are_compared_exactly() -> None:
    wide = (pc.vector(float) >> UNIT)([1.7e308, math.inf, -1.7e308, -math.inf])
    assert wide.ask((1.6e308, None)) == 2
    assert wide.ask((10**400, None)) == 1
    assert wide.ask((-(10**400), None)) == 3
    assert wide.ask((None, -(10**400))) == 1


def test_the_metric_says_whether_counts_move_one_way() -> None:
    assert isinstance((pc.vector(int) >> UNIT).output.metric, MonotonicStreamDistance)
    assert isinstance((pc.vector(int, size=3) >> UNIT).output.metric, StreamDistance)
    assert (pc.vector(int) >> UNIT).map(3) == 3
    assert (pc.vector(int, size=3) >> UNIT).map(4) == 2


@pytest.mark.parametrize("query", ["a", 3, (1, 2, 3), {1}, ["a"], (0, 1)])
def test_a_wrong_query_is_refused_without_reading_the_data(query: Any) -> None:
    for rows in ([], ["a"]):
        with pytest.raises(WrongTypeError, match="a query must be a set"):
            (pc.vector(str) >> UNIT)(rows).ask(query)


def test_only_columns_are_read() -> None:
    with pytest.raises(MismatchError, match="CountStream reads a column"):
        pc.matrix(2) >> UNIT


class Spy(set[int]):
    """A query that would look at the rows."""

    def __contains__(self, item: object) -> bool:
        raise ValueError(f"there is a {item}")


def test_a_query_never_sees_the_rows() -> None:
    stream = (pc.vector(int, bounds=(0, 99)) >> UNIT)([70, 71])
    assert stream.again().ask(Spy({70})) == 1
