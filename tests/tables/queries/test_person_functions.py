"""Summaries of persons by users' functions, through sessions: charges, sessions inside of functions, what is shown."""

import gc
import sys
import warnings
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, UnavailableError
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Table
from tests.tables.nodes.spaces import PERSONS
from tests.tables.nodes.test_split_text import exact
from tests.tables.nodes.test_summarize_by_function import DATA, anything, first, node

BOOK = {
    "id": pv.column("integer"),
    "n": pv.column("integer", bounds=(0, 9)),
    "m": pv.column("integer", bounds=(0, 9)),
    "tags": pv.column("text", most_items=2),
}
TO = pv.column("integer", bounds=(0, 9))


def opened(rows: int = 30) -> pv.Session:
    data = [{"id": at // 3, "n": at % 10, "m": 1, "tags": ["a"] * (at % 4)} for at in range(rows)]
    return pv.Session(data, pv.Codebook(columns=BOOK, unit=pv.Persons("id", rows=2)), pv.budget(epsilon=10))


def test_a_session_calls_it_after_the_charge_and_once() -> None:
    with opened() as session:
        spent: list[Any] = []

        def largest(rows: Any) -> int:
            spent.append(session.spent)
            return int(max(row["n"] for row in rows))

        query: Any = session.query().summarize_with(largest, rows=3, into="top", to=TO)
        assert query.effective_caps.rows == 1
        total = query.agg(pv.sum("top"))
        assert "summarize each person: top = largest(up to 3 rows of n, m, tags)" in total.describe(epsilon=1)
        assert "largest sees at most 3 rows of each person" in total.describe(epsilon=1)
        total.plan(epsilon=1)
        assert spent == []
        total.release(epsilon=1)
        assert [each == pv.budget(epsilon=1) for each in spent] == [True] * 10
        total.release(epsilon=1)
        query.agg(pv.mean("top")).release(epsilon=1)
        assert len(spent) == 10
        assert exact(session, total) == [sum((3 * at + 2) % 10 if (3 * at) % 10 < 8 else 9 for at in range(10))]


def test_lists_are_seen_as_lists() -> None:
    with opened() as session:
        query: Any = session.query().summarize_with(
            lambda rows: sum(len(row["tags"] or ()) for row in rows), rows=3, into="k", to=TO, columns=["tags"]
        )
        assert exact(session, query.agg(pv.sum("k"))) == [sum(min(at % 4, 2) for at in range(30))]


def test_a_function_cannot_use_its_session() -> None:
    with opened() as session:
        other = session.query().agg(pv.count())
        tried: list[type] = []

        def curious(rows: Any) -> int:
            for work in (
                lambda: other.release(epsilon=1),
                session.close,
                lambda: session.query().agg(pv.count("n")).release(epsilon=1),
            ):
                try:
                    work()
                except UnavailableError as error:
                    tried.append(type(error))
            return 1

        query: Any = session.query().summarize_with(curious, rows=1, into="k", to=TO).agg(pv.sum("k"))
        query.release(epsilon=1)
        assert session.spent == pv.budget(epsilon=1)
        assert len(tried) == 30
        assert exact(session, query) == [10]
        other.release(epsilon=1)


def test_nothing_is_shown_of_what_goes_wrong(capfd: pytest.CaptureFixture[str]) -> None:
    with opened() as session, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        recursion = sys.getrecursionlimit()
        query = session.query().summarize_with(anything, rows=2, into="k", to=TO).agg(pv.count("k"))
        query.release(epsilon=1)
        assert not [each for each in caught if "secret" in str(each.message)]
        assert sys.getrecursionlimit() == recursion
    assert "secret" not in "".join(capfd.readouterr())


def test_a_keyboard_interrupt_passes_and_the_session_lives_on() -> None:
    with opened() as session:
        stop = [True]

        def stopped(rows: Any) -> int:
            if stop and any(row["n"] == 9 for row in rows):
                stop.clear()
                raise KeyboardInterrupt
            return 1

        query: Any = session.query().summarize_with(stopped, rows=3, into="k", to=TO).agg(pv.sum("k"))
        with pytest.raises(KeyboardInterrupt):
            query.release(epsilon=1)
        query.release(epsilon=1)
        assert exact(session, query) == [10]


def test_tables_that_nobody_uses_are_dropped() -> None:
    with DuckDBEngine() as engine:
        held = engine.load(DATA, PERSONS.domain.columns, "t")  # type: ignore[attr-defined]
        chain = PERSONS >> node(first)
        engine.execute(chain.run(Table(relation=held, engine=engine)).relation)
        names = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'privet %'"
        assert engine._connection.execute(names).fetchall() == [(1,)]
        del chain
        gc.collect()
        engine.execute(held.select("id"))
        assert engine._connection.execute(names).fetchall() == [(0,)]


def test_one_column_may_be_named_alone_and_twice() -> None:
    with opened() as session:
        for columns in ("n", ["n", "n"]):
            query: Any = session.query().summarize_with(
                lambda rows: list(rows[0]) == ["n"], rows=1, into="k", to=pv.column("boolean"), columns=columns
            )
            assert exact(session, query.filter("k").agg(pv.count())) == [10]


def test_a_query_that_is_too_deep_is_refused_before_the_charge() -> None:
    with opened() as session:
        deep = session.query()
        for _ in range(400):
            deep = deep.filter("n >= 0")
        with pytest.raises(PrivetError, match="deep"):
            deep.summarize_with(first, rows=1, into="k", to=TO).agg(pv.count()).release(epsilon=1)
        assert not session.history


def test_files_hold_no_functions() -> None:
    with opened() as session:
        query = session.query().summarize_with(first, rows=1, into="k", to=TO).agg(pv.count())
        with pytest.raises(UnavailableError, match="a file holds no functions of Python"):
            query.to_yaml()


def test_it_cannot_follow_an_imputation_and_takes_no_null_policy() -> None:
    planner = pv.Planner(pv.Codebook(columns=BOOK, unit=pv.Persons("id", rows=2)), pv.budget(epsilon=1))
    with pytest.raises(InvalidError, match="summarize_with cannot follow impute"):
        planner.query().impute("n", by=("m",), k=1, default=3).summarize_with(first, rows=1, into="k", to=TO)
    with pytest.raises(InvalidError, match="has no null policy"):
        planner.query().summarize_with(
            first, rows=1, into="k", to=pv.column("integer", bounds=(0, 9), nulls={"value": 1})
        )
