"""Least squares on a tree: noisy numbers of every level, fitted so that children add up to their parent.

The trees may be ragged and each level has a variance of its own. The same two passes work with floats and, in arrays
of objects, with exact fractions. Proof: docs/tables/rollup.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.errors import InvalidError

Number = Any  # float or Fraction: one kind in all places
_MANTISSA = 52
_SMALLEST = -1074  # the exponent of the smallest float


def _positions(parents: Any) -> tuple[Array, ...]:
    return tuple(np.asarray(level, dtype=np.int64) for level in parents)


def _numbers(variances: Any) -> tuple[Number, ...]:
    return tuple(variances)


@final
@frozen(kw_only=True, eq=False)
class ConsistentTree:
    """A tree whose leaves all lie on the last level, and the best linear unbiased estimates of its nodes.

    Args:
        parents: For each level except the first, the position of the parent of each node in the level above.
        variances: The variance of the noise on each level, from the root down, above zero; None for a level without
            numbers of its own, whose nodes are sums of others. The last level has numbers.

    Guarantee: of all unbiased linear estimates, ``fit`` has the smallest variance at every node (Gauss and Markov).
    Proof: docs/tables/rollup.md.

    >>> tree = ConsistentTree(parents=([0, 0],), variances=(Fraction(1), Fraction(1)))
    >>> [level.tolist() for level in tree.fit([[Fraction(10)], [Fraction(4), Fraction(3)]])]
    [[Fraction(9, 1)], [Fraction(5, 1), Fraction(4, 1)]]
    """

    parents: tuple[Array, ...] = field(converter=_positions)
    variances: tuple[Number, ...] = field(converter=_numbers)

    @variances.validator
    def _check(self, _: object, value: tuple[Number, ...]) -> None:
        known = [item for item in value if item is not None]
        if len(value) != len(self.parents) + 1 or value[-1] is None or any(not item > 0 for item in known):
            raise InvalidError(
                "ConsistentTree.variances must be one for each level, above zero, None for some but the last."
            )
        for at, parents in enumerate(self.parents):
            if set(parents.tolist()) != set(range(self.sizes[at])):
                raise InvalidError(f"ConsistentTree.parents[{at}] must give every node of the level above a child.")

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has."""
        return (1, *(len(level) for level in self.parents))

    def fit(self, values: Sequence[Any]) -> list[Array]:
        """Give the estimates of all nodes, level by level from the root.

        Args:
            values: For each level the noisy numbers of its nodes, in the first axis; further axes are fitted
                separately. A level without numbers may have any value.
        """
        below: list[Array] = []
        up: list[Array] = [np.asarray(values[-1], dtype=self._kind)]
        for level in reversed(range(len(self.parents))):
            together = self._sum(level, up[0])
            below.insert(0, together)
            if self.variances[level] is None:
                up.insert(0, together)
                continue
            own, children = (_along(share, together) for share in self._shares[level])
            up.insert(0, own * np.asarray(values[level], dtype=self._kind) + children * together)
        settled = [up[0]]
        for level, parents in enumerate(self.parents):
            missing = (settled[level] - below[level])[parents]
            settled.append(up[level + 1] + _along(self._part(level), missing) * missing)
        return settled

    def power_sums(self, sizes: Sequence[Number], power: int) -> list[Array]:
        """Add up ``weight ** power * size`` over all noises in the estimate of each node; the power is even.

        With variances and power two these are the variances of the estimates.

        Args:
            sizes: One for each level, also where it has no numbers.
            power: Two, four and so on.
        """
        return self._over_noises(sizes, power, np.add, self._sum, self._sum_of_others)

    def largest(self, sizes: Sequence[Number]) -> list[Array]:
        """Give the largest ``weight * size`` of all noises in the estimate of each node.

        Args:
            sizes: One for each level.
        """
        return self._over_noises(sizes, 1, np.maximum, lambda level, up: self._most(level, up)[0], self._most_of_others)

    def _over_noises(
        self,
        sizes: Sequence[Number],
        power: int,
        join: Callable[[Array, Array], Array],
        children_of: Callable[[int, Array], Array],
        siblings_of: Callable[[int, Array], Array],
    ) -> list[Array]:
        """Join ``weight ** power * size`` over all noises in the estimate of each node: first upward, then downward.

        Args:
            sizes: One for each level.
            power: Of the weights.
            join: How two noises are put together: their sum, or the larger.
            children_of: Joins the children of each node of a level.
            siblings_of: For each child of a level, joins the other children of its parent.
        """
        up = [self._full(-1, sizes[-1])]
        for level in reversed(range(len(self.parents))):
            own, children = (share**power for share in self._shares[level])
            up.insert(0, join(own * sizes[level], children * children_of(level, up[0])))
        joined, rest = [up[0]], (self._shares[0][0] ** power * sizes[0] if self.parents else up[0])
        for level, parents in enumerate(self.parents):
            part, moved = self._part(level), self._moved[level]
            outside = join(moved**power * siblings_of(level, up[level + 1]), part**power * rest[parents])
            kept = 1 - moved
            joined.append(join(kept**power * up[level + 1], outside))
            if level + 1 < len(self.parents):
                rest = join((kept * self._shares[level + 1][0]) ** power * sizes[level + 1], outside)
        return joined

    def _sum_of_others(self, level: int, children: Array) -> Array:
        return np.asarray(np.maximum(self._sum(level, children)[self.parents[level]] - children, 0))

    def _most_of_others(self, level: int, children: Array) -> Array:
        parents = self.parents[level]
        first, second, where = self._most(level, children)
        return np.where(where[parents] == np.arange(len(parents)), second[parents], first[parents])

    @cached_property
    def _kind(self) -> type:
        return object if all(item is None or isinstance(item, Fraction) for item in self.variances) else float

    @cached_property
    def _spread(self) -> list[Array]:
        """The variance of the best estimate of each node from its own number and those below."""
        variances = [self._full(-1, self.variances[-1])]
        for level in reversed(range(len(self.parents))):
            together, own = self._sum(level, variances[0]), self.variances[level]
            variances.insert(0, together if own is None else together * own / (together + own))
        return variances

    @cached_property
    def _shares(self) -> list[tuple[Array, Array]]:
        """Upward, the weights of the own number and of the sum of the children."""
        shares = []
        for level in range(len(self.parents)):
            together, own = self._sum(level, self._spread[level + 1]), self.variances[level]
            both = (together * 0, together * 0 + 1) if own is None else (together, together * 0 + own)
            total = both[0] + both[1]
            shares.append((both[0] / total, both[1] / total))
        return shares

    @cached_property
    def _moved(self) -> list[Array]:
        """Downward, what the estimate of a node takes from its own subtree's siblings, as a share of their sum.

        The estimate of a parent is ``taken * (sum of its children) + (what does not depend on them)``.
        """
        moved: list[Array] = []
        for level, parents in enumerate(self.parents):
            taken = self._shares[level][1] * (1 - moved[-1] if moved else 1)
            moved.append(self._part(level) * (1 - taken[parents]))
        return moved

    def _part(self, level: int) -> Array:
        """The share of each node in the difference between its parent and the sum of all children."""
        below = self._spread[level + 1]
        return below / self._sum(level, below)[self.parents[level]]

    def _full(self, level: int, value: Number) -> Array:
        return np.full(self.sizes[level], value, dtype=self._kind)

    def _sum(self, level: int, children: Array) -> Array:
        return add_children(self.parents[level], children, self.sizes[level])

    def _most(self, level: int, children: Array) -> tuple[Array, Array, Array]:
        """The largest and the second largest of the children of each node, zero if there is none, and the place."""
        parents, size = self.parents[level], self.sizes[level]
        order = np.lexsort((children, parents))
        ends = np.cumsum(np.bincount(parents, minlength=size)) - 1
        alone = np.diff(ends, prepend=-1) == 1
        second = np.where(alone, 0, children[order[ends - 1]])
        return children[order[ends]], second, order[ends]


def add_children(parents: Array, children: Array, size: int) -> Array:
    """Add up the children of each of ``size`` parents; exact for whole numbers and fractions in arrays of objects."""
    total = np.zeros((size, *children.shape[1:]), dtype=children.dtype)
    np.add.at(total, parents, children)
    return total


def add_up(parents: Sequence[Array], leaves: Array) -> list[Array]:
    """Give the sums of all levels of a tree from those of its leaves, from the root down."""
    levels = [leaves]
    for at in reversed(range(len(parents))):
        size = len(parents[at - 1]) if at else 1
        levels.insert(0, add_children(parents[at], levels[0], size))
    return levels


def summable(values: Array) -> Array:
    """Round floats, by at most one part in 2**52 of their total size, so that sums of them are exact in any order.

    In each column all numbers become multiples of one power of two, so coarse that no sum needs more than 53 bits.

    Args:
        values: Numbers of the leaves in the first axis; further axes are rounded separately.
    """
    with np.errstate(all="ignore"):
        total = np.abs(values).sum(axis=0)
        unit = np.ldexp(1.0, np.maximum(np.frexp(total)[1] - _MANTISSA, _SMALLEST))
        rounded = np.rint(values / unit) * unit
    return np.asarray(np.where(np.isfinite(total), rounded, values))


def _along(weights: Array, values: Array) -> Array:
    """Shape weights of nodes so that they multiply values with further axes."""
    return weights.reshape(-1, *([1] * (values.ndim - 1)))
