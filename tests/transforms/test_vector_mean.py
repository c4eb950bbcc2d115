"""Means of rows of public number."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

UNIT = pc.VectorMean()
DISC = pc.ClampNorm(radius=2, order=2)
BOXED = pc.matrix(2, bounds=[(-5, 3), (90, 100)], size=2)
CASES = [
    Case(name="mean of rows in a disc", chain=pc.matrix(2, size=1) >> DISC >> UNIT),
    Case(name="mean of a bounded column", chain=pc.matrix(1, bounds=(90, 100), size=2) >> UNIT),
    Case(
        name="mean of rows in order",
        chain=pc.matrix(1, size=3, ordered=True) >> pc.ClampNorm(radius=0.3, order=1, origin=[7]) >> UNIT,
    ),
]


@frozen
class OneRadius(TwinOf):
    """Charges one radius for a replacement, which may cross the whole ball."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        reach = Fraction((d_in + 1) // 2 * 2, 2)
        return Parts(l0=2 if reach else 0, l1=2 * reach, l2_squared=reach**2, linf=reach)


@frozen
class DividesByPresent(TwinOf):
    """Averages the rows that have all numbers, so that the divisor depends on the data."""

    def apply(self, value: Any, space: Space) -> Any:
        present = int((~np.isnan(value).any(axis=1)).sum())
        return np.array([item * 2 // max(present, 1) for item in self.right.apply(value, space)], dtype=object)


TWINS = [
    Twin(law="map", case=Case(name="mean of one radius", chain=pc.matrix(2, size=2) >> DISC >> OneRadius(UNIT))),
    Twin(law="map", case=Case(name="mean of complete rows", chain=BOXED >> DividesByPresent(UNIT))),
]


def test_the_mean_is_exact_with_its_origin() -> None:
    chain = pc.matrix(2, size=3) >> pc.ClampNorm(radius=5, origin=[10, 0]) >> UNIT
    assert numbers_of(chain, [[11, 1], [12, 2], [10, 0]]) == [11, 1]
    assert numbers_of(chain, []) == [10, 0], "rows that are not there lie at the origin"


def test_missing_numbers_count_as_the_midpoint() -> None:
    assert numbers_of(BOXED >> UNIT, [[math.nan, 100], [3, math.nan]]) == [1, Fraction(195, 2)]


def test_the_map_is_that_of_the_sum_over_the_size() -> None:
    assert (pc.matrix(4, size=8) >> DISC >> UNIT).map(2) == Parts(
        l0=4, l1=1, l2_squared=Fraction(1, 4), linf=Fraction(1, 2)
    )


@pytest.mark.parametrize("space", [pc.matrix(2, bounds=(0, 1)), pc.matrix(2, bounds=(0, 1), size=0)])
def test_a_private_size_is_refused(space: Space) -> None:
    with pytest.raises(MismatchError, match="VectorMean needs a public size"):
        space >> UNIT
