"""How fast units are, against numpy and OpenDP, and how large their errors are at equal epsilon, in one run."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

import privet.calculus as pc
from bench.peers import OPENDP
from bench.report import show, write
from bench.timing import cpu
from bench.units_data import ALPHAS, BOUNDS, CATEGORIES, RUNS, candidates, categories, large, small, truths

TIMES = 9


def total() -> Any:
    """A clamped sum at epsilon 1."""
    made = pc.vector(float) >> pc.Clamp(bounds=BOUNDS) >> pc.Sum()
    return made >> pc.Laplace(scale=made.map(1))


def sized(statistic: Any) -> Any:
    """A statistic of a column of public size at epsilon 1."""
    made = pc.vector(float, size=len(small())) >> pc.Clamp(bounds=BOUNDS) >> statistic
    return made >> pc.Laplace(scale=made.map(2))


def quantile(alpha: float) -> Any:
    """One quantile out of a thousand candidates at epsilon 1."""
    by = pc.PermuteAndFlip(scale=2 * max(alpha, 1 - alpha))
    return pc.vector(float) >> pc.Quantile(candidates=candidates(), alpha=alpha, by=by)


def many_quantiles() -> Any:
    """Nine quantiles at once at epsilon 1."""
    column = pc.vector(float) >> pc.Clamp(bounds=BOUNDS)
    cost = (column >> pc.MultipleQuantiles(alphas=ALPHAS, temperature=1)).map(1).epsilon()
    return column >> pc.MultipleQuantiles(alphas=ALPHAS, temperature=cost)


def errors() -> dict[str, float]:
    """Mean squared errors over many releases at epsilon 1."""
    data, keys, truth = small(), categories(), truths()
    counted = pc.vector(int) >> pc.CountBy(categories=CATEGORIES)
    private_size = pc.vector(float) >> pc.Clamp(bounds=BOUNDS) >> pc.NoisyMean(noise=pc.Laplace(scale=BOUNDS[1]))
    releases: dict[str, Callable[[], Any]] = {
        "count": _bind(pc.vector(float) >> pc.Count() >> pc.Laplace(scale=1), data),
        "sum": _bind(total(), data),
        "mean": _bind(sized(pc.Mean()), data),
        "mean, private size": lambda: private_size(data).mean,
        "variance": _bind(sized(pc.Variance()), data),
        "median": _bind(quantile(0.5), data),
        "histogram": _bind(counted >> pc.Laplace(scale=1), keys),
    }
    return {name: _mean_square(release, truth[name]) for name, release in releases.items()}


def _bind(release: Callable[[Any], Any], data: Any) -> Callable[[], Any]:
    return lambda: release(data)


def _mean_square(release: Callable[[], Any], truth: Any) -> float:
    return float(np.mean([np.mean((np.asarray(release()) - truth) ** 2) for _ in range(RUNS)]))


def run() -> None:
    """Measure, print and write the tables."""
    data, peer = large(), OPENDP.run("bench.opendp_units")
    chain, median, many = total(), quantile(0.5), many_quantiles()
    seconds = {
        "clamp and sum": cpu(lambda: chain(data), times=TIMES)[0],
        "one quantile": cpu(lambda: median(data), times=TIMES)[0],
        "nine quantiles": cpu(lambda: many(data), times=TIMES)[0],
    }
    plain = {
        "clamp and sum": cpu(lambda: np.clip(data, *BOUNDS).sum(), times=TIMES)[0],
        "one quantile": cpu(lambda: np.quantile(data, 0.5), times=TIMES)[0],
        "nine quantiles": cpu(lambda: np.quantile(data, ALPHAS), times=TIMES)[0],
    }
    heading = ("work on a million reals", "Privet, ms", "OpenDP, ms", "numpy, ms", "OpenDP / Privet", "Privet / numpy")
    rows = [
        (
            name,
            f"{ours * 1e3:.2f}",
            f"{peer['seconds'][name] * 1e3:.2f}",
            f"{plain[name] * 1e3:.2f}",
            f"{peer['seconds'][name] / ours:.1f}x",
            f"{ours / plain[name]:.1f}x",
        )
        for name, ours in seconds.items()
    ]
    note = (
        f"CPU milliseconds, the best of {TIMES} runs (5 or 2 for OpenDP); {os.cpu_count()} cores. numpy's answers are "
        "not private. OpenDP makes nine quantiles one by one. Written by `python -m bench units`."
    )
    show("units", heading, rows, note)
    write("units", heading, rows, note)
    _errors(peer["errors"])


def _errors(peer: dict[str, float]) -> None:
    ours = errors()
    heading = ("statistic", "Privet", "OpenDP", "Privet / OpenDP")
    rows = [(name, f"{error:.4g}", f"{peer[name]:.4g}", f"{error / peer[name]:.2f}") for name, error in ours.items()]
    note = (
        f"Mean squared errors at epsilon = 1 over {RUNS:,} releases of the same thousand rows; each ratio is uncertain "
        "by about 3 %. Written by `python -m bench units`."
    )
    show("errors", heading, rows, note)
    write("errors", heading, rows, note)
