"""What the types of columns say of them: such a mistake is refused, since types are public."""

import io
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

pytestmark = pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")

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
    (pd.Int64Dtype(), None),
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
    (np.dtype("float32"), None),
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


def test_a_list_of_texts_is_not_for_a_column_that_was_stated_to_be_of_numbers() -> None:
    """No row would be in the list: a category written differently costs accuracy, and nothing else shows it."""
    frame = pd.DataFrame({"age": AGES["age"], "sex": np.arange(len(AGES)) % 2})
    model = linear(categories={"sex": ["0", "1"]})
    for stated in (pl.DataFrame(frame), frame.astype({"sex": "int64[pyarrow]"})):
        with pytest.raises(InvalidError, match="categories has '0', and the type of column 'sex' is for numbers"):
            model.fit(stated, PAY)
        linear(categories={"sex": [0, 1]}).fit(stated, PAY)


def test_types_that_pandas_infers_from_rows_refuse_no_list() -> None:
    """A file of codes is read as numbers unless one row has a text: whether a fit raises would depend on that row."""
    model = linear(categories={"job": ["1", "2", "x"]})
    for texts in ("1\n2\n1", "1\n2\nx", "\n\n\n"):
        frame = pd.read_csv(io.StringIO("job\n" + texts), skip_blank_lines=False)
        frame["age"] = 0.5
        model.fit(frame, PAY[: len(frame)])
    fitted = linear(categories={"job": ["a", "b"]}).fit(pd.DataFrame({"age": [0.5], "job": ["a"]}), [0.5])
    assert len(fitted.predict(pd.DataFrame({"age": [0.5], "job": [np.nan]}))) == 1


@pytest.mark.parametrize(
    "target", [pl.Series([0, 1]), pl.DataFrame({"y": [0.0, 1]}), pd.Series([0, 1], dtype="int8[pyarrow]")]
)
def test_classes_that_are_texts_are_not_for_a_target_of_numbers(target: Any) -> None:
    with pytest.raises(InvalidError, match="classes has '0', and the type of the target is for numbers"):
        logistic(classes=["0", "1"]).fit(AGES[:2], target)


LISTED: list[tuple[Any, list[Any]]] = [
    (np.array([b"no", b"yes"]), [b"no", b"yes"]),
    (pd.Categorical([1, 2]), [1, 2]),
    (
        pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01"])),
        [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
    ),
    (pd.Series([0, 1]), ["0", "1"]),
]


@pytest.mark.parametrize(("target", "classes"), LISTED)
def test_other_types_refuse_no_classes(target: Any, classes: Any) -> None:
    assert logistic(classes=classes).fit(AGES[:2], target).n_samples_ >= 10


def test_a_target_that_was_stated_to_be_text_is_no_number() -> None:
    """A type that was inferred refuses nothing: one text in a row makes a column of numbers one of texts."""
    texts = ["1"] * len(AGES)
    for stated in (pl.Series(texts), pd.Series(texts, dtype="string[pyarrow]").astype(pd.ArrowDtype(pa.string()))):
        with pytest.raises(InvalidError, match="predicts a number, and the type of the target is for texts"):
            linear().fit(AGES, stated)
    for inferred in (np.array(texts), pd.Series(texts), pd.DataFrame({"pay": texts}), texts):
        assert linear().fit(AGES, inferred).n_samples_ < 1_000


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
@pytest.mark.parametrize("dtype", [object, "str", pd.CategoricalDtype(["a", "b", "1"])])
def test_the_refusal_depends_on_the_type_and_not_on_the_rows(dtype: Any) -> None:
    frames = [pd.DataFrame({"x": pd.Series(rows, dtype=dtype)}) for rows in ([], ["1", "1"], ["a", "b"], [None, None])]
    assert len({read_columns(frame).kinds for frame in frames}) == 1
    if dtype is object:
        for frame in frames:
            linear().fit(frame, [0.5] * len(frame))
