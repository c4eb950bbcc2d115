"""Sessions of several tables, persons within a period, unions and joins: no number moves further than planned."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.core.metric import VectorDistance
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsDrawn
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.session.query import Query
from privet.tables.session.session import Session
from tests.laws.inputs import LAW
from tests.laws.replay import replayed
from tests.tables.opened import database_of

OFTEN = settings(LAW, max_examples=4)
VISITS = {
    "id": column("integer"),
    "ward": column("text", categories=("a", "b")),
    "minutes": column("integer", bounds=(0, 60)),
    "day": column("date"),
}
PEOPLE = {"id": column("integer"), "age": column("integer", bounds=(0, 99)), "day": column("date")}
PERSONS = Persons(id="id", rows=2)
MONTHS = Persons(id="id", rows=2, period=("day", "month"))
DAYS = ("2024-01-31", "2024-02-01", "2023-12-31", None)
VISIT = st.fixed_dictionaries(
    {
        "id": st.sampled_from([1, 2, None]),
        "ward": st.sampled_from(["a", "b", "?"]),
        "minutes": st.sampled_from([5, 99, None]),
        "day": st.sampled_from(DAYS),
    }
)
PERSON = st.fixed_dictionaries(
    {"id": st.sampled_from([1, 2, 3]), "age": st.sampled_from([20, 50, None]), "day": st.sampled_from(DAYS)}
)


def opened(visits: Any, people: Any, unit: PrivacyUnit) -> Session:
    books = {
        "visits": Codebook(columns=VISITS, unit=unit),
        "people": Codebook(columns=PEOPLE, unit=unit),
    }
    with replayed(seed=3):  # the same key, and so the same rows of persons who have too many
        return Session({"visits": visits, "people": people}, books, pv.budget(epsilon=10))


def numbers(session: Session, question: Any) -> list[Any]:
    """The exact numbers of every aggregate."""
    grouping = question.grouped.grouping
    table = question.grouped.query.chain.run(database_of(session))
    found = []
    for aggregate in question.aggregates.values():
        measured = aggregate.measured()
        reading = grouping.compile(table.relation, question.grouped.query.id_columns, measured.statistics)
        found.append(measured.exact(grouping.read(table, reading), len(grouping.groups)))
    return found


def check(ask: Any, unit: PrivacyUnit, one: tuple[Any, Any], other: tuple[Any, Any]) -> None:
    first, second = opened(*one, unit), opened(*other, unit)
    question = ask(first)
    pairs = zip(numbers(first, question), numbers(second, ask(second)), strict=True)
    for aggregate, (a, b) in zip(question.aggregates.values(), pairs, strict=True):
        measured, groups = aggregate.measured(), len(question.grouped.groups)
        moved = VectorDistance().distance(a, b, measured.space(groups).domain)
        assert moved <= measured.distance(question.contribution, groups)
    for session in (first, second):
        session.close()


def by_ward(query: Query) -> Any:
    return query.group_by("ward").agg(count(), count_ids(), time=total("minutes"), average=mean("minutes"))


def joined(session: Session) -> Any:
    people = session.query("people").select("age")
    return by_ward(session.query("visits").join(people, rows=2, how="left").filter("age > 30 or age is null"))


def summarized(session: Session) -> Any:
    longest = session.query("visits").summarize(longest="max(minutes)", n="count(*)")
    return longest.filter("n > 1").group_by(much="clip(longest // 20, 0, 3)").agg(count(), count_ids())


def united(session: Session) -> Any:
    visits = session.query("visits").select("ward", "minutes")
    return by_ward(visits.union(visits.filter("minutes < 50")))


ASKED = {"plain": lambda session: by_ward(session.query("visits")), "join": joined, "sum": summarized, "union": united}


def theirs(row: Any, person: Any, month: Any) -> bool:
    """Tell whether a row is one of a person, or of a person in a month: the year and the month of its day."""
    return bool(row["id"] == person and (month is ... or (row["day"] or "")[:7] == (month or "")))


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_removing_a_person_from_all_tables_moves_no_number_further_than_planned(ask: Any) -> None:
    @OFTEN
    @given(st.lists(VISIT, max_size=8), st.lists(PERSON, max_size=4))
    def law(visits: Any, people: Any) -> None:
        fewer = [[row for row in rows if not theirs(row, 1, ...)] for rows in (visits, people)]
        check(ask, PERSONS, (visits, people), (fewer[0], fewer[1]))

    law()


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.share(2)
def test_removing_one_month_of_a_person_moves_no_number_further_than_planned(ask: Any) -> None:
    @OFTEN
    @given(st.lists(VISIT, max_size=8), st.lists(PERSON, max_size=4), st.sampled_from(["2024-01", "2024-02", None]))
    def law(visits: Any, people: Any, month: Any) -> None:
        fewer = [[row for row in rows if not theirs(row, 1, month)] for rows in (visits, people)]
        check(ask, MONTHS, (visits, people), (fewer[0], fewer[1]))

    law()


def test_caps_hold_for_each_month_of_a_person() -> None:
    rows = [{"id": 1, "ward": "a", "minutes": 1, "day": day} for day in DAYS for _ in range(5)]
    session = opened(rows, [], MONTHS)
    assert numbers(session, session.query("visits").agg(count()))[0].tolist() == [8]
    assert numbers(session, session.query("visits").agg(count_ids()))[0].tolist() == [1]
    by_person = opened(rows, [], PERSONS)
    assert numbers(by_person, by_person.query("visits").agg(count()))[0].tolist() == [2]


def test_rows_without_a_date_are_one_unit_also_where_dates_are_drawn() -> None:
    """Spread over the months that are drawn for them, they would count as several units."""
    drawn = column("date", bounds=("2024-01-01", "2024-12-31"), nulls=NullsDrawn())
    book = Codebook(columns={"id": column("integer"), "day": drawn, "x": column("integer")}, unit=MONTHS)
    session = Session([{"id": 1, "x": number} for number in range(60)], book, pv.budget(epsilon=1))
    assert numbers(session, session.query().agg(count("day")))[0].tolist() == [2]


def test_a_union_of_a_table_with_itself_counts_a_row_twice() -> None:
    rows = [{"id": 1, "ward": "a", "minutes": 7}]
    session = opened(rows, [], Rows())
    visits = session.query("visits").select("ward", "minutes")
    question: Any = visits.union(visits).group_by("ward").agg(count())
    assert numbers(session, question)[0].tolist() == [2, 0]
    assert question.contribution.l1 == question.contribution.linf == 2
    once: Any = visits.group_by("ward").agg(count())
    assert once.contribution.l1 == 1


def test_a_union_of_two_tables_counts_a_row_once() -> None:
    session = opened([{"minutes": 5}], [{"age": 7}], Rows(count=3))
    ages = session.query("people").derive(minutes="age").select("minutes")
    question: Any = session.query("visits").select("minutes").union(ages).agg(count(), total("minutes"))
    assert [each.tolist() for each in numbers(session, question)] == [[2], [12]]
    assert question.contribution.l1 == 3


def test_a_left_join_keeps_those_without_a_partner() -> None:
    visits = [{"id": number, "ward": "a", "minutes": 1} for number in (1, 2)]
    session = opened(visits, [{"id": 1, "age": 40}], PERSONS)
    people = session.query("people").select("age")
    left = session.query("visits").join(people, rows=1, how="left")
    assert numbers(session, left.agg(count(), count("age")))[0].tolist() == [2]
    assert numbers(session, left.agg(count("age")))[0].tolist() == [1]
    assert numbers(session, session.query("visits").join(people, rows=1).agg(count()))[0].tolist() == [1]


def test_a_join_says_how_many_rows_it_matches() -> None:
    """Or the caps of the codebook do."""
    session = opened([], [], PERSONS)
    joined = session.query("visits").join(session.query("people").select("age"))
    assert joined.chain.links[0].unit.rows == 2  # type: ignore[attr-defined]
    session = opened([], [], Persons(id="id"))
    with pytest.raises(InvalidError, match="say how many are matched at most"):
        session.query("visits").join(session.query("people").select("age"))
    session.query("visits").join(session.query("people").summarize(age="max(age)"))


def test_a_release_is_charged_once_whatever_it_is_made_of() -> None:
    session = opened([{"id": 1, "ward": "a", "minutes": 1}] * 3, [{"id": 1, "age": 40}], PERSONS)
    joined(session).release(epsilon=1)
    assert session.remaining.epsilon == 9


def test_queries_of_different_sessions_stay_apart() -> None:
    one, other = opened([], [], PERSONS), opened([], [], PERSONS)
    with pytest.raises(InvalidError, match="belongs to another session"):
        one.query("visits").union(other.query("visits"))
    with pytest.raises(WrongTypeError, match="union takes another query"):
        one.query("visits").union([])  # type: ignore[arg-type]


def test_tables_must_protect_the_same_unit() -> None:
    books = {"a": Codebook(columns=VISITS, unit=PERSONS), "b": Codebook(columns=VISITS, unit=Rows())}
    with pytest.raises(
        MismatchError,
        match="'a' protects persons, and 'b' protects rows, 1 at a time. All tables of a session must protect the same",
    ):
        Session({"a": [], "b": []}, books, pv.budget(epsilon=1))
    with pytest.raises(WrongTypeError, match="sources and codebooks by the same names"):
        Session({"a": []}, books, pv.budget(epsilon=1))


def test_a_table_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidError, match="'nosuch'; there are 'visits', 'people'"):
        opened([], [], PERSONS).query("nosuch")


@pytest.mark.parametrize("how", ["rows", "pandas", "pandas objects", "arrow", "decimals", "csv"])
def test_identifiers_with_a_fraction_belong_to_nobody(how: str, tmp_path: Path) -> None:
    ids = [1.2, 1.4, 2.0, 3.0, None, 2.0]
    frame = pd.DataFrame({"person": ids})
    (tmp_path / "ids.csv").write_text("person\n1.2\n1.4\n2\n3.0\nnobody\n2\n")
    sources: dict[str, Any] = {
        "rows": [{"person": each} for each in ids],
        "pandas": frame,
        "pandas objects": frame.astype(object),
        "arrow": pa.table({"person": ids}),
        "decimals": pa.table({"person": pa.array([None if x is None else Decimal(str(x)) for x in ids])}),
        "csv": str(tmp_path / "ids.csv"),
    }
    book = pv.Codebook(columns={"person": pv.column("integer")}, unit=pv.Persons(id="person", rows=5))
    session = pv.Session(sources[how], book, pv.InfiniteBudget())
    answer = session.query().agg(pv.count(), ids=pv.count_ids()).release(epsilon=10**9)
    assert [int(answer.values("count")[0]), int(answer.values("ids")[0])] == [3, 2]


def named_otherwise(visits: Any, people: Any, *, period: Any = None) -> Session:
    """The same tables, but people have other names for their id and for their date."""
    renamed = {"id": "person", "day": "seen", "age": "age"}
    columns = {renamed[name]: item for name, item in PEOPLE.items()}
    theirs = Persons("person", rows=2, period=period and ("seen", period))
    books = {
        "visits": Codebook(columns=VISITS, unit=Persons("id", rows=2, period=period and ("day", period))),
        "people": Codebook(columns=columns, unit=theirs),
    }
    rows = [{renamed[name]: value for name, value in row.items()} for row in people]
    with replayed(seed=3):
        return Session({"visits": visits, "people": rows}, books, pv.budget(epsilon=10))


@pytest.mark.parametrize("period", [None, "month"])
def test_names_of_id_columns_change_no_number(period: Any) -> None:
    """Whatever the id of the second table is called, persons are the same, and so is everything that is released."""

    def united_people(session: Session) -> Any:
        ages = session.query("people").derive(value="age").select("value")
        visits = session.query("visits").derive(value="minutes").select("value")
        return ages.union(visits).agg(count(), count_ids(), total=total("value", bounds=(0, 99)))

    @OFTEN
    @given(st.lists(VISIT, max_size=8), st.lists(PERSON, max_size=4))
    def law(visits: Any, people: Any) -> None:
        same = opened(visits, people, PERSONS if period is None else MONTHS)
        other = named_otherwise(visits, people, period=period)
        for ask in (joined, united_people):
            found = [[each.tolist() for each in numbers(session, ask(session))] for session in (same, other)]
            assert found[0] == found[1]
        assert ask(same).plan(epsilon=1).loss.epsilon() == ask(other).plan(epsilon=1).loss.epsilon()
        for session in (same, other):
            session.close()

    law()


def test_removing_a_person_under_two_names_moves_no_number_further_than_planned() -> None:
    @OFTEN
    @given(st.lists(VISIT, max_size=8), st.lists(PERSON, max_size=4))
    def law(visits: Any, people: Any) -> None:
        fewer = [[row for row in rows if not theirs(row, 1, ...)] for rows in (visits, people)]
        sessions = [named_otherwise(visits, people), named_otherwise(*fewer)]
        question = joined(sessions[0])
        pairs = zip(*(numbers(session, joined(session)) for session in sessions), strict=True)
        for aggregate, (a, b) in zip(question.aggregates.values(), pairs, strict=True):
            measured, groups = aggregate.measured(), len(question.grouped.groups)
            moved = VectorDistance().distance(a, b, measured.space(groups).domain)
            assert moved <= measured.distance(question.contribution, groups)
        for session in sessions:
            session.close()

    law()


def test_ids_of_two_names_are_read_exactly_in_both_tables() -> None:
    """A source of texts and a source of floats: what is no whole number belongs to nobody, in either table."""
    books = {
        "a": Codebook(columns={"x": column("integer")}, unit=Persons("x", rows=5)),
        "b": Codebook(
            columns={"y": column("integer"), "v": column("integer", bounds=(0, 9))}, unit=Persons("y", rows=5)
        ),
    }
    texts = pa.table({"x": ["7", "007", "7.0000000000000001", "9007199254740993", "9007199254740992.0", None]})
    floats = pa.table({"y": [7.0, 7.5, 2.0**53, None], "v": [1, 1, 1, 1]})
    session = Session({"a": texts, "b": floats}, books, pv.budget(epsilon=1))
    both = session.query("a").join(session.query("b"), rows=1)
    assert numbers(session, both.agg(count(), count_ids())) == [[3], [2]]  # 7 twice, 2^53 once


def test_a_description_says_which_id_columns_are_the_same_persons() -> None:
    session = named_otherwise([], [])
    together = "all rows of any one person (column 'id' of 'visits', column 'person' of 'people')"
    assert f"protected in all tables together: {together}" in session.describe()
    assert together in str(session)
    assert f"protected: {together}" in session.query("people").agg(count()).describe(epsilon=1)
    assert "in all tables together" not in opened([], [], PERSONS).describe()
