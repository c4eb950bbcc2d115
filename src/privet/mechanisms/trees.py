"""Trees over ordered bins: least squares over noisy levels, ranges as few nodes, and the error of a sum of noises."""

import math
from fractions import Fraction

import numpy as np
from flint import arb

from privet.core import ball, directed, log_up
from privet.mechanisms.consistent_tree import ConsistentTree
from privet.noise import discrete_laplace_quantile

Levels = tuple[tuple[int, ...], ...]


def consistent(levels: Levels, branching: int) -> tuple[Fraction, ...]:
    """The bins that best fit the noisy counts of all levels, if every node has the same variance.

    The two passes are those of ``ConsistentTree``, in exact fractions.
    """
    parents = [np.arange(len(below)) // branching for below in reversed(levels[:-1])]
    tree = ConsistentTree(parents=parents, variances=(Fraction(1),) * len(levels))
    return tuple(tree.fit([[Fraction(count) for count in level] for level in reversed(levels)])[-1])


def nodes_between(start: int, stop: int, branching: int, lengths: list[int]) -> list[tuple[int, int]]:
    """The fewest nodes, as (level, position), that make up the bins from ``start`` to ``stop``.

    The last node of a level may have fewer children than others; where a range reaches the end it holds all of them.
    """
    nodes: list[tuple[int, int]] = []
    for height, length in enumerate(lengths):
        if length == 1:
            return nodes + [(height, at) for at in range(start, stop)]
        while start < stop and start % branching:
            nodes.append((height, start))
            start += 1
        while start < stop < length and stop % branching:
            stop -= 1
            nodes.append((height, stop))
        if start >= stop:
            break
        start, stop = start // branching, -(-stop // branching)
    return nodes


def sum_error(scale: Fraction, terms: int, beta: Fraction) -> int:
    """The bound that a sum of independent discrete Laplace noises exceeds with probability at most beta.

    The smaller of a quantile for each noise, and of Chernoff's bound: for every 0 < t < 1/scale the sum is at least a
    with probability at most exp(-t a) M(t)^terms, M the moment generating function of one noise. Floats only choose t.
    """
    if terms == 0:
        return 0
    each = terms * discrete_laplace_quantile(scale, beta / terms)
    if terms == 1:
        return each
    tilt = _tilt(scale, terms, log_up(2 / beta))
    if tilt is None:
        return each
    return min(each, math.floor((log_up(2 / beta) + terms * _log_moment(scale, tilt)) / tilt))


def _tilt(scale: Fraction, terms: int, target: Fraction) -> Fraction | None:
    """A good t, by trying a hundred shares of 1/scale; any is valid. None if floats cannot decide."""

    def bound(share: Fraction) -> float:
        try:
            rate, part = 1 / float(scale), float(share)
            least, less, more = (math.log(-math.expm1(-rate * by)) for by in (1.0, 1 - part, 1 + part))
            return (float(target) + terms * (2 * least - less - more)) / part
        except (OverflowError, ValueError, ZeroDivisionError):
            return math.inf

    best = min((Fraction(step, 101) for step in range(1, 101)), key=bound)
    return best / scale if bound(best) < math.inf else None


def _log_moment(scale: Fraction, t: Fraction) -> Fraction:
    """An upper bound of ln((1 - r)² / ((1 - r e^t)(1 - r e^-t))), r = e^(-1/scale)."""

    def value(rate: arb) -> arb:
        up, down = (rate + ball(t)).expm1(), (rate - ball(t)).expm1()
        return 2 * (-rate.expm1()).log() - (-up).log() - (-down).log()

    return directed(value, -1 / scale, toward="up")
