"""A chi-square test for rounded draws with polynomial tails, whose bins are cut from a distribution function."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from privet.core.exact import precision
from tests.noise.chi_square import chi_square_upper
from tests.noise.doubles import RecordingEntropy

DRAWS = 2500
_EXPECTED = 60


def check_heavy(within: Callable[[Fraction], arb], draw: Callable[[int, Any], Any], scale: Fraction) -> None:
    """Compare draws with the law; a right sampler fails once in a million seeds."""
    assert heavy_p_value(draw(DRAWS, RecordingEntropy(21)), within, scale) > 1e-6


def heavy_p_value(draws: Any, within: Callable[[Fraction], arb], scale: Fraction) -> float:
    """Compare the counts of whole numbers, joined until a bin expects sixty draws, and of both tails."""

    def below(k: int) -> float:
        """P(|X| <= k)."""
        with precision(128):
            return float(within(Fraction(2 * k + 1, 2) / scale).mid())

    edges: list[int] = []
    k, before = 0, 0.0
    while (1 - before) / 2 * len(draws) >= 2 * _EXPECTED and len(edges) < 60:
        step = 1
        while (below(k) - before) / 2 * len(draws) < _EXPECTED:
            k, step = k + step, 2 * step if edges and step < edges[-1] else step
        edges.append(k)
        before = below(k)
        k += 1
    ranges = [-edge for edge in reversed(edges)] + [edge + 1 for edge in edges]  # bin i is ranges[i-1] <= x < ranges[i]
    masses = np.diff([0.0, *(below_signed(below, edge) for edge in ranges), 1.0])
    counts = np.bincount(
        np.searchsorted(ranges, np.array([float(x) for x in draws]), side="right"), minlength=len(masses)
    )
    expected = masses * len(draws)
    return chi_square_upper(float(((counts - expected) ** 2 / expected).sum()), len(masses) - 1)


def below_signed(below: Callable[[int], float], edge: int) -> float:
    """P(X < edge) from the law of the magnitude."""
    if edge > 0:
        return (1 + below(edge - 1)) / 2
    return (1 - below(-edge)) / 2
