"""Two private tables of one hospital, for tests of SQL."""

from datetime import date
from typing import Any

import privet as pv
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons
from privet.tables.session.session import Session
from tests.tables.opened import exact_totals

CANARY = "canary-7f3a"


def visits() -> list[dict[str, Any]]:
    made = [
        {
            "patient": n % 70,
            "ward": "abc"[n % 3],
            "minutes": n % 60,
            "cost": (n % 36) / 4,
            "day": date(2020 + n % 3, 1, 1),
        }
        for n in range(300)
    ]
    return [*made, {"patient": 1}, {"patient": 2, "ward": CANARY}, {"patient": None, "ward": "a", "minutes": 5}]


def patients() -> list[dict[str, Any]]:
    made = [{"patient": n, "ward": "ab"[n % 2], "age": n, "home": "abc"[n % 3], "note": CANARY} for n in range(60)]
    return [*made, *({"patient": 5, "ward": "b", "age": n, "home": "b"} for n in range(20)), {"patient": 6}]


def books(unit: Any) -> dict[str, Codebook]:
    ward = column("text", categories=("a", "b", "c"))
    return {
        "visits": Codebook(
            unit=unit,
            columns={
                "patient": column("integer"),
                "ward": ward,
                "minutes": column("integer", bounds=(0, 60)),
                "cost": column("real", bounds=(0, 9)),
                "day": column("date", bounds=(date(2020, 1, 1), date(2022, 12, 31))),
            },
        ),
        "patients": Codebook(
            unit=unit,
            columns={
                "patient": column("integer"),
                "ward": ward,
                "age": column("integer", bounds=(0, 100)),
                "home": ward,
                "note": column("text"),
            },
        ),
    }


def open_hospital(unit: Any = None, epsilon: Any = 10**6) -> Session:
    sources = {"visits": visits(), "patients": patients()}
    return Session(sources, books(unit or Persons(id="patient", rows=3)), pv.budget(epsilon=epsilon))


def exact(session: Session, question: Any) -> list[list[int]]:
    """What is counted, without noise."""
    plan = question.plan(epsilon=1)
    found = exact_totals(question, plan)
    return [part.measured.exact(found, plan.groups).tolist() for part in plan.planned]
