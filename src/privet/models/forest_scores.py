"""The scores of a forest: what leaves say beyond the base, and one factor for all of them."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from privet.core import Array
from privet.models.leaf_shares import shrunk, toward
from privet.models.leaf_sums import deviation
from privet.models.private_rows import PrivateRows
from privet.transforms.scale_gradients import ScaleGradients
from privet.transforms.vector_sum import VectorSum

Loss = Literal["squared", "logistic", "multinomial"]
# The factors that are tried, and the best one on most made-up data, toward which a noisy one is drawn.
_FACTORS = {"squared": ((0, 1, 2, 4, 8), 1.0), "logistic": ((2, 4, 8, 16), 4.0), "multinomial": ((2, 4, 8, 16), 4.0)}
_PULL = 1.5  # how many deviations of noise draw a factor that is e times too large


def leaf_scores(sums: Array, base: Array, noise: float, loss: Loss) -> Array:
    """Return what each leaf says beyond the base; better trees count more, and all weights add up to one.

    Args:
        sums: The noisy sums, with the axes tree, leaf and class.
        base: The shares of the classes in all rows.
        noise: The standard deviation of one sum.
        loss: What the factor of the scores minimises.
    """
    classes = sums.shape[2]
    shares = shrunk(sums, base, 1 + noise * math.sqrt(classes) / 2)
    if loss == "squared":
        parents = np.tile(base, (sums.shape[1], 1))
        shares = np.stack([toward(parents, tree, noise**2) for tree in sums])
        scores = 2 * (shares - base)[:, :, 1:]
    else:
        logs = np.log(shares / base)
        scores = logs[:, :, 1:] - logs[:, :, :1] if loss == "logistic" else logs - logs.mean(axis=2, keepdims=True)
    rows = np.maximum(sums.sum(axis=2, keepdims=True), 0.0)
    squares = (sums - rows * base) ** 2 - noise**2 * ((1 - base) ** 2 + base**2 * (classes - 1))
    gains = np.maximum((squares / np.maximum(rows, 2 * noise * math.sqrt(classes))).sum(axis=(1, 2)), 0.0)
    weights = gains**0.25 if gains.any() else np.ones(len(gains))
    return np.asarray(scores * (weights / weights.sum())[:, None, None])


def start_scores(base: Array, loss: Loss) -> Array:
    """Return the scores that predict the mean, or the shares of the classes, for every row."""
    if loss == "squared":
        return 2 * base[1:] - 1
    logs = np.log(base)
    return np.asarray(logs[1:] - logs[:1] if loss == "logistic" else logs)


def length_of(sums: Array, values: Array) -> float:
    """Return about how long the scores of a row are: at most the sum of the mean lengths by tree.

    Args:
        sums: The noisy sums, with the axes tree, leaf and class.
        values: What each leaf adds to the scores.
    """
    rows = np.maximum(sums.sum(axis=2), 0.0)
    squares = (rows * (values**2).sum(axis=2)).sum(axis=1) / np.maximum(rows.sum(axis=1), 1.0)
    return float(np.sqrt(squares).sum())


def release_factor(rows: PrivateRows, start: Array, loss: Loss, length: float, share: Fraction) -> float:
    """Release how the loss changes with a common factor of all scores, and return the best one.

    Args:
        rows: Rows with the target and the scores in the last columns.
        start: The scores before the first tree.
        loss: What the factor minimises.
        length: About how long the scores of a row are.
        share: The part of the budget that the release costs.
    """
    factors, usual = _FACTORS[loss]
    spread = math.sqrt(1 - min(float(start[0]) ** 2, 0.99)) / 2 if loss == "squared" else 1.0
    clip = Fraction(max(length * spread, 2.0**-10)).limit_denominator(2**20)
    unit = ScaleGradients(factors=factors, offsets=[Fraction(float(item)) for item in start], loss=loss, clip=clip)
    release = np.asarray(rows.release("factor of scores", unit, VectorSum(), share=share), dtype=np.float64)
    pull = _PULL * deviation(rows) * np.log((1 + np.array(factors)) / (1 + usual))
    return crossing(factors, release - pull)


def crossing(factors: Sequence[float], sums: Any) -> float:
    """Return the factor at which falling sums cross zero, by straight lines in the logarithm of one plus the factor.

    Noisy sums that rise are pooled first: of all sums that never rise the nearest ones are used.

    Args:
        factors: Increasing factors, zero or more.
        sums: A noisy sum over all rows at each factor.

    >>> round(crossing([0, 1, 3], [3.0, 1.0, -1.0]), 3)
    1.828
    """
    falling = _pooled([float(item) for item in sums])
    logs = np.log1p(np.asarray(factors, dtype=np.float64))
    if falling[0] <= 0 or falling[-1] >= 0:
        return float(factors[0] if falling[0] <= 0 else factors[-1])
    last = max(at for at, item in enumerate(falling) if item > 0)
    part = falling[last] / (falling[last] - falling[last + 1])
    return float(np.expm1(logs[last] + part * (logs[last + 1] - logs[last])))


def _pooled(sums: list[float]) -> list[float]:
    """Return the nearest numbers that never rise."""
    blocks: list[tuple[float, int]] = []
    for item in sums:
        total, count = item, 1
        while blocks and blocks[-1][0] / blocks[-1][1] < total / count:
            before, many = blocks.pop()
            total, count = total + before, count + many
        blocks.append((total, count))
    return [total / count for total, count in blocks for _ in range(count)]
