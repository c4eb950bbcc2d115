"""Whatever is changed in the ledger is noticed before the next charge or stored release."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from privet.errors import LedgerError
from privet.ledger import chain, fingerprint
from privet.ledger.chain import START, Head, link, read_entry, verify_entries, write_entry
from privet.ledger.ledger import Ledger
from tests.ledger.files import Content, Place, charge, content, filled, rechain, restore, tamper

Rows = list[tuple[int, str, str]]
ENTRIES = 8  # of a filled ledger: its start, a budget, three charges, three releases
SPENT_LESS = """replace(text, '"cost":"1/10"', '"cost":"1/99"')"""


def changes() -> dict[str, tuple[str, ...]]:
    """Every edit, deletion, swap and insertion of one row."""
    edits: dict[str, tuple[str, ...]] = {}
    for number in range(1, ENTRIES + 1):
        edits[f"text {number}"] = (f"UPDATE entries SET text = text || ' ' WHERE number = {number}",)
        edits[f"hash {number}"] = (f"UPDATE entries SET hash = upper(hash) WHERE number = {number}",)
        edits[f"between text and hash {number}"] = (
            f"UPDATE entries SET text = text || substr(hash, 1, 1), hash = substr(hash, 2) WHERE number = {number}",
        )
        edits[f"deleted {number}"] = (f"DELETE FROM entries WHERE number = {number}",)
        edits[f"blob {number}"] = (f"UPDATE entries SET text = CAST(text AS BLOB) WHERE number = {number}",)
        if number < ENTRIES:
            second = f"SELECT {{0}} FROM entries WHERE number = {number + 1}"
            edits[f"two in one row {number}"] = (
                (
                    f"UPDATE entries SET text = text || chr(9) || hash || chr(10) || ({second.format('text')}), "
                    f"hash = ({second.format('hash')}) WHERE number = {number}"
                ),
                f"UPDATE entries SET text = '', hash = '' WHERE number = {number + 1}",
            )
            edits[f"swapped {number}"] = (
                f"UPDATE entries SET number = 99 WHERE number = {number}",
                f"UPDATE entries SET number = {number} WHERE number = {number + 1}",
                f"UPDATE entries SET number = {number + 1} WHERE number = 99",
            )
        edits[f"deleted and moved up {number}"] = (
            f"DELETE FROM entries WHERE number = {number}",
            f"UPDATE entries SET number = 1 - number WHERE number > {number}",  # two steps: a number is there once
            "UPDATE entries SET number = -number WHERE number < 0",
        )
    for number in (4, 6, 8):
        edits[f"release {number}"] = (f"UPDATE releases SET text = CAST('x' AS BLOB) WHERE number = {number}",)
        edits[f"release {number} as text"] = (f"UPDATE releases SET text = CAST(text AS TEXT) WHERE number = {number}",)
        edits[f"release {number} deleted"] = (f"DELETE FROM releases WHERE number = {number}",)
        edits[f"release {number} moved"] = (f"UPDATE releases SET number = 5 WHERE number = {number}",)
    return edits | {
        "releases swapped": (
            "UPDATE releases SET number = 99 WHERE number = 4",
            "UPDATE releases SET number = 4 WHERE number = 6",
            "UPDATE releases SET number = 6 WHERE number = 99",
        ),
        "release inserted": ("INSERT INTO releases VALUES (3, 'x')",),
        "entry inserted at the end": (f"INSERT INTO entries VALUES ({ENTRIES + 1}, '{{}}', 'x')",),
        "entry inserted before": ("INSERT INTO entries VALUES (0, '{}', 'x')",),
        "entry repeated": (f"INSERT INTO entries SELECT {ENTRIES + 1}, text, hash FROM entries WHERE number = 5",),
        "cost lowered": (f"UPDATE entries SET text = {SPENT_LESS}",),
        "head moved": ("UPDATE head SET number = number - 1",),
        "head hash": ("UPDATE head SET hash = 'x'",),
        "head deleted": ("DELETE FROM head",),
        "all emptied": ("DELETE FROM entries", "DELETE FROM releases"),
    }


@pytest.fixture(scope="module")
def bytes_of_ledger(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("ledger") / "budget.db"
    filled(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def on_server(addresses: Callable[[], str]) -> tuple[str, Content]:
    address = addresses()
    filled(address)
    return address, content(address)


def check_that_a_change_is_noticed(place: Place, *statements: str) -> None:
    """In a ledger that is open before the next charge and before a stored release, and in one that is opened anew."""
    ledger = Ledger(place)
    account = ledger.account("visits", "ann")
    assert ledger.head().number == ENTRIES
    tamper(place, *statements)
    before = content(place)
    for key in ("fresh", "key 0"):
        with pytest.raises(LedgerError, match="Nothing was charged or shown"):
            charge(account, key)
    with pytest.raises(LedgerError):
        Ledger(place)
    assert content(place) == before


@pytest.mark.parametrize("block", [1, 3, fingerprint.BLOCK])
@pytest.mark.parametrize("name", changes())
def test_a_change_of_a_file_is_noticed(
    name: str, block: int, bytes_of_ledger: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fingerprint, "BLOCK", block)
    path = tmp_path / "budget.db"
    path.write_bytes(bytes_of_ledger)
    check_that_a_change_is_noticed(path, *changes()[name])


@pytest.mark.engines
@pytest.mark.parametrize("name", [name for name in changes() if "blob" not in name and "as text" not in name])
def test_a_change_on_a_server_is_noticed(name: str, on_server: tuple[str, Content]) -> None:
    """Types cannot change there: the columns have them."""
    restore(*on_server)
    statements = (each.replace("CAST('x' AS BLOB)", "'x'") for each in changes()[name])
    check_that_a_change_is_noticed(on_server[0], *statements)


def test_a_trigger_or_table_of_somebody_elses_is_refused(bytes_of_ledger: bytes, tmp_path: Path) -> None:
    for name, statement in enumerate(
        (
            "CREATE TRIGGER gone AFTER INSERT ON entries BEGIN UPDATE head SET number = 0; END",
            "DROP TRIGGER entries_update",
            "CREATE TABLE more (x)",
        )
    ):
        path = tmp_path / f"{name}.db"
        path.write_bytes(bytes_of_ledger)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
        with pytest.raises(LedgerError, match="tables or triggers"):
            Ledger(path)


def test_entries_cannot_be_changed_by_accident(bytes_of_ledger: bytes, tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    path.write_bytes(bytes_of_ledger)
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("UPDATE entries SET text = 'x'", "DELETE FROM entries", "DELETE FROM releases"):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                connection.execute(statement)


def test_a_chain_that_was_computed_anew_needs_a_known_head(place: Place) -> None:
    """Who knows Privet can rewrite an unkeyed chain: an open ledger notices, an anchor does, a fresh look does not."""
    ledger = filled(place)
    head = ledger.head()
    tamper(place, f"UPDATE entries SET text = {SPENT_LESS}")
    rechain(place, link, START)
    for _ in range(2):  # what was noticed once is not forgotten
        with pytest.raises(LedgerError, match="does not contain the head"):
            ledger.head()
    with pytest.raises(LedgerError, match="not that of the anchor"):
        Ledger(place, anchor=head)
    assert Ledger(place).head().number == ENTRIES


def test_a_twin_that_skips_the_chain_notices_nothing(
    bytes_of_ledger: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "budget.db"
    path.write_bytes(bytes_of_ledger)
    tamper(path, f"UPDATE entries SET text = {SPENT_LESS}")

    def trusting(rows: Rows, head: Head, known: Head, taken: int, start: Head) -> Rows:
        return [row for row in rows if row[0] > taken]

    monkeypatch.setattr("privet.ledger.ledger.verify_entries", trusting)
    assert str(Ledger(path).spent("visits")) != "epsilon = 0.3"


def test_a_twin_that_trusts_what_it_checked_before_notices_nothing(
    bytes_of_ledger: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "budget.db"
    path.write_bytes(bytes_of_ledger)
    monkeypatch.setattr(fingerprint.Fingerprint, "is_kept_by", lambda *_: True)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check_that_a_change_is_noticed(path, *changes()["text 3"])


def test_an_entry_has_one_text() -> None:
    entry = {"kind": "close", "charge": 3}
    assert read_entry(1, write_entry(entry)) == entry
    for text in ('{"kind":"close","charge":3}', "[]", "{", '{"charge":3, "kind":"close"}', "[" * 10_000):
        with pytest.raises(LedgerError, match="entry 1"):
            read_entry(1, text)


def test_a_chain_without_entries_has_a_head() -> None:
    assert verify_entries([], Head(0, START), Head(0, START), 0) == []
    with pytest.raises(LedgerError, match="missing"):
        verify_entries([], Head(1, START), Head(0, START), 0)
    assert chain.FORMAT == "ledger/1"
