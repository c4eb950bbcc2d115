"""Numbers sorted into public bins."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

AGES = pc.Digitize(edges=[18, 65], labels=["child", "adult", "old"])
CASES = [
    Case(name="bins of integers", chain=pc.vector(int) >> AGES),
    Case(name="bins of reals", chain=pc.vector(float) >> pc.Digitize(edges=[-1, 0, 0.1, 1e16])),
    Case(name="bins of known size", chain=pc.vector(float, bounds=(0, 1), size=3) >> pc.Digitize(edges=[0.5])),
]


@frozen
class Quantiles(TwinOf):
    """Cuts at the median of the column instead of at public edges."""

    def apply(self, value: Any, space: Space) -> Any:
        seen = np.sort(value.compressed())
        middle = int(seen[len(seen) // 2]) if len(seen) else 0
        return np.ma.MaskedArray((value.data >= middle).astype(np.int64), mask=np.ma.getmaskarray(value))


@frozen
class NoBinAbove(TwinOf):
    """Has no bin for what reaches the last edge."""

    def apply(self, value: Any, space: Space) -> Any:
        found = np.searchsorted([18, 65], value.data, side="right")
        return np.ma.MaskedArray(np.array(["child", "adult", None], dtype=object)[found])


@frozen
class NaNAbove(TwinOf):
    """Sorts NaN after everything: it falls outside the bins."""

    def apply(self, value: Any, space: Space) -> Any:
        found = np.searchsorted([0.0], value.data, side="right") + np.isnan(value.data)
        return np.ma.MaskedArray(found.astype(np.int64), mask=np.ma.getmaskarray(value))


TWINS = [
    Twin(law="map", case=Case(name="cut at the median", chain=pc.vector(int) >> Quantiles(pc.Digitize(edges=[0])))),
    Twin(law="map", case=Case(name="no bin above", chain=pc.vector(int) >> NoBinAbove(AGES))),
    Twin(law="map", case=Case(name="NaN above all", chain=pc.vector(float) >> NaNAbove(pc.Digitize(edges=[0])))),
]


def test_bins_hold_their_lower_edge_and_not_their_upper_one() -> None:
    chain = pc.vector(float) >> pc.Digitize(edges=[0, 1])
    assert chain([-math.inf, -5e-324, 0.0, 1 - 2**-53, 1.0, math.inf]).tolist() == [0, 0, 1, 1, 2, 2]


def test_labels_name_the_bins() -> None:
    assert (pc.vector(int) >> AGES)([3, 18, 64, 65, None]).tolist() == ["child", "adult", "adult", "old", None]


def test_missing_values_have_no_bin() -> None:
    assert (pc.vector(float) >> pc.Digitize(edges=[0]))([math.nan, None, 1.0]).tolist() == [None, None, 1]


def test_an_edge_is_met_by_the_number_typed_like_it() -> None:
    """The float 0.3 is a little below three tenths, and still lies in the bin that begins at 0.3."""
    for space in (pc.vector(float), pc.vector(float, bounds=(0, 1)), pc.vector(float, bounds=(0, 1), grid=0.25)):
        assert (space >> pc.Digitize(edges=[0.3]))([0.3]).tolist() == [1]


@given(st.integers(-(2**63), 2**63 - 1), st.lists(st.fractions(), min_size=1, unique=True))
def test_integers_are_compared_exactly(value: int, edges: list[Fraction]) -> None:
    edges.sort()
    chain = pc.vector(int) >> pc.Digitize(edges=edges)
    assert chain([value]).tolist() == [sum(edge <= value for edge in edges)]


def test_edges_beyond_64_bits_are_never_or_always_reached() -> None:
    chain = pc.vector(int) >> pc.Digitize(edges=[-(10**30), 0, 10**30])
    assert chain([-(2**63), 2**63 - 1]).tolist() == [1, 2]
    reals = pc.vector(float) >> pc.Digitize(edges=[-Fraction(10**400), Fraction(10**400)])
    assert reals([0.0]).tolist() == [1]


def test_the_output_knows_the_bins() -> None:
    numbered = (pc.vector(int) >> pc.Digitize(edges=[1, 2, 3])).output.domain
    named = (pc.vector(int) >> AGES).output.domain
    assert isinstance(numbered, VectorDomain)
    assert isinstance(named, VectorDomain)
    assert numbered.bounds == (Fraction(0), Fraction(3))
    assert named.categories == ("child", "adult", "old")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"edges": []}, WrongTypeError, "Digitize.edges must be a list of one or more numbers."),
        ({"edges": 5}, WrongTypeError, "a list of one or more"),
        ({"edges": [2, 1]}, InvalidError, "must rise, got 2 before 1"),
        ({"edges": [1, 1]}, InvalidError, "must rise"),
        ({"edges": [0, math.inf]}, NotExactError, r"Digitize.edges\[1\]: expected a finite number"),
        ({"edges": [1], "labels": ["a"]}, WrongTypeError, "must be 2, one more than edges"),
        ({"edges": [1], "labels": ["a", "a"]}, InvalidError, "different values"),
        ({"edges": [1], "labels": "ab"}, WrongTypeError, "must be a list"),
    ],
)
def test_wrong_parameters_are_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Digitize(**arguments)


def test_only_numbers_have_bins() -> None:
    with pytest.raises(MismatchError, match="put Cast"):
        pc.vector(str) >> AGES
