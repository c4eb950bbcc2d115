"""Rows of a regression with weights that move their features into a ball."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError
from privet.transforms.weight_rows import WeightRows
from tests.laws import Case, Twin
from tests.transforms.test_centre_rows import complete
from tests.transforms.twins import TwinOf

PLANE = complete(pc.matrix(3, bounds=(-9, 9)))
WIDE = complete(pc.matrix(17, bounds=(-1, 1)))
UNIT = WeightRows(centre=[1, Fraction(1, 3)], radius=1, intercept=0.5, target=Fraction(1, 3))
LATE = complete(pc.matrix(2, bounds=(2**40, 2**40 + 2**10), grid=2**-5))  # far from zero, on a grid of its own
CASES = [
    Case(name="weighted features", chain=PLANE >> UNIT),
    Case(name="many weighted features", chain=WIDE >> WeightRows(centre=[0.1] * 16, radius=Fraction(1, 3))),
    Case(
        name="weighted features of known size",
        chain=complete(pc.matrix(2, bounds=(0, 9), size=2, ordered=True)) >> WeightRows(centre=[5], radius=2),
    ),
    Case(
        name="weighted targets beside a fraction",
        chain=LATE >> WeightRows(centre=[2**40], radius=1, target=2**40 + Fraction(1, 3)),
    ),
]


@frozen
class OwnTarget(TwinOf):
    """Leaves the target as it is: the bounds of a weighted one hold only without the constant t."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, -1] = -value[:, -1]
        return right


@frozen
class LongestRow(TwinOf):
    """Divides all rows by the length of the longest."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        longest = np.sqrt((value[:, :-1] ** 2).sum(axis=1)).max(initial=1.0)
        return np.trunc(right / longest * 2**16) / 2**16


TWINS = [
    Twin(
        law="membership",
        case=Case(
            name="a target that is not moved", chain=PLANE >> OwnTarget(WeightRows(centre=[0, 0], radius=1, target=-3))
        ),
    ),
    Twin(law="row by row", case=Case(name="weights by the longest row", chain=PLANE >> LongestRow(UNIT))),
]


def test_whole_rows_are_weighted() -> None:
    found = (PLANE >> WeightRows(centre=[0, 0], radius=2, intercept=1, target=4))([[1, 0, 5], [0, 8, 8]])
    assert found.tolist() == [[1, 0, 1, 1], [0, 2, 0.25, 1]]


def test_a_linear_relation_survives() -> None:
    """Where y = 2 x + 1 the weighted rows satisfy it too, up to the grid."""
    x = np.linspace(-4, 4, 101)
    found = (complete(pc.matrix(2, bounds=(-9, 9))) >> WeightRows(centre=[0], radius=1))(
        np.stack([x, 2 * x + 1], axis=1)
    )
    assert np.abs(found[:, 2] - 2 * found[:, 0] - found[:, 1]).max() < 2.0**-14


def test_missing_infinite_and_no_values() -> None:
    chain = PLANE >> WeightRows(centre=[0, 0], radius=9)
    assert chain([[float("nan"), float("inf"), -float("inf")]]).tolist() == [[0, 9, 1, -9]]
    assert chain([]).shape == (0, 4)


def test_what_floats_cannot_hold_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"a target of at most 2\^300"):
        PLANE >> WeightRows(centre=[0, 0], radius=1, target=10**400)
    with pytest.raises(MismatchError, match="scale the target"):
        PLANE >> WeightRows(centre=[0, 0], radius=1, target=2**40)
    with pytest.raises(MismatchError, match="of 1 features, one for each number of centre"):
        PLANE >> WeightRows(centre=[0], radius=1)
