"""One release of every kind, for tests that hold for all of them; names of groups are hostile where they can be."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from typing import Any

import privet as pv
from privet.tables.releases.batch_release import BatchRelease
from privet.tables.releases.table_release import TableRelease

WARDS = ("<script>alert(1)</script>", 'a "b", c', "two\nlines", "plain $x^2$")
NOTE = "a note with <b> & more"


@cache
def _session(rows: int = 400, form: str = "approximate") -> pv.Session:
    columns = {
        "person": pv.column("integer"),
        "ward": pv.column("text", categories=WARDS),
        "old": pv.column("boolean"),
        "x": pv.column("real", bounds=(0, 8)),
        "n": pv.column("integer", bounds=(0, 9)),
        "day": pv.column("date", bounds=(date(2024, 1, 1), date(2024, 6, 30))),
        "town": pv.column("text"),
    }
    table = [
        {
            "person": at,
            "ward": WARDS[at % 3],
            "old": at % 2 == 0,
            "x": at % 9,
            "n": at % 10,
            "day": date(2024, 1, 1) + timedelta(days=at % 180),
            "town": ("Ulm", "<b>Bonn</b>")[at % 2],
        }
        for at in range(rows)
    ]
    book = pv.Codebook(table="visits", unit=pv.Persons(id="person", rows=1), columns=columns)
    return pv.Session(table, book, pv.budget(rho=10**6) if form == "rho" else pv.budget(epsilon=10**6, delta=0.5))


def _rolled() -> TableRelease:
    return _session().query().rollup("ward", "n").agg(pv.count(), total=pv.sum("x")).release(epsilon=1)


def _sql(text: str) -> TableRelease:
    return _session().sql(text).release(epsilon=1)


def _imputed() -> TableRelease:
    return pv.ImputedRelease(
        keys=("ward", "old"),
        groups=((WARDS[0], True), (WARDS[1], None)),
        columns={"count": [1234.0, -3.0], "mean_x": [0.123456789, float("nan")]},
        intervals={"count": ([1000.5, -8.0], [1300.25, float("inf")])},
        epsilon=Fraction(1, 3),
        notes=(NOTE,),
    )


def _moments() -> TableRelease:
    aggregates = {"middle": pv.median("day"), "often": pv.mode("ward"), "top": pv.top_k("old", 2)}
    return _session().query().group_by("n").agg(**aggregates).release(epsilon=1)


def _by_ward(**aggregates: Any) -> TableRelease:
    return _session().query().group_by("ward").agg(**aggregates).release(epsilon=1)


MAKERS: Mapping[str, Callable[[], TableRelease]] = {
    "groups": lambda: _by_ward(count=pv.count(), mean_x=pv.mean("x")),
    "processed": lambda: _by_ward(count=pv.count(), total=pv.sum("x")).nonnegative().ratio("m", "total", "count"),  # type: ignore[attr-defined]
    "gaussian": lambda: _session(form="rho").query().group_by("ward", "old").agg(pv.count()).release(rho=0.1),
    "one group": lambda: _session().query().agg(pv.count(), pv.mean("x")).release(epsilon=1),
    "histogram": lambda: _by_ward(count=pv.count(), bars=pv.histogram("x", 4)),
    "only histogram": lambda: _session().query().agg(pv.histogram("ward")).release(epsilon=1),
    "moments": _moments,
    "months": lambda: _session().query().bin("day", by="month").group_by("day_bin").agg(pv.count()).release(epsilon=1),
    "sql": lambda: _sql("SELECT ward, COUNT(*) AS n, AVG(x) * 2, MEDIAN(day) AS d FROM visits GROUP BY 1 ORDER BY n"),
    "empty sql": lambda: _sql("SELECT ward, COUNT(*) AS n, upper(ward) FROM visits GROUP BY 1 HAVING n > 1e12"),
    "rollup": _rolled,
    "rounded rollup": lambda: _rolled().nonnegative().rounded(),  # type: ignore[attr-defined]
    "keys": lambda: _session().query().private_keys("town", "old").release(epsilon=1, delta=1e-6),
    "top keys": lambda: _session().query().private_keys("town", top=1, noise="gumbel").release(epsilon=1, delta=1e-6),
    "no keys": lambda: _session(2).query().private_keys("town", "n").release(epsilon=1, delta=1e-6),
    "imputed": _imputed,
}


@cache
def release_of(name: str) -> TableRelease:
    """Make the release once for all tests: releases do not change."""
    return MAKERS[name]()


@cache
def batch() -> BatchRelease:
    """Two releases that were charged as one."""
    session = _session()
    by_ward = session.query().group_by("ward").agg(pv.count())
    return session.batch(wards=by_ward, mean=session.query().agg(pv.mean("x"))).release(epsilon=1)
