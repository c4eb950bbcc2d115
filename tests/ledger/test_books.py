"""A file with a correct chain whose entries break the rules is refused: no writer but Privet is trusted."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet.errors import LedgerError
from privet.ledger.books import Books, Place
from privet.ledger.chain import Head, write_entry
from tests.ledger.files import filled

BUDGET = {"form": "approximate", "epsilon": "1/1", "delta": "0/1"}
START: dict[str, Any] = {"kind": "start", "format": "ledger/1", "id": "0"}
GRANT: dict[str, Any] = {
    "kind": "grant",
    "dataset": "v",
    "part": "",
    "budget": BUDGET,
    "time": "2026-01-01T00:00+00:00",
}
CHARGE: dict[str, Any] = {
    "kind": "charge",
    "dataset": "v",
    "part": "",
    "analyst": "",
    "key": "k",
    "digest": "",
    "query": "count",
    "result": "release",
    "cost": "1/2",
    "delta": "0/1",
    "time": "2026-01-01T00:00+00:00",
}
STORE: dict[str, Any] = {"kind": "store", "charge": 3, "sha256": "0", "time": "2026-01-01T00:00+00:00"}
ATTEMPT: dict[str, Any] = {"kind": "attempt", "charge": 3}
CLOSE: dict[str, Any] = {"kind": "close", "charge": 3}
SHARE: dict[str, Any] = {"kind": "share", "charge": 3}
USUAL = [START, GRANT, CHARGE]
EACH: dict[str, Any] = {**GRANT, "per": "person and month"}
MAY: dict[str, Any] = {**CHARGE, "periods": ["2026-05"]}
BOTH: dict[str, Any] = {**CHARGE, "key": "2", "cost": "2/3", "periods": ["2026-04", "2026-05"]}
WRONG: dict[str, list[dict[str, Any]]] = {
    "a charge without a budget": [START, CHARGE],
    "a charge beyond the budget": [START, GRANT, {**CHARGE, "cost": "3/2"}],
    "a delta beyond the budget": [START, GRANT, {**CHARGE, "delta": "1/9"}],
    "charges beyond the budget": [*USUAL, {**CHARGE, "key": "2"}, {**CHARGE, "key": "3"}],
    "beyond an allowance": [
        START,
        GRANT,
        {"kind": "allow", "dataset": "v", "part": "", "analyst": "", "share": "1/3"},
        CHARGE,
    ],
    "a negative charge": [START, GRANT, {**CHARGE, "cost": "-1/2"}],
    "a key twice": [*USUAL, {**CHARGE, "cost": "0/1"}],
    "another result": [START, GRANT, {**CHARGE, "result": "gift"}],
    "two releases": [*USUAL, STORE, STORE],
    "four attempts": [*USUAL, ATTEMPT, ATTEMPT, ATTEMPT],
    "stored twice behind its end": [*USUAL, CLOSE, STORE, STORE],
    "stored without a charge": [START, GRANT, STORE],
    "an attempt after it was stored": [*USUAL, STORE, ATTEMPT],
    "shared before it is stored": [*USUAL, SHARE],
    "shared twice": [*USUAL, STORE, SHARE, SHARE],
    "a budget below what is spent": [*USUAL, {**GRANT, "budget": {**BUDGET, "epsilon": "1/3"}}],
    "all rows, where each period has a budget": [START, EACH, CHARGE],
    "a period, where all rows have a budget": [START, GRANT, MAY],
    "two periods, of which one is spent": [START, EACH, MAY, BOTH],
    "one period, after two": [START, EACH, {**BOTH, "cost": "1/1"}, MAY],
    "a period twice": [START, EACH, {**MAY, "periods": ["2026-05", "2026-05"]}],
    "a period that is no text": [START, EACH, {**MAY, "periods": [5]}],
    "a budget of one period": [START, EACH, {**EACH, "periods": ["2026-05"]}],
    "a budget for each period, after one for all": [START, GRANT, EACH],
    "a budget for other periods": [START, EACH, {**EACH, "per": "person and day"}],
    "a budget below what is spent of one period": [START, EACH, MAY, {**EACH, "budget": {**BUDGET, "epsilon": "1/3"}}],
    "beyond an allowance in one period": [
        START,
        EACH,
        {"kind": "allow", "dataset": "v", "part": "", "analyst": "", "share": "1/2"},
        MAY,
        {**BOTH, "cost": "1/4"},
    ],
    "a start in the middle": [START, START],
    "a newer format": [{**START, "format": "ledger/2"}],
    "another file": [{**START, "format": "codebook/1"}],
    "an unknown kind": [START, {"kind": "refund"}],
    "no kind": [START, {}],
    "a missing field": [START, {"kind": "grant"}],
    "a field of another type": [START, {**GRANT, "budget": 3}],
}


def applied(entries: list[dict[str, Any]]) -> Books:
    books = Books()
    for number, entry in enumerate(entries, 1):
        books.apply(Head(number, ""), write_entry(entry))
    return books


@pytest.mark.parametrize("name", WRONG)
def test_entries_that_break_the_rules_are_refused(name: str) -> None:
    *before, last = WRONG[name]
    books = applied(before)
    with pytest.raises(LedgerError):
        books.apply(Head(len(before) + 1, ""), write_entry(last))


@pytest.mark.parametrize("more", [[STORE], [ATTEMPT, ATTEMPT, CLOSE], [ATTEMPT, STORE], [STORE, SHARE]])
def test_usual_entries_are_taken(more: list[dict[str, Any]]) -> None:
    books = applied([*USUAL, *more])
    states = {"close": "closed", "store": "stored", "share": "shared"}
    assert books.charges[3].state == states[more[-1]["kind"]]
    assert books.head.number == 3 + len(more)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    ledger = filled(tmp_path / "budget.db")
    with ledger.reading() as books:
        assert (len(books.charges), len(books.texts), len(books.keys)) == (3, 3, 3)


def test_a_charge_of_several_periods_is_one_of_each() -> None:
    books = applied([START, EACH, MAY, {**BOTH, "cost": "1/4"}, {**BOTH, "key": "3", "cost": "1/4"}])
    spent = {name: each.spent.cost for name, each in books.periods["v"].items()}
    assert spent == {"2026-04": Fraction(1, 2), "2026-05": 1}
    assert [books.charges[number].rest.cost for number in (3, 4, 5)] == [Fraction(1, 2), Fraction(1, 4), 0]
    whole = books.account(Place(dataset="v"))
    assert whole is not None
    assert whole.left("").cost == 0
