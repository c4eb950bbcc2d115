"""A classroom of ten scores: what two exact means reveal, and two private means do not. Nothing is printed here."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

import privet.calculus as pc

SCORES = (85, 84, 85, 89, 92, 95, 100, 83, 70, 67)
BOUNDS = (0, 100)
EPSILON = Fraction(1)
REPLACED = 2  # one score replaced is one row removed and one added
TOLERANCE = 5

Guesses = NDArray[np.float64]


@final
@frozen(kw_only=True)
class PrivateMean:
    """One released mean and its parameters.

    Args:
        size: The public number of students.
        sensitivity: The largest change of the mean by one score.
        scale: The scale of the noise.
        chain: The chain that made the release.
        release: The released number.
        interval: An interval that contains the exact mean in 95 of 100 releases.
    """

    size: int
    sensitivity: Fraction
    scale: Fraction
    chain: Any
    release: float
    interval: tuple[float, float]


def mean_chain(size: int) -> tuple[Any, Fraction, Fraction]:
    """Build the private mean of a class of public size, with noise calibrated to epsilon.

    Returns:
        The chain, the sensitivity of the mean and the scale of the noise.
    """
    mean: Any = pc.vector(int, size=size) >> pc.Clamp(bounds=BOUNDS) >> pc.Mean()
    sensitivity: Fraction = mean.map(REPLACED)
    scale = sensitivity / EPSILON
    return mean >> pc.Laplace(scale=scale), sensitivity, scale


def release_mean(scores: Sequence[int], cap: pc.PrivacyFilter) -> PrivateMean:
    """Charge for a mean, then release it."""
    chain, sensitivity, scale = mean_chain(len(scores))
    cap.charge(chain.map(REPLACED))  # before the scores are read: a refusal must not depend on them
    release = chain(list(scores))
    return PrivateMean(
        size=len(scores),
        sensitivity=sensitivity,
        scale=scale,
        chain=chain,
        release=release,
        interval=chain.interval(release),
    )


def exact_mean(scores: Sequence[int]) -> float:
    """Average without any protection."""
    return sum(scores) / len(scores)


def recover_score(first: float, second: float, size: int) -> float:
    """Recover the score of the student who left from the means before and after: the difference of two totals."""
    return size * first - (size - 1) * second


def attack(before: PrivateMean, after: PrivateMean, repetitions: int) -> Guesses:
    """Repeat both releases as a simulation and recover the score from each pair."""
    scores, others = list(SCORES), list(SCORES[:-1])
    return np.array(
        [recover_score(before.chain(scores), after.chain(others), before.size) for _ in range(repetitions)],
        dtype=np.float64,
    )


def hits(guesses: Guesses) -> float:
    """Return the share of guesses close to the true score."""
    return float(np.mean(np.abs(guesses - SCORES[-1]) <= TOLERANCE))


def blind_hits() -> Fraction:
    """Return the probability that a uniformly random score is close to the true score."""
    possible = range(BOUNDS[0], BOUNDS[1] + 1)
    return Fraction(sum(abs(guess - SCORES[-1]) <= TOLERANCE for guess in possible), len(possible))


def best_hits() -> float:
    """Return the bound for every attack, on average over all possible scores: e^epsilon times the best blind guess."""
    widest = Fraction(2 * TOLERANCE + 1, BOUNDS[1] - BOUNDS[0] + 1)
    return min(math.exp(EPSILON) * float(widest), 1.0)
