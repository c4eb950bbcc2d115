"""The data of the benchmark of units; imported by Privet and by its peers, so it needs numpy only."""

from typing import Any

import numpy as np

BOUNDS = (0.0, 100.0)
ALPHAS = tuple(tenth / 10 for tenth in range(1, 10))
RUNS = 10_000
CATEGORIES = list(range(20))


def large() -> Any:
    """A million reals, some beyond the bounds."""
    return np.random.default_rng(1).normal(50, 20, 1_000_000)


def candidates() -> list[float]:
    """A thousand candidates for a quantile."""
    return [float(value) for value in np.linspace(*BOUNDS, 1_000)]


def small() -> Any:
    """A thousand reals within the bounds, skewed, for errors."""
    return np.clip(np.random.default_rng(2).gamma(4, 8, 1_000), *BOUNDS)


def categories() -> Any:
    """A thousand category numbers, uneven."""
    return np.minimum(np.random.default_rng(3).geometric(0.2, 1_000) - 1, len(CATEGORIES) - 1)


def truths() -> dict[str, Any]:
    """The exact answers."""
    values = small()
    return {
        "count": len(values),
        "sum": values.sum(),
        "mean": values.mean(),
        "mean, private size": values.mean(),
        "variance": values.var(ddof=1),
        "median": float(np.median(values)),
        "histogram": np.bincount(categories(), minlength=len(CATEGORIES)),
    }
