"""Quantiles: the interval holds the bin of the quantile about as often as stated, whatever the shape of the data."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.aggregates.quantile import QuantilesColumn, maximum, median, minimum, quantile, quantiles
from privet.tables.columns.column import Column

BINS, DRAWS, LEVEL = 256, 4000, Fraction(95, 100)
AT_LEAST, AT_MOST = 0.928, 0.98  # 94.6 % and 96.6 % fall beyond these with probability below 1e-6 in 4,000 draws
CASES: list[Aggregate] = [
    median("minutes", bins=4),
    quantile("cost", 0.9, bins=4),
    quantiles("minutes", [0.25, 0.75], bins=4),
    minimum("minutes", bins=4),
    maximum("minutes", bins=4),
    median("free", bounds=(-5, 9)),
]
RANK = 2400.0  # about the deviation of a rank, where that of a count is a thousand
AT = np.arange(BINS)
SHAPES = {
    "even": np.ones(BINS),
    "skewed": np.exp(-AT / 60),
    "heaped": 1.0 * (AT % 4 == 1),
}


def bound(alpha: float) -> QuantilesColumn:
    return quantile("x", alpha, bounds=(0, BINS - 1)).bind({"x": Column(kind="integer")})


def counted(shape: Any, deviations: float) -> Any:
    """So many deviations of a rank as rows, of this shape."""
    return np.rint(shape / shape.sum() * deviations * RANK)


def share(counts: Any, alpha: float, kind: NoiseKind = "gaussian", seed: int = 3, told: float = 1.0) -> float:
    """How often the interval holds the bin of the quantile, if the noise is told to be so many times its size."""
    random, asked = np.random.default_rng(seed), bound(alpha)
    nodes = np.array([sum(int(counts[item]) for item, _ in row) for row in asked.measured().matrix])
    scale = 1000.0 if kind == "gaussian" else 1000 / 2**0.5
    draw = random.normal if kind == "gaussian" else random.laplace
    numbers = nodes + np.rint(draw(0, scale, (DRAWS, len(nodes)))).astype(np.int64)
    noise = Noise(kind=kind, scale=Fraction(round(scale * told)), grid=Fraction(1))
    low, high = asked.interval(numbers, noise, LEVEL)
    true = int((np.cumsum(counts) < alpha * counts.sum()).sum())
    return float(((low <= true) & (true <= high)).mean())


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("shape", SHAPES)
def test_where_noise_is_fine_intervals_hold_the_quantile_about_as_often_as_stated(shape: str, kind: NoiseKind) -> None:
    assert AT_LEAST <= share(counted(SHAPES[shape], 24), 0.5, kind) <= AT_MOST


@pytest.mark.parametrize("alpha", [0.02, 0.9])
@pytest.mark.parametrize("deviations", [0.3, 8])
def test_where_noise_is_coarse_they_hold_it_more_often(alpha: float, deviations: float) -> None:
    assert share(counted(SHAPES["skewed"], deviations), alpha) >= 0.95


def test_a_quantile_at_a_gap_is_held() -> None:
    gap = np.where((AT < 100) | (AT >= 156), 1.0, 0.001)
    assert share(counted(gap, 32), 0.5) >= AT_LEAST


def test_intervals_for_half_the_noise_are_caught() -> None:
    assert share(counted(SHAPES["even"], 24), 0.5, told=0.5) < AT_LEAST - 0.1


def test_a_bin_with_many_rows_is_the_whole_interval() -> None:
    counts = np.zeros(BINS)
    counts[40] = 1e6
    nodes = [sum(int(counts[item]) for item, _ in row) for row in bound(0.5).measured().matrix]
    low, high = bound(0.5).interval(np.array([nodes]), Noise(kind="laplace", scale=10, grid=1), LEVEL)
    assert (low.tolist(), high.tolist()) == ([[40.0]], [[40.0]])


def test_the_value_lies_in_its_interval() -> None:
    asked = quantiles("x", [0.1, 0.5], bounds=(0, BINS - 1)).bind({"x": Column(kind="integer")})
    random = np.random.default_rng(5)
    noise = Noise(kind="laplace", scale=100, grid=1)
    for rows in (0, 30_000):
        numbers = random.laplace(rows / BINS, 100, (500, asked.measured().length)).astype(np.int64)
        value = asked.estimate(numbers, noise).value
        low, high = asked.interval(numbers, noise, Fraction(1, 2))
        assert ((low <= value) & (value <= high)).all()


def test_a_higher_level_gives_a_wider_interval() -> None:
    numbers = np.random.default_rng(6).laplace(50, 100, (50, bound(0.5).measured().length)).astype(np.int64)
    noise = Noise(kind="laplace", scale=100, grid=1)
    widths = [np.subtract(*bound(0.5).interval(numbers, noise, Fraction(level))[::-1]) for level in ("0.5", "0.9")]
    assert (widths[0] <= widths[1]).mean() > 0.95
