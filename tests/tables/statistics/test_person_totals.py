"""Totals of owners: what the engine adds up is what a few lines of Python do, and one owner moves it by one total."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.core.metric import Parts
from privet.tables.aggregates.sum_by_person import sum_by_person
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.nodes.group_totals import Grouping
from privet.tables.relations.caps import Caps
from privet.tables.relations.table_space import Table
from privet.tables.statistics.counting import person_totals
from privet.tables.statistics.numbers_spec import NumbersSpec

GROUPS = (("a",), ("b",), ("c",))
COLUMNS = {
    "person": Column(kind="integer"),
    "month": Column(kind="integer"),
    "ward": Column(kind="text", categories=("a", "b", "c")),
    "spent": Column(kind="integer", bounds=(-50, 1000)),
    "score": Column(kind="real", bounds=(-2, 2), grid=Fraction(1, 4)),
}
ENDS: dict[str, Any] = {"spent": (-30, 100), "score": (Fraction(-5, 2), 1)}
ROWS = st.fixed_dictionaries(
    {
        "person": st.one_of(st.none(), st.integers(1, 4)),
        "month": st.integers(1, 2),
        "ward": st.sampled_from(["a", "b", "c", None, "elsewhere"]),
        "spent": st.sampled_from([None, -999, -50, -3, 0, 7, 60, 1000, 10**9]),
        "score": st.sampled_from([None, -9.0, -1.125, 0.0, 0.3, 2.0, float("inf"), float("nan")]),
    }
)
TABLES = st.lists(ROWS, max_size=12)
QUIET = settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
ENGINE = DuckDBEngine(threads=1)
_tables = iter(range(10**9))


def measured(name: str = "spent", bounds: Any = None) -> NumbersSpec:
    return sum_by_person(name, bounds=bounds or ENDS[name]).bind(COLUMNS).measured()


def totals(
    rows: list[dict[str, Any]],
    asked: NumbersSpec,
    most: int = 3,
    *,
    keys: tuple[str, ...] = ("ward",),
    id_columns: tuple[str, ...] = ("person",),
) -> list[int]:
    """Read the totals of all groups through the engine, in steps."""
    table = Table(relation=ENGINE.load(rows, COLUMNS, f"table {next(_tables)}"), engine=ENGINE)
    caps = Caps(groups=most, rows_per_group=1)
    grouping = Grouping(keys=keys, groups=GROUPS if keys else ((),), caps=caps, key=12345)
    exact = grouping.read(table, grouping.compile(table.relation, id_columns, asked.statistics))
    return [int(number) for number in asked.exact(exact, len(grouping.groups))]


def steps(value: Any, known: Column) -> int | None:
    """Write a value as it is read: clamped to the column's bounds, on its grid; null where it is none."""
    if value is None or value != value:
        return None
    grid, (low, high) = known.grid or Fraction(1), known.bounds or (Fraction(0), Fraction(0))
    inside = low if value < low else high if value > high else Fraction(value)
    return round(inside / grid)


def expected(
    rows: list[dict[str, Any]], name: str, id_columns: tuple[str, ...] = ("person",), bounds: Any = None
) -> list[int]:
    """Add up by hand: per owner and group first, then clamp, then over owners."""
    known = COLUMNS[name]
    low, high = (int(Fraction(end) / (known.grid or 1)) for end in bounds or ENDS[name])
    found = []
    for (ward,) in GROUPS:
        mine = [row for row in rows if row["ward"] == ward and row["person"] is not None]
        sums: dict[Any, int] = {}
        for row in mine:
            counted = steps(row[name], known)
            if counted is not None:  # whoever has no value adds nothing, not the lower end
                whose = tuple(row[each] for each in id_columns)
                sums[whose] = sums.get(whose, 0) + counted
        found.append(sum(min(max(each, low), high) for each in sums.values()))
    return found


@QUIET
@given(TABLES, st.sampled_from(["spent", "score"]))
def test_totals_agree_with_a_computation_by_hand(rows: list[dict[str, Any]], name: str) -> None:
    assert totals(rows, measured(name)) == expected(rows, name)


@QUIET
@given(TABLES, st.sampled_from([(10, 50), (-80, -5), (2, 3)]))
def test_persons_without_values_add_nothing_although_zero_is_beyond_the_bounds(
    rows: list[dict[str, Any]], bounds: Any
) -> None:
    assert totals(rows, measured("spent", bounds)) == expected(rows, "spent", bounds=bounds)


def test_a_group_without_values_takes_no_place_among_the_groups_of_a_person() -> None:
    spent = {"a": None, "b": None, "c": 7}
    rows = [
        {"person": n, "month": 1, "ward": ward, "spent": spent[ward], "score": None}
        for n in range(30)
        for ward in "abc"
    ]
    assert totals(rows, measured(), most=1) == [0, 0, 210]


@QUIET
@given(TABLES)
def test_a_person_within_a_month_is_an_owner_where_both_columns_say_so(rows: list[dict[str, Any]]) -> None:
    id_columns = ("person", "month")
    assert totals(rows, measured(), id_columns=id_columns) == expected(rows, "spent", id_columns)


@QUIET
@given(TABLES)
def test_without_keys_all_rows_are_one_group(rows: list[dict[str, Any]]) -> None:
    everything = [{**row, "ward": "a"} for row in rows]
    assert totals(rows, measured(), keys=()) == expected(everything, "spent")[:1]


def distance(rows: list[dict[str, Any]], person: int, asked: NumbersSpec, most: int) -> Parts:
    """How far the totals of a table are from those without a person."""
    fewer = [row for row in rows if row["person"] != person]
    pairs = zip(totals(rows, asked, most), totals(fewer, asked, most), strict=True)
    return Parts.of([abs(one - other) * asked.grid for one, other in pairs])


def apart(*sizes: int) -> Parts:
    return Parts.of([Fraction(size) for size in sizes])


def claimed(asked: NumbersSpec, most: int) -> Parts:
    return asked.distance(
        Grouping(keys=("ward",), caps=Caps(groups=most, rows_per_group=1)).contribution(has_ids=True), 3
    )


@QUIET
@given(
    TABLES,
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from([("spent", None), ("score", None), ("spent", (20, 60)), ("spent", (-80, -5))]),
)
def test_a_person_moves_the_totals_by_no_more_than_claimed(
    rows: list[dict[str, Any]], person: int, most: int, of: tuple[str, Any]
) -> None:
    asked = measured(*of)
    assert distance(rows, person, asked, most) <= claimed(asked, most)


MANY = [{"person": 1, "month": 1, "ward": "abc"[n % 3], "spent": 7, "score": 0.0} for n in range(10_000)]


def test_a_person_with_many_rows_moves_each_group_by_one_total() -> None:
    asked = measured()
    assert distance(MANY, 1, asked, 3) == claimed(asked, 3) == apart(100, 100, 100)
    assert distance(MANY, 1, asked, 2) == claimed(asked, 2)


def test_the_far_end_of_negative_bounds_is_attained() -> None:
    asked = measured("spent", (-80, -5))
    rows = [{"person": 1, "month": 1, "ward": "a", "spent": -50, "score": 0.0}] * 2
    assert distance(rows, 1, asked, 1) == apart(80)
    assert totals([{**rows[0], "spent": None}], asked, 1) == [0, 0, 0]  # whoever has no value adds nothing


def test_totals_clamped_by_row_alone_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_row(relation: Any, keys: Any, statistic: Any, id_columns: Any, most: int, key: int) -> Any:
        wide = (-(2**80), 2**80)
        of = tuple(
            evolve(each, low=max(each.low, statistic.ends[0]), high=min(each.high, statistic.ends[1]))
            for each in statistic.of
        )
        return person_totals(relation, keys, evolve(statistic, of=of, ends=wide), id_columns, most, key)

    monkeypatch.setattr("privet.tables.nodes.group_totals.person_totals", by_row)
    asked = measured()
    assert not distance(MANY, 1, asked, 3) <= claimed(asked, 3)


def test_totals_in_all_groups_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def uncapped(relation: Any, keys: Any, statistic: Any, id_columns: Any, most: int, key: int) -> Any:
        return person_totals(relation, keys, statistic, id_columns, 99, key)

    monkeypatch.setattr("privet.tables.nodes.group_totals.person_totals", uncapped)
    asked = measured()
    assert not distance(MANY, 1, asked, 2) <= claimed(asked, 2)


def test_the_width_of_the_bounds_is_no_bound() -> None:
    asked = measured("spent", (90, 100))
    narrow = evolve(asked, row=apart(10))
    assert not distance(MANY, 1, asked, 3) <= claimed(narrow, 3)


@QUIET
@given(TABLES, st.integers(1, 4))
def test_removing_a_person_changes_no_other_total(rows: list[dict[str, Any]], person: int) -> None:
    fewer = [row for row in rows if row["person"] != person]
    only = [row for row in rows if row["person"] == person]
    parts = [np.array(totals(each, measured(), 2)) for each in (rows, fewer, only)]
    assert (parts[0] == parts[1] + parts[2]).all()


def test_totals_beyond_64_bits_are_exact() -> None:
    wide = {**COLUMNS, "spent": Column(kind="integer")}
    asked = sum_by_person("spent", bounds=(0, 2**90)).bind(wide).measured()
    relation = ENGINE.load(
        [{"person": n, "ward": "a", "spent": 2**62 - 1} for n in (1, 1, 1, 2)],
        {name: wide[name] for name in ("person", "ward", "spent")},
        f"table {next(_tables)}",
    )
    found = ENGINE.execute(person_totals(relation, ("ward",), asked.statistics[0], ("person",), 1, 7))
    assert found["privet 0 0"] == [4 * (2**62 - 1)]
