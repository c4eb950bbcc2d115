"""Selection among all points of a grid, where the score is constant between the data.

Every point of the grid within the bounds is a candidate. Those between two neighbouring rows have the same score, so
they are drawn together, with their number as a weight, and then one of them uniformly.
Proof: docs/mechanisms/quantile_interval.md.
"""

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from privet.core import Array, Space, VectorDomain
from privet.mechanisms.selection import gaps_of, select, uniform, whole_below
from privet.transforms import bounded_column, ends_in_steps, seen
from privet.transforms.quantile_scores import split_scores

_WRAP = 2**64
_FAR = 128  # temperatures; a candidate further away is drawn less than once in 2^100 times
_SHORT = 2**10  # rows that cost less to list than to leave out


def sorted_steps(value: Array, unit: object, space: Space) -> tuple[Array, int, int]:
    """Give the rows that have a value, in rising steps of the grid, and the first and last step within the bounds."""
    domain, bounds = bounded_column(unit, space)
    rows = seen(value)
    if domain.kind is float:
        rows = (rows * float(1 / domain.step)).astype(np.int64)  # whole numbers below 2^53: nothing is rounded
    return np.sort(rows), *ends_in_steps(bounds, domain.step)


def written(step: int, domain: VectorDomain) -> int | float:
    """Write a number of steps in the type of the column."""
    return step if domain.kind is int else float(step * domain.step)


def draw(rows: Array, low: int, high: int, alpha: Fraction, temperature: Fraction) -> int:
    """Draw a step from low to high with probability proportional to ``exp(score / temperature)``.

    Only pieces near the rank of the quantile are listed one by one. All points before them are one more piece, and all
    points behind them another, whose scores are bounded by those at their inner ends.

    Args:
        rows: Rising steps from low to high.
        low: The first candidate.
        high: The last candidate.
        alpha: The share of rows below the quantile.
        temperature: In rows.
    """
    rate = 1 / (alpha.denominator * temperature)
    reach = max(math.ceil(_FAR * temperature), _SHORT)
    while True:
        pieces = _near(rows, low, high, alpha, reach)
        scores = split_scores(pieces.below, pieces.above, alpha)
        gaps = gaps_of(scores)
        if reach > len(rows) or all(int(gap) * rate >= _FAR for gap in gaps[pieces.listed :].tolist()):
            break
        reach *= 4
    best, whole, drawn = int(scores.max()), len(gaps) == 1, low

    def exactly(chosen: int) -> int:
        nonlocal drawn
        points = high - low + 1 if whole else int(pieces.counts[chosen])
        drawn = int(pieces.starts[chosen]) + whole_below(uniform(), points)
        if chosen < pieces.listed:
            return int(gaps[chosen])
        under, upto = (np.searchsorted(rows, [drawn], side) for side in ("left", "right"))
        return best - int(split_scores(under, len(rows) - upto, alpha)[0])

    select(gaps, rate, None if whole else pieces.counts, exactly)
    return drawn


@frozen
class _Pieces:
    """Stretches of candidates: first step, number of steps, rows below and above.

    From ``listed`` on, the rows below and above are those of the best candidate that the stretch may hold.
    """

    starts: Array
    counts: Array
    below: Array
    above: Array
    listed: int


def _near(rows: Array, low: int, high: int, alpha: Fraction, reach: int) -> _Pieces:
    """List the pieces whose rank is within reach of the quantile, then the points before and behind them.

    (1 - alpha) below - alpha above rises from candidate to candidate. Before the list it is negative and at most that
    of a candidate with all but one of the earlier rows below it; behind the list it is positive and at least that of a
    candidate with all but one of the later rows above it.
    """
    size, rank = len(rows), math.ceil(alpha * len(rows))
    first, last = max(rank - reach, 0), min(rank + reach, size)
    if first > 0:
        first = int(np.searchsorted(rows, rows[first], "left"))
    if last < size:
        last = int(np.searchsorted(rows, rows[last], "right"))
    left = low if first == 0 else int(rows[first - 1]) + 1
    right = high if last == size else int(rows[last]) - 1
    starts, counts, below, above = _stretches(rows[first:last], left, right)
    outer = [(low, left - low, first - 1, size - first)] if first > 0 else []
    outer += [(right + 1, high - right, last, size - last - 1)] if last < size else []
    more = list(zip(*outer, strict=True)) or [(), (), (), ()]
    return _Pieces(
        np.concatenate([starts, np.array(more[0], np.int64)]),
        np.concatenate([counts, np.array(more[1], np.uint64)]),
        np.concatenate([below + first, np.array(more[2], np.int64)]),
        np.concatenate([above + (size - last), np.array(more[3], np.int64)]),
        len(starts),
    )


def _stretches(rows: Array, low: int, high: int) -> tuple[Array, Array, Array, Array]:
    """Cut low .. high into pieces of one score: (first step, number of steps, rows below, rows above).

    The pieces are the different values of the rows and the stretches between them, without the empty ones. Numbers of
    steps are computed modulo 2^64; they are below that, except for one piece that is all of the 64-bit integers.
    """
    changes = np.concatenate([np.ones(min(len(rows), 1), dtype=bool), rows[1:] != rows[:-1]])
    first = np.flatnonzero(changes)
    values = rows[first]
    upto = np.append(first[1:], len(rows))[: len(first)]
    edges = np.concatenate(
        [np.array([(low - 1) % _WRAP], np.uint64), values.astype(np.uint64), np.array([(high + 1) % _WRAP], np.uint64)]
    )
    counts = np.concatenate([edges[1:] - edges[:-1] - np.uint64(1), np.ones(len(values), np.uint64)])
    starts = np.concatenate([(edges[:-1] + np.uint64(1)).astype(np.int64), values])
    below, above = np.concatenate([[0], upto, first]), len(rows) - np.concatenate([[0], upto, upto])
    kept = counts > 0 if len(rows) else np.ones(1, dtype=bool)
    return starts[kept], counts[kept], below[kept], above[kept]
