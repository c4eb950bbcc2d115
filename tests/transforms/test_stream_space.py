"""Streams, their domain and their metrics."""

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core.space import Space
from privet.errors import InvalidError, WrongTypeError
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain, in_turn

DOMAIN = StreamDomain()


def measured(metric: Any, x: list[int], y: list[int], domain: StreamDomain = DOMAIN) -> Any:
    return metric.distance(domain.admit(x), domain.admit(y), domain)


def test_numbers_answer_in_turn_then_zero() -> None:
    stream = DOMAIN.admit([3, None, 5])
    assert [stream.ask(query) for query in "abcd"] == [3, 0, 5, 0]


def test_numbers_are_rounded_to_the_grid() -> None:
    domain = StreamDomain(kind=float, grid=Fraction(1, 4))
    stream = domain.admit([1.3, math.nan, math.inf])
    assert domain.answer(stream.ask(0)) == 1.25
    assert stream.ask(1) == 0
    assert domain.widen(Fraction(3, 10)) == Fraction(1, 2)


def test_a_stream_is_read_from_its_start() -> None:
    stream = in_turn([1, 2])
    assert stream.ask("first") == 1
    assert DOMAIN.admit(stream).ask("first") == 1
    assert stream.ask("second") == 2


def test_the_distance_is_the_largest_change() -> None:
    assert measured(StreamDistance(), [1, 5, 2], [1, 3, 3]) == 2
    assert measured(StreamDistance(), [1], [1, 7]) == 7, "a stream that ends goes on with zeros"
    assert measured(StreamDistance(), [], []) == 0


def test_the_monotonic_distance_adds_rises_and_falls() -> None:
    assert measured(MonotonicStreamDistance(), [1, 5], [2, 8]) == 3
    assert measured(MonotonicStreamDistance(), [1, 5], [0, 2]) == 3
    assert measured(MonotonicStreamDistance(), [1, 5], [3, 4]) == 3, "two up and one down"


def test_measuring_does_not_advance_the_stream() -> None:
    x, y = in_turn([1, 2]), in_turn([1, 2])
    StreamDistance().distance(x, y, DOMAIN)
    assert x.ask("first") == 1


@given(
    st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), max_size=4), st.sampled_from([Fraction(1), Fraction(1, 3)])
)
def test_streams_are_read_no_further_apart_than_their_distance_widened(
    pairs: list[tuple[float, float]], grid: Fraction
) -> None:
    moved = [Fraction(0), *(Fraction(y) - Fraction(x) for x, y in pairs)]
    domain = StreamDomain(kind=float, grid=grid)
    x, y = (domain.admit(list(column)) for column in zip(*pairs, strict=True)) if pairs else (domain.admit([]),) * 2
    for metric, apart in (
        (MonotonicStreamDistance(), max(moved) - min(moved)),
        (StreamDistance(), max(map(abs, moved))),
    ):
        allowed: Any = Space(domain, metric).reached(apart)
        assert metric.distance(x, y, domain) <= allowed


def test_rises_and_falls_are_rounded_separately() -> None:
    domain = StreamDomain(kind=float, grid=Fraction(1))
    x, y = domain.admit([0.4, 0.6]), domain.admit([0.6, 0.4])
    monotonic = Space(domain, MonotonicStreamDistance())
    assert monotonic.metric.distance(x, y, domain) == 2 == monotonic.reached(0.4)
    assert Space(domain, StreamDistance()).reached(0.2) == 1
    assert monotonic.reached(0) == 0
    assert Space(StreamDomain(), MonotonicStreamDistance()).reached(1) == 1, "whole numbers are not rounded"


@pytest.mark.parametrize("metric", [StreamDistance(), MonotonicStreamDistance()])
def test_distances_are_numbers_of_zero_or_more(metric: Any) -> None:
    assert metric.check(0.5) == Fraction(1, 2)
    with pytest.raises(InvalidError, match=f"{type(metric).__name__}.distance must be zero or more"):
        metric.check(-1)


def test_streams_cannot_be_copied_or_read() -> None:
    stream = in_turn([41])
    assert "41" not in repr(stream)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(WrongTypeError, match="holds private data"):
            attempt(stream)


def test_only_streams_are_read() -> None:
    with pytest.raises(WrongTypeError, match="a Stream or a list of numbers, got int"):
        DOMAIN.admit(3)
    with pytest.raises(WrongTypeError, match="a Stream or a list of numbers, got ndarray"):
        DOMAIN.admit(np.zeros((2, 2)))
    with pytest.raises(WrongTypeError, match=r"Stream.start must be a function"):
        Stream(3)  # type: ignore[arg-type]


class Spiteful:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("a secret")


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        (2.5, 3),
        (np.int64(7), 7),
        (np.float32(1.25), 1),
        (Fraction(5, 2), 3),
        (True, 1),
        (math.nan, 0),
        (math.inf, 2**63 - 1),
        (None, 0),
        ("12", 0),
        (np.array([1]), 0),
        (object(), 0),
        (Spiteful(), 0),
    ],
)
def test_any_answer_becomes_whole_grid_steps(given: Any, steps: int) -> None:
    answer = Stream(lambda: lambda _: given).ask("anything")
    assert type(answer) is int
    assert answer == steps
