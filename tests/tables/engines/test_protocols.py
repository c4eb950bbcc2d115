"""What is above the engines knows their protocol and no engine."""

import inspect
import re
from pathlib import Path

import pytest

import privet
from privet.tables.engines.default import open_engine
from privet.tables.engines.dialect import Dialect
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.engines.engine import Engine

PACKAGE = Path(privet.__file__).parent
ENGINES = PACKAGE / "tables" / "engines"
# told to users: which sources there are, and whose SQL they may write
USERS = {
    "tables/expressions/conditional.py": "as in DuckDB and PostgreSQL",
    "tables/expressions/text.py": "as in DuckDB and PostgreSQL",
    "tables/session/session.py": "a pair of an open DuckDB",
}


def test_duckdb_is_named_in_its_own_files_only() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if ENGINES / "duckdb" in path.parents or path in (ENGINES / "default.py", ENGINES / "grammar.py"):
            continue
        name = str(path.relative_to(PACKAGE))
        text = path.read_text(encoding="utf-8").replace(USERS.get(name, "\0"), "")
        found += [(name, line) for line in text.splitlines() if re.search("duckdb", line, flags=re.IGNORECASE)]
    assert found == []


def test_duckdb_keeps_both_protocols() -> None:
    dialect: Dialect = DIALECT
    with DuckDBEngine() as opened:
        engine: Engine = opened
        assert engine.dialect is dialect


@pytest.mark.parametrize(("protocol", "given"), [(Engine, DuckDBEngine), (Dialect, type(DIALECT))])
def test_the_protocols_name_all_that_is_used(protocol: type, given: type) -> None:
    names = [name for name in vars(protocol) if not name.startswith("_")]
    assert names
    for name in names:
        member = getattr(given, name)
        if inspect.isfunction(member):
            assert inspect.signature(member) == inspect.signature(getattr(protocol, name)), name


def test_the_default_engine_opens_and_closes() -> None:
    opened = open_engine(threads=1)
    opened.check_sources()
    opened.close()
