"""Features: the public, finite grid of cells on which the distance of two rows is measured."""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, positive, whole
from privet.errors import InvalidError

MOST_CELLS = 2**24
MOST_MOVES = 2**17  # moves that are held in memory at a time
FARTHEST = 2**62  # squared distances, and sums of two of them, fit 64 bits
FeatureKind = Literal["ordinal", "categorical"]


@final
@frozen(kw_only=True)
class Feature:
    """One feature with a public number of levels.

    Args:
        kind: ``ordinal``: levels a and b are ``weight (a - b)^2`` apart; ``categorical``: ``2 weight`` if they differ.
        levels: The number of levels, numbered from zero.
        weight: The weight of the feature, a whole number.
    """

    kind: FeatureKind = field()
    levels: int = field(converter=whole, validator=positive)
    weight: int = field(default=1, converter=whole, validator=positive)

    @kind.validator
    def _check(self, _: object, value: object) -> None:
        if value not in ("ordinal", "categorical"):
            raise InvalidError(f"Feature.kind must be ordinal or categorical, got {value!r}.")

    @property
    def farthest(self) -> int:
        """The squared distance of the two levels that are farthest apart."""
        return self.weight * (self.levels - 1) ** 2 if self.kind == "ordinal" else 2 * self.weight * (self.levels > 1)

    def apart(self, level: int) -> Array:
        """Give the squared distance of each level from one."""
        levels = np.arange(self.levels, dtype=np.int64)
        if self.kind == "categorical":
            return np.where(levels == level, 0, min(2 * self.weight, FARTHEST))
        return self.weight * (levels - level) ** 2 if self.levels > 1 else np.zeros(1, dtype=np.int64)

    def moves(self) -> tuple[Array, Array]:
        """Give every change of the level, and the squared distance of each."""
        if self.kind == "categorical":
            shifts = np.arange(self.levels, dtype=np.int64)
            return shifts, self.apart(0)
        away = self.apart(0)
        return np.arange(1 - self.levels, self.levels, dtype=np.int64), np.concatenate([away[:0:-1], away])


@final
@frozen(kw_only=True, slots=False)
class FeatureGrid:
    """All combinations of levels of several features: the cells in which rows lie.

    Args:
        features: One or more.

    >>> grid = FeatureGrid(features=(Feature(kind="ordinal", levels=3), Feature(kind="categorical", levels=2)))
    >>> grid.cells, grid.encode(np.array([[2, 1]])).tolist()
    (6, [5])
    """

    features: tuple[Feature, ...]

    def __attrs_post_init__(self) -> None:
        if not self.features:
            raise InvalidError("FeatureGrid.features must hold one or more features.")
        if self.cells > MOST_CELLS:
            raise InvalidError(
                f"FeatureGrid: there are {self.cells} combinations of levels, at most {MOST_CELLS} are possible; use "
                "fewer features or wider bins."
            )
        if self.farthest >= FARTHEST:
            raise InvalidError("FeatureGrid: squared distances must stay below 2^62; use smaller weights.")

    @cached_property
    def cells(self) -> int:
        """How many combinations there are."""
        return math.prod(feature.levels for feature in self.features)

    @cached_property
    def _strides(self) -> Array:
        levels = [feature.levels for feature in self.features]
        return np.array([math.prod(levels[at + 1 :]) for at in range(len(levels))], dtype=np.int64)

    def encode(self, codes: Array) -> Array:
        """Number the cells of rows, given as one level for each feature."""
        return codes.astype(np.int64) @ self._strides

    def decode(self, cells: Array) -> Array:
        """Give the levels of cells, one row each."""
        levels = np.array([feature.levels for feature in self.features], dtype=np.int64)
        return cells[:, None] // self._strides % levels

    def distances(self, codes: Array, others: Array) -> Array:
        """Give the squared distances between rows of levels, which may be one against many."""
        total = np.zeros(np.broadcast_shapes(codes.shape, others.shape)[:-1], dtype=np.int64)
        for at, feature in enumerate(self.features):
            apart = codes[..., at] - others[..., at]
            if feature.levels > 1:
                total += feature.weight * apart**2 if feature.kind == "ordinal" else 2 * feature.weight * (apart != 0)
        return total

    def distances_from(self, levels: Array) -> Array:
        """Give the squared distance of every cell of the grid from one row of levels."""
        total = np.zeros(1, dtype=np.int64)
        for feature, level in zip(self.features, levels, strict=True):
            total = (total[:, None] + feature.apart(int(level))).ravel()
        return total

    @cached_property
    def farthest(self) -> int:
        """The largest squared distance of two cells."""
        return sum(feature.farthest for feature in self.features)

    def offsets(self, most: int) -> tuple[Array, Array]:
        """Give every move by a squared distance up to ``most``, nearest first, and those distances."""
        moves, distances = np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64)
        for feature in self.features:
            steps, apart = feature.moves()
            close = apart <= most
            steps, apart = steps[close], apart[close]
            total = (distances[:, None] + apart[None, :]).ravel()
            kept = np.flatnonzero(total <= most)
            moves = np.column_stack([moves[kept // len(steps)], steps[kept % len(steps)]])
            distances = total[kept]
        order = np.argsort(distances, kind="stable")
        return moves[order], distances[order]

    def shells(self) -> Iterator[tuple[int, Array]]:
        """Give the moves of each squared distance in turn, from nearest to farthest."""
        done, reach = -1, 0
        while done < reach:
            moves, distances = self.offsets(reach)
            first = int(np.searchsorted(distances, done, side="right"))
            apart, begins = np.unique(distances[first:], return_index=True)
            for distance, shell in zip(apart, np.split(moves[first:], begins[1:]), strict=False):
                yield int(distance), shell
            done, reach = reach, min(max(2 * reach, 1), self.farthest)

    def reach(self, most: int) -> int:
        """Give a squared distance with at most so many moves within, at least half of the largest such distance."""
        limit, reach = min(most, MOST_MOVES), 0
        while reach < self.farthest:
            wider = min(max(2 * reach, 1), self.farthest)
            if len(self.offsets(wider)[0]) > limit:
                break
            reach = wider
        return reach

    def moved(self, codes: Array, move: Array) -> tuple[Array, Array]:
        """Move rows of levels: the cells they reach, and which of them are on the grid."""
        inside = np.ones(len(codes), dtype=bool)
        reached = np.zeros(len(codes), dtype=np.int64)
        for at, feature in enumerate(self.features):
            levels = codes[:, at] + move[at]
            if feature.kind == "categorical":
                levels = levels % feature.levels
            elif move[at]:
                inside &= (levels >= 0) & (levels < feature.levels)
            reached += levels * self._strides[at]
        return reached, inside
