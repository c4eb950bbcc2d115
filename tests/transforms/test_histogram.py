"""Counting numbers by bin."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

REALS = pc.vector(float)
SIZED = pc.vector(int, size=3)
TENTHS = pc.Histogram(edges=[0, 0.1, 0.2, 1])
WHOLES = pc.Histogram(edges=[-1, 0, 7], outside=True)
CASES = [
    Case(name="histogram of reals", chain=REALS >> TENTHS),
    Case(name="histogram of reals and the rest", chain=REALS >> pc.Histogram(edges=[-1, 0, 1e308], outside=True)),
    Case(name="histogram of integers", chain=pc.vector(int) >> WHOLES),
    Case(name="histogram of known size", chain=SIZED >> WHOLES),
    Case(
        name="histogram of one bin in order", chain=pc.vector(float, size=3, ordered=True) >> pc.Histogram(edges=[0, 1])
    ),
]


@frozen
class NaNTwice(TwinOf):
    """Sorts NaN after the last edge and counts it there, and again among the other rows."""

    def apply(self, value: Any, space: Space) -> Any:
        counts = self.right.apply(value, space).copy()
        counts[-2] += int(np.isnan(value.compressed()).sum())
        return counts


@frozen
class BothEdges(TwinOf):
    """Closes every bin on both sides, so that a number on an edge counts in two of them."""

    def apply(self, value: Any, space: Space) -> Any:
        counts = self.right.apply(value, space).copy()
        counts[0] += int((value.compressed() == 0).sum())
        return counts


@frozen
class AdditionsForReplacements(TwinOf):
    """Charges a replacement as one addition, after the size was made public."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        swaps = (d_in + 1) // 2
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l1=swaps, l2_squared=swaps**2)


REST = pc.Histogram(edges=[-1, 0, 1], outside=True)
TWINS = [
    Twin(law="map", case=Case(name="NaN in two bins", chain=REALS >> NaNTwice(REST))),
    Twin(law="map", case=Case(name="an edge in two bins", chain=REALS >> BothEdges(REST))),
    Twin(law="map", case=Case(name="a replaced row in one bin", chain=SIZED >> AdditionsForReplacements(WHOLES))),
]


def test_bins_hold_their_lower_edge_and_the_last_holds_both() -> None:
    chain = pc.vector(int) >> pc.Histogram(edges=[0, 10, 20])
    assert chain([0, 9, 10, 19, 20, 21, -1, None]).tolist() == [2, 3]


def test_an_edge_is_the_number_that_was_typed() -> None:
    """The float 0.1 lies above one tenth, and 0.3 below three tenths."""
    chain = REALS >> pc.Histogram(edges=[0, 0.1, 0.3, 1])
    assert chain([0.1]).tolist() == [0, 1, 0]
    assert chain([0.3]).tolist() == [0, 1, 0]
    assert (REALS >> pc.Histogram(edges=[0, Fraction(1, 10)]))([0.1]).tolist() == [0]


def test_rows_outside_are_not_counted_or_counted_together() -> None:
    rows = [0.5, -1.0, math.nan, None, math.inf, -math.inf]
    assert (REALS >> pc.Histogram(edges=[0, 1]))(rows).tolist() == [1]
    assert (REALS >> pc.Histogram(edges=[0, 1], outside=True))(rows).tolist() == [1, 5]


def test_edges_may_lie_beyond_64_bits() -> None:
    rows = [-(2**63), 0, 2**63 - 1]
    integers = pc.vector(int)
    assert (integers >> pc.Histogram(edges=[-(2**70), 0, 2**63, 2**70]))(rows).tolist() == [1, 2, 0]
    assert (integers >> pc.Histogram(edges=[-(2**70), -(2**69)], outside=True))(rows).tolist() == [0, 3]
    assert (integers >> pc.Histogram(edges=[2**69, 2**70], outside=True))(rows).tolist() == [0, 3]
    assert (REALS >> pc.Histogram(edges=[-(10**400), 0, 10**400]))([-1e308, 1e308, math.inf]).tolist() == [1, 1]


@given(st.lists(st.floats(allow_nan=True), max_size=20), st.lists(st.fractions(), min_size=2, max_size=6, unique=True))
def test_bins_agree_with_comparisons_of_fractions(rows: list[float], edges: list[Fraction]) -> None:
    edges = sorted(edges)
    finite = [Fraction(row) for row in rows if math.isfinite(row)]
    bins = list(pairwise(edges))
    counts = [sum(low <= row < high for row in finite) for low, high in bins]
    counts[-1] += finite.count(edges[-1])
    assert (REALS >> pc.Histogram(edges=edges))(rows).tolist() == counts


def test_a_row_more_or_less_than_the_public_size_is_within_the_map() -> None:
    chain = SIZED >> WHOLES
    apart = chain.output.metric.distance(chain([5, 5, 5]), chain([5, 5, 5, -1]), chain.output.domain)
    assert isinstance(apart, Parts)
    allowed = Parts(l0=2, l1=2, l2_squared=2, linf=1)
    assert apart <= allowed
    assert chain.map(1) == Parts(l0=2, l1=2, l2_squared=2, linf=1)


@pytest.mark.parametrize(
    ("edges", "kind", "message"),
    [
        (3, WrongTypeError, "Histogram.edges must be a list of one or more numbers"),
        ([1], InvalidError, "two or more numbers, got 1"),
        ([0, 2, 2], InvalidError, "must rise, got 2 before 2"),
        ([0, "a"], NotExactError, r"Histogram.edges\[1\]"),
    ],
)
def test_wrong_edges_are_refused(edges: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        pc.Histogram(edges=edges)


def test_words_are_counted_by_category() -> None:
    with pytest.raises(MismatchError, match="use CountBy"):
        pc.vector(str) >> TENTHS
