"""What the engine finds behind every key: on neighbouring tables, and on strange ones."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.core.metric import Parts
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.keys.private_keys import COUNT, Key, keys_of_persons, weighted_keys
from privet.tables.noise.key_round import RULES, KeyWeights, Rule
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary.relation import Relation
from tests.tables.one_engine import fresh, one_engine

Rows = list[dict[str, Any]]
Build = Callable[[Relation, KeyWeights], Relation]
COLUMNS = {"person": Column(kind="integer"), "key": Column(kind="text"), "more": Column(kind="integer")}
MOST = 2


def right(relation: Relation, weights: KeyWeights, found: Sequence[Key] = ()) -> Relation:
    kept = keys_of_persons(relation, ["key"], ["person"], weights.most, 99, found)
    return weighted_keys(kept, ["key"], ["person"], weights)


def measured(table: Rows, weights: KeyWeights, build: Build = right) -> dict[Any, int]:
    engine = one_engine()
    return _numbers(engine, build(engine.load(table, COLUMNS, fresh()), weights))


def moved(table: Rows, gone: int, weights: KeyWeights, build: Build = right) -> list[int]:
    """How far the numbers move where one person is not there: one entry for each key that moved."""
    tables = {"with": table, "without": [row for row in table if row["person"] != gone]}
    engine = one_engine()
    loaded = [engine.load(rows, COLUMNS, fresh(name)) for name, rows in tables.items()]
    first, second = (_numbers(engine, build(each, weights)) for each in loaded)
    changes = [first.get(key, 0) - second.get(key, 0) for key in {*first, *second}]
    return [change for change in changes if change]


def _numbers(engine: DuckDBEngine, query: Relation) -> dict[Any, int]:
    found = engine.execute(query)
    return dict(zip(found["key"], found[COUNT], strict=True))


def as_stated(changes: list[int], weights: KeyWeights) -> bool:
    """Tell whether t keys moved, not more than there may be, and each by the weight of a list of t."""
    return len(changes) <= weights.most and all(change == weights.of(len(changes)) for change in changes)


def row(person: int | None, key: str | None) -> dict[str, Any]:
    return {"person": person, "key": key, "more": 0}


ROWS = st.lists(st.builds(row, st.integers(1, 4), st.sampled_from(["a", "b", "c", "d", None])), max_size=15)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.integers(1, 4), st.sampled_from(RULES))
def test_one_person_moves_the_weights_as_stated(table: Rows, gone: int, rule: Rule) -> None:
    weights = KeyWeights(rule=rule, most=MOST)
    changes = moved(table, gone, weights)
    assert as_stated(changes, weights)
    assert Parts.of(map(Fraction, changes)) <= weights.distance


def _by_rows(relation: Relation, weights: KeyWeights) -> Relation:
    """The weight is spread over rows instead of keys."""
    kept = cap(relation, Caps(groups=weights.most), person="person", groups=["key"], used=["more"], key=99)
    return weighted_keys(kept, ["key"], ["person"], weights)


def _uncapped(relation: Relation, weights: KeyWeights) -> Relation:
    """Lists are not cut to the cap."""
    kept = keys_of_persons(relation, ["key"], ["person"], 1000, 99, ())
    return weighted_keys(kept, ["key"], ["person"], weights)


def _not_shared(relation: Relation, weights: KeyWeights) -> Relation:
    """Every key that is kept has a whole unit."""
    kept = keys_of_persons(relation, ["key"], ["person"], weights.most, 99, ())
    return weighted_keys(kept, ["key"], ["person", "key"], weights)


@pytest.mark.parametrize("broken", [_by_rows, _uncapped, _not_shared])
def test_wrong_weights_are_caught(broken: Build) -> None:
    weights = KeyWeights(rule="share", most=MOST)
    tables = [
        [row(1, "a"), row(1, "a"), row(1, "b")],
        [row(1, "a"), row(1, "b"), row(1, "c"), row(2, "a")],
    ]
    assert all(as_stated(moved(table, 1, weights), weights) for table in tables)
    assert not all(as_stated(moved(table, 1, weights, broken), weights) for table in tables)


def test_weights_are_shared_over_different_keys() -> None:
    weights = KeyWeights(rule="share", most=3)
    table = [row(1, "a"), row(1, "a"), row(1, "b"), row(2, "a"), row(2, None), row(None, "z"), row(None, None)]
    assert measured(table, weights) == {"a": weights.unit // 2 + weights.unit, "b": weights.unit // 2}


def test_found_keys_leave_the_lists_before_they_are_cut() -> None:
    weights = KeyWeights(rule="share", most=2)
    table = [row(1, key) for key in "abcd"]
    left = measured(table, weights, lambda relation, each: right(relation, each, [("a",), ("b",)]))
    assert left == {"c": weights.unit // 2, "d": weights.unit // 2}
    everything = [(key,) for key in "abcd"]
    assert measured(table, weights, lambda relation, each: right(relation, each, everything)) == {}


def test_strange_texts_are_found_and_taken_off() -> None:
    strange = [
        "",
        " ",
        "'",
        '"',
        "\\",
        "\\u0041",
        "é",
        "e\u0301",
        "日本",
        "🙂",
        "a\nb",
        "null",
        "[1]",
        "Ab",
        "aB",
        "a\0b",
    ]
    weights = KeyWeights(rule="one", most=100)
    with DuckDBEngine() as engine:
        loaded = engine.load([row(1, key) for key in strange], COLUMNS)
        assert set(_numbers(engine, right(loaded, weights))) == set(strange)
        for key in strange:
            assert set(_numbers(engine, right(loaded, weights, [(key,)]))) == set(strange) - {key}


def test_keys_of_several_columns_of_all_kinds() -> None:
    columns = {"who": Column(kind="text"), "n": Column(kind="integer"), "b": Column(kind="boolean")}
    table = [{"who": "x", "n": n, "b": b} for n in (-(2**63), 7, 2**63 - 1, None) for b in (True, False, None)]
    weights = KeyWeights(rule="one", most=50)
    gone = [(-(2**63), True), (2**63 - 1, False)]
    with DuckDBEngine() as engine:
        loaded = engine.load(table, columns)
        kept = keys_of_persons(loaded, ["n", "b"], ["who"], 50, 1, gone)
        found = engine.execute(weighted_keys(kept, ["n", "b"], ["who"], weights))
    pairs = set(zip(found["n"], found["b"], strict=True))
    assert pairs == {(n, b) for n in (-(2**63), 7, 2**63 - 1) for b in (True, False)} - set(gone)


@pytest.mark.parametrize("rule", RULES)
def test_a_person_with_very_many_keys_counts_as_one(rule: Rule) -> None:
    weights = KeyWeights(rule=rule, most=5)
    found = measured([row(1, str(n)) for n in range(10_000)], weights)
    assert list(found.values()) == [weights.of(5)] * 5


@pytest.mark.parametrize("table", [[], [row(1, None)] * 3, [row(None, "a")] * 3])
def test_tables_without_keys_give_nothing(table: Rows) -> None:
    assert measured(table, KeyWeights(rule="root", most=5)) == {}


def test_the_person_may_be_the_key() -> None:
    weights = KeyWeights(rule="share", most=3)
    with DuckDBEngine() as engine:
        loaded = engine.load([row(1, "a"), row(1, "b"), row(2, "a")], COLUMNS)
        kept = keys_of_persons(loaded, ["person"], ["person"], 3, 1, [(2,)])
        found = engine.execute(weighted_keys(kept, ["person"], ["person"], weights))
    assert (found["person"], found[COUNT]) == ([1], [weights.unit])
