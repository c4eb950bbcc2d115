"""Scores of the splits of all nodes of one level of a decision tree."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    NumbersDomain,
    PartitionDistance,
    PartitionDomain,
    Parts,
    RangeDistance,
    Space,
    at_most,
    one_of,
    positive,
    read_count,
    read_whole,
    whole,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import matrix_domain, one_or_more, rows_changed
from privet.transforms.split_criteria import CRITERIA, Criterion, criterion_of

Split = tuple[int, int]
_MOST = 2**24


def _counts(value: object) -> tuple[int, ...]:
    return tuple(read_count("SplitScores.sizes", item, least=1) for item in one_or_more(value))


def _positions(value: object) -> tuple[int, ...]:
    return tuple(sorted({read_whole("SplitScores.unordered", item) for item in one_or_more(value)}))


def _splits(value: Any) -> tuple[Split, ...] | None:
    if value is None:
        return None
    try:
        pairs = [(feature, code) for feature, code in value]
    except (TypeError, ValueError):
        raise WrongTypeError("SplitScores.splits must be a list of pairs (feature, code).") from None
    label = "SplitScores.splits"
    return tuple((read_whole(label, feature), read_whole(label, code)) for feature, code in pairs)


@final
@frozen(kw_only=True)
class SplitScores(Transformation):
    """Score every public split of every node of one level of a decision tree.

    The columns of a row are its node, a code for each feature, and its class: whole numbers from zero. A row whose node
    or class is missing or too large counts nowhere. A split (feature, code) sends a row to the left if its code is at
    most that code or, for an unordered feature, equal to it. A missing code is -1: it goes to the left of every
    threshold, and is equal to no code. Other numbers are rounded down.

    Args:
        nodes: How many nodes the level has.
        sizes: For each feature, how many codes it has.
        classes: How many classes there are.
        unordered: The positions of the features that are split one code against the rest.
        splits: The pairs (feature, code) to choose from, chosen without looking at the data; by default all.
        criterion: "gini" or "gain", minus the rows times the Gini impurity or the entropy (in nats) of their child;
            or "max_class", the number of rows in the largest class of their child.
        rows: For "gain" a public guess of the rows of a node, up to 2^24. A wrong guess costs accuracy, never privacy.

    Guarantee: one row changes the scores of one node, and their range by at most 2 ("gini"), 1 ("max_class") or ``rows
        ln(rows) - (rows - 1) ln(rows - 1)``, about ``1 + ln(rows)`` ("gain"); ``d_in`` rows ``d_in`` times that.
    Proof: docs/transforms/split_scores.md.

    >>> from privet.core.space import matrix
    >>> unit = SplitScores(nodes=2, sizes=[3, 2], classes=2, criterion="max_class")
    >>> scores = (matrix(4) >> unit)([[0, 0, 1, 0], [0, 1, 1, 1], [0, 2, 1, 1], [1, 0, 0, 1]])
    >>> unit.all_splits, [node.tolist() for node in scores]
    (((0, 0), (0, 1), (1, 0)), [[3, 2, 2], [1, 1, 1]])
    """

    nodes: int = field(converter=whole, validator=positive)
    sizes: tuple[int, ...] = field(converter=_counts)
    classes: int = field(converter=whole, validator=positive)
    unordered: tuple[int, ...] = field(default=(), converter=_positions)
    splits: tuple[Split, ...] | None = field(default=None, converter=_splits)
    criterion: str = field(default="gini", validator=one_of(*CRITERIA))
    rows: int = field(default=1000, converter=whole, validator=[positive, at_most(_MOST)])

    @sizes.validator
    def _check_sizes(self, _: object, value: tuple[int, ...]) -> None:
        if not value:
            raise InvalidError("SplitScores.sizes must be the number of codes of each feature, got no feature.")

    @unordered.validator
    def _check_unordered(self, _: object, value: tuple[int, ...]) -> None:
        if value and not (value[0] >= 0 and value[-1] < len(self.sizes)):
            raise InvalidError(f"SplitScores.unordered must be positions from 0 to {len(self.sizes) - 1}, got {value}.")

    @splits.validator
    def _check_splits(self, _: object, value: tuple[Split, ...] | None) -> None:
        known = set(self._every_split())
        wrong = [split for split in value or () if split not in known]
        if wrong:
            raise InvalidError(
                f"SplitScores.splits must divide the codes of a feature, got {wrong[0]}: a threshold leaves a larger "
                "code to its right."
            )
        if not (known if value is None else value):
            raise InvalidError("SplitScores.splits must be one split or more, got none: every feature has one code.")

    def _every_split(self) -> Iterator[Split]:
        for feature, size in enumerate(self.sizes):
            for code in range(size if feature in self.unordered else size - 1):
                yield feature, code

    @property
    def all_splits(self) -> tuple[Split, ...]:
        """The splits in the order of their scores: a position that a selection releases is a position in this list."""
        return tuple(self._every_split()) if self.splits is None else self.splits

    def output(self, space: Space) -> Space:
        """One vector of scores for each node."""
        columns = matrix_domain(self, space).columns
        if columns != len(self.sizes) + 2:
            raise MismatchError(
                f"SplitScores reads {len(self.sizes) + 2} columns: the node, {len(self.sizes)} codes and the class. "
                f"Got {columns}."
            )
        criterion = self._criterion()
        kind = int if criterion.grid == 1 else float
        scores = NumbersDomain(length=len(self.all_splits), kind=kind, grid=criterion.grid)
        return Space(PartitionDomain(parts=self.nodes, inner=scores), PartitionDistance(RangeDistance()))

    def apply(self, value: Array, space: Space) -> tuple[Array, ...]:
        """Count the rows of each node, class and code once, then score all splits."""
        left, whole = self._tally(value)
        scores = self._criterion().score(np.stack([left, whole[:, :, None] - left]))
        return tuple(scores)

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row is in one node, and moves the scores of this node apart."""
        rows = rows_changed(space, d_in)
        reach = rows * self._criterion().range if len(self.all_splits) > 1 else Fraction(0)
        return Parts(l0=min(rows, self.nodes) if reach else 0, l1=reach, l2_squared=reach**2, linf=reach)

    def _criterion(self) -> Criterion:
        return criterion_of(self.criterion, self.rows)

    def _tally(self, value: Array) -> tuple[Array, Array]:
        """Return the counts of node, class and split on the left, and those of node and class."""
        node, label = codes(value[:, 0], self.nodes), codes(value[:, -1], self.classes)
        known = (node >= 0) & (label >= 0)
        group = (node * self.classes + label)[known]
        groups = self.nodes * self.classes
        splits = np.array(self.all_splits, dtype=np.int64)
        left = np.empty((groups, len(splits)), dtype=np.int64)
        for feature in np.unique(splits[:, 0]).tolist():
            width = self.sizes[feature] + 1  # the first is for missing codes
            cell = group * width + codes(value[known, feature + 1], self.sizes[feature]) + 1
            by_code = np.bincount(cell, minlength=groups * width).reshape(groups, width)
            if feature not in self.unordered:
                by_code = np.cumsum(by_code, axis=1)
            chosen = splits[:, 0] == feature
            left[:, chosen] = by_code[:, splits[chosen, 1] + 1]
        whole = np.bincount(group, minlength=groups)
        return left.reshape(self.nodes, self.classes, len(splits)), whole.reshape(self.nodes, self.classes)


def codes(column: Array, size: int) -> Array:
    """Return whole numbers from zero to below the size; -1 for NaN and all other numbers."""
    return np.where((column >= 0) & (column < size), column, -1.0).astype(np.int64)


def next_nodes(unit: SplitScores, value: Array, chosen: Sequence[int]) -> Array:
    """Return the nodes of rows in the next level: ``2 node`` to the left, ``2 node + 1`` to the right, -1 for none.

    The result of a row is a function of the row and of what was released, so it costs nothing.

    Args:
        unit: The scores of this level.
        value: The rows, with the columns that the unit reads.
        chosen: For each node the position of its split in ``unit.all_splits``.

    >>> unit = SplitScores(nodes=1, sizes=[3], classes=2)
    >>> next_nodes(unit, np.array([[0, 0, 0], [0, 2, 1], [0, np.nan, 1], [7, 1, 1]]), [1]).tolist()
    [0, 1, 0, -1]
    """
    node = codes(value[:, 0], unit.nodes)
    result = np.full(len(node), -1, dtype=np.int64)
    for at, position in enumerate(chosen):
        feature, code = unit.all_splits[position]
        here = node == at
        own = codes(value[here, feature + 1], unit.sizes[feature])
        left = own == code if feature in unit.unordered else own <= code
        result[here] = 2 * at + ~left
    return result
