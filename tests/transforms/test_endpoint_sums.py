"""Two sums that hold count and mean."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import MismatchError
from privet.transforms.endpoint_sums import mean_of
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

SPACE = pc.vector(int, bounds=(90, 100))
CASES = [
    Case(name="endpoint sums of integers", chain=SPACE >> pc.EndpointSums()),
    Case(name="endpoint sums of reals", chain=pc.vector(float) >> pc.Clamp(bounds=(-0.1, 0.7)) >> pc.EndpointSums()),
    Case(name="endpoint sums of known size", chain=pc.vector(int, bounds=(0, 10), size=3) >> pc.EndpointSums()),
]


@frozen
class HalfWidth(TwinOf):
    """Believes that the larger of two sums moves by at most half the width."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, linf=right.linf / 2, l2_squared=right.l2_squared / 2)


@frozen
class LinearSquare(TwinOf):
    """Lets the squared distance grow with the number of rows instead of its square."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l2_squared=Fraction(d_in * 100))


@frozen
class CountsNulls(TwinOf):
    """Counts nulls into one of the sums at twice the width."""

    def apply(self, value: Any, space: Space) -> Any:
        nulls = int(np.ma.getmaskarray(value).sum())
        return self.right.apply(value, space) + np.array([20 * nulls, 0], dtype=object)


@frozen
class RowsForReplacements(TwinOf):
    """Charges a row more or less as one row where the size is public and it is read as a replacement."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        width = Fraction(10 * d_in, 2)
        return Parts(l0=2 if d_in else 0, l1=width, l2_squared=width**2, linf=width)


TWINS = [
    Twin(
        law="map",
        case=Case(
            name="half a replacement of endpoint sums",
            chain=pc.vector(int, bounds=(0, 10), size=3) >> RowsForReplacements(pc.EndpointSums()),
        ),
    ),
    Twin(law="map", case=Case(name="half the width", chain=SPACE >> HalfWidth(pc.EndpointSums()))),
    Twin(law="map", case=Case(name="squares that grow linearly", chain=SPACE >> LinearSquare(pc.EndpointSums()))),
    Twin(law="map", case=Case(name="nulls counted twice", chain=SPACE >> CountsNulls(pc.EndpointSums()))),
]


@given(st.lists(st.integers(90, 100), min_size=1, max_size=20))
def test_the_sums_hold_the_mean(rows: list[int]) -> None:
    low, high = (SPACE >> pc.EndpointSums())([*rows, None]).tolist()
    assert mean_of(Fraction(low), Fraction(high), Fraction(90), Fraction(100)) == Fraction(sum(rows), len(rows))
    assert low + high == 10 * len(rows)


def test_a_public_size_is_charged_in_replacements() -> None:
    chain = pc.vector(int, bounds=(0, 10), size=5) >> pc.EndpointSums()
    moved: Any = chain.output.metric.distance(
        chain.run(chain.input.domain.admit([10] * 5)),
        chain.run(chain.input.domain.admit([0] + [10] * 5)),
        chain.output.domain,
    )
    assert moved == chain.map(1) == chain.map(2) == Parts(l0=2, l1=20, l2_squared=200, linf=10)


def test_the_mean_of_nothing_is_the_midpoint() -> None:
    assert mean_of(Fraction(0), Fraction(0), Fraction(0), Fraction(10)) == 5
    assert mean_of(Fraction(-3), Fraction(-1), Fraction(0), Fraction(10)) == 5
    assert (pc.vector(float, bounds=(0, 1)) >> pc.EndpointSums())([math.nan, None]).tolist() == [0, 0]


def test_positions_are_sent_to_mean() -> None:
    with pytest.raises(MismatchError, match="Mean\\(\\)"):
        pc.vector(int, bounds=(0, 1), size=3, ordered=True) >> pc.EndpointSums()
