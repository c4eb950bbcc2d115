"""The statistics of a table, straight from their definitions, and draws of noise for fixed ones."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import privet as pv
from privet.core.metric import Parts
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise
from privet.tables.noise.plan import NoisePlan, add_noise
from privet.tables.noise.planner import plan_noise
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.numbers_spec import NumbersSpec
from privet.tables.statistics.statistic import GridColumn, Statistic

Row = Mapping[str, Any]  # keys: person, group, and the columns
ONE_ROW = Contribution(l0=1, l1=1, linf=1)
DRAWS = 5_000


def step(row: Row, steps: GridColumn) -> int | None:
    """Write a value as a step."""
    value = row[steps.column]
    if value is None:
        return None
    exactly = Fraction(int(value) if isinstance(value, bool) else value)
    return min(max(round(exactly / steps.grid), steps.low), steps.high) - steps.origin


def statistic(rows: Sequence[Row], wanted: Statistic) -> list[int]:
    """Count or add up."""
    needed = (*wanted.of, *wanted.given)
    complete = [row for row in rows if all(step(row, steps) is not None for steps in needed)]
    if wanted.kind == "rows":
        return [len(rows)]
    if wanted.kind == "persons":
        return [len({row["person"] for row in rows})]
    if wanted.kind == "present":
        return [sum(row[str(wanted.column)] is not None for row in rows)] if wanted.column else [len(complete)]
    if wanted.kind == "distinct":
        return [len({row[str(wanted.column)] for row in rows if row[str(wanted.column)] is not None})]
    if wanted.kind == "categories":
        return [sum(row[str(wanted.column)] == item for row in rows) for item in wanted.categories]
    if wanted.kind == "bins":
        at = [step(row, wanted.of[0]) for row in complete]
        pairs = zip(wanted.edges, wanted.edges[1:], strict=False)
        return [sum(low <= item < high for item in at if item is not None) for low, high in pairs]
    if wanted.kind == "person_sum":
        return [_person_sum(complete, wanted)]
    total = 0
    for row in complete:
        product = 1
        for steps in wanted.of:
            product *= step(row, steps) or 0
        total += product
    return [total]


def _person_sum(rows: Sequence[Row], wanted: Statistic) -> int:
    totals: dict[Any, int] = {}
    for row in rows:
        totals[row["person"]] = totals.get(row["person"], 0) + (step(row, wanted.of[0]) or 0)
    low, high = wanted.ends
    return sum(min(max(total, low), high) for total in totals.values())


def statistics(rows: Sequence[Row], groups: Sequence[Any], wanted: Sequence[Statistic]) -> dict[Statistic, Any]:
    """All statistics of all groups."""
    parts = [[row for row in rows if row["group"] == group] for group in groups]
    return {item: [statistic(part, item) for part in parts] for item in wanted}


def moved(rows: Sequence[Row], fewer: Sequence[Row], groups: Sequence[Any], measured: NumbersSpec) -> Parts:
    """How far apart the measured numbers of two tables are."""
    both = [
        measured.exact(statistics(table, groups, measured.statistics), len(groups)).tolist() for table in (rows, fewer)
    ]
    return Parts.of((Fraction(a) - Fraction(b)) * measured.grid for a, b in zip(*both, strict=True))


def plan_of(aggregate: Aggregate, budget: Any, groups: int = 1, contribution: Contribution = ONE_ROW) -> NoisePlan:
    """Plan one aggregate."""
    return plan_noise({"it": aggregate}, contribution=contribution, groups=groups, budget=budget)


def draws(aggregate: Aggregate, budget: Any, exact: Mapping[Statistic, Any], often: int = DRAWS) -> tuple[Any, Noise]:
    """Draw noise often for the same statistics: each group of a plan is one draw."""
    plan = plan_of(aggregate, budget, groups=often)
    repeated = {
        item: np.tile(np.asarray(value, dtype=np.int64).reshape(1, -1), (often, 1)) for item, value in exact.items()
    }
    return add_noise(plan, repeated)[0], plan.planned[0].noise


def coverage(aggregate: Aggregate, budget: Any, exact: Mapping[Statistic, Any], true: float) -> float:
    """The share of 95 % intervals that hold the exact value."""
    numbers, noise = draws(aggregate, budget, exact)
    low, high = aggregate.interval(numbers, noise, Fraction(95, 100))
    slack = 1e-9 * max(abs(true), 1.0)  # the exact value is computed in floats
    return float(((low <= true + slack) & (true - slack <= high)).mean())


def people(seed: int, count: int, make: Callable[[np.random.Generator], dict[str, Any]]) -> list[dict[str, Any]]:
    """Make a table of persons with up to four rows in up to three groups."""
    random = np.random.default_rng(seed)
    rows = []
    for person in range(count):
        count_of_rows = int(random.integers(1, 5))
        rows += [
            {"person": person, "group": "abc"[int(random.integers(3))], **make(random)} for _ in range(count_of_rows)
        ]
    return rows


def caps_of(rows: Sequence[Row], person: Any) -> Contribution:
    """What one person really contributes."""
    theirs = [row["group"] for row in rows if row["person"] == person]
    most = max(theirs.count(group) for group in set(theirs))
    return Contribution(l0=len(set(theirs)), l1=len(theirs), linf=most)


BUDGETS = {"laplace": pv.budget(epsilon=0.05), "gaussian": pv.budget(rho=0.001)}
