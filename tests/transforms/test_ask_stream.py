"""Lists of queries put to a stream."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from privet.transforms.stream_space import StreamDistance, StreamDomain
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

ASK = pc.AskStream(queries=[(None, None), (0, 2), {7}])
COUNTS = pc.vector(int) >> pc.CountStream()
CASES = [
    Case(name="asked counts", chain=COUNTS >> ASK),
]


@frozen
class ChargedOnce(TwinOf):
    """Charges for one query, whatever their number."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return pc.Parts(l0=3 if d_in else 0, l1=d_in, l2_squared=d_in**2, linf=d_in)


TWINS = [Twin(law="map", case=Case(name="queries charged once", chain=COUNTS >> ChargedOnce(ASK)))]


def test_queries_are_asked_in_order_from_the_start() -> None:
    space = Space(StreamDomain(kind=float, grid=Fraction(1, 2)), StreamDistance())
    chain = space >> pc.AskStream(queries=range(3))
    assert chain([1, 2.5]).tolist() == [1.0, 2.5, 0.0]


def test_the_map() -> None:
    assert (COUNTS >> ASK).map(2) == pc.Parts(l0=3, l1=6, l2_squared=12, linf=2)


def test_the_answers_can_be_released() -> None:
    assert (COUNTS >> ASK >> pc.Laplace(scale=3)).map(1).epsilon() == 1


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="AskStream.queries must be a list"):
        pc.AskStream(queries="how many?")
    with pytest.raises(MismatchError, match="AskStream reads a stream"):
        pc.vector(int) >> ASK
