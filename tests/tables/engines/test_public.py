"""The engine of public values: exact, locked, one for each process, and without any table."""

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.errors import UnavailableError
from privet.tables.columns.column import KINDS, Kind
from privet.tables.engines.default import evaluate
from privet.tables.engines.duckdb.connection import public_connection
from privet.tables.engines.duckdb.dialect import function
from privet.tables.vocabulary.relation import column
from tests.tables.engines.test_process import run

VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    "integer": st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0),
    "boolean": st.booleans(),
    "text": st.text(),
    "date": st.dates(),
    "timestamp": st.datetimes(),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_values_come_back_as_they_went_in(kind: Kind, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | VALUES[kind], max_size=20))
    (found,) = evaluate([column("x")], {"x": (kind, values)}, len(values))
    assert [(type(value), value) for value in found] == [(type(value), value) for value in values]


def test_rows_keep_their_order_and_constants_have_as_many() -> None:
    numbers = list(range(5_000))
    found = evaluate([column("x"), exp.Literal.number(7)], {"x": ("integer", numbers)}, len(numbers))
    assert found == [numbers, [7] * 5_000]
    assert evaluate([column("x")], {"x": ("date", [])}, 0) == [[]]
    assert evaluate([exp.true()], {}, 3) == [[True, True, True]]
    assert evaluate([column("x")], {"x": ("date", [None, date.max])}, 2) == [[None, date.max]]
    assert evaluate([column("x")], {"x": ("timestamp", [datetime.min])}, 1) == [[datetime.min]]  # noqa: DTZ901


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('{path}')",
        "SELECT * FROM '{path}'",
        "COPY (SELECT 1) TO '{path}.out'",
        "SELECT * FROM secret",
        "ATTACH '{path}.db'",
        "SET enable_external_access = true",
        "SET integer_division = true",
        "INSTALL httpfs",
        "SELECT getenv('HOME')",
    ],
)
def test_it_reaches_nothing_outside(statement: str, tmp_path: Path) -> None:
    secret = [{"x": 1}]  # noqa: F841 - a variable that SQL must not see
    (tmp_path / "data.csv").write_text("x\n1\n")
    with pytest.raises(Exception, match=r"(?i)error|not implemented"):
        public_connection()._connection.execute(statement.format(path=tmp_path / "data.csv")).fetchall()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data.csv"]


def test_an_error_holds_no_value() -> None:
    failing = function("error", column("x"))
    with pytest.raises(UnavailableError) as caught:
        evaluate([failing], {"x": ("text", ["Alice"])}, 1)
    assert "Alice" not in repr(caught.value)
    assert caught.value.__context__ is None
    assert evaluate([column("x")], {"x": ("text", ["Bob"])}, 1) == [["Bob"]]  # it still works


def test_threads_share_it() -> None:
    def doubled(value: int) -> Any:
        return evaluate([exp.Add(this=column("x"), expression=column("x"))], {"x": ("integer", [value])}, 1)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(doubled, range(100))) == [[[2 * value]] for value in range(100)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes can fork")
@pytest.mark.parametrize("ends", ["os._exit(0)", "sys.exit(0)"])
def test_a_forked_child_opens_its_own(ends: str) -> None:
    code = f"""
import os, sys
from privet.tables.engines.default import evaluate
from privet.tables.engines.duckdb.connection import public_connection
from privet.tables.vocabulary.relation import column
def ask():
    return evaluate([column("x")], {{"x": ("integer", [1, 2])}}, 2) == [[1, 2]]
assert ask()
parent = public_connection()
parent._turn._lock.acquire()  # as if another thread of the parent were asking
child = os.fork()
if child == 0:
    assert ask() and public_connection() is not parent
    {ends}
assert os.waitpid(child, 0)[1] == 0
parent._turn._lock.release()
assert ask()
"""
    run(code)
