"""Budgets of calendar periods: a session reads the rows of its periods and no others, and charges each of them."""

import datetime as dt
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, LedgerError, WrongTypeError
from privet.tables.curator import private_tables
from privet.tables.relations.id_columns import rows_of_periods

UTC = dt.UTC
LIMIT = pv.budget(epsilon=1)
APRIL, MAY = "2026-04", "2026-05"


def visits(month: int | None, persons: int = 30) -> list[dict[str, Any]]:
    """Give two rows of each person in one month of 2026, or without a date."""
    return [
        {"person": person, "day": None if month is None else dt.date(2026, month, 1 + n * 27), "cost": person % 9}
        for person in range(persons)
        for n in range(2)
    ]


def book(length: str = "month", bounds: Any = None, rows: int = 2, **columns: Any) -> pv.Codebook:
    known = {"person": pv.column("integer"), "cost": pv.column("integer", bounds=(0, 9))}
    day = pv.column("date", bounds=bounds) if bounds else pv.column("date")
    unit = pv.Persons("person", rows=rows, period=("day", length))
    return pv.Codebook(columns={**known, "day": day, **columns}, unit=unit)


ROWS = [*visits(4), *visits(5), *visits(None)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def opened(path: Path, period: Any, rows: Any = None, codebook: Any = None, limit: Any = LIMIT, **more: Any) -> Any:
    given = {"dataset": "visits", "analyst": "ann", **more}
    source = ROWS if rows is None else rows
    return pv.Session(source, codebook or book(), limit, ledger=pv.Ledger(path), period=period, **given)


def counted(session: pv.Session, epsilon: Any = 0.5, **more: Any) -> Any:
    return session.query().agg(pv.count()).release(epsilon=epsilon, **more)


def left(path: Path, period: str) -> Any:
    return Fraction(pv.Ledger(path).remaining("visits", period=period).point().cost)


def exact_rows(session: pv.Session) -> list[Any]:
    """Give what the session's queries can see of its tables; for tests alone."""
    tables = session._curator.tables
    seen = []
    for name, relation in tables.database.tables.items():
        whole = relation.select(*(each for each, known in relation.columns.items() if known.kind == "integer"))
        seen.append((name, dict(tables.database.engine.execute(whole, order_by=tuple(whole.columns)).columns)))
    return seen


def reads_its_period_alone(path: Path) -> bool:
    """The law: whatever rows there are of other periods, a session of a period sees the same."""
    others: list[list[dict[str, Any]]] = [[], visits(4), visits(6, 5), visits(None), [*visits(4), *visits(12)]]
    seen = [exact_rows(opened(path, MAY, [*more, *visits(5), *more])) for more in others]
    return all(each == seen[0] for each in seen) and len(seen[0][0][1]["person"]) == len(visits(5))


def test_a_session_sees_the_rows_of_its_period_alone(path: Path) -> None:
    assert reads_its_period_alone(path)


def _all_rows(relation: Any, unit: Any, days: Any) -> Any:
    return relation


def _with_the_month_before(relation: Any, unit: Any, days: Any) -> Any:
    """Keep the month before too."""
    return rows_of_periods(relation, unit, [*days, *(day - 30 for day in days)])


@pytest.mark.parametrize("twin", [_all_rows, _with_the_month_before])
def test_the_law_catches_a_missing_and_a_wide_filter(
    twin: Callable[..., Any], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In these twins the rows of April spend the budget of May."""
    monkeypatch.setattr(private_tables, "rows_of_periods", twin)
    assert not reads_its_period_alone(path)


def test_each_period_has_a_budget_of_its_own(path: Path) -> None:
    counted(opened(path, APRIL), 1)
    with pytest.raises(BudgetExceededError):
        counted(opened(path, APRIL), 0.1, again=True)
    session = opened(path, MAY)
    assert (session.remaining, len(session.history)) == (LIMIT, 0)
    counted(session)
    assert (left(path, APRIL), left(path, MAY), left(path, "2026-06")) == (0, Fraction(1, 2), 1)
    assert pv.Ledger(path).periods("visits") == (APRIL, MAY)


def test_a_release_over_several_periods_charges_each_of_them_or_none(path: Path) -> None:
    counted(opened(path, MAY), 0.75)
    both = opened(path, [MAY, APRIL, APRIL])
    assert both.remaining == pv.budget(epsilon=0.25)
    with pytest.raises(BudgetExceededError):
        counted(both, 0.5)
    assert (left(path, APRIL), left(path, MAY)) == (1, Fraction(1, 4)), "all or none"
    counted(both, 0.25)
    assert (left(path, APRIL), left(path, MAY)) == (Fraction(3, 4), 0)
    assert [len(opened(path, each).history) for each in (APRIL, MAY, [APRIL, MAY])] == [1, 2, 2]
    assert len(exact_rows(both)[0][1]["person"]) == len([*visits(4), *visits(5)])


def test_rows_without_a_date_are_a_period_of_their_own(path: Path) -> None:
    session = opened(path, "no date")
    assert exact_rows(session)[0][1]["person"] == [row["person"] for row in visits(None)]
    counted(session)
    assert (left(path, "no date"), left(path, MAY)) == (Fraction(1, 2), 1)


def test_dates_beyond_the_bounds_lie_in_the_last_period(path: Path) -> None:
    """As everywhere: a date is moved to the nearer bound when it is read, and then it has a period."""
    bounded = book(bounds=("2026-04-01", "2026-05-31"))
    rows = [*visits(5), *visits(7)]
    assert len(exact_rows(opened(path, MAY, rows, bounded))[0][1]["person"]) == len(rows)


@pytest.mark.parametrize(
    ("other", "match"),
    [
        (book(bounds=("2026-04-01", "2026-05-31")), "other periods"),
        (book("quarter"), "other periods"),
        (book("year"), "other periods"),
    ],
)
def test_dates_that_are_read_in_another_way_are_refused(other: pv.Codebook, match: str, path: Path) -> None:
    """A row could otherwise lie in April for one session and in May for another, and pay with two budgets."""
    counted(opened(path, APRIL))
    length = other.unit.period[1]  # type: ignore[attr-defined] # a unit with a period
    name = {"month": MAY, "quarter": "2026-Q2", "year": "2026"}[length]
    with pytest.raises(InvalidError, match=match):
        opened(path, name, codebook=other)


def headless(*names: str, **form: Any) -> pv.Codebook:
    """Describe a file without a header."""
    return pv.Codebook.from_dict({**book().to_dict(), "file": {"names": list(names), **form}})


def dated(**facts: Any) -> pv.Codebook:
    """Describe dates in another way."""
    return book(day=pv.column("date", **facts))


def test_another_field_of_a_file_is_not_taken_for_the_date(path: Path, tmp_path: Path) -> None:
    """The same row would otherwise pay with the budget of April for one field, and with that of May for another."""
    file = tmp_path / "visits.csv"
    file.write_text("1;7,2026-04-11,2026-05-11\n" * 30)
    known = headless("person", "day", "cost")
    counted(opened(path, APRIL, file, known))
    for other, more in (
        (headless("person", "cost", "day"), {}),
        (headless("person", "x", "day", "cost"), {}),
        (headless("person", "day", "cost", delimiter=";"), {}),
        (known, {"delimiter": ";"}),
    ):
        with pytest.raises(InvalidError, match="other periods"):
            opened(path, MAY, file, other, **more)
    counted(opened(path, MAY, file, known))


def test_another_position_of_a_tuple_is_not_taken_for_the_date(path: Path) -> None:
    rows = [(1, dt.date(2026, 4, 11), dt.date(2026, 5, 11))] * 30
    counted(opened(path, APRIL, rows, columns=["person", "day", "cost"]))
    counted(opened(path, MAY, rows, columns=["person", "day", "cost"]))
    with pytest.raises(InvalidError, match="other periods"):
        opened(path, MAY, rows, columns=["person", "cost", "day"])


@pytest.mark.parametrize("facts", [{"format": "%d.%m.%Y"}, {"missing": ["2026-04-01"]}])
def test_another_notation_of_dates_is_refused(facts: dict[str, Any], path: Path) -> None:
    counted(opened(path, APRIL))
    with pytest.raises(InvalidError, match="other periods"):
        opened(path, MAY, codebook=dated(**facts))


def test_tables_do_not_exchange_the_ways_in_which_their_dates_are_read(path: Path) -> None:
    plain, bounded = book(), book(bounds=("2026-04-01", "2026-04-30"))
    tables = {"visits": ROWS, "stays": ROWS}
    opened(path, APRIL, tables, {"visits": plain, "stays": bounded})
    with pytest.raises(InvalidError, match="other periods"):
        opened(path, APRIL, tables, {"visits": bounded, "stays": plain})
    opened(path, MAY, tables, {"stays": bounded, "visits": plain})


def test_a_budget_for_all_rows_and_one_for_each_period_are_never_mixed(path: Path) -> None:
    opened(path, None, dataset="whole")
    with pytest.raises(InvalidError, match="which no period renews"):
        opened(path, MAY, dataset="whole")
    opened(path, MAY)
    with pytest.raises(InvalidError, match="for each period: give period"):
        opened(path, None)


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Persons("person", rows=2)])
def test_units_without_a_period_have_no_budget_of_a_period(unit: Any, path: Path) -> None:
    plain = pv.Codebook(columns={"person": pv.column("integer"), "day": pv.column("date")}, unit=unit)
    with pytest.raises(InvalidError, match="time makes no new units and gives no new budget"):
        opened(path, MAY, codebook=plain)
    assert not path.exists() or pv.Ledger(path).datasets == ()


@pytest.mark.parametrize(
    ("period", "error"),
    [
        ("2026-5", InvalidError),
        ("2026-13", InvalidError),
        ("may", InvalidError),
        ("2026-05-01", InvalidError),
        ("２０２６-05", InvalidError),
        ("", InvalidError),
        ([], InvalidError),
        (5, WrongTypeError),
        ([5], WrongTypeError),
        (dt.date(2026, 5, 1), WrongTypeError),
    ],
)
def test_what_is_no_period_is_refused(period: object, error: type[Exception], path: Path) -> None:
    """Two names of one month would be two accounts."""
    with pytest.raises(error, match=r"Session.period must"):
        opened(path, period)


def test_a_period_needs_a_ledger() -> None:
    with pytest.raises(WrongTypeError, match="ledger"):
        pv.Session(ROWS, book(), LIMIT, period=MAY)


def test_a_release_of_a_period_is_repeated_for_that_period_alone(path: Path) -> None:
    first = counted(opened(path, MAY))
    assert counted(opened(path, MAY)) == first
    assert any("2026-05" in note for note in first.notes)
    assert counted(opened(path, APRIL)) != first
    assert (left(path, APRIL), left(path, MAY)) == (Fraction(1, 2), Fraction(1, 2))
    counted(opened(path, [APRIL, MAY]))
    assert (left(path, APRIL), left(path, MAY)) == (0, 0)


def test_allowances_hold_for_each_period(path: Path) -> None:
    session = opened(path, MAY)
    pv.Ledger(path).allow("visits", "ann", share=0.5)
    counted(session, 0.5)
    with pytest.raises(BudgetExceededError):
        counted(session, 0.25)
    assert counted(opened(path, APRIL), 0.5) is not None
    assert counted(opened(path, MAY, analyst="bob"), 0.5) is not None


def test_a_grant_is_for_each_period_and_never_below_what_was_spent_of_one(path: Path) -> None:
    counted(opened(path, MAY), 0.75)
    ledger = pv.Ledger(path)
    with pytest.raises(InvalidError, match="is spent"):
        ledger.grant("visits", pv.budget(epsilon=0.5))
    ledger.grant("visits", pv.budget(epsilon=2))
    assert (left(path, APRIL), left(path, MAY)) == (2, Fraction(5, 4))
    counted(opened(path, MAY, limit=None), 1.25)


def test_parts_of_a_period_are_paid_by_it(path: Path) -> None:
    wards = book(ward=pv.column("text", categories=("a", "b")))
    rows = [{**row, "ward": "ab"[row["person"] % 2]} for row in ROWS]
    session = opened(path, MAY, rows, wards)
    parts = session.partition("ward").release(epsilon=0.5)
    parts["a"].query().agg(pv.count()).release(epsilon=0.5)
    with pytest.raises(BudgetExceededError):
        parts["a"].query().agg(pv.sum("cost")).release(epsilon=0.1)
    assert (left(path, APRIL), left(path, MAY)) == (1, Fraction(1, 2))


def test_all_tables_of_a_session_are_filtered(path: Path) -> None:
    """Timestamps by their day in UTC: eleven in the evening in New York is the next day, and may be the next month."""
    night = dt.datetime(2026, 4, 30, 23, tzinfo=dt.timezone(dt.timedelta(hours=-4)))
    calls = [{"caller": 1, "at": night}, {"caller": 2, "at": night - dt.timedelta(hours=5)}]
    unit = pv.Persons("caller", rows=2, period=("at", "month"))
    columns = {"caller": pv.column("integer"), "at": pv.column("timestamp")}
    session = pv.Session(
        {"visits": ROWS, "calls": calls},
        {"visits": book(), "calls": pv.Codebook(columns=columns, unit=unit)},
        LIMIT,
        ledger=pv.Ledger(path),
        dataset="visits",
        period=MAY,
    )
    (_, seen), (_, called) = exact_rows(session)
    assert (len(seen["person"]), called["caller"]) == (len(visits(5)), [1])
    joined = session.query("visits").join(session.query("calls"), rows=1)
    assert joined.agg(pv.count()).release(epsilon=0.5) is not None


def test_a_charge_of_a_period_that_breaks_the_rules_is_refused(path: Path) -> None:
    session = opened(path, [APRIL, MAY])
    counted(session, 0.75)
    ledger = pv.Ledger(path)
    entry = {"kind": "charge", "dataset": "visits", "part": "", "periods": [MAY], "analyst": "", "key": "k"}
    more = {"digest": "", "query": "", "result": "release", "cost": "1/2", "delta": "0/1", "time": ""}
    with ledger.writing() as (_, append):
        append({**entry, **more})
    with pytest.raises(LedgerError, match="breaks the rules"):
        ledger.verify()
