"""Limits of what was left out: they hold as often as they say, whatever the noise."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.accounting.planning.budget import AdditiveBudget
from privet.errors import InvalidError
from privet.tables.curator.allowance import Allowance
from privet.tables.noise.plan import add_noise
from privet.tables.queries.bias import BiasShare, doubling, measures_of
from privet.tables.releases.bias_limits import BiasLimits
from tests.tables.opened import released

CAP, MOST = 10, 300
BOOK = pv.Codebook(
    unit=pv.Persons(id="visitor_id", rows=CAP),
    columns={
        "visitor_id": pv.column("integer"),
        "spending": pv.column("real", bounds=(0, 200)),
        "restaurant": pv.column("text", categories=("Bella", "Corner", "Harbour")),
    },
)
BUDGETS = {"laplace": pv.budget(epsilon=0.2), "gaussian": pv.budget(rho=0.02)}
CAPS: dict[str, dict[str, Any]] = {
    "rows": {},
    "groups": {"groups": 2, "rows_per_group": 3},
    "by column": {
        "by": {"restaurant": {"groups": 2, "rows_per_group": 4}, "spending": {"groups": 6, "rows_per_group": 1}}
    },
}


@cache
def measured(kind: str, caps: str, rows: int = 20_000) -> tuple[list[tuple[BiasLimits, Any]], float, float]:
    """Measure the made-up visits exactly: what noise is added to, and the truth by another way."""
    table = pv.datasets.visits(rows)
    session = pv.Session(table, BOOK, pv.InfiniteBudget())
    grouped = session.query().cap(**CAPS[caps]).group_by("restaurant")
    query: Any = grouped.agg(pv.count(), total=pv.sum("spending", bounds=(5, 40)))
    tables, allowance = query.grouped.query.curator.tables, Allowance(budget=BUDGETS[kind])
    found = []
    for each in measures_of(query.grouped, query.aggregates, BiasShare(share=Fraction(1, 10), most_rows=MOST)):
        request = each.request(allowance)
        exact = request.totals.compile(tables, request.plan.statistics)()
        numbers = np.array([exact[request.plan.statistics[0]][0]])
        found.append((each.read(released(request.plan, (numbers,))), exact))
    return found, *truth(query, table)


def truth(query: Any, table: Any) -> tuple[float, float]:
    """Rows and share that the caps leave out, up to the ceiling, from the released counts without noise."""
    listed = [row for row in table.to_pylist() if row["restaurant"] in ("Bella", "Corner", "Harbour")]
    there = Counter(row["visitor_id"] for row in listed)
    counted = int(sum(query.release(epsilon=10**9).values("count")))
    seen = sum(min(number, MOST) for number in there.values())
    return float(seen - counted), (seen - counted) / seen


def with_noise(left_out: BiasLimits, exact: Any) -> BiasLimits:
    return evolve(left_out, numbers=add_noise(left_out.plan, exact)[0])


@pytest.mark.parametrize("caps", CAPS)
@pytest.mark.parametrize("kind", BUDGETS)
def test_limits_hold_in_95_of_100_runs(kind: str, caps: str) -> None:
    """400 runs: correct limits miss 45 or more with probability below 1e-6; limits of one deviation always do."""
    (rows, _), exact_rows, _ = measured(kind, caps)
    missed = 0
    for _ in range(400):
        low, high = with_noise(*rows).interval()
        missed += not low <= exact_rows <= high
    assert missed < 45


@pytest.mark.parametrize("kind", BUDGETS)
def test_shares_hold_in_95_of_100_runs(kind: str) -> None:
    """30 runs: correct limits miss 11 or more with probability below 1e-6."""
    (rows, _), _, exact_share = measured(kind, "groups")
    shares = [with_noise(*rows).share() for _ in range(30)]
    assert sum(not low <= exact_share <= high for low, high in shares) < 11


@pytest.mark.long
@pytest.mark.parametrize("caps", CAPS)
@pytest.mark.parametrize("kind", BUDGETS)
def test_the_share_left_out_is_covered_in_93_of_100_runs(kind: str, caps: str) -> None:
    (rows, _), _, exact_share = measured(kind, caps)
    shares = [with_noise(*rows).share() for _ in range(1_000)]
    assert sum(low <= exact_share <= high for low, high in shares) >= 930


@pytest.mark.parametrize("kind", BUDGETS)
def test_what_bounds_change_is_held_too(kind: str) -> None:
    """The rows that count are those of the release, so that the changed sum follows from its exact sums."""
    (_, values), _, _ = measured(kind, "rows")
    session = pv.Session(pv.datasets.visits(20_000), BOOK, pv.InfiniteBudget())
    session._curator.tables = evolve(session._curator.tables, key=7)
    rows = session.query().group_by("restaurant")
    narrow: Any = rows.agg(total=pv.sum("spending", bounds=(5, 40)))
    wide = rows.agg(total=pv.sum("spending"))
    changed = sum(wide.release(epsilon=10**9).values("total")) - sum(narrow.release(epsilon=10**9).values("total"))
    measure = measures_of(narrow.grouped, narrow.aggregates, BiasShare(share=Fraction(1, 10), most_rows=MOST))[1]
    request = measure.request(Allowance(budget=BUDGETS[kind]))
    exact = request.totals.compile(session._curator.tables, request.plan.statistics)()
    missed = 0
    for _ in range(400):
        low, high = with_noise(values[0], exact).interval()
        missed += not low <= changed <= high
    assert missed < 45


def test_limits_are_useful() -> None:
    """With many persons the lower limit is far from zero: noise of the highest bands is left out."""
    (rows, _), exact_rows, _ = measured("laplace", "rows")
    low, high = rows[0].interval()
    assert 0.1 * exact_rows < low < exact_rows < high < 3 * exact_rows


def test_bands_double() -> None:
    assert doubling(1) == [(1, 1)]
    assert doubling(300)[-2:] == [(129, 256), (257, 300)]
    assert all(high + 1 == low for (_, high), (low, _) in zip(doubling(300), doubling(300)[1:], strict=False))


def test_json_keeps_what_was_measured() -> None:
    session = pv.Session(pv.datasets.visits(3_000), BOOK, pv.budget(epsilon=9))
    query = session.query().agg(pv.count(), total=pv.sum("spending", bounds=(5, 40)))
    release: Any = query.release(epsilon=3, bias=0.3, most_rows=MOST)
    assert pv.Release.from_json(release.to_json()) == release
    assert [each.column for each in release.bias] == [None, "spending"]
    assert "bias" not in json.loads(query.release(epsilon=3).to_json())


@pytest.mark.parametrize("change", ["bands", "numbers", "most", "column", "noise"])
def test_changed_json_is_refused(change: str) -> None:
    session = pv.Session(pv.datasets.visits(3_000), BOOK, pv.budget(epsilon=9))
    data = json.loads(session.query().agg(pv.count()).release(epsilon=3, bias=0.3, most_rows=MOST).to_json())
    wrong = {"bands": [[1]], "numbers": [[[1, 2]]], "most": "many", "column": 3, "noise": []}
    data["bias"][0][change] = wrong[change]
    with pytest.raises(InvalidError):
        pv.Release.from_json(json.dumps(data))


@pytest.mark.parametrize("end", ["9" * 400, "-" + "9" * 400, str(2**63), "-1"])
@pytest.mark.parametrize("place", [0, 1])
def test_bands_beyond_all_rows_are_refused(end: str, place: int) -> None:
    session = pv.Session(pv.datasets.visits(300), BOOK, pv.budget(epsilon=9))
    query: Any = session.query().agg(total=pv.sum("spending", bounds=(5, 40)))
    data = json.loads(query.release(epsilon=3, bias=0.3, most_rows=MOST).to_json())
    data["bias"][place]["bands"][0][1] = {"fraction": end}
    with pytest.raises(InvalidError):
        pv.Release.from_json(json.dumps(data))


def test_bands_at_the_largest_values_have_limits() -> None:
    book = pv.Codebook(columns={"x": pv.column("real", bounds=(-1e300, 1e300))}, unit=pv.Rows())
    query: Any = pv.Session([{"x": 1.0}] * 100, book, pv.InfiniteBudget()).query().agg(pv.sum("x", bounds=(0, 1)))
    release: Any = query.release(epsilon=1, bias=0.5)
    huge = evolve(release.bias[0], numbers=np.full_like(release.bias[0].numbers, 2**62))
    low, high = huge.interval()
    assert low < 0 < high  # and neither is NaN
    assert "measured: moving x" in huge.line


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
def test_no_persons_give_limits_too(budget: AdditiveBudget) -> None:
    session = pv.Session(pv.datasets.visits(0), BOOK, pv.InfiniteBudget())
    amounts: Any = {"epsilon": budget.point().cost} if budget is BUDGETS["laplace"] else {"rho": budget.point().cost}
    release: Any = session.query().agg(pv.count()).release(**amounts, bias=0.5, most_rows=MOST)
    low, high = release.bias[0].interval()
    assert 0 <= low <= high
    assert 0 <= release.bias[0].share()[0] <= release.bias[0].share()[1] <= 1
