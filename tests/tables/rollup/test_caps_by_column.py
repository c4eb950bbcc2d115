"""Roll-ups under caps by column: what one person adds at every level, by brute force and through the engine."""

import json
from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
from privet.errors import InvalidError
from privet.tables.columns.key_caps import KeyCaps
from privet.tables.relations.caps import Caps
from privet.tables.rollup.plan import Hierarchy
from privet.tables.statistics.contribution import Contribution

FINEST = tuple(product("ab", (1, 2, 3), (0, 1)))
MOST = st.none() | st.integers(1, 3)
CAPS = st.tuples(MOST, MOST).map(lambda pair: dict(zip(("groups", "rows_per_group"), pair, strict=True)))


def value(row: tuple[Any, ...], each: KeyCaps) -> tuple[Any, ...]:
    return tuple(row["abc".index(name)] for name in each.columns)


def capped(rows: list[tuple[Any, ...]], caps: list[KeyCaps]) -> list[tuple[Any, ...]]:
    """Keep the rows of one person that the caps by column allow, in any order."""
    kept = rows
    for each in caps:
        if each.groups is not None:
            values = list(dict.fromkeys(value(row, each) for row in kept))[: each.groups]
            kept = [row for row in kept if value(row, each) in values]
    for each in caps:
        if each.rows_per_group is not None:
            seen: Counter[Any] = Counter()
            fewer = []
            for row in kept:
                seen[value(row, each)] += 1
                fewer += [row] if seen[value(row, each)] <= each.rows_per_group else []
            kept = fewer
    return kept


def problems(rows: list[tuple[Any, ...]], caps: list[KeyCaps], most: int, by: list[KeyCaps]) -> list[int]:
    """Name the levels at which one person adds more than a roll-up with these caps by column says."""
    given_caps = Caps(rows=most, by=tuple(caps))
    l0, l1, linf = given_caps.within({"a": 2, "b": 3, "c": 2})
    finest = Contribution(l0=l0 or 1, l1=l1 or 1, linf=linf or 1)
    kept = capped(rows, caps)[:most]
    found = []
    for keys, level in enumerate(Hierarchy(finest=FINEST).contributions(finest, by, "abc")):
        counts = Counter(row[:keys] for row in kept)
        limits = level.rows(len(Hierarchy(finest=FINEST).levels[keys]))
        if counts and (len(counts) > limits.l0 or counts.total() > limits.l1 or max(counts.values()) > limits.linf):
            found.append(keys)
    return found


SETS = [names for size in (1, 2, 3) for names in combinations("abc", size)]


@given(
    rows=st.lists(st.sampled_from(FINEST), max_size=20),
    caps=st.dictionaries(st.sampled_from(SETS), CAPS),
    most=st.integers(1, 30),
)
def test_no_person_adds_more_at_any_level(rows: Any, caps: Any, most: int) -> None:
    read = [KeyCaps(columns=names, **each) for names, each in caps.items() if any(each.values())]
    assert problems(rows, read, most, read) == []


def test_caps_of_a_finer_key_say_nothing_about_a_coarser_level() -> None:
    """The twin moves the caps of the second key to the first: at most one row in a group of the first level."""
    rows = [("a", 1, 0), ("a", 2, 0), ("a", 3, 0)]
    caps = [KeyCaps(columns="b", groups=3, rows_per_group=1)]
    assert problems(rows, caps, 9, caps) == []
    assert problems(rows, caps, 9, [KeyCaps(columns="a", groups=3, rows_per_group=1)]) != []


def test_caps_of_two_keys_say_nothing_about_rows_in_groups_of_one() -> None:
    """The twin takes the rows of a pair of values for those of a value of the first key."""
    rows = [("a", 1, 0), ("a", 2, 0), ("a", 3, 0)]
    caps = [KeyCaps(columns=("a", "b"), groups=3, rows_per_group=1)]
    assert problems(rows, caps, 9, caps) == []
    assert problems(rows, caps, 9, [KeyCaps(columns="a", rows_per_group=1)]) != []


def test_the_level_of_the_column_has_less_noise() -> None:
    columns = {
        "id": pv.column("integer"),
        "month": pv.column("integer", bounds=(1, 12)),
        "town": pv.column("text", categories=("a", "b", "c", "d")),
    }

    def levels(**caps: Any) -> list[tuple[int, int, int]]:
        book = pv.Codebook(columns=columns, unit=pv.Persons("id", **caps))
        query = pv.Planner(book, pv.budget(epsilon=1)).query().rollup("month", "town").agg(pv.count())
        plan = query.plan(epsilon=1, level_weights=[1, 1, 1])
        query.check_plan(plan)
        return [(each.contribution.l0, each.contribution.l1, each.contribution.linf) for each in plan.levels]

    assert levels(rows=6) == [(6, 6, 6), (6, 6, 6), (6, 6, 6)]
    assert levels(by={"month": {"groups": 3, "rows_per_group": 2}}) == [(6, 6, 6), (3, 6, 2), (6, 6, 2)]
    both = {("month", "town"): {"groups": 5, "rows_per_group": 1}, "month": {"groups": 2}}
    assert levels(by=both) == [(5, 5, 5), (2, 5, 4), (5, 5, 1)]


@pytest.mark.parametrize("without", [0, 1, 2])
def test_the_engine_keeps_to_it(without: int) -> None:
    columns = {"id": pv.column("integer"), "a": pv.column("integer", bounds=(1, 3)), "b": pv.column("boolean")}
    unit = pv.Persons("id", by={"a": {"groups": 2, "rows_per_group": 3}, "b": {"groups": 1}})
    rows = [{"id": person, "a": 1 + at % 3, "b": at % 2 == 0} for person in range(3) for at in range(30)]
    counts = []
    for data in (rows, [row for row in rows if row["id"] != without]):
        with pv.Session(data, pv.Codebook(columns=columns, unit=unit), pv.InfiniteBudget()) as session:
            release = session.query().rollup("a", "b").agg(pv.count()).release(epsilon=10**9)
            counts.append([round(number) for number in release.values("count")])
    one = counts[1][0] // 2  # hashes differ between sessions, but every person has as many rows as the caps allow
    assert counts[0][0] - counts[1][0] == one == 6


def test_a_release_under_caps_by_column_is_read_back() -> None:
    columns = {"id": pv.column("integer"), "a": pv.column("integer", bounds=(1, 3)), "b": pv.column("boolean")}
    unit = pv.Persons("id", by={("a", "b"): {"groups": 2, "rows_per_group": 3}, "b": {"groups": 1}})
    book = pv.Codebook(columns=columns, unit=unit)
    with pv.Session([{"id": 1, "a": 1, "b": True}], book, pv.InfiniteBudget()) as session:
        release = session.query().rollup("a", "b").agg(pv.count()).release(epsilon=1)
    text = release.to_json()
    assert type(release).from_json(text).to_json() == text
    stated = json.loads(text)
    stated["levels"][1]["contribution"]["l0"] = 99
    with pytest.raises(InvalidError, match="was not written by to_json"):
        type(release).from_json(json.dumps(stated))
