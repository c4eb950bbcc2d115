"""The law of limits holds for random queries, and notices expressions and nodes that forget what they make."""

import random
from typing import Any

import pytest
from attrs import evolve, frozen

from privet.core.space import Space
from privet.tables.columns.column import Column
from privet.tables.columns.limits import Limits
from privet.tables.engines.default import write_query
from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.expressions import casts, text
from privet.tables.expressions.node import Reference
from privet.tables.expressions.ranges import texts
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.relations.table_space import Table, like
from privet.tables.vocabulary.literals import bare
from tests.laws.limits import PEOPLE, SPACE, VISITS, check_limits, hostile_row, problems, tables
from tests.transforms.twins import TwinOf

VISITS_CHAIN: Any = SPACE >> FromTable(name="visits")
PEOPLE_CHAIN: Any = SPACE >> FromTable(name="people")
NOTE, FREE = Reference("note", VISITS["note"]), Reference("free", VISITS["free"])


@pytest.mark.parametrize("seed", range(4))
def test_random_queries_stay_within_their_limits(seed: int) -> None:
    check_limits(1_000 * seed)


def derived(expression: Any) -> Any:
    outputs = {"id": Reference("id", VISITS["id"]), "t": expression}
    return VISITS_CHAIN >> ProjectColumns(outputs=outputs)


def engine(name: str) -> Any:
    return lambda arguments: call(name, *(argument.sql() for argument in arguments))


EXPRESSIONS: dict[str, tuple[Any, dict[str, Any], tuple[Any, ...]]] = {
    "texts put together, as long as the first": (
        text.JOIN,
        {"infer": lambda *ranges: texts(ranges[0].length, nullable=True)},
        (NOTE, NOTE),
    ),
    "nulls passed over, as long as the longest": (
        text.CONCAT,
        {"infer": lambda *ranges: texts(max(known.length for known in ranges), nullable=False)},
        (NOTE, NOTE),
    ),
    "capitals that take two characters": (
        text.UPPER,
        {"compile": lambda argument: call("replace", argument.sql(), bare("ß"), bare("SS"))},
        (NOTE,),
    ),
    "reals as short as whole numbers": (
        casts.CASTS["real", "text"],
        {"infer": lambda _: texts(3, nullable=True)},
        (FREE,),
    ),
}


def hostile() -> dict[str, list[dict[str, Any]]]:
    rows = tables(random.Random(3))
    rows["visits"][0] |= {"note": "ß" * 1_000, "free": 1e-300, "id": 7}
    return rows


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_that_forgets_its_length_is_caught(name: str) -> None:
    function, mistake, arguments = EXPRESSIONS[name]
    assert problems(derived(function(*arguments)), hostile()) == []
    assert "no member" in problems(derived(evolve(function, **mistake)(*arguments)), hostile())[0]


@frozen
class Forgetful(TwinOf):
    """Does not say that it makes several rows of one."""

    def output(self, space: Space) -> Space:
        right: Any = self.right.output(space)
        return like(right, right.domain.columns, Limits())


@frozen
class AllRows(TwinOf):
    """Writes in each row how many rows there are."""

    def apply(self, value: Any, space: Space) -> Table:
        from sqlglot import parse_one

        from privet.tables.vocabulary.relation import Relation

        sql = f'SELECT "id", COUNT(*) OVER () AS "t" FROM ({write_query(value.relation)})'
        query: Any = parse_one(sql, dialect="duckdb")
        columns = {"id": VISITS["id"], "t": Column(kind="integer", nullable=False)}
        return Table(relation=Relation(query=query, columns=columns), engine=value.engine)


NODES = {
    "a union": UnionRows(first=VISITS_CHAIN, second=VISITS_CHAIN),
    "a join": JoinPersons(first=VISITS_CHAIN, second=PEOPLE_CHAIN, rows=3, key=5),
}


@pytest.mark.parametrize("name", NODES)
def test_a_step_that_forgets_its_rows_is_caught(name: str) -> None:
    rows = {
        "visits": [hostile_row(random.Random(at), "visits", 7) for at in range(4)],
        "people": [hostile_row(random.Random(at), "people", 7) for at in range(4)],
    }
    assert problems(SPACE >> NODES[name], rows) == []
    assert "rows of one person" in problems(SPACE >> Forgetful(NODES[name]), rows)[0]


def test_a_step_that_looks_at_other_rows_is_caught() -> None:
    right = ProjectColumns(outputs={"id": "id", "t": "length(note)"})
    assert problems(VISITS_CHAIN >> right, hostile()) == []
    assert "others when alone" in " ".join(problems(VISITS_CHAIN >> AllRows(right), hostile()))


def test_the_tables_are_as_hostile_as_they_can_be() -> None:
    rows = [row for seed in range(20) for row in tables(random.Random(seed))["visits"]]
    assert any(row["note"] == "\U0010ffff" * 1_000 for row in rows)
    assert any(len(row["note"] or "") > 1_000 for row in rows)
    assert PEOPLE["name"].length == 40
