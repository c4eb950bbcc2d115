"""Connections that break, backends that are ended, a server that crashes: nothing without a charge, nothing lost."""

import os
import pwd
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

import privet as pv
from privet.errors import LedgerError
from privet.ledger.ledger import Ledger
from tests.ledger.files import charge, content, filled, owner
from tests.ledger.killing import Log, at_work, faults, keep_writing
from tests.ledger.relay import relay
from tests.ledger.test_processes import race
from tests.tables.engines.conformance.server import Server

pytestmark = pytest.mark.engines
LONGEST = 120  # seconds
LOST = "there_is_no_connection"
WARNED = "the_server_answered_the_commit_with_a_warning"  # its last words may come with the answer
END = b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'privet ledger'"


@pytest.mark.parametrize(("cut", "attempts"), [("before", 1), ("after", 2)])
def test_an_answer_that_is_lost_releases_nothing(cut: str, attempts: int, address: str, database: Server) -> None:
    """If the charge arrived, the same key runs again under it; otherwise it is charged as if nothing had been."""
    filled(address)
    before = content(address)
    with relay(database.folder) as between:
        account = Ledger(address.replace(str(database.folder), str(between.folder))).account("visits", "ann")
        between.cut = cut
        with pytest.raises(LedgerError, match="the same query runs again under it"):
            charge(account)
    arrived = len(content(address)["entries"]) - len(before["entries"])
    assert arrived == attempts - 1
    account = Ledger(address).account("visits", "ann")
    assert charge(account).text is None
    assert (account.charges[-1].attempts, account.spent.describe()) == (attempts, "epsilon = 0.4")


def test_an_answer_of_a_store_that_is_lost_shows_nothing(address: str, database: Server) -> None:
    """What was stored is the release, and no other is ever shown."""
    filled(address)
    with relay(database.folder) as between:
        account = Ledger(address.replace(str(database.folder), str(between.folder))).account("visits", "ann")
        claim = charge(account)
        between.cut = "after"
        with pytest.raises(LedgerError, match="nothing was released"):
            account.store(claim, "first")
    assert charge(Ledger(address).account("visits", "ann")).text == "first"


def check_writers(address: str, log: Log, disturb: Callable[[], None], times: int) -> None:
    """Disturb writers at work some times, and until enough of them were met; look for faults afterwards."""
    Ledger(address).account("visits", "ann", pv.budget(epsilon=10**6))
    with at_work(lambda: keep_writing(address, log)):
        for _ in range(times):
            time.sleep(random.random() * 0.15)
            disturb()
        deadline = time.monotonic() + LONGEST
        while not enough(log, times):
            assert time.monotonic() < deadline, "the writers must have had time to work, and some must have been met"
            time.sleep(random.random())  # longer: a busy machine needs more time for each release
            disturb()
        time.sleep(0.5)
    assert faults(address, log, LOST, WARNED) == []


def enough(log: Log, times: int) -> bool:
    """Whether there were more releases than disturbances, and a fifth as many lost connections."""
    kinds = Counter("lost" if words[0] == "refused" and LOST in words[2] else words[0] for words in log.lines())
    return kinds["shown"] > times and kinds["lost"] >= times // 5


def end_backends(address: str) -> None:
    with closing(owner(address.replace("&schema", "&application_name=other&schema"))) as connection:
        connection.execute(END)


def test_backends_that_are_ended_lose_nothing(address: str, tmp_path: Path) -> None:
    check_writers(address, Log(tmp_path / "log"), lambda: end_backends(address), 50)


def crash(database: Server) -> None:
    database.crash()
    database.start()


def test_a_server_that_crashes_loses_nothing(address: str, database: Server, tmp_path: Path) -> None:
    check_writers(address, Log(tmp_path / "log"), lambda: crash(database), 5)


@pytest.mark.long
def test_a_server_that_crashes_often_loses_nothing(address: str, database: Server, tmp_path: Path) -> None:
    check_writers(address, Log(tmp_path / "log"), lambda: crash(database), 100)


@contextmanager
def pooler(database: Server) -> Iterator[Path]:
    """Start a pooler that gives each transaction any of three sessions; give the folder of its socket."""
    folder = Path(tempfile.mkdtemp(prefix="privet-pool-"))
    user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
    (folder / "pool.ini").write_text(
        f"[pgbouncer]\nunix_socket_dir = {folder}\n"
        f"listen_port = 5432\npool_mode = transaction\nauth_type = any\nmax_client_conn = 100\n"
        f"logfile = {folder}/log\n[databases]\npostgres = host={database.folder} user=owner pool_size=3\n"
    )
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
    command = [str(shutil.which("pgbouncer")), "-q", str(folder / "pool.ini")]
    process = subprocess.Popen(command, user="postgres" if user else None, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if (folder / ".s.PGSQL.5432").exists():
                break
            time.sleep(0.05)
        else:
            pytest.fail("the pooler did not open its socket")
        yield folder
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(shutil.which("pgbouncer") is None, reason="needs pgbouncer, a package of Debian")
def test_a_pooler_between_transactions_is_no_harm(address: str, database: Server) -> None:
    with pooler(database) as folder:
        pooled = address.replace(str(database.folder), str(folder))
        assert race(pooled, 16, 3) == {0: 3, 2: 13}
        assert len(Ledger(address).charges()) == 3
        with closing(psycopg.connect(f"host={folder} user=owner dbname=postgres")) as session:
            assert session.execute("SHOW synchronous_commit").fetchone() == ("on",)
            assert session.execute("SHOW search_path").fetchone() == ('"$user", public',), "nothing is left behind"
