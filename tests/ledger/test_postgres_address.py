"""An address says where a ledger is; its password is in no message, however it is written."""

import sys

import pytest

from privet.errors import InvalidError, LedgerError, UnavailableError
from privet.ledger.ledger import Ledger
from privet.ledger.postgres_address import read_address


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ann@db.example.org/budgets", "postgresql://ann@db.example.org/budgets"),
        ("postgres://ann:secret@db:5433/budgets", "postgresql://ann@db:5433/budgets"),
        ("postgresql://ann@db/budgets?password=secret&sslmode=require", "postgresql://ann@db/budgets"),
        ("postgresql://ann@/budgets?host=/run/db&schema=a_1", "postgresql://ann@/budgets?host=/run/db&schema=a_1"),
        ("postgresql://one:1,two:2/budgets", "postgresql:///budgets?host=one,two&port=1,2"),
        ("postgresql:///?service=clinic", "postgresql:///?service=clinic"),
        ("postgresql://ann:s%40c@[::1]/b?schema=privet_ledger", "postgresql://ann@[::1]/b"),
    ],
)
def test_an_address_is_shown_without_its_secrets(text: str, shown: str) -> None:
    read = read_address(text)
    assert read.shown == shown
    assert read_address(shown).shown == shown
    assert "secret" not in repr(read)


def test_a_schema_is_ours_and_everything_else_the_librarys() -> None:
    read = read_address("postgresql://ann:secret@db/budgets?sslmode=require&schema=clinic&connect_timeout=5")
    assert read.schema == "clinic"
    given = {"user": "ann", "password": "secret", "host": "db", "dbname": "budgets", "sslmode": "require"}
    assert given.items() <= read.parameters.items()
    assert read.parameters["connect_timeout"] == "5"
    assert read_address("postgresql://db/budgets").schema == "privet_ledger"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:se@cret@db/budgets",
        "postgresql://ann:se/cret@db/budgets",
        "postgresql://ann:se@/cret@db/budgets",
        "postgresql://ann:%zzcret@db/budgets",
        "postgresql://ann@db/budgets?passwd=cret",
        "postgresql://ann:x?schema=cret@db/budgets",
        "postgresql://db/budgets?schema=Cret",
        "postgresql://db/budgets?schema=pg_cret",
        "postgresql://db/budgets?schema=cret;drop",
        "postgresql://db/budgets?schema=cret&schema=b",
        "postgresql://db/budgets?schema=",
    ],
)
def test_an_address_that_is_written_wrongly_is_not_quoted(text: str) -> None:
    with pytest.raises(InvalidError, match="postgresql://user@host/database") as caught:
        Ledger(text)
    assert "cret" not in str(caught.value).lower()
    assert caught.value.__context__ is None


def test_a_server_that_is_not_there_is_an_error_without_secrets() -> None:
    with pytest.raises(LedgerError, match=r"ann@/budgets.*nothing was released: there is no connection") as caught:
        Ledger("postgresql://ann:secret@/budgets?host=/nowhere")
    assert "secret" not in str(caught.value)


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UnavailableError, match=r"pip install 'privet\[postgres\]'"):
        Ledger("postgresql://ann@db/budgets")
