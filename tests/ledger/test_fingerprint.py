"""Entries that were checked are recognised by their bytes, in both stores and across blocks."""

import pytest

from privet.ledger import fingerprint
from privet.ledger.chain import Head, verify_entries
from privet.ledger.fingerprint import Fingerprint
from privet.ledger.ledger import Ledger
from tests.ledger.files import Place, charge, filled

Row = tuple[int, str, str]


def of_ledger(ledger: Ledger, entries: int) -> Fingerprint:
    """Take in the first entries of a ledger."""
    made = Fingerprint()
    with ledger._store.reading() as transaction:
        for number, text, digest in list(transaction.entries())[:entries]:
            made.add(Head(number, digest), text)
    return made


@pytest.mark.parametrize("block", [1, 2, 3, 7, 8, 9])
def test_a_store_has_what_it_had(place: Place, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python and the engine of the store must join entries in the same way: else every check would be a slow one."""
    monkeypatch.setattr(fingerprint, "BLOCK", block)
    ledger = filled(place)
    other = filled(place, 0)
    charge(other.account("visits", "\u00e4 \U0001f600 \"'\\"), "another", query="\t\n\u2028 \x7f")
    for entries in range(10):
        made = of_ledger(ledger, entries)
        with ledger._store.reading() as transaction:
            assert made.is_kept_by(transaction)
    with ledger._store.reading() as transaction:
        changed = Fingerprint()
        for number, text, digest in transaction.entries():
            changed.add(Head(number, digest), text.replace("another", "others"))
        assert not changed.is_kept_by(transaction)


def test_a_check_goes_through_new_entries_only(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, seen = filled(place), list[int]()

    def counting(rows: list[Row], head: Head, known: Head, taken: int, start: Head) -> list[Row]:
        read = list(rows)
        seen.append(len(read))
        return verify_entries(read, head, known, taken, start)

    monkeypatch.setattr("privet.ledger.ledger.verify_entries", counting)
    ledger.head()
    charge(ledger.account("visits", "ann"))
    ledger.head()
    other = Ledger(place)
    charge(other.account("visits", "ann"), "from another one")
    ledger.head()
    assert seen[0] == 1, "the last store was made after the last check"
    assert seen.count(9) == 1, "the other ledger reads all entries once"
    assert seen[-1] == 1
    assert max(seen[:5]) <= 1
