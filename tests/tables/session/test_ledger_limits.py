"""What one budget of a ledger bounds: one kind of unit, one form, amounts that can be read back."""

import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, LedgerError, MismatchError, PrivetError
from privet.ledger.account import Account
from privet.tables.curator.exact_words import exact_words

ROWS = [{"person": n, "ward": "ab"[n % 2], "day": "2026-04-11"} for n in range(200)]
COLUMNS = {
    "person": pv.column("integer"),
    "ward": pv.column("text", categories=("a", "b")),
    "day": pv.column("date"),
}
PERSONS = pv.Persons("person", rows=1)
TINY = Fraction(1, 10**450)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def opened(path: Path, unit: Any = PERSONS, limit: Any = None, **more: Any) -> pv.Session:
    budget = pv.budget(epsilon=1, delta=1e-6) if limit is None else limit
    book = pv.Codebook(columns=COLUMNS, unit=unit)
    return pv.Session(ROWS, book, budget, ledger=pv.Ledger(path), dataset="visits", **more)


def counted(session: pv.Session, **more: Any) -> Any:
    return session.query().agg(pv.count()).release(**more)


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Rows(count=2), pv.Persons("person", rows=1, period=("day", "month"))])
def test_one_budget_is_for_one_kind_of_unit(unit: Any, path: Path) -> None:
    """A hundred rows of a person, each charged as a row, would cost that person a hundred times what is written."""
    counted(opened(path), epsilon=0.1)
    with pytest.raises(InvalidError, match="for the loss of persons, and this session protects"):
        opened(path, unit)
    assert len(opened(path, pv.Persons("person", rows=9)).history) == 1


def test_a_budget_that_was_granted_is_for_the_unit_of_the_first_session(path: Path) -> None:
    pv.Ledger(path).grant("visits", pv.budget(epsilon=1, delta=1e-6))
    opened(path, pv.Rows())
    opened(path, pv.Rows())
    assert pv.Ledger(path).head().number == 3
    with pytest.raises(InvalidError, match="for the loss of rows, 1 at a time"):
        opened(path)


def test_parts_of_one_price_and_two_forms_are_two_charges(path: Path) -> None:
    """Otherwise a budget of epsilon is charged in rho, whose numbers are smaller."""
    session = opened(path, limit=pv.budget(rho="0.02"))
    parts = session.partition("ward").release(epsilon="0.1")
    counted(parts["a"], epsilon="0.0001")
    paid = pv.Ledger(path).charges()[0].exact_cost
    again = session.partition("ward").release(rho=paid)
    whole = [each for each in pv.Ledger(path).charges() if not each.place.part]
    assert [each.exact_cost for each in whole] == [paid, paid]
    counted(again["a"], rho=paid * Fraction(99, 100))
    with pytest.raises(PrivetError):
        counted(again["a"], rho=paid * Fraction(99, 100), again=True)


def test_a_twin_that_leaves_the_budget_out_is_stopped_by_the_account(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def without_budget(value: Any) -> Any:
        kept = {name: each for name, each in value.items() if name != "budget"} if type(value) is dict else value
        return exact_words(kept)

    monkeypatch.setattr("privet.tables.curator.request_words.exact_words", without_budget)
    session = opened(path, limit=pv.budget(rho="0.02"))
    counted(session.partition("ward").release(epsilon="0.1")["a"], epsilon="0.0001")
    paid = pv.Ledger(path).charges()[0].exact_cost
    parts = session.partition("ward").release(rho=paid)
    assert len([each for each in pv.Ledger(path).charges() if not each.place.part]) == 1
    with pytest.raises(MismatchError, match="this charge is for"):
        counted(parts["a"], rho=paid / 2)


BRICKS: dict[str, Callable[[pv.Session, pv.Ledger], object]] = {
    "delta": lambda s, _: counted(s, epsilon="0.25", delta="1e-450"),
    "cost": lambda s, _: counted(s, epsilon=Fraction(1, 2) - TINY),
    "cost of a part": lambda s, _: counted(
        s.partition("ward").release(epsilon=0.5)["a"], epsilon=Fraction(1, 3) + TINY
    ),
    "budget of parts": lambda s, _: s.partition("ward").release(epsilon=Fraction(1, 2) - TINY)["a"],
    "budget": lambda _, ledger: ledger.grant("visits", pv.budget(epsilon=1 + TINY, delta=1e-6)),
    "large budget": lambda _, ledger: ledger.grant("visits", pv.budget(epsilon=10**450, delta=1e-6)),
    "budget of another": lambda _, ledger: ledger.grant("stays", pv.budget(epsilon=1, delta=TINY)),
    "share": lambda _, ledger: ledger.allow("visits", "ann", share=TINY),
    "allowance": lambda _, ledger: ledger.allow("visits", "ann", budget=pv.budget(epsilon=1, delta=TINY)),
}


@pytest.mark.parametrize("name", BRICKS)
def test_no_request_makes_a_ledger_unreadable(name: str, path: Path) -> None:
    """A ledger only grows: an entry that cannot be read would end all data sets in it."""
    session = opened(path)
    try:
        BRICKS[name](session, pv.Ledger(path))
    except InvalidError as error:
        assert "at most 400 digits" in str(error)  # noqa: PT017 - either is right
    assert pv.Ledger(path).datasets == ("visits",)
    assert counted(session, epsilon="0.01") == counted(opened(path), epsilon="0.01")


def test_four_who_ask_at_once_get_one_release(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three read the data before one of them has stored its release; the fourth may be told to wait."""
    begun, store = threading.Barrier(3), Account.store

    def late(*arguments: Any) -> str:
        begun.wait(60)
        return store(*arguments)

    monkeypatch.setattr(Account, "store", late)
    sessions, answers = [opened(path) for _ in range(4)], list[Any]()

    def ask(session: pv.Session) -> None:
        try:
            answers.append(counted(session, epsilon=0.5))
        except LedgerError as error:
            answers.append(str(error))

    threads = [threading.Thread(target=ask, args=(session,)) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    releases = [each for each in answers if not isinstance(each, str)]
    assert len(releases) in (3, 4)  # one that comes late finds the release stored
    assert all(each == counted(opened(path), epsilon=0.5) for each in releases)
    assert [each for each in answers if isinstance(each, str) and "ask again later" not in each] == []
    assert pv.Ledger(path).spent("visits").describe() == "epsilon = 0.5"


def test_a_query_cannot_command_a_terminal(path: Path) -> None:
    counted_by = opened(path).query().filter(pv.col("ward") == "\x1b[2J\u202e\n")
    counted_by.agg(pv.count()).release(epsilon=0.1)
    assert all(each.query.isprintable() for each in pv.Ledger(path).charges())


@pytest.mark.parametrize("period", ["garbage", "2026-5", "2026-13", "2026-Q5", "", 5])
def test_what_is_no_period_has_no_budget(period: Any, path: Path) -> None:
    opened(path, pv.Persons("person", rows=1, period=("day", "month")), period="2026-04")
    with pytest.raises(InvalidError, match="period must be the name of one"):
        pv.Ledger(path).remaining("visits", period=period)
    assert pv.Ledger(path).remaining("visits", period="2026-05").epsilon == 1  # type: ignore[attr-defined]


def test_a_budget_for_all_rows_has_no_periods(path: Path) -> None:
    opened(path)
    with pytest.raises(InvalidError, match="leave period out"):
        pv.Ledger(path).spent("visits", period="2026-05")
