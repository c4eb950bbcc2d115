"""Whether the time of a single draw tells its value: rank correlations, for one value at a time and within a batch.

Run on a quiet machine: ``python -m bench noise_timing``.
"""

import time
from typing import Any

import numpy as np

from privet.noise import discrete_gaussian, discrete_laplace

DRAWS, BATCHES = 20_000, 2_000
SAMPLERS = {"laplace": discrete_laplace, "gaussian": discrete_gaussian}


def ranks(values: Any) -> Any:
    """Give ranks, the same for equal values."""
    _, at, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[at]


def spearman(first: Any, second: Any) -> float:
    """Correlate the ranks of two lists."""
    return float(np.corrcoef(ranks(np.asarray(first)), ranks(np.asarray(second)))[0, 1])


def timed(sampler: Any, scale: int, size: int | None, times: int) -> tuple[list[float], list[int]]:
    """Draw often; give the magnitude that was drawn (of a batch, the mean) and the nanoseconds that it took."""
    sampler(scale, size)
    found, taken = [], []
    for _ in range(times):
        start = time.perf_counter_ns()
        draw = sampler(scale, size)
        taken.append(time.perf_counter_ns() - start)
        found.append(float(np.abs(draw).mean()))
    return found, taken


def run() -> None:
    """Print the table of docs/noise/index.md."""
    lines = [["law", "scale", "one value", "microseconds", "batch of 1,000"]]
    for name, sampler in SAMPLERS.items():
        for scale in (1, 3, 10, 30, 100, 1000):
            one, batch = timed(sampler, scale, None, DRAWS), timed(sampler, scale, 1000, BATCHES)
            micro = f"{np.median(one[1]) / 1000:.1f}"
            lines.append([name, str(scale), f"{spearman(*one):+.2f}", micro, f"{spearman(*batch):+.2f}"])
    print("\n".join("  ".join(cell.ljust(15) for cell in line).rstrip() for line in lines))
