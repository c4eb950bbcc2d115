"""A server is durable or refused, and a writer sees what the one before it committed."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from typer.testing import CliRunner

import privet as pv
from privet.cli.main import app
from privet.errors import LedgerError
from privet.ledger import postgres
from privet.ledger.ledger import Ledger
from privet.ledger.postgres import PostgresStore
from tests.ledger.files import charge, content, filled, owner, restore, tamper
from tests.tables.engines.conformance.server import Server

pytestmark = pytest.mark.engines
FUNCTION = "CREATE OR REPLACE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"
EACH = "FOR EACH ROW EXECUTE FUNCTION public.swallow()"
FOREIGN = {
    "trigger": (FUNCTION, f"CREATE TRIGGER t BEFORE INSERT ON entries {EACH}"),
    "trigger at the commit": (
        FUNCTION,
        f"CREATE CONSTRAINT TRIGGER t AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED {EACH}",
    ),
    "rule": ("CREATE RULE r AS ON INSERT TO entries DO INSTEAD NOTHING",),
    "rule of the head": ("CREATE RULE r AS ON UPDATE TO head DO ALSO DELETE FROM releases",),
    "column": ("ALTER TABLE entries ADD COLUMN more text",),
    "column that is gone": ("ALTER TABLE head ADD COLUMN more text", "ALTER TABLE head DROP COLUMN more"),
    "default": ("ALTER TABLE entries ALTER hash SET DEFAULT 'x'",),
    "no log": ("ALTER TABLE entries SET UNLOGGED",),
    "table": ("CREATE TABLE more (x int)",),
    "view": ("ALTER TABLE entries RENAME TO other", "CREATE VIEW entries AS SELECT * FROM other"),
    "policy": ("ALTER TABLE entries ENABLE ROW LEVEL SECURITY",),
    "forced policy": ("ALTER TABLE releases FORCE ROW LEVEL SECURITY",),
    "heir": ("CREATE TABLE public.heir () INHERITS (entries)",),
    "index": ("CREATE INDEX i ON entries (lower(text))",),
    "check": ("ALTER TABLE entries ADD CHECK (number < 9)",),
    "no key": ("ALTER TABLE entries DROP CONSTRAINT entries_pkey",),
    "key of others": ("CREATE TABLE public.other (number bigint REFERENCES entries)",),
    "type": ("ALTER TABLE releases ALTER number TYPE numeric",),
}
MEANWHILE = {  # what can be made beside a writer, and a row in it
    "table": "INSERT INTO more VALUES (1)",
    "heir": "INSERT INTO public.heir VALUES (9, 'x', 'x')",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_acts_on_the_tables_is_refused(name: str, address: str) -> None:
    ledger = filled(address)
    account = ledger.account("visits", "ann")
    tamper(address, *FOREIGN[name])
    try:
        for work in (ledger.head, lambda: charge(account, "fresh"), lambda: Ledger(address)):
            with pytest.raises(LedgerError, match="holds something else than a ledger"):
                work()
    finally:
        tamper(address, "DROP TABLE IF EXISTS public.heir, public.other CASCADE")


@pytest.mark.parametrize("name", [each for each in FOREIGN if each not in MEANWHILE])
def test_what_acts_on_the_tables_waits_until_the_writer_has_ended(name: str, address: str) -> None:
    """Otherwise it could be made between the check and the entry."""
    store = filled(address)._store
    with store.writing() as transaction:
        transaction.head()
        with pytest.raises(psycopg.errors.LockNotAvailable):
            tamper(address, "SET lock_timeout = '50ms'", *FOREIGN[name])


@pytest.mark.parametrize("name", MEANWHILE)
def test_a_table_that_is_made_meanwhile_is_not_read_and_refused_afterwards(name: str, address: str) -> None:
    ledger = filled(address)
    try:
        with ledger._store.writing() as transaction:
            before = transaction.head(), list(transaction.entries())
            tamper(address, *FOREIGN[name], MEANWHILE[name])
            assert (transaction.head(), list(transaction.entries())) == before
        with pytest.raises(LedgerError, match="holds something else than a ledger"):
            ledger.head()
    finally:
        tamper(address, "DROP TABLE IF EXISTS public.heir")


def test_a_writer_sees_what_was_committed_while_it_waited(address: str) -> None:
    first, second = filled(address)._store, PostgresStore(address)
    seen: list[int] = []

    def wait() -> None:
        with second.writing() as transaction:
            seen.append(transaction.head().number)

    thread = threading.Thread(target=wait)
    with closing(owner(address)) as other:  # another host, since the threads of one process take turns
        other.execute("BEGIN; LOCK TABLE head IN EXCLUSIVE MODE")
        thread.start()
        _until(lambda: _locks(address, "NOT granted") == 1)
        other.execute("UPDATE head SET number = 1000")
        other.execute("COMMIT")
    thread.join()
    assert seen == [1000]
    assert first.describe() == second.describe()


def test_a_twin_whose_snapshot_comes_first_sees_an_old_state(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin takes a lock by a query, and a query takes the snapshot: the key of the table must stop it."""
    ledger = filled(address)
    account = ledger.account("visits", "ann")
    begun = PostgresStore._begun

    def twin(self: PostgresStore, connection: object, mode: str, *locks: str) -> object:
        query = ("SELECT 1", *locks) if locks else ()
        return begun(self, connection, mode, *query)  # type: ignore[arg-type]

    monkeypatch.setattr(PostgresStore, "_begun", twin)
    found: list[Exception] = []

    def wait() -> None:
        try:
            charge(account, "fresh")
        except LedgerError as error:
            found.append(error)

    before = content(address)
    thread = threading.Thread(target=wait)
    with closing(owner(address)) as other:
        other.execute("BEGIN; LOCK TABLE head IN EXCLUSIVE MODE")
        thread.start()
        _until(lambda: _locks(address, "NOT granted") == 1)
        other.execute("INSERT INTO entries VALUES (9, 'x', 'x'); UPDATE head SET number = 9")
        other.execute("COMMIT")
    thread.join()
    assert "changed it at the same time" in str(found[0])
    restore(address, before)


def _locks(address: str, condition: str) -> int:
    """Count the locks on the head of this ledger that writers hold or wait for."""
    query = f"SELECT count(*) FROM pg_locks WHERE {condition} AND relation = 'head'::regclass"
    with closing(owner(address)) as connection:
        ((count,),) = connection.execute(query.encode()).fetchall()
        return int(count)


def _until(done: Callable[[], bool]) -> None:
    for _ in range(1000):
        if done():
            return
        time.sleep(0.01)
    pytest.fail("it did not happen")


def test_a_busy_ledger_is_refused_after_a_while(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = filled(address)
    account = ledger.account("visits", "ann")
    monkeypatch.setattr(postgres, "_WAIT", 0.05)
    with closing(owner(address)) as connection:
        connection.execute("BEGIN; LOCK TABLE head IN EXCLUSIVE MODE")
        with pytest.raises(LedgerError, match="another process has held it"):
            charge(account)
        assert ledger.head().number == 8, "who only reads does not wait"
        connection.execute("ROLLBACK")  # the server frees the lock of a closed connection some time later
    monkeypatch.undo()
    charge(account)


def test_a_host_that_vanishes_frees_its_lock(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    account = filled(address).account("visits", "ann")
    monkeypatch.setattr(postgres, "_IDLE", 0.2)
    with pytest.raises(LedgerError, match="the server waited .* for this process"), account.ledger.writing():
        _until(lambda: _locks(address, "granted") == 0)
    monkeypatch.undo()
    charge(account)


def test_hanging_up_on_a_closed_connection_is_no_error(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    connection = owner(address)
    connection.close()
    with postgres._no_longer_than(0, connection):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    assert errors == []


@contextmanager
def setting(address: str, name: str, value: str) -> Iterator[None]:
    """Change a setting of the server for a while."""

    def change(statement: str) -> None:
        with closing(owner(address)) as connection:
            before = connection.execute(f"SHOW {name}".encode()).fetchone()
            connection.execute(statement.encode())
            connection.execute("SELECT pg_reload_conf()")
            _until(lambda: connection.execute(f"SHOW {name}".encode()).fetchone() != before)

    change(f"ALTER SYSTEM SET {name} = {value}")
    try:
        yield
    finally:
        change(f"ALTER SYSTEM RESET {name}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("synchronous_commit", "off"),
        ("synchronous_commit", "local"),
        ("synchronous_commit", "remote_write"),
    ],
)
def test_a_server_that_may_lose_a_commit_is_refused(name: str, value: str, address: str) -> None:
    """Also where it is set while a ledger is open."""
    ledger = filled(address)
    account = ledger.account("visits", "ann")
    fresh = f"{address}_fresh"
    with setting(address, name, value):
        for work in (lambda: charge(account), lambda: Ledger(address), lambda: Ledger(fresh)):
            with pytest.raises(LedgerError, match=f"the server has {name} = {value}, and a ledger needs {name} = on"):
                work()
    charge(account)
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(fresh, create=False)


def test_a_commit_that_no_standby_confirms_is_invisible_until_one_does(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = filled(address).account("visits", "ann")
    with setting(address, "synchronous_standby_names", "nobody"):
        monkeypatch.setattr(postgres, "_HANG_UP", 1.0)
        with pytest.raises(LedgerError, match="the same query runs again under it"):
            charge(account)
        assert len(account.charges) == 3
        monkeypatch.setattr(postgres, "_WAIT", 0.05)
        with pytest.raises(LedgerError, match="another process has held it"):
            charge(account, "more")
        monkeypatch.undo()
    assert charge(account).text is None
    assert (account.charges[-1].attempts, account.spent.describe()) == (2, "epsilon = 0.4")


@pytest.mark.parametrize(
    ("end", "message"),
    [("pg_cancel_backend", "did not wait until its standby"), ("pg_terminate_backend", "or it was lost")],
)
def test_a_commit_that_is_broken_off_releases_nothing(end: str, message: str, address: str) -> None:
    """Also where a role lets the server keep its warnings to itself."""
    filled(address)
    account = Ledger(f"{address}&options=-cclient_min_messages%3Derror").account("visits", "ann")
    ending = f"SELECT {end}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'".encode()

    def break_off() -> None:
        with closing(owner(address)) as connection:
            _until(lambda: connection.execute(ending).fetchone() is not None)

    with setting(address, "synchronous_standby_names", "nobody"):
        thread = threading.Thread(target=break_off)
        thread.start()
        with pytest.raises(LedgerError, match=message):
            charge(account)
        thread.join()
    assert charge(account).text is None
    assert (account.charges[-1].attempts, account.spent.describe()) == (2, "epsilon = 0.4")


def test_a_read_only_server_is_refused(address: str) -> None:
    filled(address)
    with pytest.raises(LedgerError, match="transaction_read_only = on"):
        Ledger(f"{address}&options=-cdefault_transaction_read_only%3Don")


def test_a_standby_is_refused(address: str, database: Server) -> None:
    ledger = filled(address)
    signal = database.folder / "data" / "standby.signal"
    database.crash()
    signal.touch()
    database.start()
    try:
        for work in (ledger.head, lambda: Ledger(address), lambda: charge(ledger.account("visits", "ann"))):
            with pytest.raises(LedgerError, match="standby"):
                work()
    finally:
        database.crash()
        signal.unlink()
        database.start()
    assert ledger.head().number == 8


def test_another_encoding_is_refused(address: str) -> None:
    with closing(owner(address)) as connection:
        connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C' LOCALE_PROVIDER libc")
    with pytest.raises(LedgerError, match="server_encoding = LATIN1"):
        Ledger(address.replace("/postgres?", "/latin?"))


def test_the_settings_of_a_role_change_nothing(address: str) -> None:
    """Neither where names are looked for, nor how long a statement may take, nor how texts are read."""
    filled(address)
    settings = "-csearch_path%3Dpublic -cstatement_timeout%3D1 -cclient_encoding%3DLATIN1 -cquote_all_identifiers%3Don"
    settings = settings.replace(" ", "%20")
    account = Ledger(f"{address}&options={settings}").account("visits", "ann")
    assert account.store(charge(account, query="größer"), "größer") == "größer"
    assert charge(account).text == "größer"


def test_the_rights_that_a_role_needs_are_named_and_suffice(address: str) -> None:
    filled(address)
    schema = address.rpartition("=")[2]
    poor = address.replace("owner@", f"{schema}_role@")
    tamper(address, f"CREATE ROLE {schema}_role LOGIN")
    for wrong in (poor, f"{poor}_other"):
        with pytest.raises(LedgerError, match=r"the role lacks a right.*SELECT and UPDATE on head"):
            Ledger(wrong)
    tamper(
        address,
        f"GRANT USAGE ON SCHEMA {schema} TO {schema}_role",
        f"GRANT SELECT, INSERT ON entries, releases TO {schema}_role",
        f"GRANT SELECT, UPDATE ON head TO {schema}_role",
    )
    account = Ledger(poor).account("visits", "bob")
    account.store(charge(account), "{}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        tamper(poor, "DELETE FROM entries")


def test_two_processes_make_one_ledger(address: str) -> None:
    heads = []
    threads = [threading.Thread(target=lambda: heads.append(Ledger(address).head())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(heads)) == 1
    assert len(heads) == 8


def test_a_schema_with_other_tables_is_left_alone(address: str) -> None:
    schema = address.rpartition("=")[2]
    tamper(address, f"CREATE SCHEMA {schema}", "CREATE TABLE patients (name text)")
    with pytest.raises(LedgerError, match="there is no ledger in this schema"):
        Ledger(address)
    tamper(address, "INSERT INTO patients VALUES ('ann')")


def test_a_restored_copy_is_noticed_with_an_anchor(address: str) -> None:
    ledger = filled(address)
    old = content(address)
    charge(ledger.account("visits", "ann"), "later")
    anchor = ledger.head()
    restore(address, old)
    assert Ledger(address).head().number == 8, "nothing in the tables tells"
    with pytest.raises(LedgerError, match="it is an older copy"):
        Ledger(address, anchor=anchor)
    with pytest.raises(LedgerError, match="does not contain the head"):
        charge(ledger.account("visits", "ann"), "more")


def test_clocks_of_hosts_need_not_agree(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    account = filled(address).account("visits", "ann")
    for time_there in ("2099-01-01T00:00:00.000+00:00", "1999-01-01T00:00:00.000+00:00"):
        monkeypatch.setattr("privet.ledger.account.now", lambda there=time_there: there)
        charge(account, time_there)
    assert [each.when.year for each in Ledger(address).charges()][-2:] == [2099, 1999]


def test_a_session_and_the_command_line_use_an_address(address: str, tmp_path: Path) -> None:
    book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())

    def ask() -> str:
        session = pv.Session(
            [{"ward": "a"}] * 9, book, pv.budget(epsilon=1), ledger=pv.Ledger(address), dataset="v", analyst="ann"
        )
        return session.query().agg(pv.count()).release(epsilon=0.5).to_json()

    assert ask() == ask()
    commands = {
        "show": "epsilon = 0.5",
        "history": "stored",
        "verify": "4 entries verified",
        "export": '"cost_exact": "1/2"',
    }
    for command, shown in commands.items():
        done = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["budget", command, address])
        assert (done.exit_code, shown in done.output) == (0, True), done.output
    done = CliRunner().invoke(app, ["budget", "grant", address, "v", "--epsilon", "2"])
    assert "the budget is epsilon = 2, epsilon = 1.5 is left" in done.output
    missing = CliRunner().invoke(app, ["budget", "show", f"{address}_none"])
    assert (missing.exit_code, "there is no ledger in this schema" in missing.output) == (1, True)
