"""Ranks from noisy counts: a tree over bins, and the best linear estimate of how many rows lie below an edge."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from privet.core.rows import Array

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
    found = [bins]
    while found[-1] > children:
        found.append(-(-found[-1] // children))
    return tuple(found)


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


def monotone(ranks: Array) -> Array:
    """Make noisy ranks rise along the last axis: halfway between the largest so far and the smallest to come."""
    so_far = np.maximum.accumulate(ranks, axis=-1)
    to_come = np.minimum.accumulate(ranks[..., ::-1], axis=-1)[..., ::-1]
    return np.asarray((so_far + to_come) / 2)


def spaced(low: int, high: int, bins: int) -> tuple[int, ...]:
    """Give the edges of bins that share out the steps from ``low`` to ``high`` as evenly as whole numbers allow."""
    count = min(bins, high - low + 1)
    return tuple(low + math.floor(Fraction((high + 1 - low) * at, count)) for at in range(count + 1))
