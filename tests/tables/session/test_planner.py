"""Planners: everything of a session but data."""

from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.errors import UnavailableError, WrongTypeError

BOOK = pv.Codebook(
    table="visits",
    unit=pv.Persons("person", rows=2),
    columns={
        "person": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "minutes": pv.column("integer", bounds=(0, 60)),
    },
)
BUDGET = pv.budget(epsilon=2, delta=1e-6)
ROWS = [{"person": n, "ward": "ab"[n % 2], "minutes": n % 60} for n in range(50)]
ASKED: dict[str, Any] = {
    "aggregates": lambda door: door.query().group_by("ward").agg(pv.count(), pv.mean("minutes")),
    "sql": lambda door: door.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"),
    "rollup": lambda door: door.query().rollup("ward").agg(pv.count()),
    "batch": lambda door: door.batch(a=door.query().agg(pv.count()), b=door.query().agg(pv.sum("minutes"))),
    "partition": lambda door: door.partition("ward"),
    "estimates": lambda door: door.query().agg(pv.sum("minutes", bounds=pv.auto())),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_planner_describes_and_plans_what_a_session_does(name: str) -> None:
    planner, session = pv.Planner(BOOK, BUDGET), pv.Session(ROWS, BOOK, BUDGET)
    planned, opened = ASKED[name](planner), ASKED[name](session)
    assert planned.describe(epsilon=1) == opened.describe(epsilon=1)
    if name != "estimates":
        assert planned.plan(epsilon=1) == opened.plan(epsilon=1)
    with pytest.raises(UnavailableError, match=r"open pv\.Session\(source, codebook, budget\)"):
        planned.release(epsilon=1)
    assert planner.remaining == BUDGET


def test_private_keys_are_planned_and_not_released() -> None:
    keys = pv.Planner(BOOK, BUDGET).query().private_keys("minutes")
    assert "threshold" in keys.describe(epsilon=1, delta=1e-6)
    with pytest.raises(UnavailableError, match="no data here"):
        keys.release(epsilon=1, delta=1e-6)


def test_a_codebook_may_be_a_path_or_several(tmp_path: Path) -> None:
    path = tmp_path / "visits.yaml"
    BOOK.write(path)
    assert pv.Planner(path, BUDGET).codebook == BOOK
    assert list(pv.Planner({"one": BOOK, "two": path}, BUDGET).codebooks) == ["one", "two"]


def test_what_is_missing_is_said() -> None:
    with pytest.raises(WrongTypeError, match=r"Planner\.budget is missing"):
        pv.Planner(BOOK)
    with pytest.raises(WrongTypeError, match=r"Planner\.codebook must be a Codebook"):
        pv.Planner(3, BUDGET)  # type: ignore[arg-type]
