"""Extreme bounds, losses and caps: refused from public facts before a charge, or answered with proper intervals."""

import warnings
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import PrivetError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.session.session import Session

BOUNDS: dict[str, tuple[str, tuple[Any, Any]]] = {
    "huge": ("real", (-1e300, 1e300)),
    "far": ("real", (1e299, 1.1e299)),
    "beyond": ("real", (-1e308, 1e308)),
    "squares": ("real", (-1e75, 1e75)),
    "tiny": ("real", (0, 1e-290)),
    "narrow": ("real", (1, 1 + 2**-20)),
    "integers": ("integer", (-(2**61), 2**61)),
    "all integers": ("integer", (-(2**63), 2**63 - 1)),
    "two integers": ("integer", (2**62, 2**62 + 1)),
}
BUDGETS: list[dict[str, Any]] = [
    {"epsilon": 1e-300},
    {"epsilon": 1e-50},
    {"epsilon": 1e-9},
    {"epsilon": 1e6},
    {"rho": 1e-300},
    {"rho": 1e-12},
]
ROWS, MANY, PERSONS = pv.Rows(), pv.Rows(count=2**40), pv.Persons(id="id", groups=2, rows_per_group=2**50)
CASES = [*((bounds, ROWS) for bounds in BOUNDS), ("huge", MANY), ("two integers", PERSONS), ("narrow", PERSONS)]


def questions(bounds: tuple[Any, Any]) -> dict[str, list[Aggregate]]:
    return {
        "counts": [pv.count(), pv.count("x"), pv.count_distinct("x")],
        "ids": [pv.count_ids()],
        "sum": [pv.sum("x")],
        "sum by person": [pv.sum_by_person("x", bounds=bounds)],
        "mean": [pv.mean("x")],
        "shared": [pv.count(), pv.sum("x"), pv.mean("x")],
        "count beside mean": [pv.count(), pv.mean("x")],
        "variance": [pv.variance("x"), pv.std("x")],
        "covariance": [pv.covariance("x", "y")],
        "correlation": [pv.correlation("x", "y")],
        "quantiles": [pv.quantiles("x", [0, 0.5, 1], bins=5)],
        "minimum": [pv.minimum("x", bins=3)],
        "histogram": [pv.histogram("x", 3)],
        "categories": [pv.mode("ward"), pv.top_k("ward", 2), pv.histogram("ward")],
    }


def opened(kind: Any, bounds: tuple[Any, Any], unit: Any, budget: Any) -> Session:
    columns = {
        "id": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "x": pv.column(kind, bounds=bounds),
        "y": pv.column(kind, bounds=bounds),
    }
    values = [bounds[0], bounds[1], None, 0]
    rows = [{"id": n, "ward": "a", "x": values[n % 4], "y": values[n // 2 % 4]} for n in range(12)]
    return Session(rows, pv.Codebook(columns=columns, unit=unit), budget)


def check(release: pv.Release) -> None:
    """Every value lies in its interval, whose ends are numbers or infinite; errors are zero or more."""
    for name, (low, high) in release.interval(0.99).items():
        value, error = release.values(name), release.errors(name)
        if value.dtype == object:
            continue
        assert (low <= value).all(), name
        assert (value <= high).all(), name
        assert (error >= 0).all(), name
    assert pv.Release.from_json(release.to_json()) == release
    assert str(release)


def tried(session: Session, asked: list[Aggregate], budget: dict[str, Any]) -> str:
    """Ask; whatever is refused costs nothing."""
    before = session.spent
    try:
        question = session.query().group_by("ward").agg(*asked)
        question.describe(group_size=1e-300, **budget)
        question.describe(group_size=2**63, **budget)
        release = question.release(**budget)
    except PrivetError:
        assert session.spent == before
        return "refused"
    check(release)
    return "answered"


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize(("bounds", "unit"), CASES, ids=str)
@pytest.mark.share(5)  # every day both halves, of different cases
def test_every_aggregate_is_refused_for_free_or_answered_in_full(bounds: str, unit: Any, half: int) -> None:
    kind, ends = BOUNDS[bounds]
    sessions = {
        "epsilon": opened(kind, ends, unit, pv.budget(epsilon=10**9, delta=0.5)),
        "rho": opened(kind, ends, unit, pv.budget(rho=10**9)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [
            tried(sessions[next(iter(budget))], asked, budget)
            for number, asked in enumerate(questions(ends).values())
            for budget in BUDGETS[(half + number) % 2 :: 2]  # all kinds of budgets in each half
        ]
    assert found.count("answered") >= 3  # what does not read the column is answered in any case


def test_a_mean_of_wide_bounds_with_much_noise_is_answered() -> None:
    session = opened("real", (-1e300, 1e300), pv.Rows(), pv.budget(epsilon=1))
    release = session.query().agg(pv.mean("x")).release(epsilon=1e-9)
    low, high = release.interval()["mean_x"]
    ends = [-1e300, float(low[0]), release.values("mean_x")[0], float(high[0]), 1e300]
    assert ends == pytest.approx(sorted(ends), rel=1e-6)  # one interval in twenty does not reach both bounds


def test_noise_of_more_rows_than_floats_can_work_with_is_refused_for_free() -> None:
    session = opened("real", (0, 1), pv.Rows(), pv.budget(epsilon=1))
    with pytest.raises(UnavailableError, match=r"would hide about 1e\+300 rows.*Nothing was spent"):
        session.query().agg(pv.count(), pv.mean("x")).release(epsilon=1e-300)
    with pytest.raises(UnavailableError, match="would hide about"):
        session.batch(a=session.query().agg(pv.count())).release(epsilon=1e-300)
    with pytest.raises(UnavailableError, match="would hide about"):
        session.query().rollup("ward").agg(pv.count()).release(epsilon=1e-300)
    assert session.spent == pv.budget(epsilon=0)


def test_counts_with_noise_beyond_64_bits_do_not_end_at_them() -> None:
    session = opened("real", (0, 1), pv.Rows(), pv.budget(epsilon=1))
    releases = [session.query().agg(pv.count()).release(epsilon=1e-40) for _ in range(20)]
    values = np.array([float(release.values("count")[0]) for release in releases])
    assert np.abs(values).max() > 2.0**70
    assert all(abs(value) != 2.0**63 for value in values)
    for release in releases:
        check(release)


def test_a_delta_changes_nothing_about_that() -> None:
    session = opened("real", (-1e300, 1e300), MANY, pv.budget(epsilon=1, delta=1e-3))
    check(session.query().agg(pv.sum("x"), pv.mean("x"), pv.count()).release(epsilon=1e-6, delta=1e-6))
