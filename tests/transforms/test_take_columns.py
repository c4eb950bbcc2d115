"""Some columns of a matrix."""

from typing import Any

import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.frames import MatrixDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.take_columns import TakeColumns
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

BOUNDED = pc.matrix(3, bounds=[(0, 1), (-5, 9), (100, 200)])
BALL = pc.matrix(2) >> pc.ClampNorm(radius=3)
TWICE = TakeColumns(columns=[1, 1])
CASES = [
    Case(name="some columns", chain=pc.matrix(3) >> TakeColumns(columns=[2, 0])),
    Case(name="some bounded columns", chain=BOUNDED >> TakeColumns(columns=[2, 1])),
    Case(name="a column twice", chain=BALL >> TWICE),
    Case(name="columns in order", chain=pc.matrix(2, size=3, ordered=True) >> TakeColumns(columns=1)),
]


@frozen
class SameBall(TwinOf):
    """Keeps the ball of the rows, which two copies of a column leave."""

    def output(self, space: Space) -> Space:
        right = self.right.output(space)
        assert isinstance(space.domain, MatrixDomain)
        assert isinstance(right.domain, MatrixDomain)
        return Space(evolve(right.domain, norm=space.domain.norm), right.metric)


@frozen
class SameBounds(TwinOf):
    """Keeps the bounds of the first columns, whichever columns stay."""

    def output(self, space: Space) -> Space:
        right = self.right.output(space)
        assert isinstance(space.domain, MatrixDomain)
        assert isinstance(right.domain, MatrixDomain)
        assert space.domain.bounds is not None
        return Space(evolve(right.domain, bounds=space.domain.bounds[: right.domain.columns]), right.metric)


TWINS = [
    Twin(law="membership", case=Case(name="a column twice in one ball", chain=BALL >> SameBall(TWICE))),
    Twin(
        law="membership",
        case=Case(name="columns with others' bounds", chain=BOUNDED >> SameBounds(TakeColumns(columns=[2, 1]))),
    ),
]


def test_columns_come_in_the_order_of_their_names() -> None:
    assert (BOUNDED >> TakeColumns(columns=[2, 0, 2]))([[0.5, 1, 150]]).tolist() == [[150, 0.5, 150]]


def test_no_rows_stay_no_rows() -> None:
    assert (BOUNDED >> TakeColumns(columns=[2, 0]))([]).shape == (0, 2)


@pytest.mark.parametrize("columns", [[], [-1], [0, -2]])
def test_other_positions_are_refused(columns: Any) -> None:
    with pytest.raises(InvalidError, match="must be a list of positions from zero"):
        TakeColumns(columns=columns)


def test_positions_are_whole_numbers_of_columns_that_exist() -> None:
    with pytest.raises(WrongTypeError, match="must be a whole number, got float"):
        TakeColumns(columns=[0.5])
    with pytest.raises(MismatchError, match="names column 3, and the rows have 3"):
        BOUNDED >> TakeColumns(columns=[0, 3])
