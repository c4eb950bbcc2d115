"""A path is a file, an address a server, and nothing else is taken for a file by mistake."""

from pathlib import Path

import pytest

from privet.errors import InvalidError
from privet.ledger.ledger import Ledger


@pytest.mark.parametrize(
    "wrong",
    [
        "host=db.example.org dbname=budgets",
        "dbname = budgets",
        "mysql://ann:secret@db.example.org/budgets",
        "postgresql+psycopg://ann:secret@db.example.org/budgets",
        "sqlite:///budget.db",
    ],
)
def test_an_address_that_is_not_known_makes_no_file(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in its place would be a budget of its own on every host."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidError, match="postgresql://user@host/database") as caught:
        Ledger(wrong)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_may_be_called_as_it_likes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("postgresql", "a=b.db", "hosts.db", "C:budget.db"):
        Ledger(name)
        assert (tmp_path / name).is_file()
