"""Mistakes of newcomers: a spent budget, no aggregates, a closed session, a typo in SQL."""

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, UnavailableError

BOOK = pv.Codebook(
    table="visits",
    columns={
        "visitor_id": pv.column("integer"),
        "spending": pv.column("real", bounds=(0, 100)),
        "restaurant": pv.column("text", categories=("Bella", "Corner")),
    },
    unit=pv.Persons("visitor_id", rows=10),
)
AGAIN = "open the data with a larger budget; the losses of both budgets add up."


def open_session(**budget: float) -> pv.Session:
    return pv.Session(pv.datasets.visits(200), BOOK, pv.budget(**budget or {"epsilon": 1}))


def message(error: type[Exception], call: Callable[[], object]) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_mistake_28_a_release_that_costs_more_than_is_left() -> None:
    session = open_session(epsilon=1)
    session.query().agg(pv.count()).release(epsilon=0.8)
    assert message(BudgetExceededError, lambda: session.query().agg(pv.count()).release(epsilon=0.5)) == (
        "the release needs epsilon = 0.5, and the budget has 0.2 left: 0.3 is missing. Nothing was spent. "
        f"Ask for at most epsilon = 0.2, or {AGAIN}"
    )


def test_mistake_28_a_budget_that_is_spent() -> None:
    session = open_session(epsilon=1)
    session.query().agg(pv.count()).release(epsilon=1)
    assert message(BudgetExceededError, lambda: session.query().agg(pv.count()).release(epsilon=0.5)) == (
        "the release needs epsilon = 0.5, and the budget has nothing left: 0.5 is missing. Nothing was spent. "
        f"The budget is spent: to go on, {AGAIN}"
    )


def test_mistake_28_delta_is_missing() -> None:
    session = open_session(epsilon=5)
    assert message(BudgetExceededError, lambda: session.query().agg(pv.count()).release(rho=0.001, delta=1e-6)) == (
        "the release needs epsilon = 0.167944 and delta = 1e-6, and the budget has epsilon = 5 left: delta = 1e-6 is "
        f"missing. Nothing was spent. Ask for a release without delta, or {AGAIN}"
    )


def test_mistake_28_rho() -> None:
    session = open_session(rho=0.1)
    assert message(BudgetExceededError, lambda: session.query().agg(pv.count()).release(rho=0.5)) == (
        "the release needs rho = 0.5, and the budget has 0.1 left: 0.4 is missing. Nothing was spent. "
        f"Ask for at most rho = 0.1, or {AGAIN}"
    )


def test_mistake_28_estimates_and_a_query_together() -> None:
    session = open_session(epsilon=1)
    query = session.query().cap(rows=pv.auto()).agg(pv.count())
    assert message(BudgetExceededError, lambda: query.release(epsilon=3)) == (
        "the estimates and the query together need epsilon = 3, and the budget has 1 left: 2 is missing. Nothing was "
        f"spent. Ask for at most epsilon = 1, or {AGAIN}"
    )


def test_mistake_28_a_batch() -> None:
    session = open_session(epsilon=1)
    batch = session.batch(a=session.query().agg(pv.count()), b=session.query().agg(pv.mean("spending")))
    assert message(BudgetExceededError, lambda: batch.release(epsilon=3)) == (
        "the release needs epsilon = 3, and the budget has 1 left: 2 is missing. Nothing was spent. "
        f"Ask for at most epsilon = 1, or {AGAIN}"
    )


@pytest.mark.parametrize("verb", ["release", "describe", "plan", "loss"])
@pytest.mark.parametrize(
    "make",
    [
        lambda session: session.query(),
        lambda session: session.query().group_by("restaurant"),
        lambda session: session.query().rollup("restaurant"),
        lambda session: session.query().impute("spending", by=["restaurant"]),
        lambda session: session.query().impute("spending", by=["restaurant"]).group_by("restaurant"),
    ],
)
def test_mistake_34_no_aggregates(make: Callable[[pv.Session], Any], verb: str) -> None:
    query = make(open_session())
    assert message(UnavailableError, lambda: getattr(query, verb)(epsilon=1)) == (
        f"{verb}: this query has rows and no aggregates yet. Say what to compute with .agg(...) first, such as "
        f"query.agg(pv.count()).{verb}(epsilon=1)."
    )


def test_mistake_34_no_aggregates_in_a_file() -> None:
    assert message(UnavailableError, lambda: open_session().query().to_yaml()) == (
        "to_yaml: this query has rows and no aggregates yet. Say what to compute with .agg(...) first, such as "
        "query.agg(pv.count()).to_yaml()."
    )


@pytest.mark.parametrize(
    "ask", [lambda session: session.query().agg(pv.count()), lambda session: session.sql("SELECT COUNT(*) FROM visits")]
)
def test_mistake_37_a_closed_session(ask: Callable[[pv.Session], Any]) -> None:
    session = open_session()
    session.close()
    assert message(UnavailableError, lambda: ask(session).release(epsilon=1)) == (
        "the session is closed: close() was called or its with block has ended, and it holds no data any more. "
        "Open another one: pv.Session(source, codebook, budget)."
    )
    assert session.spent == pv.budget(epsilon=0)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT restaurant, COUNT(*) FROM visits WHERE spendng > 1 GROUP BY restaurant", " in 'spendng > 1'"),
        ("SELECT SUM(spendng) FROM visits", ""),
    ],
)
def test_a_typo_in_sql_has_a_short_traceback(text: str, place: str) -> None:
    session = open_session()
    with pytest.raises(InvalidError) as caught:
        session.sql(text)
    assert str(caught.value) == (
        f"there is no column 'spendng'{place}; there are 'visitor_id', 'spending', 'restaurant'. "
        "Did you mean 'spending'?"
    )
    lines = traceback.format_exception(caught.value)
    assert len(lines) <= 5, "the frames of the caller, of session.sql and of the reader, and no more"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_typo_in_a_filter_has_a_short_traceback() -> None:
    session = open_session()
    with pytest.raises(InvalidError) as caught:
        session.query().filter("spendng > 1")
    assert len(traceback.format_exception(caught.value)) <= 5


@pytest.mark.parametrize(
    "call",
    [
        lambda session: session.sql("SELECT FIRST(spending) FROM visits"),
        lambda session: session.sql("SELECT COUNT(*) OVER () FROM visits"),
        lambda session: session.query().filter("random() > 1"),
        lambda session: session.query().filter("foo(spending) > 1"),
    ],
)
def test_no_message_cites_a_file_that_a_user_does_not_have(call: Callable[[pv.Session], object]) -> None:
    assert "docs/" not in message(InvalidError, lambda: call(open_session()))
