"""Running sums of streams."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms.stream_space import StreamDistance, StreamDomain
from tests.laws import Case, Twin
from tests.transforms.streams import Probed
from tests.transforms.twins import TwinOf

QUESTIONS = ((None, None), (0, 2), (1, None), (None, None))
COUNTS = pc.vector(int) >> Probed(pc.CountStream(), QUESTIONS)
CASES = [
    Case(name="running sums", chain=COUNTS >> pc.SumStream(length=3)),
]


@frozen
class AsStableAsItsTerms(TwinOf):
    """Claims the stability of one term for the sum of many."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


@frozen
class WithoutEnd(TwinOf):
    """Goes on adding after the last query that was paid for."""

    def apply(self, value: Any, space: Space) -> Any:
        return pc.SumStream(length=100).apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="a sum for a term", chain=COUNTS >> AsStableAsItsTerms(pc.SumStream(length=2)))),
    Twin(law="map", case=Case(name="sums without end", chain=COUNTS >> WithoutEnd(pc.SumStream(length=2)))),
]


def test_sums_run_until_the_length_is_reached() -> None:
    chain = Space(StreamDomain(kind=float, grid=Fraction(1, 2)), StreamDistance()) >> pc.SumStream(length=2)
    stream = chain([1, 2.5, 9])
    assert [stream.ask("next") for _ in range(3)] == [2, 7, 7]
    assert chain.map(0.5) == 1


def test_each_stream_has_sums_of_its_own() -> None:
    chain = Space(StreamDomain(), StreamDistance()) >> pc.SumStream(length=9)
    first = chain([1, 1])
    assert (first.ask("next"), first.ask("next"), first.again().ask("next")) == (1, 2, 1)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="SumStream.length must be above zero"):
        pc.SumStream(length=0)
    with pytest.raises(MismatchError, match="SumStream reads a stream"):
        pc.vector(int) >> pc.SumStream(length=1)
