"""Codebooks in Python: checked as a whole, equal by value."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.losses.pure import PureLoss
from privet.accounting.sampling.population import Population
from privet.errors import InvalidError, PrivetError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsDropped, NullsReplaced
from privet.tables.codebook.problem import CodebookError
from privet.tables.columns.column import Column
from privet.tables.columns.unit import Persons, Rows

WORDS = [
    *(
        "table",
        "description",
        "unit",
        "sampling",
        "columns",
        "rows",
        "id",
        "caps",
        "period",
        "groups",
        "column",
        "length",
    ),
    *("type", "bounds", "grid", "categories", "nulls", "value", "impute", "uniform", "weights", "lower", "upper"),
    *("real", "text", "integer", "boolean", "date", "timestamp", "drop", "category", "month", "poisson", "simple", "a"),
    *("2024-01-01", "2025-01-01", "1/3", "2^-3", "0.5", "1", "2"),
]
COLUMNS: dict[str, Any] = {
    "patient": column("text"),
    "day": column("date", bounds=("2024-01-15", "2024-12-31")),
    "duration": column("real", bounds=(0, 600)),
}


def test_a_bare_column_will_do() -> None:
    codebook = Codebook(columns={"a": Column(kind="text")}, unit=Rows())
    assert codebook["a"] == column("text")


def test_columns_keep_their_order_and_cannot_be_changed() -> None:
    codebook = Codebook(columns=COLUMNS, unit=Rows())
    codebook.columns.clear()
    assert list(codebook.columns) == ["patient", "day", "duration"]
    with pytest.raises(AttributeError):
        codebook.unit = Rows(count=2)  # type: ignore[misc]


def test_an_unknown_column_is_met_with_the_nearest() -> None:
    with pytest.raises(InvalidError, match="the codebook: there is no column 'durations'; .* Did you mean 'duration'"):
        Codebook(columns=COLUMNS, unit=Rows())["durations"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": []}, "Codebook.columns must be a mapping from names to columns, got list."),
        ({"columns": {}}, "Codebook.columns must name at least one column."),
        ({"columns": {3: column("text")}}, "Codebook.columns must have names as keys, got int."),
        ({"columns": {"a": 3}}, "Codebook.columns['a'] must be made by column(...), got int."),
        (
            {"columns": {"a": "tex"}},
            "columns.a must be one of integer, real, boolean, text, date, timestamp, got 'tex'. Did you mean text?",
        ),
        (
            {"columns": {"a\ud800": column("text")}},
            "Codebook.columns: a name must be text that UTF-8 can hold, got half of a surrogate pair.",
        ),
        (
            {"columns": {"Age": column("text"), "age": column("text")}},
            (
                "Codebook.columns must differ in more than capital letters, got 'Age' and 'age': "
                "engines cannot tell them apart."
            ),
        ),
        ({"unit": "rows"}, "Codebook.unit must be Rows(...) or Persons(...), got str. Write unit=pv.Rows()."),
        (
            {"unit": Persons(id="patent")},
            "Codebook.unit.id must be one of the columns, got 'patent'. Did you mean patient?",
        ),
        ({"unit": Persons(id="day")}, "Codebook.unit.id must be an integer or text column, got date column 'day'."),
        (
            {"unit": Persons(id="patient", period=("duration", "month"))},
            "Codebook.unit.period must be of a date or timestamp column, got real column 'duration'.",
        ),
        ({"table": ""}, "Codebook.table must be a name, such as visits."),
        ({"table": 3}, "Codebook.table must be a name, such as visits."),
        ({"description": None}, "Codebook.description must be text, got NoneType."),
        ({"sampling": 0.1}, "Codebook.sampling must be a Population, got float."),
    ],
)
def test_what_is_wrong_is_named(changes: Any, message: str) -> None:
    with pytest.raises(PrivetError) as caught:
        Codebook(**{"columns": COLUMNS, "unit": Rows(), **changes})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "identifier",
    [
        column("integer", bounds=(0, 9)),
        column("text", categories=("a", "b")),
        column("text", nulls=NullsReplaced("nobody")),
    ],
)
def test_an_identifier_that_would_merge_persons_is_refused(identifier: Any) -> None:
    with pytest.raises(InvalidError, match="merge or drop persons|make one person of many"):
        Codebook(columns={"person": identifier}, unit=Persons())


def test_a_stronger_unit_is_priced_by_the_bounds_of_the_date() -> None:
    codebook = Codebook(columns=COLUMNS, unit=Persons(id="patient", period=("day", "month")))
    answer = codebook.implied(Persons(id="patient"))
    assert answer.steps == 13  # twelve months, and the rows without a day
    assert answer.loss(PureLoss(1)).epsilon() == 13


def test_without_bounds_no_number_of_periods_is_known() -> None:
    columns = {**COLUMNS, "day": column("date")}
    codebook = Codebook(columns=columns, unit=Persons(id="patient", period=("day", "month")))
    assert codebook.implied(Persons(id="patient")).steps is None


def test_sampling_is_marked_as_asserted() -> None:
    codebook = Codebook(columns=COLUMNS, unit=Rows(), sampling=Population(rate=0.1))
    assert codebook.assumptions == (
        "the data are a secret Poisson sample, each person with probability at most 0.1 (asserted, not checked)",
    )
    assert Codebook(columns=COLUMNS, unit=Rows()).assumptions == ()


def test_repr_is_one_short_line() -> None:
    codebook = Codebook(columns={"a b\n": column("text")}, unit=Rows(), table="t", sampling=Population(rate=1))
    assert repr(codebook) == (
        "Codebook(table='t', unit=Rows(count=1), sampling=Population(rate=1), columns=['a b\\n': text])"
    )


def test_plain_data_are_checked_like_a_file() -> None:
    data = {"unit": {"id": "p"}, "columns": {"q": {"type": "char"}, 3: {}}}
    with pytest.raises(CodebookError) as caught:
        Codebook.from_dict(data)
    assert str(caught.value).split("\n") == [
        "columns must have texts as keys, got int.",
        "columns.q.type must be one of integer, real, boolean, text, date, timestamp, got 'char'. Did you mean text?",
        "unit.id must be one of the columns, got 'p'.",
    ]


@pytest.mark.parametrize(
    "data", [None, 3, "visits", [], {"columns": {"a": {"type": ["text"]}}, "unit": {"rows": None}}]
)
def test_other_data_are_refused(data: Any) -> None:
    with pytest.raises(CodebookError):
        Codebook.from_dict(data)


def test_numbers_too_large_to_be_written_are_refused() -> None:
    data = {"unit": {"rows": 10**5000}, "columns": {"a": {"type": "boolean", "nulls": {"value": 10**5000}}}}
    with pytest.raises(CodebookError) as caught:
        Codebook.from_dict(data)
    assert len(caught.value.problems) == 2


def test_data_that_hold_themselves_are_refused() -> None:
    data: dict[str, Any] = {"unit": {"rows": 1}}
    data["columns"] = data
    with pytest.raises(CodebookError, match="nested too deeply"):
        Codebook.from_dict(data)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=2), inner),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(trees, trees, trees)
def test_whatever_is_given_is_read_or_refused(unit: Any, inner: Any, sampling: Any) -> None:
    data = {"unit": unit, "sampling": sampling, "columns": {"a": inner, "b": {"type": "real", "nulls": inner}}}
    for item in (data, inner, {"unit": {"rows": 1}, "columns": inner}, {"unit": {"rows": 1}, "columns": {"a": inner}}):
        try:
            codebook = Codebook.from_dict(item)
        except CodebookError:
            continue
        assert Codebook.from_dict(codebook.to_dict()) == codebook


def test_floats_in_plain_data_mean_their_decimal() -> None:
    data = {"unit": {"rows": 1}, "columns": {"a": {"type": "real", "bounds": [0, 0.1]}}}
    assert Codebook.from_dict(data)["a"] == column("real", bounds=(0, 0.1))


def test_the_error_can_be_sent_to_another_process() -> None:
    import pickle

    with pytest.raises(CodebookError) as caught:
        Codebook.from_dict({})
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_dictionaries_and_types_are_columns() -> None:
    book = Codebook(
        columns={
            "a": {"type": int, "bounds": (0, 120), "nulls": "drop"},
            "b": str,
            "c": {"type": "date", "bounds": (date(2024, 1, 1), "2024-12-31"), "nulls": NullsDropped()},
            "d": "float",
        },
        unit=Rows(),
    )
    assert book["a"] == column("integer", bounds=(0, 120))
    assert book["b"] == column("text")
    assert book["c"] == column("date", bounds=("2024-01-01", "2024-12-31"))
    assert book["d"] == column("real")


def test_a_dictionary_may_hold_objects() -> None:
    data = {"columns": {"p": column("text"), "a": Column(kind="integer")}, "unit": Persons("p", rows=3)}
    assert Codebook.from_dict(data) == Codebook(**data)  # type: ignore[arg-type] # the same words
    with pytest.raises(CodebookError, match="Codebook.unit.id must be one of the columns, got 'q'"):
        Codebook.from_dict({**data, "unit": Persons("q")})


def test_all_problems_of_a_dictionary_are_said() -> None:
    with pytest.raises(CodebookError) as caught:
        Codebook.from_dict({"columns": {"a": 3, "b": {"type": "txt"}}, "unit": {"rows": 1}})
    made = (
        "made by column(...), or be a dictionary such as {'type': 'integer', 'bounds': (0, 120)}, or a type such as int"
    )
    assert str(caught.value).split("\n") == [
        f"columns.a must be {made}, got int.",
        "columns.b.type must be one of integer, real, boolean, text, date, timestamp, got 'txt'. Did you mean text?",
    ]
