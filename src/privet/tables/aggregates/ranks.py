"""Ranks from noisy counts: a tree over bins, and the best linear estimate of how many rows lie below an edge."""

import math
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array

MOST_BINS = 4096


@lru_cache(maxsize=64)
def branching(bins: int) -> int:
    """Choose how many children a node has: for the least error of a rank, where noise grows with the levels."""

    def cost(children: int) -> float:
        levels = len(level_lengths(bins, children))
        return levels**3 * (children - 1)

    return min(range(2, max(bins, 2) + 1), key=cost)


@lru_cache(maxsize=1024)
def level_lengths(bins: int, children: int) -> tuple[int, ...]:
    """Give how many nodes each level has, from the bins up to the first that has no more than one node's children."""
    sizes = [bins]
    while sizes[-1] > children:
        sizes.append(-(-sizes[-1] // children))
    return tuple(sizes)


@lru_cache(maxsize=64)
def node_matrix(bins: int, children: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Give which bins each node counts, level after level, as pairs (bin, one)."""
    rows: list[tuple[tuple[int, int], ...]] = []
    for height, length in enumerate(level_lengths(bins, children)):
        width = children**height
        rows.extend(tuple((item, 1) for item in range(at * width, min((at + 1) * width, bins))) for at in range(length))
    return tuple(rows)


@lru_cache(maxsize=64)
def rank_weights(bins: int, children: int, alpha: Fraction) -> Array:
    """Give the weights of the nodes that estimate ``rows below an edge - alpha * all rows``, for each inner edge.

    They are those of least squares: of all unbiased weights they have the smallest sum of squares (Gauss-Markov).
    """
    counted = node_matrix(bins, children)
    nodes = np.zeros((len(counted), bins))
    for at, row in enumerate(counted):
        nodes[at, [item for item, _ in row]] = 1.0
    edges = np.tril(np.ones((bins - 1, bins))) - float(alpha)
    solved = np.linalg.solve(nodes.T @ nodes, edges.T)
    return np.asarray((nodes @ solved).T)


@lru_cache(maxsize=64)
def noise_squares(bins: int, children: int, alpha: Fraction) -> Array:
    """Give the variance of sums of ranks, as running sums over both axes: that of edges ``a`` up to ``b`` is a corner.

    It counts in variances of one draw of noise; ``[a, b]`` holds the covariance of the sums of the first a and first b.
    """
    weights = rank_weights(bins, children, alpha)
    covariances = np.zeros((bins, bins))
    covariances[1:, 1:] = (weights @ weights.T).cumsum(axis=0).cumsum(axis=1)
    return covariances


@final
@frozen(kw_only=True)
class Pools:
    """Increasing ranks nearest to noisy ones: decreasing neighbours are replaced by their mean (isotonic regression).

    Args:
        shape: Groups by edges.
        level: The mean of each pool, group after group.
        first: Where each pool begins, among the edges of its group.
        stop: Where it ends; not included.
    """

    shape: tuple[int, int]
    level: Array
    first: Array
    stop: Array

    def spread(self, each: Array) -> Array:
        """Give each edge the value of its pool."""
        return np.repeat(each, self.stop - self.first).reshape(self.shape)

    def deviations(self, squares: Array) -> Array:
        """The standard deviation of the mean noise of each pool, from ``noise_squares``; one draw counts as one."""
        first, stop = self.first, self.stop
        variance = squares[stop, stop] - 2 * squares[first, stop] + squares[first, first]
        errors: Array = np.sqrt(np.maximum(variance, 0.0)) / (stop - first)
        return errors


def pooled(ranks: Array) -> Pools:
    """Pool noisy ranks of groups by edges until they increase. The order of pooling does not matter."""
    groups, edges = ranks.shape
    level, size, start = ranks.reshape(-1).astype(np.float64), np.ones(groups * edges), np.arange(groups * edges)
    while True:
        row = start // edges
        falls = (level[1:] <= level[:-1]) & (row[1:] == row[:-1])
        if not falls.any():
            break
        heads = np.flatnonzero(np.concatenate([[True], ~falls]))
        total = np.add.reduceat(size * level, heads)
        size, start = np.add.reduceat(size, heads), start[heads]
        level = total / size
    stop = np.append(start[1:], groups * edges)
    first = start % edges
    return Pools(shape=(groups, edges), level=level, first=first, stop=first + stop - start)


def monotone(ranks: Array) -> Array:
    """Make noisy ranks increase along the last axis: halfway between the largest so far and the smallest to come."""
    so_far = np.maximum.accumulate(ranks, axis=-1)
    to_come = np.minimum.accumulate(ranks[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray((so_far + to_come) / 2)


def spaced(low: int, high: int, bins: int) -> tuple[int, ...]:
    """Give the edges of bins that split the grid steps from ``low`` to ``high`` as evenly as whole numbers allow."""
    count = min(bins, high - low + 1)
    return tuple(low + math.floor(Fraction((high + 1 - low) * at, count)) for at in range(count + 1))
