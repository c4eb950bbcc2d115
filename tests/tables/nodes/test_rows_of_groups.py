"""The rows of public groups, capped: whose rows stay is decided by their owner's rows alone."""

from typing import Any

import pytest
from attrs import evolve, frozen
from sqlglot import exp, parse_one

from privet.core.space import Space
from privet.errors import InvalidError
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.rows_of_groups import RowsOfGroups
from privet.tables.relations.caps import Caps
from privet.tables.vocabulary.relation import Relation
from tests.laws import Case, Twin
from tests.tables.nodes.spaces import PERSONS, ROWS, SPACES, rows_of
from tests.transforms.twins import TwinOf

LISTED = Grouping(keys=("ward",), groups=(("a",), ("c",)), caps=Caps(groups=1, rows_per_group=2), key=7)
EVERY = Grouping(keys=("ward", "paid"), groups=(("a", True), ("b", None)), null_groups=frozenset(["paid"]), key=7)
CASES = [
    Case(name=f"rows of groups, {unit}", chain=space >> RowsOfGroups(grouping=LISTED)) for unit, space in SPACES.items()
]
OTHER = Grouping(keys=("ward",), groups=(("a",), ("rest",)), other=("rest",), caps=Caps(groups=1), key=7)
CASES += [
    Case(name=f"rows with another group, {unit}", chain=SPACES[unit] >> RowsOfGroups(grouping=OTHER))
    for unit in ("rows", "persons")
]
CASES += [Case(name="rows of groups without caps", chain=PERSONS >> RowsOfGroups(grouping=EVERY))]


@frozen
class Ranked(TwinOf):
    """Caps by a rank among all rows of a group, so that others decide whose rows stay."""

    def apply(self, value: Any, space: Space) -> Any:
        relation = value.relation
        query = exp.Select(expressions=list(relation.outputs())).from_(relation.derived())
        rank = "row_number() OVER (PARTITION BY ward ORDER BY minutes, cost, free) <= 2"
        query.set("qualify", exp.Qualify(this=parse_one(rank, dialect="duckdb")))
        return evolve(value, relation=Relation(query=query, columns=relation.columns))


TWINS = [
    Twin(
        law="map",
        case=Case(name="rows of groups by a rank of all", chain=PERSONS >> Ranked(RowsOfGroups(grouping=LISTED))),
    )
]


def test_only_listed_groups_stay_and_of_a_person_as_many_rows_as_allowed() -> None:
    rows = [{"id": 1, "ward": ward, "minutes": n} for ward in ("a", "b", "c", None) for n in range(5)]
    kept = rows_of((PERSONS >> RowsOfGroups(grouping=LISTED))([*rows, {"ward": "a", "minutes": 9}]))
    assert len(kept) == 2
    assert len({row[1] for row in kept}) == 1
    assert {row[1] for row in rows_of((ROWS >> RowsOfGroups(grouping=LISTED))(rows))} == {"a", "c"}


def test_a_null_is_a_group_where_it_is_a_category() -> None:
    rows = [{"id": 1, "ward": ward, "paid": paid} for ward in ("a", "b") for paid in (True, False, None)]
    kept = rows_of((PERSONS >> RowsOfGroups(grouping=EVERY))(rows))
    assert [(row[1], row[5]) for row in kept] == [("a", True), ("b", None)]


def test_the_other_group_takes_in_all_other_rows() -> None:
    rows = [{"id": at, "ward": ward} for at, ward in enumerate(("a", "b", None, "c"))]
    chain = PERSONS >> RowsOfGroups(grouping=OTHER)
    assert [row[1] for row in rows_of(chain(rows))] == ["a", "rest", "rest", "rest"]
    assert chain.output.domain.columns["ward"].categories == ("a", "rest")  # type: ignore[attr-defined]


def test_keys_must_be_columns() -> None:
    with pytest.raises(InvalidError, match="Grouping.keys: there is no column 'nosuch'"):
        ROWS >> RowsOfGroups(grouping=Grouping(keys=("nosuch",), groups=(("a",),)))
