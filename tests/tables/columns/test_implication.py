"""What one unit says about another: never fewer steps than tables need, and no more where a table needs them all."""

from datetime import date, timedelta
from itertools import groupby, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.losses.pure import PureLoss
from privet.core.metric import IdentifierDistance, SymmetricDistance
from privet.core.space import records, vector
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns.unit import LENGTHS, Length, Persons, Rows, count_periods, implied

# 28 years, so that every year begins on every weekday, leap or not
CALENDAR = [date(2000, 1, 1) + timedelta(days=day) for day in range(28 * 365 + 7)]


def period_of(day: date, length: str) -> Any:
    year, week, _ = day.isocalendar()
    return {
        "day": day,
        "week": (year, week),
        "month": (day.year, day.month),
        "quarter": (day.year, (day.month - 1) // 3),
        "year": day.year,
    }[length]


def steps_needed(ours: str, theirs: str) -> int:
    """Take a person with a row on every day, remove one of their periods, and count removals and additions of ours."""
    groups = [(key, list(days)) for key, days in groupby(CALENDAR, key=lambda day: period_of(day, theirs))]
    sizes: dict[Any, int] = {}
    for day in CALENDAR:
        sizes[period_of(day, ours)] = sizes.get(period_of(day, ours), 0) + 1
    most = 0
    for _, days in groups:
        removed: dict[Any, int] = {}
        for day in days:
            removed[period_of(day, ours)] = removed.get(period_of(day, ours), 0) + 1
        most = max(most, sum(1 if count == sizes[key] else 2 for key, count in removed.items()))
    return most


@pytest.mark.parametrize(("ours", "theirs"), [pair for pair in product(LENGTHS, LENGTHS) if pair[0] != pair[1]])
def test_lengths_are_those_of_the_calendar(ours: Length, theirs: Length) -> None:
    answer = implied(Persons(period=("day", ours)), Persons(period=("day", theirs)))
    assert answer.steps == steps_needed(ours, theirs)


def test_a_claim_of_whole_periods_only_would_be_caught() -> None:
    """The twin counts the weeks that a month touches, and forgets that two of them are cut."""
    assert steps_needed("week", "month") > 6


@pytest.mark.parametrize(("ours", "theirs"), list(product((1, 2, 5), (1, 2, 3, 7, 10))))
def test_rows_imply_groups_of_rows(ours: int, theirs: int) -> None:
    steps = implied(Rows(count=ours), Rows(count=theirs)).steps
    assert steps is not None
    assert steps * ours >= theirs > (steps - 1) * ours


rows = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), max_size=8)
SPACE = records(id=str, value=int)


@given(rows, st.data())
def test_persons_imply_rows_by_groups(table: Any, data: Any) -> None:
    gone = data.draw(st.sets(st.integers(0, 7), max_size=3))
    rest = [row for position, row in enumerate(table) if position not in gone]
    apart = SymmetricDistance().distance(table, rest, SPACE.domain)
    if apart == 0:
        return
    steps = implied(Persons(id="id"), Rows(count=apart)).steps
    assert steps is not None
    assert IdentifierDistance(0).distance(table, rest, SPACE.domain) <= steps


def test_two_steps_are_needed_for_one_row() -> None:
    """The twin "a person implies each of their rows at the same loss" is wrong where removal is the step."""
    assert IdentifierDistance(0).distance([("a", 1), ("a", 2)], [("a", 1)], SPACE.domain) == 2
    assert implied(Persons(id="id"), Rows()).steps == 2


@pytest.mark.parametrize(
    ("unit", "other", "steps"),
    [
        (Rows(count=1000), Persons(), None),
        (Persons(), Persons(), 1),
        (Persons(rows=1), Persons(rows=100), 1),
        (Persons(id="a"), Persons(id="b"), None),
        (Persons(), Persons(period=("day", "month")), 2),
        (Persons(period=("day", "month")), Persons(), None),
        (Persons(period=("day", "month")), Persons(period=("other", "month")), None),
        (Persons(period=("day", "month")), Rows(), 2),
        (Persons(), Rows(count=3), 6),
    ],
)
def test_other_pairs(unit: Any, other: Any, steps: int | None) -> None:
    answer = implied(unit, other)
    assert answer.steps == steps
    assert len(answer.reason.split()) > 5


def test_bounded_dates_bound_the_periods_of_a_person() -> None:
    answer = implied(Persons(period=("day", "month")), Persons(), periods=13)
    assert (answer.steps, answer.relation) == (13, "implied at the loss of a group of 13")
    other = implied(Persons(period=("day", "month")), Persons(period=("other", "month")), periods=13)
    assert other.steps == 26


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    ("first", "last"),
    [(date(2024, 1, 1), date(2024, 12, 31)), (date(2023, 12, 31), date(2024, 1, 1)), (date(1, 1, 1), date(4, 2, 29))],
)
def test_periods_are_counted_as_the_calendar_does(length: Length, first: date, last: date) -> None:
    days = [first + timedelta(days=day) for day in range((last - first).days + 1)]
    assert count_periods(length, first, last) == len({period_of(day, length) for day in days}) + 1


def test_a_loss_is_restated() -> None:
    answer = implied(Rows(), Rows(count=3))
    assert answer.loss(PureLoss(1)).epsilon() == 3
    assert implied(Persons(), Persons()).relation == "implied"


def test_no_loss_follows_where_nothing_is_implied() -> None:
    answer = implied(Rows(), Persons())
    assert answer.relation == "not implied"
    with pytest.raises(UnavailableError, match="a person may have any number of rows"):
        answer.loss(PureLoss(1))


def test_what_is_no_unit_is_refused() -> None:
    wrong: Any = vector(int)
    with pytest.raises(WrongTypeError, match="takes two privacy units"):
        implied(wrong, Rows())


def steps_of_household(rows: list[tuple[int, int]]) -> tuple[int, int, int]:
    """Give how many persons lie inside household 0, how many across its border, and the steps that remove it."""
    members = {person for person, household in rows if household == 0}
    outside = {person for person, household in rows if household != 0}
    inside, across = len(members - outside), len(members & outside)
    without = [row for row in rows if row[1] != 0]
    space = records(person=int, household=int)
    return inside, across, int(IdentifierDistance(0).distance(rows, without, space.domain))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=12))
def test_households_are_as_many_steps_as_their_persons(rows: list[tuple[int, int]]) -> None:
    inside, across, needed = steps_of_household(rows)
    answer = implied(Persons("person"), Persons("household"), inside=inside, across=across)
    assert needed == (answer.steps or 0)


def test_a_person_across_is_two_steps() -> None:
    """The twin counts each person of a household once; a person who has rows elsewhere is removed and added again."""
    inside, across, needed = steps_of_household([(1, 0), (1, 1), (2, 0)])
    assert (inside, across, needed) == (1, 1, 3)
    assert inside + across < needed


def test_households_and_their_persons() -> None:
    answer = implied(Persons("person"), Persons("household"), inside=4)
    assert (answer.steps, answer.relation) == (4, "implied at the loss of a group of 4")
    assert answer.loss(PureLoss(1)).epsilon() == 4
    assert answer.reason == "at most 4 of 'person' inside one of 'household', each added or removed in one step"
    assert implied(Persons("household"), Persons("person"), across=1).steps == 2
    assert implied(Persons("person"), Persons("household"), inside=3, across=1).steps == 5
    assert implied(Persons("person"), Persons("household")).steps is None
    assert implied(Persons("person"), Persons("household"), inside=0).steps is None
    month = ("day", "month")
    assert implied(Persons("person", period=month), Persons("household", period=month), inside=2).steps == 2
    assert implied(Persons("person", period=month), Persons("household"), inside=2).steps is None
    with pytest.raises(InvalidError, match="are for units of persons with different id columns"):
        implied(Persons("person"), Persons("person"), inside=2)
    with pytest.raises(InvalidError, match=r"implied.across must be 0 or more, got -1"):
        implied(Persons("person"), Persons("household"), across=-1)
    with pytest.raises(WrongTypeError, match=r"implied.inside must be a whole number"):
        implied(Persons("person"), Persons("household"), inside=1.5)  # type: ignore[arg-type]
