"""A row walks down public trees by its own codes."""

from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.assign_nodes import AssignNodes, nodes_of
from privet.transforms.oblivious_trees import leaves_of
from privet.transforms.split_scores import SplitScores, next_nodes
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf


def rows_of(bounds: Any, **more: Any) -> Space:
    """Rows without NaN."""
    space = pc.matrix(len(bounds), bounds=bounds, grid=2**-10, **more)
    domain: Any = space.domain
    return Space(evolve(domain, nan=False), space.metric)


SIDES = [(-1, 3), (0, 2), (-1, 1)]
DEEP = [[(0, [0, 0, 1, 1])], [(1, [1, 0, 1]), (0, [0, 1])]]
WIDE = [[(1, [0, 1, 1])], [(0, [1, 0, 1, 0])], [(1, [0, 0, 1])]]
ONE = AssignNodes(trees=[DEEP])
TWO = AssignNodes(trees=[DEEP, WIDE], keep=[2])
CASES = [
    Case(name="nodes of a tree", chain=rows_of(SIDES) >> ONE),
    Case(name="nodes of a tree, of known size", chain=rows_of(SIDES, size=2) >> ONE),
    Case(name="nodes of two trees", chain=rows_of(SIDES) >> TWO),
    Case(name="the root", chain=rows_of(SIDES) >> AssignNodes(trees=[[]])),
    Case(name="nodes alone", chain=rows_of(SIDES) >> evolve(TWO, keep=[])),
    Case(name="nodes of nodes", chain=rows_of(SIDES) >> ONE >> AssignNodes(trees=[[[(0, [0, 0, 1])]]])),
    Case(
        name="nodes of rows in a ball",
        chain=pc.matrix(2) >> pc.ClampNorm(radius=1, grid=2**-10) >> AssignNodes(trees=[[[(0, [1])]]]),
    ),
]


@frozen
class Median(TwinOf):
    """Splits at the median of the codes: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 0] = value[:, 0] > (np.median(value[:, 0]) if len(value) else 0)
        return right


@frozen
class Renumbered(TwinOf):
    """Numbers the nodes that have rows."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 0] = np.unique(right[:, 0], return_inverse=True)[1]
        return right


@frozen
class Raises(TwinOf):
    """Uses codes as positions, and raises where a table has no such code."""

    def apply(self, value: Any, space: Space) -> Any:
        for code in value[:, 0].tolist():
            [0, 0, 1, 1, 1][int(code) if code >= 0 else 9]
        return self.right.apply(value, space)


@frozen
class Outside(TwinOf):
    """Gives a row whose code is in no table a node that does not exist."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[value[:, 0] < 0, 0] = 4
        return right


TWINS = [
    Twin(law="map", case=Case(name="a split at the median", chain=rows_of(SIDES) >> Median(ONE))),
    Twin(law="map", case=Case(name="nodes numbered by the data", chain=rows_of(SIDES) >> Renumbered(ONE))),
    Twin(law="parity", case=Case(name="an unknown code is an error", chain=rows_of(SIDES) >> Raises(ONE))),
    Twin(law="membership", case=Case(name="an unknown code has its own node", chain=rows_of(SIDES) >> Outside(ONE))),
]


def test_rows_walk_down_the_tree() -> None:
    rows = [[0, 0, 0.5], [1, 1, 0], [2, 0, 0], [0, 2, 0], [3, 1, 0]]
    found = (rows_of(SIDES) >> ONE)(rows)
    assert found[:, 0].tolist() == [1, 0, 2, 1, 2]
    assert found[:, 1:].tolist() == rows
    assert (rows_of(SIDES) >> ONE)([]).shape == (0, 4)
    assert (rows_of(SIDES) >> AssignNodes(trees=[[]]))(rows)[:, 0].tolist() == [0] * 5


def test_several_trees_have_a_column_each() -> None:
    found = (rows_of(SIDES) >> TWO)([[2, 1, 0.25], [0, 2, -1]])
    assert found.tolist() == [[2, 6, 0.25], [1, 7, -1]]
    assert (rows_of(SIDES) >> evolve(TWO, keep=[]))([[2, 1, 0.25]]).tolist() == [[2, 6]]


def test_codes_outside_a_table_are_on_the_side_zero() -> None:
    chain = rows_of([(-9, 9)]) >> AssignNodes(trees=[[[(0, [1, 1])]], [[(0, [0, 1, 1])]]], keep=[])
    assert chain([[-9], [-1], [0], [1], [1.5], [2], [9]]).tolist() == [
        [0, 0], [0, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 0],
    ]  # fmt: skip


def test_splits_for_all_nodes_are_those_of_oblivious_trees() -> None:
    """Both number leaves by bits; a node has the last split in its lowest bit, a leaf the first one."""
    source = np.random.default_rng(3)
    codes = source.integers(-1, 6, size=(500, 4)).astype(float)
    splits = [(int(source.integers(4)), tuple(source.integers(0, 2, size=5).tolist())) for _ in range(4)]
    found = nodes_of(codes, tuple((split,) for split in reversed(splits)))
    assert found.tolist() == leaves_of(codes, tuple(splits)).tolist()


def test_rows_go_where_scores_of_splits_say() -> None:
    """The tables of the selected splits send rows as ``next_nodes`` does."""
    unit = SplitScores(nodes=1, sizes=[4, 3], classes=2, unordered=[1])
    rows = np.random.default_rng(1).integers(0, 3, size=(300, 4)).astype(float)
    rows[:, 0] = 0
    for position, (column, code) in enumerate(unit.all_splits):
        codes = range(unit.sizes[column])
        table = [int(item != code) if column == 1 else int(item > code) for item in codes]
        level = ((column + 1, tuple(table)),)
        assert nodes_of(rows, (level,)).tolist() == next_nodes(unit, rows, [position]).tolist()


def test_a_row_alone_goes_where_it_goes_among_others() -> None:
    rows = np.random.default_rng(2).integers(-1, 4, size=(200, 3)).astype(float)
    together = nodes_of(rows, ONE.trees[0])
    assert [int(nodes_of(rows[at : at + 1], ONE.trees[0])[0]) for at in range(200)] == together.tolist()


@pytest.mark.parametrize(
    "trees",
    [
        [],
        [[[]]],
        [[[(0, [0, 1])], [(0, [0, 1])] * 3]],
        [[[(0, [0, 2])]]],
        [[[(0, [])]]],
        [[[(-1, [0, 1])]]],
        [[[(0, [0, 1])]] * 17],
    ],
)
def test_what_is_no_tree_is_refused(trees: Any) -> None:
    with pytest.raises(InvalidError, match="AssignNodes.trees must be one or more trees"):
        AssignNodes(trees=trees)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(WrongTypeError, match="AssignNodes.trees must be a list of trees"):
        AssignNodes(trees=[[3]])
    with pytest.raises(MismatchError, match="at least 6 columns"):
        rows_of(SIDES) >> AssignNodes(trees=[[[(5, [0, 1])]]])
    with pytest.raises(MismatchError, match="keep names column 3, and the rows have 3"):
        rows_of(SIDES) >> AssignNodes(trees=[DEEP], keep=[3])
    with pytest.raises(InvalidError, match="keep must be positions from zero, got -1"):
        AssignNodes(trees=[DEEP], keep=[-1])
    with pytest.raises(MismatchError, match="without NaN"):
        pc.matrix(3, bounds=(0, 1)) >> ONE


def test_a_grid_that_has_no_nodes_is_refused() -> None:
    """On a grid of 4 the nodes 1, 2 and 3 would be no members of the result."""
    domain: Any = pc.matrix(3, bounds=(0, 64), grid=4).domain
    space = Space(evolve(domain, nan=False), pc.matrix(3).metric)
    with pytest.raises(MismatchError, match="contains the whole numbers: give grid=1 or finer"):
        space >> ONE
