"""From noisy sums in leaves to shares of the classes: every share is drawn toward that of the rows around it.

A number from -1 to 1 is read as two classes: it is of the upper one with the weight (1 + y) / 2, and of the lower one
with the rest. So a mean is a share, and what holds for classes holds for numbers.
"""

import math

import numpy as np

from privet.core import Array
from privet.models.fit_job import GRID

_FLOOR = 0.02  # the smallest share of a class, in shares of its parent
_TIMES = 16.0  # how often the variance of gaps counts, chosen on made-up data
_TINY = 1e-300


def class_weights(places: Array, classes: int) -> Array:
    """Return one for the class of each row, and zero for the others.

    Args:
        places: The class of each row.
        classes: How many classes there are.
    """
    return np.asarray((np.asarray(places)[:, None] == np.arange(classes)).astype(np.float64))


def number_weights(target: Array) -> Array:
    """Return how much numbers from -1 to 1 are of the lower and of the upper class, on the grid of rows."""
    upper = np.rint((1 + np.asarray(target)) / 2 * float(1 / GRID)) * float(GRID)
    return np.stack([1 - upper, upper], axis=1)


def shrunk(sums: Array, parent: Array, weight: float) -> Array:
    """Return shares of the classes as if there were more rows like the parent; the last axis lists the classes.

    Args:
        sums: Noisy sums.
        parent: The shares toward which they are drawn.
        weight: How many rows are added.
    """
    rows = np.maximum(sums.sum(axis=-1, keepdims=True), 0.0)
    raw = parent + (sums - rows * parent) / (rows + weight)
    shares = np.maximum(raw, _FLOOR * parent)
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def tree_shares(sums: Array, noise: float) -> list[Array]:
    """Return the shares of the classes in all nodes of a tree, level by level; each is drawn toward its parent.

    Args:
        sums: The noisy sums, one row for each leaf, two to the depth.
        noise: The standard deviation of one sum.
    """
    levels = [np.asarray(sums, dtype=np.float64)]
    while len(levels[0]) > 1:
        levels.insert(0, levels[0].reshape(-1, 2, sums.shape[1]).sum(axis=1))
    found = [overall(levels[0])]
    for level in levels[1:]:
        variance = noise**2 * len(sums) / len(level)  # a node adds up the noise of its leaves
        found.append(toward(np.repeat(found[-1], 2, axis=0), level, variance))
    return found


def toward(parent: Array, sums: Array, variance: float) -> Array:
    """Return the shares of nodes between those of their parents and what the noisy sums say.

    A gap is multiplied by about the part of its variance that is no noise. The variance of true gaps is estimated from
    all nodes of the level; some nodes have larger gaps than most, so it counts several times.

    Args:
        parent: The shares of the parents, one row for each node.
        sums: The noisy sums of the nodes.
        variance: The variance of the noise of one sum.
    """
    spread = math.sqrt(variance)
    rows = np.maximum(sums.sum(axis=1, keepdims=True), spread)
    excess = sums - rows * parent
    noise = (variance * ((1 - parent) ** 2 + parent**2 * (sums.shape[1] - 1))).sum(axis=1, keepdims=True)
    squares = (excess * excess).sum(axis=1, keepdims=True)
    gaps = _TIMES * max(float((squares - noise).sum()) / float((rows * rows).sum()), 0.0)
    part = gaps / (gaps + noise / rows**2 + _TINY)
    shares = np.maximum(parent + part * excess / (rows + spread), _FLOOR * parent)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def overall(sums: Array) -> Array:
    """Return the shares of all rows; no class has none."""
    some = np.maximum(np.asarray(sums, dtype=np.float64), 1.0)
    return np.asarray(some / some.sum(axis=-1, keepdims=True))
