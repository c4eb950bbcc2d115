"""The node of each row in public trees of splits."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Bounds, Space, must_be, read_whole
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import one_or_more
from privet.transforms.oblivious_trees import DEEPEST, Splits, are_splits, coded_rows, read_splits

Levels = tuple[Splits, ...]


def _trees(value: Any) -> tuple[Levels, ...]:
    try:
        return tuple(tuple(read_splits(level) for level in tree) for tree in value)
    except (TypeError, ValueError):
        raise WrongTypeError("AssignNodes.trees must be a list of trees, each a list of levels of splits.") from None


def _are_trees(trees: tuple[Levels, ...]) -> bool:
    good = all(
        len(tree) <= DEEPEST and all(len(level) in (1, 2**depth) for depth, level in enumerate(tree)) for tree in trees
    )
    return bool(trees) and good and all(are_splits((split,)) for tree in trees for level in tree for split in level)


def _positions(value: Any) -> tuple[int, ...] | None:
    return None if value is None else tuple(read_whole("AssignNodes.keep", item) for item in one_or_more(value))


def _show(trees: tuple[Levels, ...]) -> str:
    depths = sorted({len(tree) for tree in trees})
    return f"<{len(trees)} of depth {', '.join(map(str, depths))}>"


@final
@frozen(kw_only=True)
class AssignNodes(RowTransformation):
    """Write in front of every row the node that it reaches in each of several public trees.

    The columns of a row that a split names are codes: whole numbers from zero. A split is a pair of a column and a
    table that says for every code whether it is on the side 0 or 1; a code outside the table is on the side 0. A row
    starts in the node 0, and goes from the node n to the node 2 n or 2 n + 1 of the next level.

    Args:
        trees: For each tree its levels, for each level one split for each node in order, or one split for all nodes.
            A tree without levels has one node.
        keep: The positions of the columns that follow the nodes; by default all.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/assign_nodes.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> space = matrix(2, bounds=[(0, 2), (0, 1)], grid=1)
    >>> rows = Space(evolve(space.domain, nan=False), space.metric)
    >>> tree = [[(0, [0, 1, 1])], [(1, [0, 1]), (0, [0, 0, 1])]]
    >>> (rows >> AssignNodes(trees=[tree]))([[0, 1], [1, 1], [2, 0]]).tolist()
    [[1.0, 0.0, 1.0], [2.0, 1.0, 1.0], [3.0, 2.0, 0.0]]
    """

    trees: tuple[Levels, ...] = field(
        converter=_trees,
        validator=must_be(_are_trees, "one or more trees whose levels have one split, or one for each node"),
        repr=_show,
    )
    keep: tuple[int, ...] | None = field(default=None, converter=_positions)

    @keep.validator
    def _check_keep(self, _: object, value: tuple[int, ...] | None) -> None:
        if value is not None and min(value, default=0) < 0:
            raise InvalidError(f"AssignNodes.keep must be positions from zero, got {min(value)}.")

    def output(self, space: Space) -> Space:
        """A column of nodes for each tree, and the columns that are kept with their bounds."""
        bounds = self._bounds(space)
        kept = self._kept(len(bounds))
        domain, _ = coded_rows(self, space, self._splits(), 0)
        if domain.grid is not None and domain.grid > 1:
            raise MismatchError("AssignNodes needs a grid that contains the whole numbers: give grid=1 or finer.")
        if kept and max(kept) >= len(bounds):
            raise MismatchError(
                f"AssignNodes.keep names column {max(kept)}, and the rows have {len(bounds)}: positions are counted "
                "from zero."
            )
        nodes = [(Fraction(0), Fraction(2 ** len(tree) - 1)) for tree in self.trees]
        sides = (*nodes, *(bounds[at] for at in kept))
        return Space(evolve(domain, columns=len(sides), bounds=sides, norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Walk down each tree, all rows level by level."""
        kept = self._kept(value.shape[1])
        result = np.empty((len(value), len(self.trees) + len(kept)), order="F")
        for at, tree in enumerate(self.trees):
            result[:, at] = nodes_of(value, tree)
        for at, position in enumerate(kept):
            result[:, len(self.trees) + at] = value[:, position]
        return result

    def _splits(self) -> Splits:
        return tuple(split for tree in self.trees for level in tree for split in level)

    def _bounds(self, space: Space) -> tuple[Bounds, ...]:
        return coded_rows(self, space, self._splits(), 0)[1]

    def _kept(self, columns: int) -> tuple[int, ...]:
        return tuple(range(columns)) if self.keep is None else self.keep


def nodes_of(value: Array, tree: Levels) -> Array:
    """Return the node of each row in a tree, a number below two to the depth; the last split gives the lowest bit.

    Args:
        value: Rows of codes. A code is rounded toward zero; one that is not in the table is on the side zero.
        tree: The levels.

    >>> nodes_of(np.array([[0], [1], [7]]), (((0, (0, 1)),), ((0, (0, 1)), (0, (1, 1)))))
    array([0, 3, 0])
    """
    node = np.zeros(len(value), dtype=np.int64)
    for level in tree:
        columns = np.array([column for column, _ in level], dtype=np.int64)
        width = max(len(table) for _, table in level)
        tables = np.zeros((len(level), width + 1), dtype=np.int64)  # the last entry is for codes outside the table
        for at, (_, table) in enumerate(level):
            tables[at, : len(table)] = table
        here = node if len(level) > 1 else np.zeros(len(node), dtype=np.int64)
        codes = value[:, columns[0]] if len(level) == 1 else value[np.arange(len(value)), columns[here]]
        node = 2 * node + tables[here, np.clip(codes, -1, width).astype(np.int64)]
    return node
