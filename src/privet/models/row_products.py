"""Products and distances of rows, added up column by column, so that a row gives the same bits whatever is beside it.

A matrix product of a library of linear algebra rounds a row differently when it stands among other rows. A later step
of a pipeline would then read rows that depend on each other.
"""

import numpy as np

from privet.core import Array


def projected(rows: Array, directions: Array) -> Array:
    """Return the scalar products of every row with every direction.

    Args:
        rows: One row for each record.
        directions: One row for each direction.

    >>> projected(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[11.0, 2.0]]
    """
    found = np.zeros((len(rows), len(directions)))
    for column, weights in zip(_columns(rows), directions.T.tolist(), strict=True):
        for at, weight in enumerate(weights):
            found[:, at] += weight * column
    return found


def distances(rows: Array, points: Array) -> Array:
    """Return the distance of every row from every point.

    Args:
        rows: One row for each record.
        points: One row for each point.

    >>> distances(np.array([[3.0, 4.0]]), np.array([[0.0, 0.0], [3.0, 0.0]])).tolist()
    [[5.0, 4.0]]
    """
    found = np.zeros((len(rows), len(points)))
    for column, middles in zip(_columns(rows), points.T.tolist(), strict=True):
        for at, middle in enumerate(middles):
            gap = column - middle
            found[:, at] += gap * gap
    return np.asarray(np.sqrt(found))


def _columns(rows: Array) -> Array:
    """Return the columns, each in one piece of memory."""
    return np.ascontiguousarray(rows.T)
