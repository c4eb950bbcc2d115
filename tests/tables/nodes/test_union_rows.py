"""Rows of two queries put together."""

from typing import Any

import pytest
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import MismatchError
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.union_rows import UnionRows
from tests.laws import Case, Twin
from tests.tables.nodes.spaces import DATABASES, OTHER_NAMES, PERSONS_DATABASE, ROWS, ROWS_DATABASE, rows_of, table
from tests.tables.nodes.twins import ChargedOnce, written
from tests.transforms.twins import TwinOf

OWNERS = {"rows": {}, "persons": {"id": "id"}, "months": {"id": "id", "month of day": '"month of day"'}}


def part(unit: str, name: str, value: str) -> Any:
    return table(DATABASES[unit], name) >> ProjectColumns(outputs={**OWNERS[unit], "value": value})


def both(unit: str) -> UnionRows:
    return UnionRows(first=part(unit, "visits", "minutes"), second=part(unit, "people", "age"))


def twice(unit: str) -> UnionRows:
    whole = part(unit, "visits", "minutes")
    return UnionRows(first=whole, second=whole >> FilterRows(condition="value > 5"))


def thrice(unit: str) -> UnionRows:
    """Uses one table three times, in a union of a union."""
    return UnionRows(first=DATABASES[unit] >> twice(unit), second=part(unit, "visits", "free"))


CASES = [
    Case(name=f"{name}, {unit}", chain=DATABASES[unit] >> make(unit))
    for unit, name, make in [
        ("rows", "union of two tables", both),
        ("rows", "union of a table with itself", twice),
        ("rows", "union of a union", thrice),
        ("persons", "union of two tables", both),
        ("persons", "union of a union", thrice),
        ("months", "union of two tables", both),
    ]
]
OTHERS = UnionRows(
    first=table(OTHER_NAMES, "people") >> ProjectColumns(outputs={"value": "age", "person": "person"}),
    second=table(OTHER_NAMES, "visits") >> ProjectColumns(outputs={"id": "id", "value": "minutes"}),
)
CASES += [
    Case(name="union, ids of other names", chain=OTHER_NAMES >> OTHERS),
    Case(
        name="union twice, ids of other names",
        chain=OTHER_NAMES >> UnionRows(first=OTHERS.second, second=OTHER_NAMES >> OTHERS),
    ),
    Case(
        name="union of parts of one table",
        chain=ROWS
        >> UnionRows(first=ROWS >> FilterRows(condition="paid"), second=ROWS >> FilterRows(condition="true")),
    ),
]


@frozen
class ChargedTwice(TwinOf):
    """Counts two parts and not what is in them."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return 2 * int(d_in)


EXCEPT = "SELECT r.id, r.minutes AS value FROM {visits} AS r WHERE NOT EXISTS (SELECT 1 FROM {people} AS p WHERE"
TWINS = [
    written(
        "union of ids with values",
        OTHER_NAMES,
        OTHERS,
        "SELECT age AS value, person FROM {people} AS p UNION ALL SELECT id, minutes FROM {visits} AS v",
    ),
    Twin(law="map", case=Case(name="union counted once", chain=ROWS_DATABASE >> ChargedOnce(twice("rows")))),
    Twin(law="map", case=Case(name="union counted twice", chain=ROWS_DATABASE >> ChargedTwice(thrice("rows")))),
    written("rows but for those of a table", PERSONS_DATABASE, both("persons"), f"{EXCEPT} p.id > r.id)"),
    written(
        "union of an owner's rows under another name",
        PERSONS_DATABASE,
        both("persons"),
        "SELECT id, minutes AS value FROM {visits} AS r UNION ALL SELECT id // 2, age FROM {people} AS p",
    ),
]


def test_rows_that_are_equal_stay_several() -> None:
    data = {"visits": [{"id": 1, "minutes": 5}, {"id": 1, "minutes": 5}], "people": [{"id": 1, "age": 5}]}
    assert rows_of((PERSONS_DATABASE >> both("persons"))(data)) == [(1, 5)] * 3


def test_ids_of_other_names_are_those_of_the_first() -> None:
    data = {"visits": [{"id": 1, "minutes": 5}], "people": [{"person": 1, "age": 6}, {"person": 2, "age": 7}]}
    assert rows_of((OTHER_NAMES >> OTHERS)(data)) == [(5, 1), (6, 1), (7, 2)]
    assert (OTHER_NAMES >> OTHERS).output.metric.id_columns == ("person",)  # type: ignore[attr-defined]


def test_what_is_known_holds_for_either() -> None:
    columns = (ROWS_DATABASE >> both("rows")).output.domain.columns  # type: ignore[attr-defined]
    assert columns["value"].bounds == (0, 120)
    unknown = (ROWS_DATABASE >> thrice("rows")).output.domain.columns  # type: ignore[attr-defined]
    assert unknown["value"].bounds is None


@pytest.mark.parametrize(("make", "rows"), [(both, 1), (twice, 2), (thrice, 3)])
def test_a_row_counts_as_often_as_its_table_is_used(make: Any, rows: int) -> None:
    assert (ROWS_DATABASE >> make("rows")).map(2) == 2 * rows
    assert (PERSONS_DATABASE >> make("persons")).map(2) == 2


@frozen
class Doubled(Transformation):
    """A step that gives every row twice, and says so."""

    def output(self, space: Space) -> Space:
        return space

    def apply(self, value: Any, space: Space) -> Any:
        raise NotImplementedError

    def stability(self, d_in: Any, space: Space) -> Distance:
        return 2 * int(d_in)


def test_what_the_parts_do_to_a_row_is_counted() -> None:
    visits, people = part("rows", "visits", "minutes"), part("rows", "people", "age")
    assert (ROWS_DATABASE >> UnionRows(first=visits >> Doubled(), second=people)).map(1) == 2
    assert (ROWS_DATABASE >> UnionRows(first=visits >> Doubled(), second=visits)).map(1) == 3


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (part("rows", "visits", "minutes"), part("rows", "people", "city"), "'value' is integer in one and text in"),
        (
            part("rows", "visits", "minutes"),
            table(ROWS_DATABASE, "people"),
            "only one has 'age', 'city', 'id', 'value'",
        ),
        (part("rows", "visits", "minutes"), part("persons", "people", "age"), "of the same private tables"),
    ],
)
def test_what_cannot_be_put_together_is_refused(first: Any, second: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        ROWS_DATABASE >> UnionRows(first=first, second=second)


def test_the_order_of_columns_does_not_matter() -> None:
    one = table(ROWS_DATABASE, "people") >> ProjectColumns(outputs={"a": "age", "b": "id"})
    other = table(ROWS_DATABASE, "people") >> ProjectColumns(outputs={"b": "id", "a": "age"})
    data = {"people": [{"id": 1, "age": 2}]}
    assert rows_of((ROWS_DATABASE >> UnionRows(first=one, second=other))(data)) == [(2, 1), (2, 1)]
