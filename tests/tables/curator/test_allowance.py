"""What may be lost, and messages that say what to do next."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.curator.allowance import read_allowance
from privet.tables.session.session import Session

COLUMNS = {
    "person": pv.column("integer"),
    "ward": pv.column("text", categories=("medicine", "surgery")),
    "age": pv.column("integer", bounds=(0, 99)),
    "minutes": pv.column("real", bounds=(0, 60)),
    "day": pv.column("date", bounds=("2024-01-01", "2024-12-31")),
}
BOOK = pv.Codebook(table="visits", unit=pv.Persons(id="person", rows=2), columns=COLUMNS)
ROWS = [{"person": n, "ward": "medicine", "age": n % 90, "minutes": n % 60, "day": "2024-05-01"} for n in range(200)]


def opened(rows: Any = None, budget: Any = None) -> Session:
    return Session(rows or [], BOOK, budget or pv.budget(epsilon=50, delta=1e-5))


def test_a_budget_is_needed_and_the_message_names_who_asked() -> None:
    with pytest.raises(WrongTypeError, match="release needs epsilon"):
        opened().query().agg(pv.count()).release()


def test_epsilon_and_rho_are_not_mixed() -> None:
    with pytest.raises(WrongTypeError, match="not both"):
        read_allowance("release", epsilon=1, rho=1, delta=1e-6)


def test_a_session_of_epsilon_and_delta_reads_rho_at_delta() -> None:
    session = opened(ROWS)
    session.query().agg(pv.count()).release(rho=0.1, delta=1e-6)
    spent: Any = session.spent
    assert spent.delta == Fraction(1, 10**6)
    assert 1.5 < spent.epsilon < 2.1


def test_a_session_of_rho_takes_no_delta_and_spends_nothing() -> None:
    session = opened(ROWS, pv.budget(rho=1))
    with pytest.raises(InvalidError, match="this one is in rho"):
        session.query().agg(pv.count()).release(rho=0.1, delta=1e-6)
    assert session.spent == pv.budget(rho=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda q: q.group_by(["ward", "age"]), r"group_by\('a', 'b'\), got list"),
        (lambda q: q.group_by("wrad"), "Did you mean 'ward'"),
        (lambda q: q.group_by("minutes"), r"bin\('minutes', width=...\)"),
        (lambda q: q.group_by("day"), r"bin\('day', by='month'\)"),
        (lambda q: q.group_by("person"), "no answer is about one person"),
        (lambda q: q.group_by("ward", groups=["surgry"]), "no category of 'ward'.*Did you mean surgery"),
        (lambda q: q.rename(ward="department"), r"rename\(department='ward'\)"),
        (lambda q: q.join(q.select("person").rename(), rows=0), "above zero"),
        (lambda q: q.join(q.select("person"), rows=1, how="outer"), "join.how must be one of inner, left, got 'outer'"),
        (lambda q: q.join_public("wards.csv", {"ward": COLUMNS["ward"]}, on="ward"), "must be in memory, got a path"),
        (lambda q: q.derive(x="random()"), "from its row alone"),
        (lambda _: opened().query("visit"), "there is no table 'visit'; there are 'visits'"),
        (lambda _: Session({"visits": ROWS}, BOOK, pv.budget(epsilon=1)), "need codebooks by the same names"),
        (lambda _: Session({"a": ROWS}, {"b": BOOK}, pv.budget(epsilon=1)), "got sources 'a' and codebooks 'b'"),
        (lambda _: Session(ROWS, BOOK, 1), "Session.budget must be a budget"),  # type: ignore[arg-type]
        (lambda _: Session(3, BOOK, pv.budget(epsilon=1)), "visits: a source must be the path of CSV"),
        (lambda _: pv.Release.from_json("hello"), "this is no JSON"),
    ],
)
def test_messages_say_what_to_do_next(make: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        make(opened().query())


def test_rows_have_no_caps() -> None:
    book = pv.Codebook(unit=pv.Rows(), columns=COLUMNS)
    with pytest.raises(InvalidError, match="no persons to cap"):
        Session([], book, pv.budget(epsilon=1)).query().cap(rows=3)


def test_what_is_printed_has_values_and_intervals() -> None:
    session = opened(ROWS)
    query = session.query()
    rolled = str(query.rollup("ward").agg(pv.count()).release(epsilon=5)).splitlines()
    assert [line.split()[0] for line in rolled[:4]] == ["ward", "all", "medicine", "surgery"]
    assert " to " in rolled[1]
    batched = str(session.batch(a=query.agg(pv.count())).release(epsilon=5))
    assert batched.startswith("a\ncount (95 % interval)\n")
    assert " to " in batched
    asked = str(session.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward").release(epsilon=5)).splitlines()
    assert asked[1].startswith("medicine  ")
    assert " to " in asked[1]


def test_an_answer_of_a_part_says_which_rows_count() -> None:
    part = opened(ROWS).partition("ward").release(epsilon=1)["surgery"]
    told = part.query().agg(pv.count()).release(epsilon=1).notes
    assert "part: ward = 'surgery'; rows of a person count in at most 1 of 2 parts" in told
