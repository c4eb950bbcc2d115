"""Criteria for the splits of a decision tree: scores of exact counts in whole grid steps, and how far a row moves them.

Counts have the axes child, node, class and split, scores the axes node and split. The best score is the largest.
Proofs: docs/transforms/split_scores.md.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array
from privet.transforms.information_gain import GRID, _last_difference, _table

CRITERIA = ("gain", "gini", "max_class")
_STEPS = int(1 / GRID)
_WIDE = 2**31  # the square of a smaller count fits into 64 bits


@final
@frozen
class Criterion:
    """A score of splits.

    Args:
        grid: The grid step of the scores.
        range: How far one row more or less moves the scores of its node apart, at most.
        score: The function of the counts.
    """

    grid: Fraction
    range: Fraction
    score: Callable[[Array], Array]


def criterion_of(name: str, rows: int) -> Criterion:
    """Return a criterion by its name; ``rows`` is the guess that "gain" needs."""
    criteria = {
        "gain": lambda: Criterion(GRID, _last_difference(rows) * GRID, lambda counts: gain(counts, rows)),
        "gini": lambda: Criterion(GRID, Fraction(2), gini),
        "max_class": lambda: Criterion(Fraction(1), Fraction(1), max_class),
    }
    return criteria[name]()


def gain(counts: Array, rows: int) -> Array:
    """Add up ``n ln n`` over the classes of each child, less that of the child: minus its rows times its entropy."""
    table, last = _table(rows), _last_difference(rows)

    def weight(numbers: Array) -> Array:
        inside = np.minimum(numbers, rows)
        return np.asarray(table[inside] + (numbers - inside) * last)

    return np.asarray((weight(counts).sum(axis=2) - weight(counts.sum(axis=2))).sum(axis=0))


def gini(counts: Array) -> Array:
    """Add up minus the rows times the Gini impurity over the children, each rounded down to a grid step."""
    large = bool((counts.sum(axis=2) >= _WIDE).any())
    exact = counts.astype(object) if large else counts
    sizes, squares = exact.sum(axis=2), (exact * exact).sum(axis=2)
    divisor = np.maximum(sizes, 1)
    whole = squares // divisor
    ratio = whole * _STEPS + (squares - whole * divisor) * _STEPS // divisor  # in two steps, so that nothing wraps
    return np.asarray((ratio - sizes * _STEPS).sum(axis=0)).astype(np.int64)


def max_class(counts: Array) -> Array:
    """Add up the largest class of each child: the rows for which a vote of the majority is right."""
    return np.asarray(counts.max(axis=2).sum(axis=0))
