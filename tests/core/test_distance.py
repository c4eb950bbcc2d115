"""A user measures distances as the laws do, between data that lie in the space."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.frames import PartitionDomain
from privet.core.metric import PartitionDistance
from privet.errors import InvalidError, WrongTypeError
from privet.transforms.smooth_pairs import SmoothDistance, SmoothDomain
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain

PARTS = pc.Space(PartitionDomain(parts=2, inner=VectorDomain(kind=int)), PartitionDistance())
HALVES = pc.Space(
    PartitionDomain(parts=2, inner=pc.scalar(float, grid=0.5).domain), PartitionDistance(pc.AbsoluteDistance())
)


@pytest.mark.parametrize(
    ("space", "x", "y", "expected"),
    [
        (pc.vector(int), [1, 2, 2], [2, 3], 3),
        (pc.vector(float), [math.nan, None, -0.0], [0.0, None, math.nan], 0),
        (pc.vector(float, bounds=(0, 1)), [0.1, 0.3], [0.3, 0.2], 2),
        (pc.vector(str, categories=["a", "b"]), ["a", None], ["b", None], 2),
        (pc.vector(int, size=3, ordered=True), [1, 2, 3], [3, 2, 1], 2),
        (pc.Space(VectorDomain(kind=int), pc.InsertDelete()), [1, 2, 3], [2, 3, 1], 2),
        (pc.persons("name", name=str, age=int), [("a", 1), ("a", 2), ("b", 1)], [("a", 2), ("c", 1)], 4),
        (pc.matrix(2), [[1, 2], [3, math.nan]], [[3, math.nan], [1, 3]], 2),
        (pc.records(a=int, b=str), {"a": [1], "b": ["x"]}, [{"a": 1, "b": "x"}], 0),
        (pc.scalar(float, grid=0.25), 1, 3.5, Fraction(5, 2)),
        (pc.numbers(3, float, grid=0.5), [0, 1, 2], [1, 1, 0.5], pc.Parts(l0=2, l1=2.5, l2_squared=3.25, linf=1.5)),
        (pc.scores(3), [0, 0, 0], [1, 2, -1], 3),
        (pc.choice([1, 2]), 1, 2, 1),
        (PARTS, [[1], [2, 3]], [[1, 1], [3]], pc.Parts(l0=2, l1=2, l2_squared=2, linf=1)),
        (HALVES, [1.5, 2], [0, 2], pc.Parts(l0=1, l1=1.5, l2_squared=2.25, linf=1.5)),
        (pc.Space(StreamDomain(), StreamDistance()), [1, 5], [2, 3], 2),
        (pc.Space(StreamDomain(), MonotonicStreamDistance()), [1, 5], [2, 3], 3),
        (pc.Space(StreamDomain(), StreamDistance()), Stream(lambda: lambda q: q, [1, 9]), Stream(lambda: abs), 0),
        (pc.Space(SmoothDomain(kind=int, beta=Fraction(1, 2)), SmoothDistance()), (3, 2), (4, 2), 1),
    ],
)
def test_every_metric(space: pc.Space, x: Any, y: Any, expected: Any) -> None:
    assert space.distance(x, y) == expected
    assert space.distance(y, x) == expected
    assert space.distance(x, x) == space.metric.check(0)


@given(st.lists(st.integers(0, 4)), st.lists(st.integers(0, 4)))
def test_the_symmetric_distance_counts_rows_of_one_side_only(x: list[int], y: list[int]) -> None:
    mine = sum(abs(Counter(x)[item] - Counter(y)[item]) for item in range(5))
    assert pc.vector(int).distance(x, np.array(y, dtype=np.int64)) == mine


@pytest.mark.parametrize(
    "twin",
    [
        lambda x, y: len(set(x) ^ set(y)),  # sets: copies of a row are free
        lambda x, y: abs(len(x) - len(y)),  # sizes: other rows are free
        lambda x, y: (Counter(x) - Counter(y)).total(),  # removals alone: additions are free
        lambda x, y: sum(a != b for a, b in zip(x, y, strict=False)),  # places: the order counts
    ],
)
def test_other_distances_of_rows_are_caught(twin: Any) -> None:
    pairs: list[Any] = [([1, 1, 2], [1, 2]), ([1], [2]), ([2], [1, 2, 3]), ([1, 2], [2, 1])]
    assert [pc.vector(int).distance(x, y) for x, y in pairs] == [1, 2, 2, 0]
    assert any(twin(x, y) != pc.vector(int).distance(x, y) for x, y in pairs)


@given(st.lists(st.integers(-50, 50)), st.lists(st.integers(-50, 50)))
def test_a_map_is_compared_with_distances_of_results(x: list[int], y: list[int]) -> None:
    space = pc.vector(int)
    chain = space >> pc.Clamp(bounds=(-3, 5)) >> pc.Sum()
    measured, allowed = chain.output.distance(chain(x), chain(y)), chain.map(space.distance(x, y))
    assert isinstance(measured, Fraction)
    assert isinstance(allowed, Fraction)
    assert measured <= allowed


def test_what_a_chain_returns_lies_in_its_space() -> None:
    rows = [[3, 4], [0.3, -40]]
    ball = pc.matrix(2) >> pc.ClampNorm(radius=1)
    assert ball.output.distance(ball(rows), ball(rows[:1])) == 1
    mean = pc.matrix(2, bounds=(0, 10), size=3) >> pc.VectorMean()
    far = mean.output.distance(mean([[1, 2]] * 3), mean([[1, 2], [1, 2], [10, 2]]))
    assert far == pc.Parts(l0=1, l1=3, l2_squared=9, linf=3)


@pytest.mark.parametrize(
    ("space", "data", "message"),
    [
        (pc.vector(int, bounds=(0, 10)), [1, 4321], "a value lies outside the bounds"),
        (pc.vector(float, bounds=(0, 10)), [math.inf], "a value lies outside the bounds"),
        (pc.vector(int, size=2), [4321], "the number of rows is not 2"),
        (pc.vector(int, nullable=False), [None], "a row is null"),
        (pc.vector(str, categories=["a", "b"]), ["4321"], "a value is not one of the categories"),
        ((pc.vector(float, bounds=(0, 1)) >> pc.ImputeConstant(value=0)).output, [math.nan], "a value is NaN"),
        (pc.matrix(2, bounds=(0, 1)), [[0, 4321]], "a value lies outside the bounds of its column"),
        (pc.matrix(2, size=2), [[0, 4321]], "the number of rows is not 2"),
        ((pc.matrix(2) >> pc.ClampNorm(radius=5)).output, [[4, 4]], "a row lies outside the ball"),
        ((pc.matrix(2) >> pc.ClampNorm(radius=5)).output, [[4, "4321"]], "a value is not a number"),
        (pc.records(a=pc.vector(int, bounds=(0, 1))), [(4321,)], r"x\['a'\].* outside the bounds"),
        (PARTS, [["4321"], []], ""),
        (pc.scalar(int), math.inf, "not a finite number"),
        (pc.scalar(int), None, "not a finite number"),
        (pc.numbers(2), [0, math.nan], r"x\[1\] must lie in numbers\(2, int\): the value is not a finite number"),
        (pc.numbers(2), (item for item in [0, None]), r"x\[1\]"),
    ],
)
def test_data_outside_the_space_are_refused_without_a_value(space: pc.Space, data: Any, message: str) -> None:
    if not message:  # text in a column of numbers is null, and so a member
        assert space.distance(data, [[None], []]) == space.metric.check(0)
        return
    with pytest.raises(InvalidError, match=message) as error:
        space.distance(data, data)
    assert "4321" not in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: pc.vector(int).distance(3, [3]), "must be a list"),
        (lambda: pc.numbers(2).distance([1, 2, 3], [1, 2]), "expected 2 numbers"),
        (lambda: pc.matrix(2).distance(np.zeros((1, 3)), np.zeros((1, 2))), "2 columns"),
        (lambda: pc.scalar(int).distance([1], 1), "expected a number"),
        (lambda: PARTS.distance([[1]], [[1]]), "a list of 2 parts"),
        (lambda: pc.records(a=int).distance({"b": [1]}, {"a": [1]}), "a column named 'a'"),
    ],
)
def test_other_shapes_are_refused(wrong: Callable[[], Any], message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        wrong()
