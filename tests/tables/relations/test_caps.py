"""Capping touches the rows of the person concerned and of nobody else, whatever the order of rows or the hashes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.relations import caps as module
from privet.tables.relations.caps import Caps, cap, sum_by_person
from privet.tables.vocabulary.grid_sql import steps
from privet.tables.vocabulary.literals import whole
from privet.tables.vocabulary.relation import Relation, column, table

COLUMNS = {"id": Column(kind="text"), "g": Column(kind="integer"), "v": Column(kind="real", bounds=(-8, 8), grid=0.25)}
INTEGER = Column(kind="integer")
KEY = 0x5EED_1234_5678_9ABC
NUMBER = count()
Row = tuple[str | None, int | None, int | None]  # the value in steps
Rows = list[dict[str, Any]]
Way = Callable[[Relation, Caps], Relation]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


def right(relation: Relation, caps: Caps) -> Relation:
    return cap(relation, caps, person="id", groups=["g"], used=["v"], key=KEY)


def run(engine: DuckDBEngine, rows: Rows, caps: Caps, way: Way = right) -> Counter[Row]:
    """Give the multiset of rows that are kept."""
    relation = engine.load(rows, COLUMNS, f"t{next(NUMBER)}")
    kept = way(relation, caps)
    v = (steps("v", column("v"), COLUMNS["v"]), INTEGER)
    outputs = {"id": (column("id"), COLUMNS["id"]), "g": (column("g"), COLUMNS["g"]), "v": v}
    found = engine.execute(kept.project(outputs))
    return Counter(zip(found["id"], found["g"], found["v"], strict=True))


def plain(rows: Rows) -> Counter[Row]:
    read = (None if row["v"] is None or row["v"] != row["v"] else round(4 * min(max(row["v"], -8), 8)) for row in rows)
    return Counter((row["id"], row["g"], v) for row, v in zip(rows, read, strict=True))


def distances(left: Counter[Row], right: Counter[Row]) -> tuple[int, int, int]:
    """Measure (l0, l1, linf) between two tables, group by group."""
    by_group: Counter[int | None] = Counter()
    for (_, group, _), number in ((left - right) + (right - left)).items():
        by_group[group] += number
    return len(by_group), by_group.total(), max(by_group.values(), default=0)


def problems(engine: DuckDBEngine, rows: Rows, caps: Caps, way: Way = right) -> list[str]:
    """Name every law that is broken on a table and the tables near it."""
    found = []
    kept = run(engine, rows, caps, way)
    if not kept <= plain(rows):
        found.append("rows were made up")
    if any(person is None for person, *_ in kept):
        found.append("nobody's rows were kept")
    orders = (rows[::-1], sorted(rows, key=repr), rows)
    if any(run(engine, list(other), caps, way) != kept for other in orders):
        found.append("the order of rows matters")
    for person in {row["id"] for row in rows} - {None}:
        without = run(engine, [row for row in rows if row["id"] != person], caps, way)
        if {row: n for row, n in kept.items() if row[0] != person} != dict(without):
            found.append("another person's rows changed")
        limits = caps.within({"g": None})
        if any(limit is not None and got > limit for got, limit in zip(distances(kept, without), limits, strict=True)):
            found.append("too far apart")
    for position in range(min(len(rows), 3)):
        person = rows[position]["id"]
        fewer = run(engine, rows[:position] + rows[position + 1 :], caps, way)
        if {row: n for row, n in kept.items() if row[0] != person} != {
            row: n for row, n in fewer.items() if row[0] != person
        }:
            found.append("another person's rows changed with one row")
    return found


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.sampled_from(["a", "b", "c", None]),
            "g": st.sampled_from([0, 1, 2, 3, None]),
            "v": st.sampled_from([0.0, -0.0, 0.25, 1.0, 7.75, 99.0, float("nan"), None]),
        }
    ),
    max_size=14,
)
LIMITS = st.none() | st.integers(1, 4)
BY_COLUMN: st.SearchStrategy[dict[str, int | None]] = st.fixed_dictionaries(
    {"groups": LIMITS, "rows_per_group": LIMITS}
).filter(lambda caps: any(caps.values()))
BY = st.dictionaries(st.sampled_from(["g", "v"]), BY_COLUMN)
CAPS = st.builds(Caps, rows=LIMITS, groups=LIMITS, rows_per_group=LIMITS, by=st.just({}) | BY)
QUIET = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUIET
@given(rows=ROWS, caps=CAPS)
def test_the_laws_hold(engine: DuckDBEngine, rows: Rows, caps: Caps) -> None:
    assert problems(engine, rows, caps) == []


@settings(QUIET, max_examples=10)
@given(rows=ROWS, caps=CAPS)
def test_the_laws_hold_when_all_hashes_collide(engine: DuckDBEngine, rows: Rows, caps: Caps) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "keyed_hash", lambda key, names: whole(7))
        assert problems(engine, rows, caps) == []


def crowded() -> Rows:
    """Many rows, groups and persons, more than any cap of the twins' test."""
    return [
        {"id": person, "g": number % 5, "v": (number * 7 % 11) / 4}
        for person in ("a", "b", "c")
        for number in range(20 + ord(person) % 3)
    ]


def windowed(relation: Relation, window: str, most: int) -> Relation:
    query = exp.Select(expressions=list(relation.outputs())).from_(relation.derived())
    query.set("qualify", exp.Qualify(this=exp.maybe_parse(f"{window} <= {most}", dialect="duckdb")))
    return Relation(query=query, columns=relation.columns)


def physical(relation: Relation, caps: Caps) -> Relation:
    """The first rows of each person, as they lie in the file."""
    return windowed(relation, "row_number() OVER (PARTITION BY id)", caps.rows or 1)


def random_order(relation: Relation, caps: Caps) -> Relation:
    """Rows chosen by the engine's own coins."""
    tossed = relation.with_column("coin", call("random"), Column(kind="real"))
    return windowed(tossed, "row_number() OVER (PARTITION BY id ORDER BY coin)", caps.rows or 1).select("id", "g", "v")


def by_row_number(relation: Relation, caps: Caps) -> Relation:
    """Ranks by a keyed hash of the number of the row, which shifts when a row before it is removed."""
    numbered = relation.with_column("at", exp.maybe_parse("row_number() OVER ()", dialect="duckdb"), INTEGER)
    return windowed(numbered, "row_number() OVER (PARTITION BY id ORDER BY hash(at))", caps.rows or 1).select(
        "id", "g", "v"
    )


def in_all(relation: Relation, caps: Caps) -> Relation:
    """One cap for everybody together."""
    return windowed(relation, "row_number() OVER (ORDER BY hash(id, g, v), id, g, v)", caps.rows or 1)


def without_tie_break(relation: Relation, caps: Caps) -> Relation:
    """Groups ranked by a hash alone, which happens to collide: all of them are first."""
    return windowed(relation, "dense_rank() OVER (PARTITION BY id ORDER BY 7 + 0 * g)", caps.groups or 1)


def with_replacement(relation: Relation, caps: Caps) -> Relation:
    """Fills up to the cap by repeating rows."""
    return right(relation.union_all(relation), caps)


def null_is_one_person(relation: Relation, caps: Caps) -> Relation:
    """Keeps the rows of nobody."""
    return windowed(relation, "row_number() OVER (PARTITION BY id ORDER BY hash(g, v), g, v)", caps.rows or 1)


TWINS: list[tuple[Way, Caps, str]] = [
    (physical, Caps(rows=3), "the order of rows matters"),
    (random_order, Caps(rows=3), "the order of rows matters"),
    (by_row_number, Caps(rows=3), "another person's rows changed"),
    (in_all, Caps(rows=9), "another person's rows changed"),
    (without_tie_break, Caps(groups=2), "too far apart"),
    (with_replacement, Caps(rows=25), "rows were made up"),
    (null_is_one_person, Caps(rows=3), "nobody's rows were kept"),
]


@pytest.mark.parametrize(("twin", "caps", "law"), TWINS, ids=[twin.__name__ for twin, *_ in TWINS])
def test_broken_twins_are_noticed(engine: DuckDBEngine, twin: Way, caps: Caps, law: str) -> None:
    rows = [*crowded(), {"id": None, "g": 1, "v": 0.5}]
    assert law in problems(engine, rows, caps, twin)
    assert problems(engine, rows, caps) == []


def test_a_person_with_ten_thousand_rows_counts_as_much_as_the_caps_say(engine: DuckDBEngine) -> None:
    caps = Caps(groups=3, rows_per_group=10, rows=25)
    huge = [{"id": "huge", "g": number % 40, "v": (number % 64) / 8} for number in range(10_000)]
    kept = run(engine, [*huge, *crowded()], caps)
    assert distances(kept, run(engine, crowded(), caps)) == (3, 25, 10)


def test_equal_rows_are_kept_as_often_as_the_caps_allow(engine: DuckDBEngine) -> None:
    rows = [{"id": "a", "g": 1, "v": 0.5}] * 7 + [{"id": "a", "g": None, "v": None}] * 2
    assert run(engine, rows, Caps(rows_per_group=4)) == {("a", 1, 2): 4, ("a", None, None): 2}
    assert run(engine, rows, Caps()) == {("a", 1, 2): 7, ("a", None, None): 2}


def test_other_keys_choose_other_rows(engine: DuckDBEngine) -> None:
    chosen = {
        frozenset(
            run(
                engine,
                crowded(),
                Caps(rows=2),
                lambda relation, caps, key=key: cap(  # type: ignore[misc]
                    relation, caps, person="id", groups=["g"], used=["v"], key=key
                ),
            )
        )
        for key in range(5)
    }
    assert len(chosen) > 1


def test_groups_spread_over_persons(engine: DuckDBEngine) -> None:
    """If all persons kept the same group, all others would look empty."""
    rows = [{"id": str(person), "g": group, "v": 1.0} for person in range(200) for group in range(4)]
    kept = run(engine, rows, Caps(groups=1))
    by_group = Counter(group for _, group, _ in kept.elements())
    assert all(20 < by_group[group] < 90 for group in range(4))  # the key is fixed: no chance involved


@pytest.mark.parametrize("groups", [[], ["id"]])
def test_without_groups_all_rows_are_one_group(engine: DuckDBEngine, groups: Sequence[str]) -> None:
    def way(relation: Relation, caps: Caps) -> Relation:
        return cap(relation, caps, person="id", groups=groups, used=["g", "v"], key=KEY)

    kept = run(engine, crowded(), Caps(groups=1, rows_per_group=5), way)
    assert Counter(person for person, *_ in kept.elements()) == {"a": 5, "b": 5, "c": 5}


def test_a_person_may_be_told_by_several_columns(engine: DuckDBEngine) -> None:
    def way(relation: Relation, caps: Caps) -> Relation:
        return cap(relation, caps, person=["id", "g"], groups=[], used=["v"], key=KEY)

    rows = [*crowded(), {"id": "a", "g": None, "v": 1.0}, {"id": None, "g": 1, "v": 1.0}]
    kept = run(engine, rows, Caps(rows=2), way)
    assert Counter((person, group) for person, group, _ in kept.elements()) == {
        (person, group): 2 for person in "abc" for group in range(5)
    }
    with pytest.raises(InvalidError, match="at least one column that tells persons apart"):
        cap(table("t", COLUMNS), Caps(rows=2), person=[], groups=[], used=["v"], key=KEY)


def test_columns_that_are_not_used_decide_nothing(engine: DuckDBEngine) -> None:
    relation = table("t", {**COLUMNS, "other": INTEGER})
    kept = cap(relation, Caps(rows=3), person="id", groups=["g"], used=["v"], key=KEY)
    assert list(kept.columns) == ["id", "g", "v"]


def totals(engine: DuckDBEngine, rows: Rows, caps: Caps) -> dict[Any, tuple[int, int]]:
    """Add up the clamped totals of all persons, by group."""
    relation = engine.load(rows, COLUMNS, f"t{next(NUMBER)}")
    sums = {"s": (steps("v", column("v", "r"), COLUMNS["v"]), (-6, 10))}
    by_person = sum_by_person(relation, caps, person="id", groups=["g"], count="n", sums=sums, key=KEY)
    found = engine.execute(by_person)
    added: dict[Any, tuple[int, int]] = {}
    for group, n, s in zip(found["g"], found["n"], found["s"], strict=True):
        before = added.get(group, (0, 0))
        added[group] = before[0] + n, before[1] + s
    return added


@settings(QUIET, max_examples=15)
@given(rows=ROWS, groups=st.integers(1, 3), most=st.integers(1, 3))
def test_totals_by_person_move_within_their_bounds(engine: DuckDBEngine, rows: Rows, groups: int, most: int) -> None:
    caps = Caps(groups=groups, rows_per_group=most)
    both = totals(engine, rows, caps)
    for person in {row["id"] for row in rows} - {None}:
        without = totals(engine, [row for row in rows if row["id"] != person], caps)
        moved = {
            group: [
                here - there for here, there in zip(both.get(group, (0, 0)), without.get(group, (0, 0)), strict=True)
            ]
            for group in {*both, *without}
        }
        changed = [pair for pair in moved.values() if pair != [0, 0]]
        assert len(changed) <= groups
        assert all(0 <= number <= most and -6 <= total <= 10 for number, total in changed)


def test_totals_by_person_are_clamped_after_adding(engine: DuckDBEngine) -> None:
    rows = [{"id": "a", "g": 0, "v": 1.0}] * 5 + [{"id": "b", "g": 0, "v": -1.0}] * 5 + [{"id": None, "g": 0, "v": 1.0}]
    assert totals(engine, rows, Caps(rows_per_group=2)) == {0: (4, 10 - 6)}
    assert totals(engine, rows, Caps()) == {0: (10, 10 - 6)}


def test_caps_bound_distances() -> None:
    assert Caps(rows=5, groups=3, rows_per_group=10).distances == (3, 5, 5)
    assert Caps(groups=3).distances == (3, None, None)
    assert Caps().distances == (None, None, None)


@pytest.mark.parametrize(
    ("value", "error"), [(0, InvalidError), (-1, InvalidError), (1.5, WrongTypeError), (True, WrongTypeError)]
)
def test_wrong_caps_are_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Caps(rows=value)


def test_totals_need_sensible_limits() -> None:
    relation = table("t", COLUMNS)
    one = {"s": (column("g", "r"), (1, 1))}
    with pytest.raises(InvalidError, match=r"Caps.rows must be None"):
        sum_by_person(relation, Caps(rows=1), person="id", groups=["g"], count="n", sums={}, key=KEY)
    with pytest.raises(InvalidError, match="need lower below upper"):
        sum_by_person(relation, Caps(), person="id", groups=["g"], count="n", sums=one, key=KEY)


MONTH = {"groups": 2, "rows_per_group": 3}


@pytest.mark.parametrize(
    ("caps", "keys", "expected"),
    [
        (Caps(by={"m": MONTH}), {"m": 12}, (2, 6, 3)),
        (Caps(by={"m": MONTH}), {"m": 1}, (1, 3, 3)),
        (Caps(by={"m": MONTH}), {"m": 12, "t": 2}, (4, 6, 3)),
        (Caps(by={"m": MONTH}), {"m": None, "t": None}, (6, 6, 3)),
        (Caps(by={"m": MONTH}), {"t": 9}, (6, 6, 6)),
        (Caps(by={"m": {"groups": 2}}), {"t": 9}, (None, None, None)),
        (Caps(by={"m": {"groups": 2}}), {"m": None, "t": None}, (None, None, None)),
        (Caps(by={"m": {"groups": 2}}, rows_per_group=5), {"m": 9}, (2, 10, 5)),
        (Caps(by={"m": MONTH, "t": {"groups": 5, "rows_per_group": 1}}), {"m": 9, "t": 9}, (5, 5, 1)),
        (Caps(by={"m": MONTH}, groups=1), {"m": 9}, (1, 3, 3)),
        (Caps(by={"m": MONTH}, rows=2), {"m": 9}, (2, 2, 2)),
    ],
)
def test_caps_by_column_give_those_of_several_keys(caps: Caps, keys: dict[str, int | None], expected: Any) -> None:
    assert caps.within(keys) == expected


def test_caps_by_column_are_attained(engine: DuckDBEngine) -> None:
    rows: Rows = [{"id": "a", "g": g, "v": float(v)} for g in range(5) for v in range(4) for _ in range(3)]
    kept = run(engine, rows, Caps(by={"g": {"groups": 2, "rows_per_group": 3}}))
    assert distances(kept, Counter()) == (2, 6, 3)
    of_value = run(engine, rows, Caps(by={"v": {"groups": 2, "rows_per_group": 3}}))
    assert of_value.total() == 6
    assert len({v for _, _, v in of_value}) == 2
    alone = run(engine, rows, Caps(by={"v": {"groups": 2}}))
    assert alone == plain(rows)  # one number of a column that is no key bounds nothing, and drops nothing


def test_a_true_statement_drops_nothing(engine: DuckDBEngine) -> None:
    rows: Rows = [{"id": person, "g": g, "v": 1.0} for person in "abc" for g in range(3) for _ in range(2)]
    caps = Caps(by={"g": {"groups": 3, "rows_per_group": 2}, "v": {"groups": 1, "rows_per_group": 6}})
    assert run(engine, rows, caps) == plain(rows)


def test_which_values_stay_differs_between_persons(engine: DuckDBEngine) -> None:
    rows: Rows = [{"id": str(person), "g": g, "v": 1.0} for person in range(60) for g in range(4)]
    kept = run(engine, rows, Caps(by={"g": {"groups": 1}}))
    by_group = Counter(g for _, g, _ in kept.elements())
    assert sum(by_group.values()) == 60
    assert min(by_group[g] for g in range(4)) > 3  # a keyed hash, not the smallest value
