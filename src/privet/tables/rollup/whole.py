"""Whole and non-negative numbers down a tree: children still add up to their parent, exactly."""

from collections.abc import Callable, Sequence

import numpy as np

from privet.core import Array
from privet.mechanisms.consistent_tree import add_up, summable

_LARGEST = 2.0**53  # floats beyond are whole, and stay as they are


def nonnegative_down(levels: Sequence[Array], parents: Sequence[Array]) -> list[Array]:
    """Give non-negative numbers near to those given: from the root down, the nearest that add up to the parent.

    Args:
        levels: One number for each node, level by level from the root, as ``ConsistentTree.fit`` gives them.
        parents: For each level but the first, the position of the parent of each node.
    """
    return add_up(parents, summable(_downward(np.maximum(levels[0], 0.0), levels, parents, _nearest)[-1]))


def whole_down(levels: Sequence[Array], parents: Sequence[Array]) -> list[Array]:
    """Round to whole numbers: from the root down, by largest remainders, so that children add up to their parent.

    Numbers that were not below zero stay so.

    Args:
        levels: As for ``nonnegative_down``.
        parents: Likewise.
    """
    return _downward(np.rint(levels[0]), levels, parents, _apportioned)


def _downward(
    root: Array, levels: Sequence[Array], parents: Sequence[Array], settle: Callable[[Array, float], Array]
) -> list[Array]:
    """Settle the children of each node, from the root down, by their own numbers and that of their parent."""
    consistent = [root]
    for values, above in zip(levels[1:], parents, strict=True):
        settled = np.empty(len(values))
        order = np.argsort(above, kind="stable")
        for parent, children in enumerate(np.split(order, np.cumsum(np.bincount(above))[:-1])):
            settled[children] = settle(values[children], float(consistent[-1][parent]))
        consistent.append(settled)
    return consistent


def _nearest(values: Array, total: float) -> Array:
    """The nearest point with sum ``total`` and no number below zero: all less one amount, cut at zero."""
    falling = np.sort(values)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(values) + 1)
    above = np.flatnonzero(falling > excess)
    return np.asarray(np.maximum(values - excess[above[-1] if len(above) else 0], 0.0))


def _apportioned(values: Array, total: float) -> Array:
    """Round down, and distribute the rest to the largest remainders.

    ``total`` is the sum of the values rounded down or up, so that each of them is rounded down or up.
    """
    if not np.isfinite(values).all() or abs(total) >= _LARGEST or np.abs(values).max() >= _LARGEST:
        return values
    floors = np.floor(values)
    left = int(total - floors.sum())
    each, more = divmod(left, len(values))
    floors += each
    floors[np.argsort(floors - values, kind="stable")[:more]] += 1
    return np.asarray(floors)
