"""A connection has the settings that meanings depend on, or is refused before anything is loaded."""

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

from privet.errors import UnavailableError
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.connection import connect, other_settings
from privet.tables.engines.duckdb.dialect import DIALECT

OTHERS = {
    "Calendar": "japanese",
    "TimeZone": "Asia/Tokyo",
    "arrow_lossless_conversion": "true",
    "default_collation": "nocase",
    "default_null_order": "NULLS_FIRST",
    "default_order": "DESC",
    "ieee_floating_point_ops": "false",
    "integer_division": "true",
    "old_implicit_casting": "true",
}


class Stubborn:
    """A connection whose settings cannot be changed: what a file of settings or another build might do."""

    def __init__(self, inner: Any, name: str) -> None:
        self.inner, self.name = inner, name
        self.statements: list[str] = []

    def execute(self, statement: str) -> Any:
        self.statements.append(statement)
        return self if statement.startswith(f"SET {self.name} ") else self.inner.execute(statement)

    def close(self) -> None:
        self.inner.close()


def test_every_setting_has_another_value_here() -> None:
    assert set(OTHERS) == set(DIALECT.settings)


def test_a_connection_has_all_of_them() -> None:
    connection = connect({})
    assert other_settings(connection) == {}
    connection.close()


@pytest.mark.parametrize("name", OTHERS)
def test_another_value_is_changed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = duckdb.connect

    def changed(*given: Any, **config: Any) -> Any:
        inner = plain(*given, **config)
        inner.execute(f"SET {name} = '{OTHERS[name]}'")
        assert list(other_settings(inner)) == [name]
        return inner

    monkeypatch.setattr(duckdb, "connect", changed)
    connection = connect({})
    assert other_settings(connection) == {}
    connection.close()


@pytest.mark.parametrize("name", OTHERS)
def test_another_value_is_refused_before_anything_is_loaded(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Stubborn] = []
    plain = duckdb.connect

    def stubborn(*given: Any, **config: Any) -> Stubborn:
        inner = plain(*given, **config)
        inner.execute(f"SET {name} = '{OTHERS[name]}'")
        made.append(Stubborn(inner, name))
        return made[-1]

    monkeypatch.setattr(duckdb, "connect", stubborn)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UnavailableError, match=f"DuckDB reports {name} = .*nothing was loaded"):
        DuckDBEngine()
    assert all(statement.startswith(("SET ", "SELECT current_setting")) for statement in made[0].statements)
    assert list(tmp_path.iterdir()) == []  # the directory is gone
    with pytest.raises(duckdb.ConnectionException):
        made[0].inner.execute("SELECT 1")  # and so is the connection


class InANotebook:
    """A connection as DuckDB gives it in a notebook without ipywidgets: it refuses to hear of progress bars."""

    def __init__(self, inner: duckdb.DuckDBPyConnection) -> None:
        self._inner = inner

    def execute(self, text: str) -> duckdb.DuckDBPyConnection:
        if text.startswith("SET enable_progress_bar"):
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
        if "enable_progress_bar" in text:
            return self._inner.execute("SELECT false")  # as DuckDB says there
        return self._inner.execute(text)

    def close(self) -> None:
        self._inner.close()


def test_a_session_opens_in_a_notebook_without_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *args, **kwargs: InANotebook(opened(*args, **kwargs)))
    connect({}).close()
