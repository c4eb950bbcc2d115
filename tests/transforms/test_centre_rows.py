"""Features moved into a ball around a public centre."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms.centre_rows import CentreRows
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf


def complete(space: Space) -> Space:
    """The same rows without NaN."""
    return Space(evolve(space.domain, nan=False), space.metric)  # type: ignore[misc]


PLANE = complete(pc.matrix(3, bounds=(-9, 9)))
WIDE = complete(pc.matrix(17, bounds=(-1, 1)))
UNIT = CentreRows(centre=[1, Fraction(1, 3)], radius=1, intercept=0.5)
MANY = CentreRows(centre=[0.1] * 16, radius=Fraction(1, 3), intercept=1)
CASES = [
    Case(name="centred features", chain=PLANE >> UNIT),
    Case(name="centred features without intercept", chain=PLANE >> CentreRows(centre=[0, 0], radius=Fraction(10, 3))),
    Case(name="many centred features", chain=WIDE >> MANY),
    Case(
        name="centred features of known size",
        chain=complete(pc.matrix(2, bounds=(0, 9), size=2)) >> CentreRows(centre=[5], radius=2),
    ),
    Case(
        name="centred features of rows in a ball",
        chain=pc.matrix(2) >> pc.ClampNorm(radius=1, grid=2**-10) >> CentreRows(centre=[1], radius=2, intercept=1),
    ),
    Case(
        name="centred features far away",
        chain=complete(pc.matrix(2, bounds=(-(10**80), 10**80))) >> CentreRows(centre=[-(10**80)], radius=10**70),
    ),
    Case(
        name="centred features close by",
        chain=complete(pc.matrix(2, bounds=(-(10**-80), 10**-80)))
        >> CentreRows(centre=[0], radius=Fraction(1, 10**85)),
    ),
]


@frozen
class CentreOfTheData(TwinOf):
    """Subtracts the mean of the rows that it sees."""

    def apply(self, value: Any, space: Space) -> Any:
        value = value.copy()
        value[:, :-1] -= value[:, :-1].mean(axis=0)
        return self.right.apply(value, space)


@frozen
class NotShortened(TwinOf):
    """Subtracts the centre and leaves long rows long."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 0] = value[:, 0] - 1
        return right


TWINS = [
    Twin(law="row by row", case=Case(name="a centre of the data", chain=PLANE >> CentreOfTheData(UNIT))),
    Twin(law="membership", case=Case(name="centred, not shortened", chain=PLANE >> NotShortened(UNIT))),
]


def test_rows_inside_move_and_rows_outside_are_shortened() -> None:
    found = (PLANE >> CentreRows(centre=[1, 1], radius=1, intercept=2))([[1, 0.5, 7], [9, 1, -8], [1, 1, 0]])
    assert found.tolist() == [[0, -0.5, 2, 7], [1, 0, 2, -8], [0, 0, 2, 0]]


def test_many_rows_are_those_of_their_parts() -> None:
    """Rows are read 2^15 at a time."""
    rows = np.random.default_rng(1).uniform(-9, 9, size=(2**15 + 3, 3))
    chain = PLANE >> UNIT
    assert np.array_equal(chain(rows), np.concatenate([chain(rows[:7]), chain(rows[7:])]))


def test_missing_infinite_and_no_values() -> None:
    chain = PLANE >> CentreRows(centre=[0, 0], radius=9)
    assert chain([[float("nan"), float("inf"), -float("inf")]]).tolist() == [[0, 9, 0, -9]]
    assert chain([]).shape == (0, 4)


def test_lengths_stay_within_the_radius_up_to_rounding() -> None:
    rows = np.random.default_rng(0).uniform(-1, 1, size=(2000, 17))
    found = (WIDE >> MANY)(rows)[:, :16]
    assert np.linalg.norm(found, axis=1).max() <= 1 / 3 * (1 + 1e-12)
    assert np.linalg.norm(found, axis=1).mean() > 0.33


@pytest.mark.parametrize(
    ("unit", "space", "problem"),
    [
        (CentreRows(centre=[0], radius=1), PLANE, "of 1 features, one for each number of centre"),
        (UNIT, pc.matrix(3, bounds=(0, 1)), "reads rows without NaN"),
        (UNIT, pc.matrix(3), "needs bounded columns"),
        (CentreRows(centre=[10**400, 0], radius=1), PLANE, r"at most 2\^300"),
        (CentreRows(centre=[0, 0], radius=10**400), PLANE, r"between 2\^-300 and 2\^300"),
        (CentreRows(centre=[0, 0], radius=Fraction(1, 10**100)), PLANE, r"between 2\^-300 and 2\^300"),
        (CentreRows(centre=[0, 0], radius=Fraction(1, 2**40)), PLANE, "take a larger radius"),
        (CentreRows(centre=[0, 0], radius=1, intercept=2**40), PLANE, "take a larger radius"),
        (CentreRows(centre=[0], radius=1), complete(pc.matrix(2, bounds=(0, 2.0**400))), r"at most 2\^300"),
    ],
)
def test_what_floats_cannot_hold_is_refused(unit: Any, space: Space, problem: str) -> None:
    with pytest.raises(MismatchError, match=problem):
        space >> unit


@pytest.mark.parametrize("wrong", [{"radius": 0}, {"radius": -1}, {"radius": 1, "intercept": -1}])
def test_other_parameters_are_refused(wrong: Any) -> None:
    with pytest.raises(InvalidError):
        CentreRows(centre=[0], **wrong)
