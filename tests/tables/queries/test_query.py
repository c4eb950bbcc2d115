"""Queries: what cannot be answered is refused from public facts, before anything is charged or read."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.variance import variance
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.session.query import Query
from privet.tables.session.session import Session
from tests.tables.opened import exact_totals

FULL = (-(2**63), 2**63 - 1)
TABLES: list[list[dict[str, Any]]] = [
    [],
    [{"person": 1, "ward": "a", "x": 5}],
    [{"person": number, "ward": "b", "x": end} for number, end in enumerate(FULL)],
]


def session(rows: Any, unit: PrivacyUnit) -> Session:
    columns = {
        "person": column("integer"),
        "ward": column("text", categories=("a", "b", "c")),
        "privet 0 0": column("text", categories=("a", "b")),
        "x": column("integer"),
    }
    rows = [{"privet 0 0": "a", **row} for row in rows] if isinstance(rows, list) else rows
    return Session(rows, Codebook(unit=unit, columns=columns), pv.budget(epsilon=10))


@pytest.mark.parametrize("rows", TABLES, ids=["empty", "one", "extremes"])
@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda query: query.agg(count("nosuch")), "no column 'nosuch'"),
        (lambda query: query.agg(count_ids()), "the unit is rows"),
        (lambda query: query.agg(mean("x", bounds=FULL)), "less than 2\\^63 steps"),
        (lambda query: query.agg(histogram("x", 4, bounds=(-(2**70), 2**70))), "less than 2\\^63 steps"),
        (lambda query: query.agg(variance("x", bounds=(2**62, 2**62 + 2**21))), "choose a coarser grid"),
        (lambda query: query.group_by("x", groups=[2**70, 5]).agg(count()), "64-bit integers"),
        (lambda query: query.group_by("ward", groups=["\ud800"]).agg(count()), "surrogate"),
        (lambda query: query.derive(**{"a\ud800": "x"}).agg(count()), "surrogate"),
        (lambda query: query.group_by("privet 0 0").agg(count()), "begin with 'privet '"),
        (lambda query: query.agg(a=histogram("ward"), a_b=count()), "two columns of the result are called 'a_b'"),
        (lambda query: query.agg(n=count(), n_low=count("x")), "two columns of the result are called 'n_low'"),
    ],
)
def test_the_same_is_refused_whatever_the_rows(ask: Callable[[Query], AggregateQuery], message: str, rows: Any) -> None:
    opened = session(rows, Rows())
    with pytest.raises(InvalidError, match=message):
        ask(opened.query()).release(epsilon=1)
    assert opened.spent == pv.budget(epsilon=0)


@pytest.mark.parametrize("rows", TABLES, ids=["empty", "one", "extremes"])
def test_caps_beyond_any_number_of_rows_are_answered(rows: Any) -> None:
    question = session(rows, Persons(id="person")).query().cap(rows=2**70).agg(count())
    assert question.release(epsilon=1).values("count").shape == (1,)


@pytest.mark.parametrize("bounds", [(0, 2**63 - 1), (-(2**62), 2**62 - 1)])
@pytest.mark.parametrize("rows", TABLES, ids=["empty", "one", "extremes"])
def test_the_widest_means_are_answered(rows: Any, bounds: tuple[int, int]) -> None:
    answer = session(rows, Rows()).query().agg(mean("x", bounds=bounds)).release(epsilon=1)
    assert answer.values("mean_x").dtype == float


@pytest.mark.parametrize("rows", TABLES, ids=["empty", "one", "extremes"])
def test_histograms_of_all_integers_are_answered(rows: Any) -> None:
    answer = session(rows, Rows()).query().agg(histogram("x", 2, bounds=FULL)).release(epsilon=1)
    assert len(answer.names) == 2


def exact_count(opened: Session, question: Any) -> list[int]:
    plan = question.plan(epsilon=1)
    exact = exact_totals(question, plan)
    found: list[int] = plan.planned[0].measured.exact(exact, plan.groups).tolist()
    return found


def test_rows_of_groups_that_were_not_listed_use_up_no_cap() -> None:
    opened = session([{"person": 1, "ward": ward, "x": 1} for ward in "abc"], Persons(id="person", rows=2))
    question = opened.query().group_by("ward", groups=["a", "b"]).agg(count())
    assert exact_count(opened, question) == [1, 1]


@pytest.mark.parametrize("kind", [pa.uint64(), pa.string()])
def test_identifiers_beyond_64_bits_make_no_single_person_of_many(kind: Any) -> None:
    """If they did, one of them could move more than the caps say: the rows that the others may keep change too."""
    people = [2**63 + 1, 2**63 + 2, 2**63 - 1]
    text = [str(person) if kind == pa.string() else person for person in people]
    rows = pa.table(
        {"person": pa.array(text, kind), "ward": list("abc"), "privet 0 0": ["a"] * 3, "x": pa.array([1] * 3)}
    )
    opened = session(rows, Persons(id="person", rows=1))
    assert exact_count(opened, opened.query().agg(count())) == [0]


def test_a_plan_for_booleans_is_none_for_integers() -> None:
    for kind, values in (("boolean", (False, True)), ("integer", (0, 1))):
        known = column("boolean") if kind == "boolean" else column("integer", categories=(0, 1))
        opened = Session([], Codebook(unit=Rows(), columns={"f": known}), pv.budget(epsilon=1))
        names = opened.query().agg(histogram("f")).release(epsilon=1).names
        assert names == tuple(f"histogram_f_{value}" for value in values)


def test_a_public_table_that_changes_later_multiplies_no_rows() -> None:
    opened = session([{"person": 1, "ward": "a", "x": 1}] * 3, Rows())
    frame = pd.DataFrame({"x": np.array([1, 2, 3])})
    question = opened.query().join_public(frame, {"x": column("integer")}, on="x").agg(count())
    frame.loc[:, "x"] = 1
    assert exact_count(opened, question) == [3]


def test_caps_of_the_other_query_are_refused() -> None:
    book = Codebook(columns={"person": pv.column("integer")}, unit=Persons(id="person", rows=1))
    query = Session([], book, pv.budget(epsilon=1)).query()
    for put_together in (query.union, lambda other: query.join(other, rows=1)):
        with pytest.raises(InvalidError, match="caps hold for the rows of the result"):
            put_together(query.cap(rows=5))


LISTED = "note: caps count over the groups that are listed"


@pytest.mark.parametrize(
    ("unit", "groups", "says"),
    [
        (pv.Persons("id", rows=3), ["a", "b"], True),
        (pv.Persons("id", groups=1, rows_per_group=2), ["a"], True),
        (pv.Persons("id", rows=3), None, False),
        (pv.Rows(), ["a", "b"], False),
    ],
)
def test_describe_says_that_the_list_decides_which_rows_count(unit: Any, groups: Any, says: bool) -> None:
    columns = {"id": pv.column("integer"), "ward": pv.column("text", categories=("a", "b", "c"))}
    query = pv.Planner(pv.Codebook(columns=columns, unit=unit), pv.budget(epsilon=1)).query()
    text = query.group_by("ward", groups=groups).agg(pv.count()).describe(epsilon=1)
    assert (LISTED in text) is says


def test_which_groups_are_listed_decides_which_rows_count() -> None:
    """What the line of ``describe`` says: with one more group in the list, a capped person counts less in the first."""
    columns = {"id": pv.column("integer"), "ward": pv.column("text")}
    book = pv.Codebook(columns=columns, unit=pv.Persons("id", groups=1, rows_per_group=1))
    rows = [{"id": at, "ward": ward} for at in range(1000) for ward in "ab"]
    query = pv.Session(rows, book, pv.budget(epsilon=10**4)).query()
    alone, both = (
        query.group_by("ward", groups=list(groups)).agg(pv.count()).release(epsilon=1000) for groups in ("a", "ab")
    )
    assert alone.values("count")[0] == 1000
    assert 300 < both.values("count")[0] < 700
