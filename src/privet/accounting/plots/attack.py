"""The attack of ``privet demo`` at any epsilon: how far guesses of one exam score scatter.

Two private means of a class are released, one with a student and one without, each for the same epsilon. Ten times the
first minus nine times the second is a guess of that student's score. Its error is the sum of two Laplace noises of
scale ``100 / epsilon``, whatever the scores are, so the shares are exact up to floats. No privacy depends on them.
"""

import math
from itertools import pairwise

SCORE = 67  # of the student who left, as in the demo
_WIDEST = 100  # scores lie between zero and this
_EDGES = tuple(range(-400, 601, _WIDEST))
_LONGEST = 28


def guess_shares(epsilon: float) -> list[tuple[str, float]]:
    """Give the share of the guesses between multiples of one hundred.

    >>> [label for label, share in guess_shares(1.0) if share > 0.2]
    ['0 to 100']
    """
    ends = [-math.inf, *map(float, _EDGES), math.inf]
    below = [_share_below((end - SCORE) * epsilon / _WIDEST) for end in ends]
    labels = [f"below {_EDGES[0]}", *(f"{low} to {high}" for low, high in pairwise(_EDGES)), f"above {_EDGES[-1]}"]
    return [(label, high - low) for label, (low, high) in zip(labels, pairwise(below), strict=True)]


def guess_lines(epsilon: float) -> list[str]:
    """Draw these shares in characters, one line each."""
    shares = guess_shares(epsilon)
    longest = max(share for _, share in shares)
    return [_line(label, share, longest).rstrip() for label, share in shares]


def _line(label: str, share: float, longest: float) -> str:
    mark = "<- every possible score" if label == f"0 to {_WIDEST}" else ""
    return f"{label:>12}  {'#' * round(_LONGEST * share / longest):<{_LONGEST}}  {share:>6.1%}  {mark}"


def _share_below(distance: float) -> float:
    """Give how often the sum of two unit Laplace noises lies below a number."""
    if distance > 0:
        return 1 - _share_below(-distance)
    return 0.0 if distance == -math.inf else math.exp(distance) * (2 - distance) / 4
