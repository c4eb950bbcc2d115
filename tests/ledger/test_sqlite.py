"""The file is durable or refused: settings in force, full disks, read-only files, files of others."""

import os
import resource
import sqlite3
import stat
import sys
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest

import privet as pv
from privet.errors import LedgerError, WrongTypeError
from privet.ledger import sqlite
from privet.ledger.ledger import Ledger
from privet.ledger.sqlite import SqliteStore
from tests.ledger.files import charge, filled, in_child, tamper


def test_settings_are_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = filled(tmp_path / "budget.db")
    store = ledger._store
    assert isinstance(store, SqliteStore)
    with store._connected() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    monkeypatch.setitem(sqlite._IN_FORCE, "synchronous", 7)
    with pytest.raises(LedgerError, match="does not put synchronous = 7 in force"):
        ledger.head()


def test_a_file_in_another_mode_is_put_back(tmp_path: Path) -> None:
    ledger = filled(tmp_path / "budget.db")
    with closing(sqlite3.connect(tmp_path / "budget.db")) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    assert ledger.head().number == 8
    assert not (tmp_path / "budget.db-wal").exists()


def test_a_ledger_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    Ledger(tmp_path / "budget.db")
    assert stat.S_IMODE((tmp_path / "budget.db").stat().st_mode) == 0o600


def test_paths_that_are_no_file_are_refused(tmp_path: Path) -> None:
    for wrong in ("", ":memory:", None, 3):
        with pytest.raises(WrongTypeError, match="the path of a file"):
            Ledger(wrong)  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="nothing was released"):
        Ledger(tmp_path)
    with pytest.raises(LedgerError, match="nothing was released"):
        Ledger(tmp_path / "no folder" / "budget.db")


def test_a_path_may_have_any_characters_and_outlives_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = Ledger("a b?mode=ro#100%.db")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    ledger.grant("visits", pv.budget(epsilon=1))
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["a b?mode=ro#100%.db"]


@pytest.mark.parametrize("content", [b"x" * 5000, b"SQLite format 3\x00" + b"\x00" * 4096])
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "budget.db"
    path.write_bytes(content)
    with pytest.raises(LedgerError):
        Ledger(path)
    assert path.read_bytes() == content


def test_a_database_of_somebody_elses_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY, text TEXT, hash TEXT)")
    with pytest.raises(LedgerError, match="no ledger"):
        Ledger(tmp_path / "other.db")


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    filled(path)
    whole = path.read_bytes()
    for size in range(1024, len(whole), 4096):
        path.write_bytes(whole[:size])
        with pytest.raises(LedgerError):
            charge(Ledger(path).account("visits", "ann"))


def test_a_busy_ledger_is_refused_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = filled(tmp_path / "budget.db")
    monkeypatch.setattr(sqlite, "_WAIT", 0.05)
    with closing(sqlite3.connect(tmp_path / "budget.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="another process has held it"):
            charge(ledger.account("visits", "ann"))
        connection.execute("ROLLBACK")
    assert ledger.head().number == 8


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("room", [0, 1024, 4096, 6000, 12_000, 20_000])
def test_a_file_that_cannot_grow_charges_nothing(tmp_path: Path, room: int) -> None:
    """A limit on the size of files stands for a full disk: the kernel refuses the same writes."""
    path = tmp_path / "budget.db"
    ledger = filled(path)
    account = ledger.account("visits", "ann")
    size = path.stat().st_size

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + room - 4096, resource.RLIM_INFINITY))
        for number in range(100):
            with suppress(LedgerError):
                account.store(charge(account, f"more {number}"), "x" * 500)

    assert in_child(fill) == 0
    charges = ledger.charges("visits")
    assert Ledger(path).spent("visits").point().cost * 10 == len(charges)
    assert len(charges) < 103, "the limit was never met"
    charge(account, "afterwards")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_read_only_file_releases_nothing() -> None:
    folder = Path(tempfile.mkdtemp())
    path = folder / "budget.db"
    ledger = filled(path)
    before, account = path.read_bytes(), ledger.account("visits", "ann")
    path.chmod(0o444)
    folder.chmod(0o555)

    def try_charge() -> None:
        if os.getuid() == 0:  # the owner of everything may write everywhere
            os.setuid(65534)
        with pytest.raises(LedgerError, match=r"nothing was released: it (is read-only|cannot be opened)"):
            charge(account, "fresh")
        assert charge(account, "key 0").text == '{"value": 0}', "what is paid for can be read"

    try:
        assert in_child(try_charge) == 0
        assert path.read_bytes() == before
    finally:
        folder.chmod(0o755)


def test_an_error_that_somebody_keeps_holds_no_lock(tmp_path: Path) -> None:
    """A traceback keeps the reader of the entries, and with it a lock, unless the reader is closed."""
    path = tmp_path / "budget.db"
    ledger = filled(path)
    tamper(path, "UPDATE entries SET text = text || ' ' WHERE number = 3")
    kept = []
    for ask in (ledger.head, lambda: Ledger(path)):
        with pytest.raises(LedgerError) as caught:
            ask()
        kept.append(caught)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0.1)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
