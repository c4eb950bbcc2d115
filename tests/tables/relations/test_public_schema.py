"""The columns of a public table, from its types and values."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import column
from privet.tables.relations.public_schema import infer_columns

DAY, TIME = dt.date(2001, 5, 1), dt.datetime.fromisoformat("2020-01-01T03:00")
COLUMNS: dict[str, list[Any]] = {
    "name": ["Bella", "Roma", "Mill"],
    "city": ["Ulm", "Bonn", "Ulm"],
    "seats": [40, 60, 50],
    "stars": [4.5, 3.0, None],
    "opened": [DAY, None, DAY + dt.timedelta(days=40)],
    "seen": [TIME, TIME + dt.timedelta(hours=1), TIME],
    "open": [True, False, None],
}
INFERRED = {
    "name": column("text"),
    "city": column("text", categories=("Ulm", "Bonn")),
    "seats": column("integer", bounds=(40, 60)),
    "stars": column("real", bounds=(3, 4.5)),
    "opened": column("date", bounds=(DAY, DAY + dt.timedelta(days=40))),
    "seen": column("timestamp", bounds=(TIME, TIME + dt.timedelta(hours=1))),
    "open": column("boolean"),
}
SOURCES = {
    "rows": [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
    "pandas": pd.DataFrame(COLUMNS),
    "pandas types": pd.DataFrame(COLUMNS).convert_dtypes(),
    "arrow": pa.table(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_has_the_same_columns(source: Any) -> None:
    assert infer_columns(source, ["name"]) == INFERRED


def test_bounds_need_two_ends() -> None:
    inferred = infer_columns([{"on": 1, "i": 5, "r": 2.5, "d": DAY, "t": TIME}], ["on"])
    bounds: dict[str, Any] = {name: each.column.bounds for name, each in inferred.items()}
    assert bounds["i"] == (5, 6)
    assert bounds["r"] == (2.5, 3.5)
    assert bounds["d"] == column("date", bounds=(DAY, DAY.replace(year=2002))).column.bounds
    assert bounds["t"] == column("timestamp", bounds=(TIME, TIME.replace(year=2021))).column.bounds
    assert infer_columns([{"d": dt.date(9999, 12, 31)}], [])["d"].column.bounds is not None
    assert infer_columns([{"i": 2**63 - 1}], [])["i"] == column("integer", bounds=(2**63 - 2, 2**63 - 1))


def test_numbers_that_are_not_finite_have_no_say() -> None:
    source = pd.DataFrame({"x": [1.0, np.inf, np.nan, 2.0], "y": [np.nan] * 4})
    inferred = infer_columns(source, [])
    assert inferred["x"] == column("real", bounds=(1, 2))
    assert inferred["y"] == column("real")


def test_numbers_of_several_kinds_are_real() -> None:
    assert infer_columns([{"x": 1}, {"x": 2.5}], [])["x"] == column("real", bounds=(1, 2.5))
    assert infer_columns(pa.table({"x": [Decimal("1.5"), Decimal("2.5")]}), [])["x"] == column(
        "real", bounds=(1.5, 2.5)
    )


def test_many_or_long_texts_have_no_categories() -> None:
    many = [{"x": str(at)} for at in range(1001)]
    assert infer_columns(many, [])["x"] == column("text", length=1000)
    assert infer_columns([{"x": "a" * 2000}], [])["x"] == column("text", length=2000)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (
            [{"x": 1}, {"x": "a"}],
            InvalidError,
            r"'x' has values of several kinds; give columns=\{'x'",
        ),
        ([{"x": None}], InvalidError, "'x' has no values"),
        ([{"x": object()}], InvalidError, "'x' has values of several kinds"),
        ([], WrongTypeError, "a list of one dictionary or more"),
        ([("a", 1)], WrongTypeError, "a list of one dictionary or more"),
        (pa.table({"x": [[1]]}), InvalidError, "'x' is list"),
        (7, WrongTypeError, "got int"),
    ],
)
def test_what_cannot_be_told_is_asked_for(source: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        infer_columns(source, [])
