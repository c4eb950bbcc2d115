"""Questions: what is planned and described from public facts."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve

import privet as pv
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.curator.allowance import read_allowance
from privet.tables.session.query import Query
from privet.tables.session.session import Session

COLUMNS = {
    "id": column("integer"),
    "ward": column("text", categories=("a", "b", "c")),
    "minutes": column("integer", bounds=(0, 60)),
}


COLUMNS_BOUND = {name: item.column for name, item in COLUMNS.items()}


def query(unit: PrivacyUnit | None = None) -> Query:
    return Session([], Codebook(columns=COLUMNS, unit=unit or Rows()), pv.budget(epsilon=3)).query()


def test_aggregates_are_asked_by_name_or_by_their_own() -> None:
    question = query().group_by("ward").agg(count(), time=total("minutes"))
    assert list(question.aggregates) == ["count", "time"]


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ((), InvalidError, "at least one aggregate"),
        ((count(), count()), InvalidError, "two columns of the result are called 'count'"),
        (("count",), WrongTypeError, "agg takes aggregates such as pv.count"),
        ((count("nosuch"),), InvalidError, "no column 'nosuch'"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        query().group_by("ward").agg(*asked)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (Rows(), (1, 1, 1)),
        (Rows(count=4), (4, 4, 4)),
        (Persons(id="id", rows=5), (5, 5, 5)),
        (Persons(id="id", groups=2, rows_per_group=3), (2, 6, 3)),
        (Persons(id="id", rows=4, groups=2, rows_per_group=3), (2, 4, 3)),
    ],
)
def test_what_one_unit_adds_at_most(unit: PrivacyUnit, expected: tuple[int, int, int]) -> None:
    counted: Any = query(unit).group_by("ward").agg(count())
    found = counted.contribution
    assert (found.l0, found.l1, found.linf) == expected


def test_a_person_with_one_row_adds_one() -> None:
    counted: Any = query(Persons(id="id")).summarize(n="count(*)").agg(count())
    found = counted.contribution
    assert (found.l0, found.l1, found.linf) == (1, 1, 1)


def test_without_caps_a_person_is_not_bounded() -> None:
    with pytest.raises(InvalidError, match="how much one person may count is not bounded"):
        query(Persons(id="id")).group_by("ward").agg(count())


def test_a_description_spends_nothing() -> None:
    asked = query(Persons(id="id", rows=2)).group_by("ward").agg(count(), mean("minutes"))
    told = asked.describe(epsilon=1, group_size=100)
    assert "groups: 3 by ward" in told
    assert "one unit counts at most: 2 groups, 2 rows in all, 2 rows in a group" in told
    assert asked.grouped.query.curator.spent == pv.budget(epsilon=0)


def test_equal_errors_need_to_know_about_how_many_rows_there_are() -> None:
    asked = query().group_by("ward").agg(count(), total("minutes"))
    with pytest.raises(InvalidError, match="equal errors need group_size"):
        asked.plan(epsilon=1, weights="equal errors")
    with pytest.raises(InvalidError, match='or "equal errors", got'):
        asked.plan(epsilon=1, weights="equal")
    assert asked.plan(epsilon=1, weights="equal errors", group_size=100).loss.epsilon() <= 1


def test_the_loss_is_what_a_release_costs() -> None:
    asked = query().group_by("ward").agg(count())
    lost = asked.loss(epsilon=1).epsilon()
    asked.release(epsilon=1)
    remaining: Any = asked.grouped.query.curator.remaining
    assert remaining.epsilon == 3 - lost


def test_a_question_cannot_be_put_to_more_rows_than_it_was_planned_for() -> None:
    few, many = (query(Persons(id="id", rows=rows)).agg(count()) for rows in (1, 100))
    with pytest.raises(MismatchError, match=r"AggregateQuery\.contribution belongs to another query"):
        evolve(few, grouped=many.grouped)


def test_a_plan_is_for_its_query() -> None:
    few, many = (query(Persons(id="id", rows=rows)).agg(count()) for rows in (1, 100))
    with pytest.raises(MismatchError, match="the plan is for another query"):
        many.request_for(few.plan(epsilon=1), read_allowance("release", epsilon=1))  # type: ignore[union-attr]


def test_a_question_is_written_without_its_session_and_without_long_fractions() -> None:
    wide = {**COLUMNS, "wide": column("real", bounds=(-(10**250), Fraction(1, 3)))}
    rows = Session([], Codebook(columns=wide, unit=Rows()), pv.budget(epsilon=3)).query().filter("minutes > 3")
    grouped = rows.group_by("ward")
    question = grouped.agg(mean("wide", bounds=(-(10**249), Fraction(1, 3))), total("wide"))
    assert repr(grouped) == (
        "GroupedQuery(rows: data; filter minutes > 3; groups: 3 by ward; "
        "protected: whether any one row is in the table, and what it holds)"
    )
    assert repr(rows.columns["wide"]).startswith("Column(kind='real', bounds=(-1e+250, 1/3), ")
    for written in (repr(rows), repr(grouped), repr(question), repr(question.plan(epsilon=1))):
        assert "Session" not in written
        assert "Budget" not in written
        assert "0" * 30 not in written


def relative(text: str, name: str) -> float:
    """Read the last cell of a line, such as ``12.3 %``."""
    line = next(line for line in text.splitlines() if line.startswith(name))
    return float(line.split()[-2])


def test_relative_half_widths_are_of_a_stated_size() -> None:
    question = query().agg(mean("minutes"), m=pv.median("minutes"))
    scale = question.plan(epsilon=1).planned[0].noise
    assert mean("minutes").bind(COLUMNS_BOUND).expected(scale, Fraction(100)).size == 15.0  # of 0 to 60
    assert pv.median("minutes").bind(COLUMNS_BOUND).expected(scale, Fraction(100)).size == 15.0
    small, large = (
        question.describe(epsilon=1, group_size=100, typical={"mean_minutes": typical}) for typical in (15, 30)
    )
    assert relative(small, "mean_minutes") == pytest.approx(2 * relative(large, "mean_minutes"), rel=0.01)
    assert "relative" in small
    assert "relative" not in question.describe(epsilon=1, group_size=100)
    with pytest.raises(InvalidError, match="typical names 'nosuch'"):
        question.describe(epsilon=1, group_size=100, typical={"nosuch": 3})
