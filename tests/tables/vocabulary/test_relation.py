"""Relations compose without ever reading a name or a value as SQL."""

from collections.abc import Iterator

import pytest
from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.columns.column import Column
from privet.tables.engines.default import write_query
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.vocabulary.literals import text, whole
from privet.tables.vocabulary.relation import Relation, column, table

INTEGER, TEXT = Column(kind="integer"), Column(kind="text")
HOSTILE = ["a", "r", "l", 'x" FROM y --', "select", "é☃", "a.b", "'"]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def people(engine: DuckDBEngine) -> Relation:
    rows = [{"id": 1, "age": 30}, {"id": 2, "age": None}, {"id": 3, "age": 17}]
    return engine.load(rows, {"id": INTEGER, "age": INTEGER}, "people")


def adult() -> exp.Expr:
    return exp.GT(this=column("age"), expression=whole(17))


def test_a_filter_keeps_what_is_true(engine: DuckDBEngine, people: Relation) -> None:
    assert engine.execute(people.filter(adult()))["id"] == [1]
    assert engine.execute(people.filter(exp.Not(this=adult())))["id"] == [3]  # null is neither


def test_columns_are_computed_from_those_before(engine: DuckDBEngine, people: Relation) -> None:
    swapped = people.project({"id": (column("age"), INTEGER), "age": (column("id"), INTEGER)})
    assert engine.execute(swapped, order_by=["age"])["id"] == [30, None, 17]
    added = people.with_column("age", exp.Add(this=column("id"), expression=whole(1)), INTEGER)
    assert engine.execute(added, order_by=["id"])["age"] == [2, 3, 4]
    assert list(added.columns) == ["id", "age"]


def test_columns_are_renamed_and_exchanged(engine: DuckDBEngine, people: Relation) -> None:
    found = engine.execute(people.rename({"id": "age", "age": "id"}), order_by=["age"])
    assert dict(found.columns) == {"age": [1, 2, 3], "id": [30, None, 17]}


def test_a_union_repeats_rows(engine: DuckDBEngine, people: Relation) -> None:
    twice = people.union_all(people.select("age", "id").select("id", "age"))
    assert engine.execute(twice, order_by=["id"])["id"] == [1, 1, 2, 2, 3, 3]


def test_columns_of_a_union_meet_by_name(engine: DuckDBEngine, people: Relation) -> None:
    both = people.union_all(people.select("age", "id"))
    assert engine.execute(both, order_by=["id"])["age"] == [30, 30, None, None, 17, 17]


def test_joins_match_equal_values(engine: DuckDBEngine, people: Relation) -> None:
    names = [{"id": 1, "name": "x"}, {"id": None, "name": "y"}, {"id": 1, "name": "z"}]
    other = engine.load(names, {"id": INTEGER, "name": Column(kind="text", nullable=False)}, "names")
    inner = people.join(other, on=["id"])
    assert engine.execute(inner, order_by=["name"])["name"] == ["x", "z"]
    assert not inner["name"].nullable
    left = people.join(other, on=["id"], how="left")
    assert engine.execute(left, order_by=["id", "name"])["name"] == ["x", "z", None, None]
    assert left["name"].nullable


def test_nulls_do_not_match(engine: DuckDBEngine, people: Relation) -> None:
    assert engine.execute(people.rename({"id": "other"}).join(people, on=["age"]), order_by=["id"])["id"] == [1, 3]


def test_hostile_names_pass_through_every_method(engine: DuckDBEngine) -> None:
    columns = dict.fromkeys(HOSTILE, INTEGER)
    made = engine.load([{name: at for at, name in enumerate(HOSTILE)}], columns, 'hostile "; DROP TABLE people')
    for name in HOSTILE:
        kept = made.filter(exp.GTE(this=column(name), expression=whole(0))).rename({name: "new name"})
        joined = kept.join(made.select(name).rename({name: "new name"}), on=["new name"])
        assert engine.execute(joined.union_all(joined))["new name"] == [HOSTILE.index(name)] * 2


def test_hostile_values_stay_values(engine: DuckDBEngine) -> None:
    word = "'; DROP TABLE people; -- \\' \" \n ☃"
    made = engine.load([{"w": word}, {"w": "x"}], {"w": TEXT}, "values")
    assert engine.execute(made.filter(exp.EQ(this=column("w"), expression=text(word))))["w"] == [word]


def test_composing_leaves_the_parts_alone(people: Relation) -> None:
    before = people.query.sql()
    write_query(people.filter(adult()).select("age").union_all(people.select("age")))
    assert people.query.sql() == before


def test_equal_steps_give_equal_text(people: Relation) -> None:
    assert write_query(people.filter(adult()).select("id")) == write_query(people.filter(adult()).select("id"))


def test_queries_share_their_parts_and_writing_changes_none(people: Relation) -> None:
    adults = people.filter(adult())
    outer = [adults.select("id"), adults.join(adults.rename({"age": "other"}), on=["id"]), adults.union_all(adults)]
    plain = [each.query.sql() for each in outer]
    before = [write_query(each) for each in (adults, *outer)]
    assert [write_query(each) for each in (*reversed(outer), adults)] == before[::-1]
    assert before[0] == write_query(people.filter(adult()))
    assert [each.query.sql() for each in outer] == plain  # no table, type or function became that of an engine


def test_columns_cannot_be_changed(people: Relation) -> None:
    with pytest.raises(TypeError):
        people.columns["new"] = INTEGER  # type: ignore[index]


def test_what_does_not_fit_is_refused(people: Relation) -> None:
    with pytest.raises(InvalidError, match="there is no column 'height'; there are 'id', 'age'."):
        people.select("height")
    with pytest.raises(InvalidError, match="there is no column 'height'"):
        people.rename({"height": "x"})
    with pytest.raises(InvalidError, match="'AGE' and 'age' are one name"):
        people.rename({"id": "AGE"})
    with pytest.raises(InvalidError, match="'x' and 'x' are one name"):
        people.rename({"id": "x", "age": "x"})
    with pytest.raises(MismatchError, match="'age' differ"):
        people.union_all(table("t", {"id": INTEGER}))
    with pytest.raises(MismatchError, match="both have 'age'"):
        people.join(people, on=["id"])
    with pytest.raises(MismatchError, match="'id' is integer here and text there"):
        people.join(table("t", {"id": TEXT}), on=["id"])
    with pytest.raises(InvalidError, match="at least one column to join on"):
        people.join(people, on=[])
    with pytest.raises(InvalidError, match="at least one column"):
        people.select()
