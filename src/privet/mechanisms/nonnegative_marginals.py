"""Marginals of one common table without negative cells, close to noisy marginals: post-processing.

Proof: docs/mechanisms/consistent_marginals.md.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from privet.core import Array

Columns = tuple[str, ...]
_SETTLED = 1e-10  # of the largest cell: smaller steps change nothing that is seen


def nonnegative_marginals(
    tables: Mapping[Columns, Array], noise: Mapping[Columns, Any], sizes: Mapping[str, int], steps: int
) -> dict[Columns, Array]:
    """Descend along projected gradients with momentum, on the table of all columns.

    Args:
        tables: The noisy tables, by their columns.
        noise: The variance of the noise in the cells of each table.
        sizes: The number of categories of each column.
        steps: How many steps to take at most.
    """
    columns, shape = tuple(sizes), tuple(sizes.values())
    goals = {names: np.asarray(values, dtype=np.float64) for names, values in tables.items()}
    weights = {names: 1 / float(noise[names]) for names in tables}
    # the gradient changes by at most so much for a step of one: each table adds the cells that it sums up
    steepest = sum(weight * prod(shape) / goals[names].size for names, weight in weights.items())
    total = max(float(np.median([goal.sum() for goal in goals.values()])), 0.0)
    cells = np.full(shape, total / prod(shape))
    ahead, momentum = cells, 1.0
    for _ in range(steps):
        slope = np.zeros(shape)
        for names, weight in weights.items():
            slope += _expanded(weight * (_margin(ahead, columns, names) - goals[names]), columns, names, sizes)
        after = np.maximum(ahead - slope / steepest, 0.0)
        if float(np.vdot(ahead - after, after - cells)) > 0:  # the momentum points the wrong way: start again
            momentum = 1.0
        longer = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        ahead = after + (momentum - 1) / longer * (after - cells)
        settled = float(np.abs(after - cells).max()) <= _SETTLED * max(float(after.max()), 1.0)
        cells, momentum = after, longer
        if settled:
            break
    return {names: _margin(cells, columns, names) for names in tables}


def _margin(cells: Array, columns: Columns, names: Columns) -> Array:
    margin = cells.sum(axis=tuple(at for at, name in enumerate(columns) if name not in names))
    kept = [name for name in columns if name in names]
    return np.asarray(np.transpose(margin, [kept.index(name) for name in names]))


def _expanded(values: Array, columns: Columns, names: Columns, sizes: Mapping[str, int]) -> Array:
    kept = [name for name in columns if name in names]
    ordered = np.transpose(values, [names.index(name) for name in kept])
    return ordered.reshape([sizes[name] if name in names else 1 for name in columns])
