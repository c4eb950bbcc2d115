"""A tree adds the value of a row's own leaf to its scores."""

from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError
from privet.transforms.add_tree import AddTree
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf


def rows_of(bounds: Any, **more: Any) -> Space:
    """Rows without NaN."""
    space = pc.matrix(len(bounds), bounds=bounds, grid=2**-10, **more)
    domain: Any = space.domain
    return Space(evolve(domain, nan=False), space.metric)


SIDES = [(0, 3), (0, 2), (-1, 1), (-2, 2)]
UNIT = AddTree(splits=[(0, [0, 0, 1, 1]), (1, [1, 0, 1])], values=[[-1], [0.5], [1 / 3], [5]], reach=4)
TWO = AddTree(splits=[(0, [0, 1])], values=[[-1, 1], [0.5, 3]])
CASES = [
    Case(name="scores of a tree", chain=rows_of(SIDES) >> UNIT),
    Case(name="scores of a tree, of known size", chain=rows_of(SIDES, size=2) >> UNIT),
    Case(name="two scores of a tree", chain=rows_of(SIDES) >> TWO),
    Case(name="scores of two trees", chain=rows_of(SIDES) >> UNIT >> UNIT),
    Case(name="scores of a stump without splits", chain=rows_of(SIDES) >> AddTree(splits=[], values=[[0.25]])),
    Case(
        name="scores of a tree, beyond their ball",
        chain=pc.matrix(3) >> pc.ClampNorm(radius=2, grid=2**-10) >> AddTree(splits=[(0, [0, 1])], values=[[-1], [5]]),
    ),
]


@frozen
class Centred(TwinOf):
    """Subtracts the mean of the scores: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        mean = right[:, -1].mean() if len(right) else 0.0
        right[:, -1] = np.clip(np.rint((right[:, -1] - mean) * 1024) / 1024, -4, 4)
        return right


@frozen
class Unclamped(TwinOf):
    """Adds a value that leaves the bounds."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, -1] = value[:, -1] + 5
        return right


TWINS = [
    Twin(law="map", case=Case(name="centred scores", chain=rows_of(SIDES) >> Centred(UNIT))),
    Twin(law="map", case=Case(name="scores beyond their reach", chain=rows_of(SIDES) >> Unclamped(UNIT))),
]


def test_leaves_are_numbered_from_the_first_split() -> None:
    chain = rows_of([(0, 3), (0, 2), (-8, 8)]) >> evolve(UNIT, values=[[0], [1], [2], [3]])
    codes = [[0, 1], [2, 1], [0, 0], [3, 2]]
    assert chain([[*code, 0] for code in codes])[:, -1].tolist() == [0, 1, 2, 3]


def test_codes_outside_the_table_are_on_the_side_zero() -> None:
    chain = rows_of([(-4, 9), (-8, 8)]) >> AddTree(splits=[(0, [1, 1])], values=[[-1], [1]])
    assert chain([[-4, 0], [9, 0], [1.5, 0], [2, 0]])[:, -1].tolist() == [-1, -1, 1, -1]


def test_scores_stay_within_reach() -> None:
    chain = rows_of([(0, 1), (-8, 8)]) >> AddTree(splits=[], values=[[1e50]], reach=3)
    assert chain([[0, 0], [1, -8]])[:, -1].tolist() == [3, -2]


def test_the_rows_themselves_do_not_change() -> None:
    chain = rows_of(SIDES) >> UNIT
    value = chain.input.domain.admit([[1, 1, 0, 0]])
    before = value.copy()
    chain.run(value)
    assert value.tolist() == before.tolist()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="one row for each of the 2 leaves, got 1"):
        AddTree(splits=[(0, [0, 1])], values=[[1]])
    with pytest.raises(MismatchError, match="at least 6 columns"):
        rows_of(SIDES) >> AddTree(splits=[(4, [0, 1])], values=[[1], [1]])
    with pytest.raises(MismatchError, match="without NaN"):
        pc.matrix(2, bounds=(0, 1)) >> TWO
