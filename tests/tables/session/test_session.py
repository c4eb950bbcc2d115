"""Sessions: exact statistics, distances between neighbours, charges, parity."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.errors import BudgetExceededError, InvalidError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import median
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsAsCategory, NullsReplaced
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.session.session import Session
from tests.tables.opened import database_of, exact_totals, fix_key

WARDS = ("a", "b", "c")
CANARY = "canary-7f3a"
QUIET = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def book(unit: PrivacyUnit, **nulls: Any) -> Codebook:
    return Codebook(
        unit=unit,
        columns={
            "person": column("integer"),
            "ward": column("text", categories=WARDS, nulls=nulls.get("ward")),
            "minutes": column("integer", bounds=(0, 60), nulls=nulls.get("minutes")),
            "cost": column("real", bounds=(-10, 10), grid=Fraction(1, 4)),
        },
    )


def ask(session: Session) -> Any:
    query = session.query().filter("minutes >= 0 or minutes is null")
    return query.group_by("ward").agg(
        count(),
        n=count("minutes"),
        ids=count_ids(),
        time=total("minutes"),
        average=mean("cost"),
        spread=variance("minutes"),
        middle=median("minutes", bins=8),
        shape=histogram("minutes", 4),
    )


ROWS = st.fixed_dictionaries(
    {
        "person": st.one_of(st.none(), st.integers(1, 4)),
        "ward": st.sampled_from([*WARDS, "zzz", None, CANARY]),
        "minutes": st.one_of(st.none(), st.integers(-100, 100)),
        "cost": st.sampled_from([0.25, -3.1, 1e300, -math.inf, math.nan, None, 9.99]),
    }
)


def numbers(rows: list[dict[str, Any]], unit: PrivacyUnit) -> tuple[list[Any], Any]:
    """Exact numbers of every planned set, and the plan, for one table; the same key decides whose rows stay."""
    session = Session(rows, book(unit), pv.budget(epsilon=10))
    fix_key(session, 12345)
    question = ask(session)
    plan = question.plan(epsilon=1)
    exact = exact_totals(question, plan)
    found = [part.measured.exact(exact, plan.groups) for part in plan.planned]
    session.close()
    return found, plan


@QUIET
@given(st.lists(ROWS, max_size=12), ROWS)
def test_one_row_moves_no_number_further_than_the_plan_says(rows: list[dict[str, Any]], added: dict[str, Any]) -> None:
    unit = Persons(id="person", rows=3)
    rows = [{**row, "person": row["person"] or 1} for row in rows]
    _check(rows, [*rows, {**added, "person": 99}], unit)


@QUIET
@given(st.lists(ROWS, max_size=12), st.integers(1, 4))
def test_one_person_moves_no_number_further_than_the_plan_says(rows: list[dict[str, Any]], gone: int) -> None:
    unit = Persons(id="person", groups=2, rows_per_group=1)
    _check(rows, [row for row in rows if row["person"] != gone], unit)


def _check(rows: list[dict[str, Any]], others: list[dict[str, Any]], unit: PrivacyUnit) -> None:
    first, plan = numbers(rows, unit)
    second, _ = numbers(others, unit)
    for part, a, b in zip(plan.planned, first, second, strict=True):
        moved = [abs(int(x) - int(y)) * part.measured.grid for x, y in zip(a, b, strict=True)]
        assert pc.Parts.of(moved) <= part.measured.distance(plan.contribution, plan.groups)


def exactly(question: Any) -> list[int]:
    """The exact numbers of a question with one aggregate."""
    plan = question.plan(epsilon=1)
    return [int(each) for each in plan.planned[0].measured.exact(exact_totals(question, plan), plan.groups)]


def test_statistics_are_those_of_the_clamped_rows() -> None:
    rows = [
        {"person": 1, "ward": "a", "minutes": 70, "cost": 0.3},
        {"person": 2, "ward": "a", "minutes": None, "cost": math.nan},
        {"person": 3, "ward": "b", "minutes": -5, "cost": -99.0},
        {"person": 4, "ward": "unknown", "minutes": 5, "cost": 1.0},
    ]
    session = Session(rows, book(Rows()), pv.budget(epsilon=1))
    grouped = session.query().group_by("ward")
    found = {name: exactly(grouped.agg(asked)) for name, asked in (("n", count()), ("time", total("minutes")))}
    found["cost"] = exactly(grouped.agg(total("cost")))
    assert found == {"n": [2, 1, 0], "time": [60, 0, 0], "cost": [1, -40, 0]}


def test_nulls_follow_their_policy() -> None:
    rows = [{"person": 1, "ward": None, "minutes": None, "cost": 0.0}]
    codebook = book(Rows(), ward=NullsAsCategory(), minutes=NullsReplaced(7))
    session = Session(rows, codebook, pv.budget(epsilon=1))
    grouped = session.query().group_by("ward")
    assert exactly(grouped.agg(count())) == [0, 0, 0, 1]
    assert exactly(grouped.agg(total("minutes"))) == [0, 0, 0, 7]


def test_a_release_is_charged_once_and_has_the_public_groups() -> None:
    session = Session([{"person": 1, "ward": "a", "minutes": 3, "cost": 1.0}], book(Rows()), pv.budget(epsilon=1))
    answer = ask_simple(session).release(epsilon=Fraction(1, 3))
    assert answer.groups == (("a",), ("b",), ("c",))
    assert session.remaining == pv.budget(epsilon=Fraction(2, 3))
    ask_simple(session).release(epsilon=Fraction(2, 3))
    with pytest.raises(BudgetExceededError):
        ask_simple(session).release(epsilon=0.001)


def ask_simple(session: Session) -> Any:
    return session.query().group_by("ward").agg(count())


def test_what_was_charged_stays_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise UnavailableError("the disk is full.")

    monkeypatch.setattr(DuckDBEngine, "execute", fail)
    session = Session([], book(Rows()), pv.budget(epsilon=1))
    with pytest.raises(UnavailableError, match="disk"):
        ask_simple(session).release(epsilon=0.5)
    assert session.remaining == pv.budget(epsilon=0.5)


def test_a_closed_session_is_not_charged() -> None:
    session = Session([], book(Rows()), pv.budget(epsilon=1))
    question = ask_simple(session)
    session.close()
    with pytest.raises(UnavailableError, match="closed"):
        question.release(epsilon=0.5)
    assert session.remaining == pv.budget(epsilon=1)


@pytest.mark.parametrize("lost", [{"epsilon": 1, "delta": 1e-7}, {"rho": 0.1}])
def test_other_forms_of_budget(lost: dict[str, Any]) -> None:
    whole = pv.budget(epsilon=2, delta=1e-6) if "delta" in lost else pv.budget(rho=0.2)
    session = Session([], book(Persons(id="person", rows=4)), whole)
    answer = ask_simple(session).release(**lost)
    assert answer.loss <= pv.budget(**lost)
    spent = session.spent
    assert spent != whole
    assert np.ravel(answer.values("count")).shape == (3,)


@given(st.lists(ROWS, max_size=6), st.lists(ROWS, max_size=6))
@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_but_numbers_depends_on_the_rows(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    seen = []
    for rows in (one, other):
        session = Session(rows, book(Persons(id="person", rows=2)), pv.budget(epsilon=1))
        answer = ask(session).release(epsilon=1)
        frame = answer.to_pandas()
        seen.append((list(frame.columns), list(map(str, frame.dtypes)), len(frame), repr(session), answer.notes))
        assert CANARY not in repr(answer) + str(answer) + repr(session) + str(frame)
        session.close()
    assert seen[0] == seen[1]


SESSION = Session([], book(Persons(id="person")), pv.budget(epsilon=1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ask_simple(SESSION), InvalidError, "how much one person may count is not bounded"),
        (lambda: SESSION.query().filter("nosuch > 1"), PrivetError, "nosuch"),
        (lambda: SESSION.query().filter("minutes"), PrivetError, "condition"),
        (lambda: SESSION.query().group_by("person"), InvalidError, "'person' tells persons apart"),
        (lambda: SESSION.query().group_by("cost"), PrivetError, "group_by takes integer, text and boolean columns"),
        (lambda: SESSION.query().group_by("ward", groups=[1]), WrongTypeError, "'ward' is text, got int"),
        (lambda: SESSION.query().group_by("ward", groups=["a", "a"]), InvalidError, "different groups"),
        (lambda: SESSION.query().derive(person="1"), InvalidError, "must stay as it is"),
        (lambda: SESSION.query().rename(x="person"), InvalidError, "must stay as it is"),
        (lambda: SESSION.query().cap(rows=1).agg(), InvalidError, "at least one aggregate"),
        (
            lambda: Session([], book(Rows()), pv.budget(epsilon=1)).query().agg(count_ids()),
            InvalidError,
            "unit is rows",
        ),
        (lambda: SESSION.query().cap(rows=1).agg(count(), count()), InvalidError, "two columns of the result"),
        (lambda: SESSION.query().cap(rows=1).agg(count()).release(), WrongTypeError, "needs epsilon"),
        (lambda: Session([], "nosuch.yaml", pv.budget(epsilon=1)), PrivetError, "nosuch.yaml"),
        (lambda: Session([], 3, pv.budget(epsilon=1)), WrongTypeError, "a Codebook, the path of one, or a dictionary"),  # type: ignore[arg-type]
        (lambda: Session([], book(Rows()), pv.budget(epsilon=1), memory="lots"), InvalidError, "memory='lots'"),
        (lambda: Session([], book(Rows()), 1), WrongTypeError, "budget"),  # type: ignore[arg-type]
    ],
)
def test_wrong_questions_are_refused_from_the_codebook_alone(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_derived_columns_and_listed_groups() -> None:
    rows = [{"person": n, "ward": "ab"[n % 2], "minutes": n, "cost": 0.0} for n in range(40)]
    session = Session(rows, book(Rows()), pv.budget(epsilon=1000))
    query = (
        session.query().derive(half="minutes // 2", late="minutes >= 20").group_by("ward", "late", groups=[("a", True)])
    )
    answer = query.agg(count(), time=total("half")).release(epsilon=900)
    assert answer.groups == (("a", True),)
    assert np.ravel(answer.values("count"))[0] == 10
    assert abs(float(np.ravel(answer.values("time"))[0]) - sum(n // 2 for n in range(20, 40, 2))) < 1


REGIONS = {"ward": pv.column("text", categories=WARDS), "region": pv.column("text", categories=("north", "south"))}


def test_a_public_table_is_joined_row_by_row() -> None:
    rows = [{"person": n, "ward": "abc"[n % 3], "minutes": 1, "cost": 0.0} for n in range(30)]
    session = Session(rows, book(Rows()), pv.budget(epsilon=1000))
    public = [{"ward": "a", "region": "north"}, {"ward": "b", "region": "south"}, {"ward": None, "region": "north"}]
    question = session.query().join_public(public, REGIONS, on="ward").group_by("region").agg(count())
    exact = exact_totals(question, plan := question.plan(epsilon=1))
    assert [part.measured.exact(exact, 2).tolist() for part in plan.planned] == [[10, 10]]


@pytest.mark.parametrize(
    ("public", "columns", "message"),
    [
        ([{"ward": "a", "region": "north"}] * 1_001, REGIONS, "may make 1,001 rows of one"),
        ([], {"region": REGIONS["region"]}, "must describe the columns to match"),
        ([], {**REGIONS, "person": pv.column("integer")}, "must stay as it is"),
        ([], {**REGIONS, "minutes": pv.column("integer")}, "both have 'minutes'"),
        ([], {**REGIONS, "region": "text"}, "must be made by pv.column"),
    ],
)
def test_a_public_table_that_would_change_rows_is_refused(public: Any, columns: Any, message: str) -> None:
    session = Session([], book(Persons(id="person", rows=1)), pv.budget(epsilon=1))
    with pytest.raises(PrivetError, match=message):
        session.query().join_public(public, columns, on="ward")


def test_a_session_is_closed_at_the_end_of_its_block() -> None:
    with Session([], book(Rows()), pv.budget(epsilon=2)) as session:
        question = session.query().agg(count())
        question.release(epsilon=1)
    session.close()  # a second time does nothing
    with pytest.raises(UnavailableError, match="closed"):
        question.release(epsilon=1)


def test_it_is_closed_after_an_error_too_and_lets_it_pass() -> None:
    with pytest.raises(ZeroDivisionError), Session([], book(Rows()), pv.budget(epsilon=2)) as session:
        1 / 0
    engine: Any = database_of(session).engine
    assert not engine._close.alive


def test_a_part_leaves_the_table_of_its_parent_open() -> None:
    with Session([], book(Rows()), pv.budget(epsilon=2)) as session:
        with session.partition("ward").release(epsilon=1)["a"] as part:
            part.query().agg(count()).release(epsilon=1)
        session.query().agg(count()).release(epsilon=1)
