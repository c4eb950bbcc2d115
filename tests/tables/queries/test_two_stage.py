"""Two-stage queries: what is estimated first, for every privacy unit."""

from typing import Any

import privet as pv


def test_persons_within_a_month_are_counted_by_month() -> None:
    book = pv.Codebook(
        columns={"person": pv.column("integer"), "day": pv.column("date")},
        unit=pv.Persons(id="person", period=("day", "month")),
    )
    rows = [
        {"person": n, "day": f"2024-{month:02}-{day:02}"} for n in range(50) for month in (1, 2) for day in (1, 2, 3)
    ]
    session = pv.Session(rows, book, pv.budget(epsilon=10**7))
    answer: Any = session.query().cap(rows=pv.auto(quantile=1)).agg(pv.count()).release(epsilon=10**6)
    assert answer.estimates[0].value == 3
    assert max(answer.estimates[0].histogram.numbers[0][0]) == 100
