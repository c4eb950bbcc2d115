"""A chi-square test of samples against a mass function, without scipy.

The p-value is exact up to the chi-square approximation, which is good because every bin expects 50 or more. Draws where
next to nothing is expected are judged apart, by the Poisson law. Power: at n draws a scale that is off by a fraction r
adds about n r^2 to the statistic, whose 1e-6 quantile with 200 bins is near 310.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from flint import arb, ctx
from numpy.typing import NDArray

Mass: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""The probabilities of an array of whole numbers; unimodal, with the mode at or next to zero."""

_BINS = 200
_EXPECTED = 50


def laplace_mass(scale: float) -> Mass:
    top = np.tanh(0.5 / scale)
    return lambda z: np.asarray(top * np.exp(-np.abs(z) / scale))


def gaussian_mass(scale: float) -> Mass:
    reach = np.arange(1, int(40 * scale) + 2 if scale < 10 else 2)
    total = 1 + 2 * np.exp(-((reach / scale) ** 2) / 2).sum() if scale < 10 else np.sqrt(2 * np.pi) * scale
    return lambda z: np.asarray(np.exp(-((z / scale) ** 2) / 2) / total)


def geometric_mass(scale: float) -> Mass:
    top = -np.expm1(-1 / scale)
    return lambda z: np.where(z >= 0, top * np.exp(-np.abs(z) / scale), 0.0)


@frozen(eq=False)
class Bins:
    """Bin i holds edges[i - 1] <= z < edges[i]; beyond ``fence`` on either side fewer than 50 draws are expected."""

    edges: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    fence: tuple[int, int]
    beyond: float


def p_value(samples: NDArray[Any], mass: Mass) -> float:
    """How likely a correct sampler is to look as wrong as these samples do."""
    return p_value_in(samples, make_bins(mass, samples.size))


def p_value_in(samples: NDArray[Any], bins: Bins) -> float:
    return p_value_of([samples], bins)


def p_value_of(batches: Iterable[NDArray[Any]], bins: Bins) -> float:
    """The same for samples that come in batches and need not fit the memory together."""
    n, outside, counts = 0, 0, np.zeros(bins.probabilities.size, np.int64)
    for samples in batches:
        n += samples.size
        outside += int(np.count_nonzero(samples < bins.fence[0]) + np.count_nonzero(samples > bins.fence[1]))
        counts += np.bincount(np.searchsorted(bins.edges, samples, side="right"), minlength=counts.size)
    unlikely = poisson_upper(outside, bins.beyond * n + 1e-3)
    if counts.size == 1:
        return unlikely
    expected = bins.probabilities * n
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return min(1.0, 2 * min(chi_square_upper(statistic, counts.size - 1), unlikely))


def power_in_sigmas(bins: Bins, other: Mass, n: int) -> float:
    """How many standard deviations the statistic of a wrong law lies above the 1e-6 rejection point."""
    p, df = bins.probabilities, bins.probabilities.size - 1
    if df < 1:
        return -np.inf
    q = _bin_masses(other, bins)
    excess = float(n * ((q - p) ** 2 / p).sum())
    spread = np.sqrt(2 * df + 4 * n * float((q * ((q - p) / p) ** 2).sum()))
    point = float(df)
    while chi_square_upper(point, df) > 5e-7:
        point += 0.5
    return float((df + excess - point) / spread)


def make_bins(mass: Mass, n: int) -> Bins:
    target = max(1 / _BINS, _EXPECTED / n)
    right = list(_side(mass, 0, 1, n, target))
    left = list(_side(mass, -1, -1, n, target))
    beyond, low, high = 0.0, -(2**62), 2**62
    # The last bin of a side may expect too little: its draws are judged apart and counted with its neighbour.
    if right and right[-1][1] * n < _EXPECTED and len(right) > 1:
        start, p = right.pop()
        right[-1] = (right[-1][0], right[-1][1] + p)
        beyond, high = beyond + p, start - 1
    if left and left[-1][1] * n < _EXPECTED:
        start, p = left.pop()
        beyond, low = beyond + p, start + 1
        if left:
            left[-1] = (left[-1][0], left[-1][1] + p)
        else:
            right[0] = (right[0][0], right[0][1] + p)
    edges = [start + 1 for start, _ in reversed(left)] + [start for start, _ in right[1:]]
    probabilities = np.array([p for _, p in reversed(left)] + [p for _, p in right])
    return Bins(np.array(edges, np.int64), probabilities / probabilities.sum(), (low, high), beyond)


def _side(mass: Mass, first: int, step: int, n: int, target: float) -> Iterator[tuple[int, float]]:
    """Walk outward and yield (innermost value, probability) of each bin."""
    start, held, z, width = first, 0.0, first, 1 << 10
    while True:
        grid = z + step * np.arange(width, dtype=np.int64)
        cumulated = held + np.cumsum(mass(grid))
        if cumulated[-1] - held < 1e-3 / n and z != first:
            yield start, float(cumulated[-1])
            return
        base = 0.0
        while (i := int(np.searchsorted(cumulated, base + target))) < width:
            yield start, float(cumulated[i] - base)
            base, start = float(cumulated[i]), int(grid[i]) + step
        held = float(cumulated[-1] - base)
        z, width = int(grid[-1]) + step, min(2 * width, 1 << 20)


def _bin_masses(mass: Mass, bins: Bins) -> NDArray[np.float64]:
    reach = 40 * (int(np.abs(bins.edges).max()) + 2)
    grid = np.arange(-reach, reach + 1)
    which = np.searchsorted(bins.edges, grid, side="right")
    return np.bincount(which, weights=mass(grid), minlength=bins.probabilities.size).astype(np.float64)


def chi_square_upper(statistic: float, df: int) -> float:
    before, ctx.prec = ctx.prec, 128
    try:
        return float((arb(statistic) / 2).gamma_upper(arb(df) / 2, 1).mid())
    finally:
        ctx.prec = before


def poisson_upper(count: int, mean: float) -> float:
    """P(Poisson(mean) >= count) to about ten digits, summed away from the mean so that no digits cancel."""
    if count == 0:
        return 1.0
    at = count if count > mean else count - 1
    term, total = math.exp(at * math.log(mean) - mean - math.lgamma(at + 1)), 0.0
    while term > total * 1e-17:
        total += term
        term *= mean / (at + 1) if count > mean else at / mean
        at += 1 if count > mean else -1
    return total if count > mean else 1 - total
