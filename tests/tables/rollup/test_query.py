"""Roll-ups through the engine: exact sums of every level, distances between neighbours, charges, parity."""

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.errors import BudgetExceededError, InvalidError, PrivetError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.rollup.plan import RollupPlan
from privet.tables.rollup.query import RollupQuery
from privet.tables.session.session import Session
from privet.tables.statistics.contribution import Contribution
from tests.tables.opened import fix_key

REGIONS = ("n", "s")
DISTRICTS = [("n", 1), ("n", 2), ("s", 3), ("n", 4), ("s", 1)]
CANARY = "canary-7f3a"
EXACTLY = 10**9  # so much may be lost that the noise is zero
QUIET = settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
ROWS = st.fixed_dictionaries(
    {
        "person": st.one_of(st.none(), st.integers(1, 4)),
        "region": st.sampled_from([*REGIONS, "zzz", None, CANARY]),
        "district": st.one_of(st.none(), st.integers(0, 5)),
        "minutes": st.one_of(st.none(), st.integers(-100, 100)),
        "cost": st.sampled_from([0.25, -3.1, 1e300, -math.inf, math.nan, None, 9.99]),
    }
)


def book(unit: PrivacyUnit, nulls: Any = None) -> Codebook:
    return Codebook(
        unit=unit,
        columns={
            "person": column("integer"),
            "region": column("text", categories=REGIONS, nulls=nulls),
            "district": column("integer", categories=(1, 2, 3, 4)),
            "minutes": column("integer", bounds=(0, 60)),
            "cost": column("real", bounds=(-10, 10), grid=Fraction(1, 4)),
        },
    )


def open_session(rows: list[dict[str, Any]], unit: PrivacyUnit, nulls: Any = None) -> Session:
    session = Session(rows, book(unit, nulls), pv.budget(epsilon=10**12))
    fix_key(session, 12345)  # the same rows stay, whatever the table
    return session


def ask(session: Session, among: Any = DISTRICTS) -> RollupQuery:
    query = session.query().filter("minutes >= 0 or minutes is null")
    return query.rollup("region", "district", groups=among).agg(
        count(), m=count("minutes"), time=total("minutes"), cost=total("cost"), h=histogram("minutes", 3)
    )


def measured(
    rows: list[dict[str, Any]], unit: PrivacyUnit, among: Any = DISTRICTS, weights: Any = None
) -> tuple[Any, RollupPlan]:
    """The exact numbers of every set of every level, through a release without noise; with weights, none is shared."""
    session = open_session(rows, unit)
    found = ask(session, among).release(epsilon=EXACTLY, level_weights=(1, 1, 1), weights=weights)
    session.close()
    return found.numbers, found.plan


def moved(
    rows: list[dict[str, Any]], others: list[dict[str, Any]], unit: PrivacyUnit, among: Any, weights: Any = None
) -> Any:
    """For each level and set, how far its numbers are apart, and what the plan says."""
    (first, plan), (second, _) = (measured(each, unit, among, weights) for each in (rows, others))
    for level, a, b in zip(plan.levels, first, second, strict=True):
        for part, x, y in zip(level.planned, a, b, strict=True):
            apart = [abs(int(item)) * part.measured.grid for item in (x - y).reshape(-1)]
            yield pc.Parts.of(apart), part.measured.distance(level.contribution, level.groups)


UNITS = [Persons(id="person", groups=2, rows_per_group=2), Persons(id="person", rows=3)]


@pytest.mark.parametrize("unit", UNITS, ids=["groups", "rows"])
@QUIET
@given(rows=st.lists(ROWS, max_size=14), gone=st.integers(1, 4), among=st.sampled_from([None, DISTRICTS]))
def test_one_person_moves_no_level_further_than_the_plan_says(unit: Any, rows: Any, gone: int, among: Any) -> None:
    for apart, most in moved(rows, [row for row in rows if row["person"] != gone], unit, among):
        assert apart <= most


@QUIET
@given(st.lists(ROWS, max_size=10), st.lists(ROWS, min_size=1, max_size=2))
def test_rows_move_no_level_further_than_the_plan_says(rows: Any, added: Any) -> None:
    for apart, most in moved(rows, [*rows, *added], Rows(count=2), DISTRICTS):
        assert apart <= most


def visits(person: int, *groups: tuple[str, int], often: int) -> list[dict[str, Any]]:
    one = [{"person": person, "region": r, "district": d, "minutes": 60, "cost": 10.0} for r, d in groups]
    return one * often


def test_the_worst_person_moves_every_level_as_far_as_the_plan_says() -> None:
    unit = Persons(id="person", groups=2, rows_per_group=3)
    worst = visits(7, ("n", 1), ("n", 2), often=3)
    for apart, most in list(moved(worst, [], unit, DISTRICTS, {}))[::5]:  # the counts
        assert (apart.l1, apart.l2_squared, apart.linf) == (most.l1, most.l2_squared, most.linf)


def test_a_plan_with_the_caps_of_the_finest_level_everywhere_is_noticed() -> None:
    """Rows per group hold in a district: a region of several holds more rows of a person."""
    unit, worst = Persons(id="person", groups=2, rows_per_group=3), visits(7, ("n", 1), ("n", 2), often=3)
    broken = Contribution(l0=2, l1=6, linf=3)
    (first, plan), (second, _) = (measured(rows, unit, weights={}) for rows in (worst, []))
    apart = [
        pc.Parts.of(Fraction(abs(int(i))) for i in (a[0] - b[0]).reshape(-1))
        for a, b in zip(first, second, strict=True)
    ]
    sizes = [level.groups for level in plan.levels]
    assert [each <= broken.rows(size) for each, size in zip(apart, sizes, strict=True)] == [False, False, True]


def test_every_level_adds_up_the_same_capped_rows() -> None:
    unit = Persons(id="person", groups=2, rows_per_group=2)
    rows = visits(1, *DISTRICTS, often=5) + visits(2, ("s", 3), ("n", 4), often=1)
    numbers, plan = measured(rows, unit, weights={})
    for part in range(len(plan.levels[-1].planned)):
        finest, regions, everything = (numbers[at][part] for at in (2, 1, 0))
        north = finest[[0, 1, 3]].sum(axis=0)
        assert regions.tolist() == [north.tolist(), finest[[2, 4]].sum(axis=0).tolist()]
        assert everything[0].tolist() == finest.sum(axis=0).tolist()
    assert numbers[0][0].tolist() == [[6]]


def test_the_groups_are_all_combinations_or_those_listed() -> None:
    session = open_session([], Rows())
    assert len(ask(session, None).plan(epsilon=1).hierarchy.finest) == 8
    assert ask(session).plan(epsilon=1).hierarchy.levels[1] == (("n",), ("s",))


def test_a_null_that_is_a_category_is_not_the_null_of_a_rolled_up_key() -> None:
    rows = [{"person": 1, "region": None, "district": 1, "minutes": 1, "cost": 1.0}] * 5
    session = open_session(rows, Rows(), NullsAsCategory())
    table = session.query().rollup("region").agg(count()).release(epsilon=EXACTLY).to_dict()
    assert table["level"] == [0, 1, 1, 1]
    assert table["region"] == [None, "n", "s", None]
    assert table["count"] == [5, 0, 0, 5]


def test_the_release_costs_what_was_asked_and_tells_what_is_protected() -> None:
    session = open_session([], Rows())
    before = session.remaining.epsilon
    found = ask(session).release(epsilon=1)
    assert before - session.remaining.epsilon == found.loss.epsilon() == 1
    assert found.notes[0].startswith("protected: ")
    assert found.keys == ("region", "district")


def test_what_does_not_fit_the_budget_is_not_answered() -> None:
    session = Session([], book(Rows()), pv.budget(epsilon=1))
    with pytest.raises(BudgetExceededError):
        ask(session).release(epsilon=2)
    assert session.remaining.epsilon == 1


def test_an_empty_table_gives_noise_around_zero_that_adds_up() -> None:
    found = ask(open_session([], Rows())).release(epsilon=1, level_weights=(1, 1, 1))
    values = found.all_values("time")
    assert float(values[0][0]) == float(values[1].sum()) == float(values[2].sum())
    assert np.abs(values[0]).max() < 60 * 5 * 3 * 40  # forty scales


def outcome(rows: list[dict[str, Any]]) -> Any:
    session = open_session(rows, UNITS[0])
    try:
        found = ask(session).release(epsilon=1).nonnegative().rounded("count")
    except PrivetError as error:
        return type(error), str(error)
    table = found.to_dict()
    return [(name, [type(item) for item in items]) for name, items in table.items()], session.remaining, found.loss


@QUIET
@given(st.lists(ROWS, max_size=10))
def test_neither_shape_nor_order_nor_charge_depends_on_the_data(rows: Any) -> None:
    assert outcome(rows) == outcome_without_rows()


@cache
def outcome_without_rows() -> Any:
    return outcome([])


def test_describing_spends_nothing_and_names_every_level() -> None:
    session = open_session([], UNITS[0])
    told = ask(session).describe(epsilon=1, level_weights=(0, 1, 1))
    assert "level 0, all rows: one unit counts at most: 1 group, 4 rows in all, 4 rows in a group" in told
    assert (
        "level 2, 5 groups by region, district: one unit counts at most: 2 groups, 4 rows in all, 2 rows in a group"
        in told
    )
    lines = [line.split() for line in told.splitlines()]
    (coarse,) = [line for line in lines if line[:4] == ["0", "all", "rows", "count"]]
    assert coarse[5:] == ["not", "measured,", "but", "added", "up"]
    (finest,) = [line for line in lines if line[:1] == ["2"] and "count" in line]
    assert finest[-4:] == ["measured", "with", "laplace", "noise"]
    assert session.remaining.epsilon == 10**12


def test_persons_are_not_counted() -> None:
    query = open_session([], UNITS[0]).query().rollup("region", "district")
    with pytest.raises(InvalidError, match="but once in their region"):
        query.agg(people=count_ids())


def test_a_column_called_level_is_refused() -> None:
    query = open_session([], Rows()).query()
    with pytest.raises(InvalidError, match="rename the key"):
        query.rename(level="district").rollup("region", "level")
    with pytest.raises(InvalidError, match="name the aggregate differently"):
        query.rollup("region").agg(level=count())
