"""How often 95 % intervals hold the exact value: each table is read once, noise is drawn often.

The draws go round the groups that have a value. What is to be held is the value of the clamped rows that caps leave.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import evolve
from tests.tables.opened import exact_totals

from bench.report import show, write
from bench.tables_coverage_data import SAMPLES, Sample
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import ColumnsCorrelation, correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.quantile import QuantilesColumn, quantile
from privet.tables.aggregates.ranks import branching, rank_weights
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.columns.unit import Persons
from privet.tables.noise.plan import NoisePlan, add_noise
from privet.tables.statistics.statistic import Statistic

DRAWS = 20_000
LEVEL, AT_LEAST, AT_MOST = Fraction(95, 100), 0.941, 0.965
ALPHAS = (0.1, 0.5, 0.9)
_MANY = 50  # deviations of the noise, in rows: groups with more are large
_FEW_ROWS, _MANY_ROWS = 0.2, 4.0  # deviations of a rank: most rows of a bin, fewest on either side of a quantile
_LITTLE = 0.1  # the error of a correlation that tells something
Exact = dict[Statistic, Any]


def asked(sample: Sample) -> dict[str, Aggregate]:
    """Give what is asked of each group, by name."""
    x, y = sample.first, sample.second
    found: dict[str, Aggregate] = {"count": count()}
    if isinstance(sample.unit, Persons):
        found["count_ids"] = count_ids()
    return found | {
        "sum": total(x),
        "mean": mean(x),
        "variance": variance(x),
        "std": std(x),
        **{f"quantile {alpha}": quantile(x, alpha, bins=sample.bins) for alpha in ALPHAS},
        "covariance": covariance(x, y),
        "correlation": correlation(x, y),
    }


def coverage(sample: Sample, draws: int = DRAWS) -> Iterator[tuple[str, str, float, bool]]:
    """Give the aggregate, the kind of noise, the share of intervals that hold the value, and whether noise is fine."""
    session = sample.session()
    query = session.query()
    for name, aggregate in asked(sample).items():
        question = (query.group_by(*sample.keys) if sample.keys else query).agg(it=aggregate)
        more = sample.more if name == "correlation" else 1
        plans = [question.plan(epsilon=more * sample.epsilon), question.plan(rho=more**2 * sample.rho)]
        exact: Exact = exact_totals(question, plans[0])
        for plan in plans:
            yield name, plan.planned[0].noise.kind, *_share(plan, exact, draws)


def _share(plan: NoisePlan, exact: Exact, draws: int) -> tuple[float, bool]:
    aggregate, part = plan.aggregates[0][1], plan.planned[0]
    numbers = part.measured.exact(exact, plan.groups).reshape(plan.groups, -1)
    values = _values(aggregate, numbers, part.noise)
    groups = [group for group, value in enumerate(values) if value is not None]
    turns = np.array(groups)[np.arange(draws) % len(groups)]
    repeated = {item: _shaped(item, found, plan.groups)[turns] for item, found in exact.items()}
    noisy = add_noise(evolve(plan, groups=draws), repeated)[0]
    low, high = aggregate.interval(noisy, part.noise, LEVEL)
    value = np.array([values[turn] for turn in turns], dtype=np.float64)
    slack = 1e-9 * np.maximum(np.abs(value), 1.0)  # values are computed in floats
    held = (low[:, 0] <= value + slack) & (value - slack <= high[:, 0])
    return float(held.mean()), all(_fine(aggregate, numbers[group], part.noise) for group in groups)


def _shaped(item: Statistic, found: Any, groups: int) -> Any:
    numbers = np.asarray(found).reshape(groups, -1)
    return numbers.astype(np.int64) if item.kind == "bins" else numbers  # sums may need more than 64 bits


def _values(aggregate: Aggregate, numbers: Any, noise: Noise) -> list[float | None]:
    """Give the exact value for each group, from exact numbers; None where there is none."""
    rows = _rows(aggregate, numbers, noise)
    if isinstance(aggregate, QuantilesColumn):
        return [_quantile(aggregate, row) if row.any() else None for row in numbers]
    found = aggregate.estimate(numbers, noise).value[:, 0].tolist()
    if rows is None:
        return list(found)
    return [value if size >= 2 else None for value, size in zip(found, rows, strict=True)]


def _rows(aggregate: Aggregate, numbers: Any, noise: Noise) -> Any:
    """Give how many rows the numbers of a group add up to, where they do."""
    if numbers.shape[1] == 1 or isinstance(aggregate, QuantilesColumn):
        return None
    return numbers.astype(np.float64).sum(axis=1) * float(noise.grid / aggregate.measured().row.l1)


def _quantile(aggregate: QuantilesColumn, row: Any) -> float:
    """Give the first value of the bin that holds the quantile: intervals hold all of a bin or nothing of it."""
    edges = aggregate.measured().statistics[0].edges
    below = np.cumsum(row[: len(edges) - 1].astype(np.int64))
    at = next(at for at, rows in enumerate(below.tolist()) if rows >= aggregate.alphas[0] * int(below[-1]))
    assert aggregate.on_grid is not None
    return float(edges[at] * aggregate.on_grid.grid)


def _fine(aggregate: Aggregate, row: Any, noise: Noise) -> bool:
    """Tell whether noise is small next to the group, and its step next to the noise: then 96.5 % is a limit too."""
    if isinstance(aggregate, QuantilesColumn):
        return _fine_rank(aggregate, row, noise)
    if len(row) == 1:
        return noise.deviation >= 10 * float(noise.grid)
    if isinstance(aggregate, ColumnsCorrelation):
        return bool(aggregate.estimate(row[None, :], noise).error[0, 0] <= _LITTLE)
    unit = aggregate.measured().row.l1
    size = float(row.astype(np.float64).sum()) * float(noise.grid / unit)
    return size >= _MANY * noise.deviation / float(unit)


def _fine_rank(aggregate: QuantilesColumn, row: Any, noise: Noise) -> bool:
    bins = len(aggregate.measured().statistics[0].edges) - 1
    counts, alpha = row[:bins].astype(np.float64), float(aggregate.alphas[0])
    ranks = np.cumsum(counts) - alpha * counts.sum()
    at = int((ranks < 0).sum())
    weights = rank_weights(bins, branching(bins), aggregate.alphas[0])
    deviation = noise.deviation * float(np.linalg.norm(weights[min(at, bins - 2)]))
    return bool(counts[at] <= _FEW_ROWS * deviation and min(-ranks[0], ranks[-2]) >= _MANY_ROWS * deviation)


def verdict(share: float, *, fine: bool) -> str:
    """Say whether the limits hold; the upper one only where noise is fine."""
    if share < AT_LEAST:
        return "missed"
    if not fine:
        return "met, coarse"
    return "met" if share <= AT_MOST else "missed"


def rows_of(sample: Sample, draws: int = DRAWS) -> Iterator[tuple[str, ...]]:
    """Make the lines of the table."""
    found: Mapping[str, dict[str, tuple[float, bool]]] = {}
    for name, kind, share, fine in coverage(sample, draws):
        found = {**found, name: {**found.get(name, {}), kind: (share, fine)}}
    for name, kinds in found.items():
        cells = [f"{share:.2%}, {verdict(share, fine=fine)}" for share, fine in (kinds["laplace"], kinds["gaussian"])]
        yield sample.name, name, *cells


def run() -> None:
    """Measure, print and write the table."""
    rows = [line for make in SAMPLES for line in rows_of(make())]
    heading = ("table", "aggregate", "Laplace noise", "Gaussian noise")
    note = (
        "Shares of 95 % intervals that hold the value of the clamped and capped rows, of "
        f"{DRAWS:,} draws of noise; their standard error is 0.15 points. At least 94.1 % is wanted, and at most 96.5 % "
        "where noise is fine. It is coarse where some group has fewer rows than fifty deviations of the noise, where "
        "a count or sum has a step above a tenth of one, where the bin of a quantile holds more than 0.2 deviations of "
        "its rank or fewer than four lie below or above it, or where a correlation has an error above 0.1. Written by "
        "`python -m bench tables_coverage`."
    )
    show("coverage", heading, rows, note)
    write("coverage", heading, rows, note)
