"""Child sessions: parts do not overlap, persons are in as many as were paid for, nothing is read before the charge."""

import datetime as dt
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet as pv
from privet.accounting.planning.infinite import InfiniteBudget
from privet.errors import BudgetExceededError, InvalidError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.queries.partition import MOST_PARTS
from privet.tables.relations.caps import Caps
from privet.tables.session.session import Session
from tests.tables.opened import database_of, exact_totals, fix_key

WARDS = ("a", "b", "c")
EPSILON = Fraction(1, 2)
Table = list[dict[str, Any]]


def opened(rows: Table, unit: PrivacyUnit, *, budget: Any = None, nulls: Any = None) -> Session:
    book = Codebook(
        columns={
            "person": column("integer"),
            "ward": column("text", categories=WARDS, nulls=nulls),
            "age": column("integer"),
            "day": column("date", bounds=(dt.date(2024, 1, 1), dt.date(2024, 12, 31))),
        },
        unit=unit,
    )
    session = Session(rows, book, budget or pv.budget(epsilon=10))
    fix_key(session, 12345)
    return session


def visits(*pairs: tuple[int | None, str | None], age: int = 1, month: int = 1) -> Table:
    day = dt.date(2024, month, 5)
    return [{"person": person, "ward": ward, "age": age, "day": day} for person, ward in pairs]


def rows_of(session: Session) -> int:
    """Count the rows of a session, without noise and without caps."""
    query = session.query().relation
    return len(database_of(session).engine.execute(query.select("person"))["person"])


def persons_of(session: Session) -> list[int]:
    query = session.query().relation
    return sorted(set(database_of(session).engine.execute(query.select("person"))["person"]))


ROWS = st.builds(
    lambda person, ward, age: visits((person, ward), age=age)[0],
    st.one_of(st.none(), st.integers(1, 4)),
    st.sampled_from([*WARDS, None, "elsewhere"]),
    st.integers(0, 3),
)
TABLES = st.lists(ROWS, max_size=12)
QUIET = settings(deadline=None, max_examples=8, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize(
    ("unit", "groups", "times"),
    [
        (Rows(), None, 1),
        (Rows(count=2), None, 2),
        (Rows(count=5), None, 3),  # there are three parts
        (Persons(id="person", rows=9), None, 1),
        (Persons(id="person", rows=9), 2, 2),
        (Persons(id="person", rows=9), 7, 3),
    ],
)
@pytest.mark.parametrize(
    "lost", [{"epsilon": EPSILON}, {"epsilon": EPSILON, "delta": Fraction(1, 100)}, {"rho": EPSILON}]
)
def test_a_partition_costs_a_child_for_each_part_of_one_unit(
    unit: PrivacyUnit, groups: int | None, times: int, lost: dict[str, Any]
) -> None:
    session = opened(
        [], unit, budget=pv.budget(rho=5) if "rho" in lost else pv.budget(epsilon=5, delta=Fraction(1, 10))
    )
    children = session.partition("ward", parts_per_person=groups).release(**lost)
    assert list(children) == list(WARDS)
    assert session.spent == pv.budget(**{name: times * value for name, value in lost.items()})
    assert {child.remaining for child in children.values()} == {pv.budget(**lost)}


@QUIET
@given(TABLES)
def test_the_parts_of_rows_are_all_rows_once(rows: Table) -> None:
    session = opened(rows, Rows(), nulls=NullsAsCategory())
    children = session.partition("ward").release(epsilon=1)
    assert list(children) == [*WARDS, None]
    found = {value: rows_of(child) for value, child in children.items()}
    wards = [row["ward"] if row["ward"] in WARDS else None for row in rows]
    assert found == {value: wards.count(value) for value in (*WARDS, None)}


@QUIET
@given(TABLES, st.integers(1, 3))
def test_a_person_is_in_as_many_parts_as_were_paid_for(rows: Table, most: int) -> None:
    session = opened(rows, Persons(id="person", rows=99))
    children = session.partition("ward", parts_per_person=most).release(epsilon=1)
    parts = [person for child in children.values() for person in persons_of(child)]
    for person in range(1, 5):
        wards = {row["ward"] for row in rows if row["person"] == person} & set(WARDS)
        assert parts.count(person) == min(len(wards), most)


def losses(rows: Table, most: int | None) -> list[int]:
    """Count the persons of every part."""
    session = opened(rows, Persons(id="person", rows=1))
    children = session.partition("ward", parts_per_person=most).release(epsilon=EPSILON)
    found = []
    for child in children.values():
        question = child.query().agg(count_ids())
        exact = exact_totals(question, question.plan(epsilon=EPSILON))
        found += [int(value) for numbers in exact.values() for value in np.ravel(numbers)]
    session.close()
    return found


def largest_ratio(rows: Table, person: int, most: int | None) -> Fraction:
    """Give the exact pure loss of a count in every child: the ratio at an output far away is exp(eps |difference|)."""
    fewer = [row for row in rows if row["person"] != person]
    pairs = zip(losses(rows, most), losses(fewer, most), strict=True)
    return sum((EPSILON * abs(one - other) for one, other in pairs), Fraction(0))


@QUIET
@given(TABLES, st.integers(1, 4), st.integers(1, 2))
def test_all_children_together_lose_no_more_than_was_charged(rows: Table, person: int, most: int) -> None:
    assert largest_ratio(rows, person, most) <= EPSILON * most


def test_a_partition_that_caps_nobody_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.tables.queries.partition.Caps", lambda groups: Caps())
    assert largest_ratio(visits((1, "a"), (1, "b"), (2, "a")), 1, None) == 2 * EPSILON  # charged: one


def test_a_partition_charged_once_for_persons_in_two_parts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = visits((1, "a"), (1, "b"), (2, "a"))
    right = opened(rows, Persons(id="person", rows=1))
    right.partition("ward", parts_per_person=2).release(epsilon=EPSILON)
    monkeypatch.setattr("privet.tables.queries.partition._most", lambda *_: 1)
    monkeypatch.setattr("privet.tables.queries.partition.Caps", lambda groups: Caps(groups=2))
    wrong = opened(rows, Persons(id="person", rows=1))
    wrong.partition("ward", parts_per_person=2).release(epsilon=EPSILON)
    assert wrong.spent.epsilon < largest_ratio(rows, 1, 2) <= right.spent.epsilon  # type: ignore[attr-defined]


@QUIET
@given(TABLES, st.integers(1, 4))
def test_removing_a_person_moves_no_other_to_another_part(rows: Table, person: int) -> None:
    found = []
    for table in (rows, [row for row in rows if row["person"] != person]):
        session = opened(table, Persons(id="person", rows=99))
        children = session.partition("ward").release(epsilon=1)
        found.append({ward: [one for one in persons_of(child) if one != person] for ward, child in children.items()})
        session.close()
    assert found[0] == found[1]


def test_rows_of_no_part_take_nobodys_place() -> None:
    rows = [row for n in range(30) for row in visits((n, "a"), (n, "b"), (n, "c"), (n, None))]
    session = opened(rows, Persons(id="person", rows=99))
    assert rows_of(session.partition("ward", groups=["b"]).release(epsilon=1)["b"]) == 30


def test_a_person_within_a_month_is_the_unit_where_the_codebook_says_so() -> None:
    rows = visits((1, "a"), (1, "b"), month=1) + visits((1, "c"), (1, "c"), month=2)
    session = opened(rows, Persons(id="person", rows=9, period=("day", "month")))
    found = {ward: rows_of(child) for ward, child in session.partition("ward").release(epsilon=1).items()}
    assert found["c"] == 2
    assert found["a"] + found["b"] == 1
    assert session.spent == pv.budget(epsilon=1)


def test_persons_themselves_can_be_parts() -> None:
    session = opened(visits((1, "a"), (1, "b"), (2, "a"), (None, "a")), Persons(id="person", rows=9))
    children = session.partition("person", groups=[1, 2, 3]).release(epsilon=1)
    assert [rows_of(child) for child in children.values()] == [2, 1, 0]


def test_integers_and_truth_values_make_parts() -> None:
    session = opened(visits((1, "a"), age=-7) + visits((2, "a"), age=2**62), Rows())
    assert [
        rows_of(child) for child in session.partition("age", groups=[-7, 2**62, 0]).release(epsilon=1).values()
    ] == [1, 1, 0]


def test_children_spend_their_own_budget() -> None:
    session = opened(visits((1, "a")), Rows(), budget=pv.budget(epsilon=1))
    children = session.partition("ward").release(epsilon=1)
    for child in children.values():
        child.query().agg(count()).release(epsilon=1)
    assert session.remaining == pv.budget(epsilon=0)
    with pytest.raises(BudgetExceededError):
        children["a"].query().agg(count()).release(epsilon=0.001)


def test_a_child_answers_about_its_part() -> None:
    rows = visits(*(("ab".index(ward), ward) for ward in "aaabb"))
    session = opened(rows, Rows(), budget=pv.budget(epsilon=10**9))
    found = session.partition("ward").release(epsilon=10**9)
    counted = [child.query().group_by("ward").agg(count()).release(epsilon=10**9) for child in found.values()]
    assert [np.ravel(each.values("count")).tolist() for each in counted] == [[3, 0, 0], [0, 2, 0], [0, 0, 0]]


def test_parts_of_parts_cost_their_parent() -> None:
    session = opened(visits((1, "a"), (2, "a"), age=3), Persons(id="person", rows=9), budget=pv.budget(epsilon=1))
    child = session.partition("ward").release(epsilon=1)["a"]
    inner = child.partition("age", groups=[3, 4], parts_per_person=2).release(epsilon=Fraction(1, 2))
    assert [rows_of(each) for each in inner.values()] == [2, 0]
    assert child.remaining == pv.budget(epsilon=0)
    with pytest.raises(BudgetExceededError):
        child.partition("age", groups=[3]).release(epsilon=Fraction(1, 2))


def test_a_table_can_be_parted_twice_and_each_time_costs() -> None:
    session = opened(visits((1, "a"), age=3), Persons(id="person", rows=9))
    first, second = (
        session.partition("ward").release(epsilon=1),
        session.partition("age", groups=[3]).release(epsilon=1),
    )
    assert [rows_of(first["a"]), rows_of(second[3])] == [1, 1]
    assert session.spent == pv.budget(epsilon=2)


@pytest.mark.parametrize("unit", [Rows(), Persons(id="person", rows=1)])
def test_a_partition_that_does_not_fit_is_refused_before_anything_is_read(
    unit: PrivacyUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(visits((1, "a")), unit, budget=pv.budget(epsilon=1))

    def read(*_: Any, **__: Any) -> None:
        raise AssertionError("the table was read")

    monkeypatch.setattr(database_of(session).engine, "hold", read)
    monkeypatch.setattr(database_of(session).engine, "execute", read)
    with pytest.raises(BudgetExceededError):
        session.partition("ward").release(epsilon=1.001)
    assert session.spent == pv.budget(epsilon=0)


def test_rows_are_copied_after_the_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(visits((1, "a")), Persons(id="person", rows=1))
    seen: list[Any] = []
    hold = database_of(session).engine.hold

    def watched(*asked: Any) -> Any:
        seen.append(session.spent)
        return hold(*asked)

    monkeypatch.setattr(database_of(session).engine, "hold", watched)
    session.partition("ward").release(epsilon=1)
    assert seen == [pv.budget(epsilon=1)]


def test_a_child_needs_the_table_of_its_parent() -> None:
    session = opened(visits((1, "a")), Rows())
    child = session.partition("ward").release(epsilon=1)["a"]
    session.close()
    with pytest.raises(UnavailableError, match="closed"):
        child.query().agg(count()).release(epsilon=1)
    assert child.remaining == pv.budget(epsilon=1)  # nothing could be asked, so nothing was charged


def test_without_a_budget_children_have_none_either() -> None:
    session = opened(visits((1, "a")), Rows(), budget=InfiniteBudget())
    assert session.partition("ward").release()["a"].remaining == InfiniteBudget()
    assert session.partition("ward").release(epsilon=1)["a"].remaining == pv.budget(epsilon=1)


ROW_SESSION = opened([], Rows())
PERSON_SESSION = opened([], Persons(id="person", rows=1))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: ROW_SESSION.partition("ward", parts_per_person=1).release(epsilon=1),
            InvalidError,
            "a row lies in one part",
        ),
        (
            lambda: PERSON_SESSION.partition("ward", parts_per_person=0).release(epsilon=1),
            InvalidError,
            "one or more, got 0",
        ),
        (
            lambda: PERSON_SESSION.partition("ward", parts_per_person=1.5).release(epsilon=1),  # type: ignore[arg-type]
            WrongTypeError,
            "got float",
        ),
        (
            lambda: PERSON_SESSION.partition("ward", parts_per_person=True).release(epsilon=1),
            WrongTypeError,
            "whole number, got bool",
        ),
        (lambda: PERSON_SESSION.partition("ward").release(), WrongTypeError, "partition needs epsilon"),
        (lambda: PERSON_SESSION.partition("ward").release(rho=1), UnavailableError, "no finite epsilon"),
        (lambda: PERSON_SESSION.partition("age").release(epsilon=1), InvalidError, "groups of 'age' are not known"),
        (lambda: PERSON_SESSION.partition("day").release(epsilon=1), PrivetError, "cut it into bins"),
        (lambda: PERSON_SESSION.partition("ward", groups=["a", "a"]).release(epsilon=1), InvalidError, "different"),
        (lambda: PERSON_SESSION.partition("ward", groups=[None]).release(epsilon=1), WrongTypeError, "got NoneType"),
        (lambda: PERSON_SESSION.partition("nosuch").release(epsilon=1), InvalidError, "no column 'nosuch'"),
        (lambda: PERSON_SESSION.partition("ward", table="nosuch").release(epsilon=1), InvalidError, "nosuch"),
        (
            lambda: PERSON_SESSION.partition("age", groups=list(range(MOST_PARTS + 1))).release(epsilon=1),
            InvalidError,
            "at most 10000 parts",
        ),
    ],
)
def test_wrong_partitions_are_refused_and_cost_nothing(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
    assert ROW_SESSION.spent == PERSON_SESSION.spent == pv.budget(epsilon=0)


@QUIET
@given(TABLES, TABLES)
def test_nothing_of_a_partition_depends_on_the_rows(one: Table, other: Table) -> None:
    seen = []
    for rows in (one, other):
        session = opened(rows, Persons(id="person", rows=1), nulls=NullsAsCategory())
        children = session.partition("ward", parts_per_person=2).release(epsilon=1)
        seen.append((repr(session), [(value, repr(child)) for value, child in children.items()]))
        session.close()
    assert seen[0] == seen[1]


@pytest.mark.parametrize(("unit", "most"), [(Rows(), 1), (Persons(id="person", rows=4), 2)])
def test_children_in_rho_are_charged_at_the_delta_that_is_given(unit: PrivacyUnit, most: int) -> None:
    session = opened(visits((1, "a")), unit, budget=pv.budget(epsilon=10, delta=1e-6))
    groups: dict[str, Any] = {} if most == 1 else {"parts_per_person": most}
    with pytest.raises(UnavailableError, match="give the delta to read it at"):
        session.partition("ward", **groups).release(rho=0.1)
    assert session.spent == pv.budget(epsilon=0)
    children = session.partition("ward", **groups).release(rho=0.1, delta=1e-7)
    each = pv.budget(rho=0.1)
    cost = (each.loss() * most).epsilon(Fraction(1, 10**7))
    assert session.spent == pv.budget(epsilon=cost, delta=Fraction(1, 10**7))
    assert {child.remaining for child in children.values()} == {each}
    assert len(children["a"].query().agg(count()).release(rho=0.1).values("count")) == 1


def test_a_delta_beside_rho_is_refused_by_a_parent_in_rho_and_charges_nothing() -> None:
    session = opened(visits((1, "a")), Rows(), budget=pv.budget(rho=1))
    with pytest.raises(PrivetError):
        session.partition("ward").release(rho=0.1, delta=1e-7)
    assert session.spent == pv.budget(rho=0)
