"""What a model holds after another fit, or after one that was broken off: that fit and no other."""

from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.models.categorical_nb import CategoricalNB
from privet.models.features import places_in
from privet.models.linear_regression import LinearRegression
from privet.models.tables_of import read_columns, read_target

LINE = np.linspace(-1, 1, 2_000)[:, None]


def test_a_second_fit_forgets_the_first() -> None:
    model = LinearRegression(inference="two_step", rho=50, bounds=(-1, 1), target_bounds=(-1, 1)).fit(LINE, LINE[:, 0])
    assert hasattr(model, "stderr_")
    model.set_params(inference="none", rho=0.5).fit(LINE, LINE[:, 0])
    assert not hasattr(model, "stderr_")
    assert "covariance_" not in model.to_json()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_a_fit_that_was_broken_off_leaves_nothing(error: type[BaseException]) -> None:
    """Coefficients of one fit beside the loss of another would understate what was lost."""
    model = LinearRegression(rho=0.01, bounds=(-1, 1), target_bounds=(-1, 1)).fit(LINE, LINE[:, 0])
    model.set_params(rho=50)
    raised = UnavailableError if error is MemoryError else error
    with mock.patch.object(LinearRegression, "_close", side_effect=error), pytest.raises(raised):
        model.fit(LINE, LINE[:, 0])
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "loss_")
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "category", "object"])
def test_a_null_in_a_column_does_not_change_other_items(dtype: str) -> None:
    """As floats, 2^53 and 2^53 + 1 would be one category."""
    values = [2**53, 2**53 + 1, 5]
    whole = pd.DataFrame({"a": pd.Series(values, dtype=dtype)})
    gaps = pd.DataFrame({"a": pd.Series([*values, None], dtype=dtype)})
    for frame in (whole, gaps):
        assert places_in(read_columns(frame).columns[0], values)[:3].tolist() == [0, 1, 2]
        assert places_in(read_target("Model", frame["a"], len(frame)), values)[:3].tolist() == [0, 1, 2]


def test_nulls_of_polars_and_of_masks_are_missing() -> None:
    frame = pl.DataFrame({"a": [2**53 + 1, None, 3]})
    assert places_in(read_columns(frame).columns[0], [2**53, 2**53 + 1, 3]).tolist() == [1, 3, 2]
    masked = np.ma.MaskedArray([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    columns = read_columns(masked).columns
    assert places_in(columns[1], [2, 4]).tolist() == [2, 1]
    assert places_in(read_target("Model", masked[:, 1], 2), [2, 4]).tolist() == [2, 1]


def test_a_null_of_an_arrow_target_changes_no_other_item() -> None:
    """As floats, 2^53 and 2^53 + 1 would be one class."""
    values = [2**53, 2**53 + 1, 5]
    for column in (pa.array(values), pa.array([*values, None]), pa.chunked_array([[*values, None]])):
        assert places_in(read_target("Model", column, len(column)), values)[:3].tolist() == [0, 1, 2]


def test_a_date_in_nanoseconds_does_not_change_other_dates() -> None:
    days = [pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-02")]
    for column in (days, [*days, pd.Timestamp("2020-01-03 00:00:00.000000001")]):
        frame = pd.DataFrame({"a": pd.Series(column)})
        listed = [each.to_pydatetime() for each in days]
        assert places_in(read_columns(frame).columns[0], listed)[:2].tolist() == [0, 1]


@pytest.mark.parametrize("odd", [1, [1], (1,), [1, 2], [], np.array([[1]]), None, {}])
def test_one_item_of_a_target_does_not_change_the_others(odd: Any) -> None:
    target = read_target("Model", [[0], [1], odd], 3)
    assert places_in(target, [0, 1])[:2].tolist() == [0, 1]


class Hostile:
    """Cannot be hashed, and says so in its own words."""

    def __hash__(self) -> int:
        raise RuntimeError("secret")


def test_an_item_that_fails_is_in_no_list() -> None:
    assert places_in(np.array([1, Hostile(), 2], dtype=object), [1, 2]).tolist() == [0, 2, 1]


def test_messages_about_empty_and_repeated_columns_show_no_number_of_rows() -> None:
    with pytest.raises(InvalidError, match=r"0 feature\(s\)") as caught:
        read_columns(np.empty((12345, 0)))
    assert "12345" not in str(caught.value)
    with pytest.raises(InvalidError, match="more than one column 'a'"):
        read_columns(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(WrongTypeError, match="Arrow table"):
        read_columns(pl.DataFrame({"a": [1]}).to_arrow())


@pytest.mark.parametrize("classes", [[0, "a"], [1, "1"], [0, None], [2**53, 2**53 + 1, 0.5], [True, "True"]])
def test_classes_of_several_kinds_are_refused(classes: list[Any]) -> None:
    """Numpy would turn the numbers into texts, and no row of theirs would be found."""
    with pytest.raises(InvalidError, match="classes must be of one kind"):
        CategoricalNB(epsilon=1, bounds=(0, 1), classes=classes).fit([[0.5]], [0])
