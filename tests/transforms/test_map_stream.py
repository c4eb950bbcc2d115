"""Scaled and clamped streams."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain
from tests.laws import Case, Twin
from tests.transforms.streams import Probed
from tests.transforms.twins import TwinOf

QUESTIONS = ((None, None), (0, 2), (1, None))
COUNTS = pc.vector(int) >> Probed(pc.CountStream(), QUESTIONS)
CASES = [
    Case(name="scaled stream", chain=COUNTS >> pc.MapStream(factor=Fraction(-3, 2))),
    Case(name="clamped stream", chain=COUNTS >> pc.MapStream(bounds=(1, 2.5))),
]


@frozen
class Unscaled(TwinOf):
    """Forgets the factor in the map."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


@frozen
class Squared(TwinOf):
    """Squares the answers, which stretches large ones more."""

    def apply(self, value: Any, space: Space) -> Stream:
        return Stream(lambda: lambda query: value.ask(query) ** 2, value.queries)


TWINS = [
    Twin(law="map", case=Case(name="a factor forgotten", chain=COUNTS >> Unscaled(pc.MapStream(factor=2)))),
    Twin(law="map", case=Case(name="answers squared", chain=COUNTS >> Squared(pc.MapStream(factor=3)))),
]


@pytest.mark.parametrize("metric", [StreamDistance(), MonotonicStreamDistance()])
def test_answers_are_scaled_on_a_scaled_grid(metric: Any) -> None:
    chain = Space(StreamDomain(), metric) >> pc.MapStream(factor=Fraction(-1, 3))
    assert chain([6, 1]).ask("next") == -6
    assert chain.output.domain == StreamDomain(kind=float, grid=Fraction(1, 3))
    assert chain.output.metric == metric
    assert chain.map(2) == Fraction(2, 3)


def test_clamping_keeps_to_the_grid_within_the_bounds() -> None:
    chain = Space(StreamDomain(), StreamDistance()) >> pc.MapStream(bounds=(0.5, 2.5))
    stream = chain([-9, 1, 9])
    assert [stream.ask("next") for _ in range(4)] == [1, 1, 2, 1]


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="MapStream.factor must be other than zero"):
        pc.MapStream(factor=0)
    with pytest.raises(InvalidError, match="MapStream.bounds must hold a multiple of the grid"):
        Space(StreamDomain(), StreamDistance()) >> pc.MapStream(bounds=(0.1, 0.9))
    with pytest.raises(MismatchError, match="MapStream reads a stream"):
        pc.vector(int) >> pc.MapStream()
