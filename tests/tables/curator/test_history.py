"""The history of a session: one entry for each charge, made at the charge, whatever follows it."""

import copy
import threading
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

import privet as pv
from privet.errors import BudgetExceededError, PrivetError, UnavailableError
from privet.tables.curator.allowance import Allowance
from privet.tables.curator.history import LONGEST, History, HistoryEntry
from privet.tables.engines.duckdb.engine import DuckDBEngine

BOOK = pv.Codebook(
    table="visits",
    columns={
        "person": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "minutes": pv.column("integer", bounds=(0, 60)),
        "age": pv.column("integer", bounds=(0, 99)),
    },
    unit=pv.Persons("person", rows=2, groups=2),
)
ROWS = [{"person": n, "ward": "ab"[n % 2], "minutes": n % 50, "age": None if n % 5 == 0 else n % 90} for n in range(60)]


def open_session(budget: Any = None, rows: Any = ROWS) -> pv.Session:
    return pv.Session(rows, BOOK, budget or pv.budget(epsilon=10, delta=1e-5))


def test_an_entry_says_what_when_at_what_cost_and_what_was_left() -> None:
    session, begin = open_session(), datetime.now(UTC)
    session.query().filter("minutes > 3").group_by("ward").agg(pv.count(), m=pv.mean("minutes")).release(epsilon=0.5)
    session.query().agg(pv.count()).release(epsilon=1)
    first, second = session.history
    assert first.query == "count, m = mean_minutes of visits; filter minutes > 3; by ward (2 groups)"
    assert (first.cost, first.left) == (pv.budget(epsilon=0.5), pv.budget(epsilon=9.5, delta=1e-5))
    assert second.query == "count of visits"
    assert (second.cost, second.left) == (pv.budget(epsilon=1), session.remaining)
    assert begin <= first.time <= second.time <= datetime.now(UTC)


def test_every_kind_of_release_is_recorded_in_words() -> None:
    session = open_session(pv.budget(epsilon=100, delta=1e-2))
    rows = session.query()
    session.sql("SELECT ward,\n  COUNT(*) AS n FROM visits GROUP BY ward").release(epsilon=1)
    rows.cap(rows=pv.auto()).agg(pv.count()).release(epsilon=1)
    rows.private_keys("ward").release(epsilon=1, delta=1e-4)
    rows.rollup("ward").agg(pv.count()).release(epsilon=1)
    session.batch(one=rows.agg(pv.count()), two=rows.agg(pv.sum("minutes"))).release(epsilon=1)
    rows.impute("age", by=["minutes"]).agg(pv.mean("age")).release(epsilon=1)
    parts = session.partition("ward").release(epsilon=1)
    assert [entry.query for entry in session.history] == [
        "SQL: SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
        "estimate of the cap on rows, for count of visits",
        "count of visits",
        "private keys ward of visits",
        "roll-up: count of visits; by ward (2 groups)",
        "batch of 2 queries: one: count of visits; two: sum_minutes of visits",
        "mean_age of visits; impute age",
        "2 parts of visits by ward",
    ]
    parts["a"].query().agg(pv.count()).release(epsilon=0.5)
    assert len(session.history) == 8, "a part has a history of its own"
    assert [entry.cost for entry in parts["a"].history] == [pv.budget(epsilon=0.5)]
    assert not parts["b"].history


def test_the_costs_add_up_to_what_was_spent() -> None:
    session = open_session(pv.budget(rho=2))
    for _ in range(3):
        session.query().agg(pv.count()).release(rho=Fraction(1, 3))
    assert sum(entry.cost.rho for entry in session.history) == session.spent.rho  # type: ignore[attr-defined]
    assert [entry.left for entry in session.history][-1] == session.remaining


def test_what_is_refused_is_not_recorded() -> None:
    session = open_session(pv.budget(epsilon=1))
    with pytest.raises(BudgetExceededError):
        session.query().agg(pv.count()).release(epsilon=2)
    with pytest.raises(PrivetError):
        session.query().agg(pv.mean("ward")).release(epsilon=1)
    assert not session.history


def test_a_charge_stays_where_the_read_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_session()

    def fail(*_: object, **__: object) -> None:
        raise UnavailableError("the disk is full.")

    monkeypatch.setattr(DuckDBEngine, "execute", fail)
    monkeypatch.setattr(DuckDBEngine, "_read", fail)
    with pytest.raises(UnavailableError):
        session.query().agg(pv.count()).release(epsilon=1)
    assert [entry.cost for entry in session.history] == [session.spent] == [pv.budget(epsilon=1)]


class Hostile(str):
    """A text that cannot be read as a text."""

    __slots__ = ()

    def __getitem__(self, _: object) -> str:
        raise UnavailableError("no letters.")


def test_a_hostile_title_cannot_keep_a_charge_out() -> None:
    session = open_session()
    query: Any = session.query().agg(pv.count())
    request = evolve(query.request(Allowance(budget=pv.budget(epsilon=1))), title=Hostile("rows"))
    session.release(request)
    assert [(entry.query, entry.cost) for entry in session.history] == [("rows", session.spent)]


def test_threads_are_recorded_in_the_order_of_their_charges() -> None:
    session = open_session()

    def ask() -> None:
        for _ in range(5):
            session.query().agg(pv.count()).release(epsilon=0.1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [entry.left.epsilon for entry in session.history]  # type: ignore[attr-defined]
    assert left == [10 - Fraction(n, 10) for n in range(1, 21)]


def test_it_is_the_same_whatever_the_data_are() -> None:
    def history(rows: Any) -> list[tuple[Any, ...]]:
        session = open_session(rows=rows)
        session.query().group_by("ward").agg(pv.count()).release(epsilon=1)
        session.query().cap(rows=pv.auto()).agg(pv.sum("minutes")).release(epsilon=1)
        return [(entry.query, entry.cost, entry.left) for entry in session.history]

    assert history(ROWS) == history([]) == history(ROWS[:1] * 500)


def test_it_is_a_sequence_that_nobody_changes() -> None:
    session = open_session()
    before = session.history
    session.query().agg(pv.count()).release(epsilon=1)
    history = session.history
    assert (len(before), len(history)) == (0, 1)
    assert history[0] is history[-1]
    assert isinstance(history[:1], History)
    assert copy.copy(history) == history
    with pytest.raises(FrozenInstanceError):
        history[0].query = "nothing"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        history.entries = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("budget", "columns"),
    [
        (pv.budget(epsilon=10), ["epsilon", "epsilon_left", "delta", "delta_left"]),
        (pv.budget(rho=10), ["rho", "rho_left"]),
        (pv.budget(order=8, renyi=50), ["renyi", "renyi_left"]),
        (pv.budget(mu=5), ["mu_squared", "mu_squared_left"]),
    ],
)
def test_its_columns_have_the_names_of_the_budget(budget: Any, columns: list[str]) -> None:
    session = open_session(budget)
    session.query().agg(pv.count()).release(epsilon=1)
    table = session.history.to_dict()
    assert list(table) == ["number", "time", "query", *columns]
    assert list(session.history.to_pandas().columns) == list(table)
    assert session.history.to_pandas()["query"][0] == "count of visits"


def test_floats_are_rounded_to_the_side_of_more_loss() -> None:
    third = pv.budget(epsilon=Fraction(1, 3))
    table = History((HistoryEntry(query="x", cost=third, left=third),)).to_dict()
    assert Fraction(table["epsilon_left"][0]) <= Fraction(1, 3) <= Fraction(table["epsilon"][0])


def test_pandas_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(UnavailableError, match=r"^to_pandas needs pandas: pip install 'privet\[pandas\]'\.$"):
        History().to_pandas()


def test_its_table_is_short() -> None:
    entry = HistoryEntry(query="x" * 10**5, cost=pv.budget(epsilon=1), left=pv.budget(epsilon=0))
    assert len(entry.query) == LONGEST
    history = History((entry,) * 1000)
    assert repr(history).count("\n") == 21
    assert repr(history).endswith("980 charges before")
    assert str(history).count("\n") == 1000
    assert "epsilon = 1" in history._repr_html_()
    assert repr(History()) == "History: nothing was charged yet"
    assert "nothing was charged yet" in History()._repr_html_()


def test_a_session_without_a_limit_records_what_was_asked() -> None:
    session = open_session(pv.InfiniteBudget())
    session.query().agg(pv.count()).release(epsilon=10**6)
    assert [entry.query for entry in session.history] == ["count of visits"]
    assert session.history.to_dict()["query"] == ["count of visits"]
    assert "no limit" in repr(session.history)
