"""A file with a correct chain whose entries break the rules is refused: no writer but Privet is trusted."""

from pathlib import Path
from typing import Any

import pytest

from privet.errors import LedgerError
from privet.ledger.books import Books
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
USUAL = [START, GRANT, CHARGE]
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
    "stored behind its end": [*USUAL, CLOSE, STORE],
    "stored without a charge": [START, GRANT, STORE],
    "an attempt after it was stored": [*USUAL, STORE, ATTEMPT],
    "a budget below what is spent": [*USUAL, {**GRANT, "budget": {**BUDGET, "epsilon": "1/3"}}],
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


@pytest.mark.parametrize("more", [[STORE], [ATTEMPT, ATTEMPT, CLOSE], [ATTEMPT, STORE]])
def test_usual_entries_are_taken(more: list[dict[str, Any]]) -> None:
    books = applied([*USUAL, *more])
    assert books.charges[3].state == ("closed" if more[-1] is CLOSE else "stored")
    assert books.head.number == 3 + len(more)


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    ledger = filled(tmp_path / "budget.db")
    with ledger.reading() as books:
        assert (len(books.charges), len(books.texts), len(books.keys)) == (3, 3, 3)
