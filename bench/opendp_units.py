"""Time OpenDP's units and measure their errors at epsilon = 1; runs in OpenDP's own environment, prints JSON."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp

from bench.timing import cpu
from bench.units_data import ALPHAS, BOUNDS, CATEGORIES, RUNS, candidates, categories, large, small, truths

TIMES = 5


def column(size: int | None = None) -> Any:
    return dp.vector_domain(dp.atom_domain(T=float, nan=False), size=size), dp.symmetric_distance()


def total(epsilon: float = 1.0) -> Any:
    made = column() >> dp.t.then_clamp(BOUNDS) >> dp.t.then_sum()
    return made >> dp.m.then_laplace(float(made.map(1)) / epsilon)


def count(epsilon: float = 1.0) -> Any:
    return column() >> dp.t.then_count() >> dp.m.then_laplace(1 / epsilon)


def sized(statistic: Any) -> Any:
    made = column(size=len(small())) >> dp.t.then_clamp(BOUNDS) >> statistic()
    return made >> dp.m.then_laplace(float(made.map(2)))


def quantile(alpha: float) -> Callable[[Any], float]:
    values = candidates()
    scores = column() >> dp.t.then_quantile_score_candidates(values, alpha)
    chosen = dp.binary_search_chain(
        lambda scale: scores >> dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True), 1, 1.0
    )
    return lambda data: values[chosen(data)]


def histogram() -> Any:
    domain = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    made = domain >> dp.t.then_count_by_categories(CATEGORIES, null_category=False)
    return made >> dp.m.then_laplace(float(made.map(1)))


def errors() -> dict[str, float]:
    data, keys, truth = small(), categories().tolist(), truths()
    both = total(0.5), count(0.5)
    releases: dict[str, Callable[[], Any]] = {
        "count": bind(count(), data),
        "sum": bind(total(), data),
        "mean": bind(sized(dp.t.then_mean), data),
        "mean, private size": lambda: both[0](data) / max(both[1](data), 1),
        "variance": bind(sized(dp.t.then_variance), data),
        "median": bind(quantile(0.5), data),
        "histogram": bind(histogram(), keys),
    }
    return {name: mean_square(release, truth[name]) for name, release in releases.items()}


def bind(release: Callable[[Any], Any], data: Any) -> Callable[[], Any]:
    return lambda: release(data)


def mean_square(release: Callable[[], Any], truth: Any) -> float:
    return float(np.mean([np.mean((np.asarray(release()) - truth) ** 2) for _ in range(RUNS)]))


def main() -> None:
    dp.enable_features("contrib", "idealized-numerics")
    data = large()
    chain, median, many = total(), quantile(0.5), [quantile(alpha) for alpha in ALPHAS]
    seconds = {
        "clamp and sum": cpu(lambda: chain(data), times=TIMES)[0],
        "one quantile": cpu(lambda: median(data), times=TIMES)[0],
        "nine quantiles": cpu(lambda: [one(data) for one in many], times=2)[0],
    }
    print(json.dumps({"seconds": seconds, "errors": errors()}))


if __name__ == "__main__":
    main()
