"""What the types of columns say of them: such a mistake is refused, since types are public."""

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.errors import InvalidError
from privet.models.column_kinds import kind_of
from privet.models.standard_scaler import StandardScaler
from privet.models.tables_of import read_columns
from tests.models.test_messages import AGES, FRAME, PAY, linear, logistic

TYPES = [
    (pd.StringDtype(), "texts"),
    (pd.CategoricalDtype(["a"]), "texts"),
    (pd.CategoricalDtype([1, 2]), None),
    (pd.CategoricalDtype(pd.array([1, 2], dtype="Int64")), None),
    (pd.DatetimeTZDtype(tz="UTC"), "dates or times"),
    (pd.PeriodDtype("D"), "dates or times"),
    (pd.ArrowDtype(pa.string()), "texts"),
    (pd.ArrowDtype(pa.date32()), "dates or times"),
    (pd.ArrowDtype(pa.float64()), "numbers"),
    (pd.Int64Dtype(), "numbers"),
    (np.dtype("M8[s]"), "dates or times"),
    (np.dtype("m8[s]"), "dates or times"),
    (np.dtype(object), None),
    (np.dtype(bool), None),
    (pl.String(), "texts"),
    (pl.Categorical(), "texts"),
    (pl.Enum(["1"]), "texts"),
    (pl.Date(), "dates or times"),
    (pl.Datetime(), "dates or times"),
    (pl.Duration(), "dates or times"),
    (pl.Decimal(10, 2), "numbers"),
    (pl.UInt8(), "numbers"),
    (np.dtype("float32"), "numbers"),
    (pl.Struct({"a": pl.String}), None),
    (pl.Null(), None),
]


@pytest.mark.parametrize(("dtype", "kind"), TYPES)
def test_types_say_what_a_column_holds(dtype: Any, kind: str | None) -> None:
    assert kind_of(dtype) == kind


def test_one_pair_of_bounds_is_not_for_columns_of_texts() -> None:
    with pytest.raises(InvalidError, match="type of column 'rich' is for texts: give its list in categories="):
        linear().fit(FRAME[["age", "rich"]], PAY)
    days = pl.DataFrame({"day": [date(2020, 1, 1)]})
    with pytest.raises(InvalidError, match="type of column 'day' is for dates or times: turn it into a number first"):
        linear().fit(days, [1])
    with pytest.raises(InvalidError, match="StandardScaler.bounds must be for columns of numbers"):
        StandardScaler(bounds=(0, 1)).fit(FRAME[["rich"]])
    known = linear(categories={"rich": ["no", "yes"]}).fit(FRAME[["age", "rich"]], PAY)
    assert known.n_features_in_ == 2


def test_a_list_of_texts_is_not_for_a_column_of_numbers() -> None:
    """No row would be in the list: a category written differently costs accuracy, and nothing else shows it."""
    lists = {"sex": ["0", "1"]}
    frame = pd.DataFrame({"age": AGES["age"], "sex": np.arange(len(AGES)) % 2})
    with pytest.raises(InvalidError, match="categories has '0', and the type of column 'sex' is for numbers"):
        linear(categories=lists).fit(frame, PAY)
    with pytest.raises(InvalidError, match="categories has 0, and the type of column 1 is for texts"):
        linear(categories={0: ["0.5"], 1: [0, 1]}, bounds=None).fit(frame.to_numpy().astype(str), PAY)
    fitted = linear(categories={"sex": [0, 1]}).fit(frame, PAY)
    with pytest.raises(InvalidError, match="categories has 0, and the type of column 'sex' is for texts"):
        fitted.predict(frame.astype({"sex": "string"}))
    linear(categories=lists).fit(frame.astype({"sex": object}), PAY)


@pytest.mark.parametrize(
    "target", [np.array([0, 1]), pd.Series([0, 1]), pl.Series([0, 1]), pd.DataFrame({"y": [0.0, 1]})]
)
def test_classes_that_are_texts_are_not_for_a_target_of_numbers(target: Any) -> None:
    with pytest.raises(InvalidError, match="classes has '0', and the type of the target is for numbers"):
        logistic(classes=["0", "1"]).fit(AGES[:2], target)


def test_a_target_whose_type_is_text_is_no_number() -> None:
    with pytest.raises(InvalidError, match="predicts a number, and the type of the target is for texts"):
        linear().fit(AGES, np.array(["1"] * len(AGES)))


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
@pytest.mark.parametrize("dtype", [object, "str", pd.CategoricalDtype(["a", "b", "1"])])
def test_the_refusal_depends_on_the_type_and_not_on_the_rows(dtype: Any) -> None:
    frames = [pd.DataFrame({"x": pd.Series(rows, dtype=dtype)}) for rows in ([], ["1", "1"], ["a", "b"], [None, None])]
    assert len({read_columns(frame).kinds for frame in frames}) == 1
    if dtype is object:
        for frame in frames:
            linear().fit(frame, [0.5] * len(frame))
