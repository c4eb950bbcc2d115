"""One row for each person, by a user's function of a few of the person's rows."""

import math
import warnings
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.summarize_persons import SummarizePersons
from tests.laws import Case, Twin
from tests.laws.inputs import LAW
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, rows_of
from tests.tables.nodes.twins import written

MINUTES = Column(kind="integer", bounds=(0, 60))
REAL = Column(kind="real", bounds=(-1, 1), grid=0.25)
WARD = Column(kind="text", categories=("a", "b"))


def node(function: Any, **options: Any) -> SummarizeByFunction:
    given: dict[str, Any] = {"rows": 3, "reads": ("minutes",), "into": "s", "to": MINUTES, "key": 7, **options}
    return SummarizeByFunction(function=function, **given)


def first(rows: Any) -> Any:
    return rows[0]["minutes"]


def last_ward(rows: Any) -> Any:
    return rows[-1]["ward"]


def slope(rows: Any) -> float:
    return float((rows[-1]["cost"] - rows[0]["cost"]) / len(rows))


def everything(rows: Any) -> int:
    return len(repr(rows)) % 61


ANSWERS: list[Any] = [
    *(3, -5, 10**400, -(10**400), 2.5, 1e308, -0.0, math.nan, math.inf, -math.inf, Fraction(1, 3), True, None),
    *(
        np.float64(0.5),
        np.int8(-3),
        np.array([1.0]),
        np.datetime64("NaT"),
        "a",
        "ü",
        "\ud800",
        b"a",
        "7",
        [1],
        {},
        object(),
    ),
    *(ValueError, SystemExit, GeneratorExit, RecursionError, MemoryError, StopIteration),
]


class Odd:
    """An object whose every conversion fails."""

    def __float__(self) -> float:
        raise SystemExit

    __int__ = __index__ = __bool__ = __str__ = __eq__ = __hash__ = __float__  # type: ignore[assignment]


def anything(rows: Any) -> Any:
    """Spoil what it got, warn, and give or raise anything, by its rows alone."""
    picked = len(repr(rows)) % (len(ANSWERS) + 1)
    for row in rows:
        row.clear()
    rows.clear()
    warnings.warn(f"secret {picked}", stacklevel=1)
    if picked == len(ANSWERS):
        return Odd()
    if isinstance(ANSWERS[picked], type):
        raise ANSWERS[picked]
    return ANSWERS[picked]


def endless(rows: Any) -> Any:
    return endless(rows) if rows else 0


ALL = ("ward", "minutes", "cost", "free", "paid", "day")
CASES = [
    Case(name="first by function", chain=PERSONS >> node(first)),
    Case(name="function of one row", chain=PERSONS >> node(first, rows=1)),
    Case(name="function of persons within months", chain=MONTHS >> node(first, rows=2)),
    Case(
        name="function by ward", chain=PERSONS >> node(everything, keys=("ward", "paid"), reads=("ward", "day"), rows=2)
    ),
    Case(name="function to reals", chain=PERSONS >> node(slope, reads=("cost",), to=REAL)),
    Case(name="function to categories", chain=PERSONS >> node(last_ward, reads=("minutes", "ward"), to=WARD)),
    Case(name="function of all columns", chain=PERSONS >> node(everything, reads=ALL, rows=10)),
    Case(name="function of the id", chain=PERSONS >> node(everything, reads=("id",))),
    *(
        Case(name=f"any answer in {to.kind}", chain=PERSONS >> node(anything, reads=ALL, rows=2, to=to))
        for to in (MINUTES, REAL, WARD, Column(kind="boolean"), Column(kind="integer", categories=(3, 7)))
    ),
    Case(name="function that calls itself for ever", chain=PERSONS >> node(endless)),
    Case(
        name="function of a function",
        chain=PERSONS
        >> node(first, keys=("ward",))
        >> FilterRows(condition="s > 3")
        >> node(everything, reads=("s", "ward"), into="t")
        >> SummarizePersons(summaries={"t": "max(t)"}),
    ),
]


class Remembering:
    """Gives what the rows of the person before gave."""

    def __init__(self) -> None:
        self.before = 0

    def __call__(self, rows: Any) -> int:
        before, self.before = self.before, rows[0]["minutes"] or 0
        return before


class Numbered:
    """Gives how often it was called."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, rows: Any) -> int:
        self.calls += 1
        return self.calls


BOTH = "SELECT id, {} AS s FROM {{rows}} AS r WHERE id IS NOT NULL GROUP BY id"
TWINS = [
    Twin(law="map", case=Case(name="a function that remembers a person", chain=PERSONS >> node(Remembering()))),
    Twin(law="map", case=Case(name="a function that counts its calls", chain=PERSONS >> node(Numbered()))),
    written("function of rows as they lie", PERSONS, node(first), BOTH.format("list(minutes)[1]")),
    written(
        "function of the rows that come first",
        PERSONS,
        node(first, rows=1),
        "SELECT id, minutes AS s FROM {rows} AS r WHERE id IS NOT NULL QUALIFY row_number() OVER (PARTITION BY id) = 1",
    ),
    written(
        "function of the rows of all persons",
        PERSONS,
        node(first),
        BOTH.format("(SELECT count(DISTINCT minutes) FROM {rows} AS q)"),
    ),
    written(
        "function of rows of a ward",
        PERSONS,
        node(first),
        "SELECT min(id) AS id, max(minutes) AS s FROM {rows} AS r GROUP BY ward",
    ),
]
DATA: list[dict[str, Any]] = [
    {"id": 1, "ward": "b", "minutes": 40, "cost": 2.0, "day": "2024-01-02"},
    {"id": 1, "ward": "a", "minutes": 70, "cost": -1.0, "day": "2024-01-01"},
    {"id": 1, "ward": "a", "minutes": None},
    {"id": 2, "ward": "a", "minutes": 5, "cost": 0.25, "paid": True},
    {"id": None, "ward": "a", "minutes": 50},
]


def given_to(chain: Any, data: Any = DATA) -> list[Any]:
    """What a function was called with."""
    calls: list[Any] = []
    rows_of((PERSONS >> chain(lambda rows: calls.append([dict(row) for row in rows])))(data))
    return calls


def test_the_function_sees_rows_of_one_person_in_the_order_of_their_content() -> None:
    calls = given_to(lambda function: node(function, reads=("minutes", "ward", "day")))
    assert sorted(calls, key=len) == [
        [{"minutes": 5, "ward": "a", "day": None}],
        [
            {"minutes": None, "ward": "a", "day": None},
            {"minutes": 40, "ward": "b", "day": date(2024, 1, 2)},
            {"minutes": 60, "ward": "a", "day": date(2024, 1, 1)},
        ],
    ]


def test_the_order_of_the_rows_in_the_source_and_of_the_persons_changes_nothing() -> None:
    for rows in (2, 3):
        both = [
            given_to(lambda function, most=rows: node(function, reads=("cost",), rows=most), data)
            for data in (DATA, DATA[::-1])
        ]
        assert both[0] == both[1]


def test_a_function_gets_at_most_so_many_rows_a_fair_choice() -> None:
    rows = [{"id": person, "minutes": at} for person in range(300) for at in range(40)]
    means = [
        sum(row["minutes"] for row in call) / len(call)
        for call in given_to(lambda function: node(function, rows=4), rows)
    ]
    assert len(means) == 300
    assert abs(sum(means) / 300 - 19.5) < 3  # 8 standard errors of a fair choice; the first rows would give 1.5


def test_keys_give_a_call_for_each_combination_and_may_be_read() -> None:
    calls = given_to(lambda function: node(function, keys=("ward",), reads=("ward", "minutes")))
    assert sorted(calls, key=repr) == [
        [{"ward": "a", "minutes": 5}],
        [{"ward": "a", "minutes": None}, {"ward": "a", "minutes": 60}],
        [{"ward": "b", "minutes": 40}],
    ]


@pytest.mark.parametrize(
    ("to", "answers", "wanted"),
    [
        (MINUTES, [7, 99, -1, 2.5, 10**400, None, "7", math.nan, math.inf], [7, 60, 0, 2, 60, None, None, None, 60]),
        (REAL, [0.5, 9, Fraction(1, 4), np.float32(-0.25), -math.inf], ["0.5", "1.0", "0.25", "-0.25", "-1.0"]),
        (WARD, ["a", "b", "c", 1, None], ["a", "b", None, None, None]),
        (Column(kind="boolean"), [True, np.bool_(False), 1, "yes"], [True, False, None, None]),
        (Column(kind="integer", categories=(1, 5)), [1, 5, 3, 5.0], [1, 5, None, 5]),
    ],
)
def test_answers_are_read_like_data(to: Column, answers: list[Any], wanted: list[Any]) -> None:
    chain = PERSONS >> node(lambda rows: answers[rows[0]["minutes"]], to=to, rows=1)
    found = rows_of(chain([{"id": at, "minutes": at} for at in range(len(answers))]))
    assert dict(found) == dict(enumerate(wanted))


@settings(LAW, max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-5, 70) | st.none()), max_size=25))
def test_a_function_of_all_rows_is_that_of_python(pairs: list[tuple[int, int | None]]) -> None:
    def total(rows: Any) -> int:
        return sum(row["minutes"] for row in rows if row["minutes"] is not None)

    found = rows_of((PERSONS >> node(total, rows=30))([{"id": who, "minutes": minutes} for who, minutes in pairs]))
    wanted: dict[int, int] = {}
    for who, minutes in pairs:
        wanted[who] = wanted.get(who, 0) + (0 if minutes is None else min(max(minutes, 0), 60))
    assert dict(found) == {who: min(each, 60) for who, each in wanted.items()}


def test_a_table_without_rows_calls_nothing() -> None:
    assert given_to(node, []) == []
    assert rows_of((PERSONS >> node(first))([])) == []


def test_many_persons_span_batches_and_stay_apart() -> None:
    rows = [{"id": person, "minutes": at} for person in range(12_000) for at in range(2)]
    found = rows_of((PERSONS >> node(lambda rows: len(rows) * 10 + rows[-1]["minutes"], rows=2))(rows))
    assert len(found) == 12_000
    assert {value for _, value in found} == {21}


@pytest.mark.parametrize(
    ("space", "options", "error", "message"),
    [
        (ROWS, {}, InvalidError, "the unit must be Persons"),
        (PERSONS, {"function": 3}, WrongTypeError, "function"),
        (PERSONS, {"rows": 0}, InvalidError, "above zero"),
        (PERSONS, {"rows": 1_001}, InvalidError, "at most 1,000"),
        (PERSONS, {"reads": ()}, InvalidError, "at least one column"),
        (PERSONS, {"reads": ("nosuch",)}, InvalidError, "no column 'nosuch'"),
        (PERSONS, {"keys": ("nosuch",)}, InvalidError, "no column 'nosuch'"),
        (PERSONS, {"into": "ID"}, InvalidError, "one name to an engine"),
        (PERSONS, {"to": "real"}, WrongTypeError, "pv.column"),
        (PERSONS, {"to": Column(kind="real")}, InvalidError, "a number with bounds"),
        (PERSONS, {"to": Column(kind="text")}, InvalidError, "or have categories"),
        (PERSONS, {"to": Column(kind="date", bounds=(0, 9))}, InvalidError, "a number with bounds"),
    ],
)
def test_what_has_no_meaning_is_refused(space: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        space >> node(**{"function": first, **options})
