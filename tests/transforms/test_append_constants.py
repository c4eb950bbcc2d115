"""Constants are the same in every row, on the grid of the rows."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from privet.transforms.append_constants import AppendConstants
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

UNIT = AppendConstants(values=[0.5, -2])
CASES = [
    Case(name="appended constants", chain=pc.matrix(2, bounds=[(0, 4), (-1, 1)]) >> UNIT),
    Case(name="appended constants, of known size", chain=pc.matrix(1, bounds=(0, 4), size=2) >> UNIT),
    Case(name="appended constants in order", chain=pc.matrix(1, bounds=(0, 4), size=2, ordered=True) >> UNIT),
    Case(name="constants behind rows of a ball", chain=pc.matrix(2) >> pc.ClampNorm(radius=1, grid=2**-10) >> UNIT),
]


@frozen
class AppendsTheMean(TwinOf):
    """Appends the mean of a column: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, -1] = np.nan_to_num(value[:, 0]).mean() if len(value) else 0.0
        return right


TWINS = [
    Twin(law="map", case=Case(name="appended means", chain=pc.matrix(1, bounds=(0, 4)) >> AppendsTheMean(UNIT))),
]


def test_constants_are_rounded_to_the_grid() -> None:
    chain = pc.matrix(1, bounds=(0, 4), grid=0.25) >> AppendConstants(values=[0.3])
    assert chain([[1], [2]]).tolist() == [[1.0, 0.25], [2.0, 0.25]]


def test_an_empty_table_stays_empty() -> None:
    assert (pc.matrix(1, bounds=(0, 4)) >> UNIT)(np.empty((0, 1))).shape == (0, 3)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="needs bounded columns"):
        pc.matrix(1) >> UNIT
    with pytest.raises(MismatchError, match="below 2\\^52 grid steps"):
        pc.matrix(1, bounds=(0, 4)) >> AppendConstants(values=[10**9])
    with pytest.raises(WrongTypeError, match="a list of one or more numbers"):
        AppendConstants(values=[])
