"""What users pass to fit: every row is read by itself, and no message shows data."""

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csr_array

from privet.core import read_items, read_rows
from privet.errors import InvalidError, WrongTypeError
from privet.models.binning import read_edges
from privet.models.features import places_in, read_features
from privet.models.linear_regression import LinearRegression
from privet.models.tables_of import read_columns, read_target, without_rows


@pytest.mark.parametrize("other", ["text", None, 2.5, True, 2**70, float("nan"), b"x", [1], {}])
def test_one_row_does_not_change_how_others_are_read(other: Any) -> None:
    """A type for all items of a list would make 1 the text '1' as soon as one row has a text."""
    alone = read_columns([[1, "a"], [2, "b"]])
    among = read_columns([[1, "a"], [2, "b"], [other, other]])
    for at in (0, 1):
        first, second = (read_rows(table.columns[at], float)[0][:2] for table in (alone, among))
        assert np.array_equal(first, second, equal_nan=True)
    assert places_in(among.columns[1], ["a", "b"])[:2].tolist() == [0, 1]
    target = read_target("Model", [0, 1, other], 3)
    assert places_in(target, [0, 1])[:2].tolist() == [0, 1]


@pytest.mark.parametrize("data", [[1.2345, 2], np.array([1.2345]), np.array(1.2345), np.full((1, 1, 1), 1.2345)])
def test_messages_about_the_shape_show_no_values(data: Any) -> None:
    with pytest.raises(InvalidError, match="Expected 2D array, got .D array instead.*Reshape your data") as caught:
        read_columns(data)
    assert "2345" not in str(caught.value)


def test_other_refusals_show_no_values_and_no_number_of_rows() -> None:
    with pytest.raises(InvalidError, match="Complex data not supported") as caught:
        read_columns(np.full((2, 2), 1.2345 + 1j))
    assert "2345" not in str(caught.value)
    for ragged in ([[1, 2], [3]], [[1, 2], 3], [[1, 2], "ab"]):
        with pytest.raises(InvalidError, match="rows of the same length"):
            read_columns(ragged)
    with pytest.raises(WrongTypeError, match="a target of one column") as wrong:
        read_target("Model", np.zeros((12345, 2)), 12345)
    assert "12345" not in str(wrong.value)
    with pytest.raises(InvalidError, match="the same number of rows") as rows:
        read_target("Model", np.zeros(12345), 777)
    assert not any(number in str(rows.value) for number in ("12345", "777"))
    with pytest.raises(TypeError, match="[Ss]parse"):
        read_columns(csr_array(np.eye(3)))


def test_a_cell_that_is_a_list_is_a_cell() -> None:
    """Numpy would make three dimensions of the rows, unless one of them has a plain cell."""
    for more in ([], [[5, 6]]):
        table = read_columns([[[1], [2]], [[3], [4]], *more])
        assert (table.rows, len(table.columns)) == (2 + len(more), 2)


def test_tables_without_rows() -> None:
    assert read_columns(np.empty((0, 3))).rows == 0
    with pytest.raises(InvalidError, match="requires y to be passed"):
        read_target("Model", None, 0)


@pytest.mark.parametrize("data", [pd.DataFrame(index=range(3)), pl.DataFrame(), np.empty((3, 0)), [[]]])
def test_tables_without_columns_are_refused(data: Any) -> None:
    with pytest.raises(InvalidError, match="X has 0 feature"):
        read_columns(data)


class Row(list[Any]):
    """A row that says that it has one item."""

    def __len__(self) -> int:
        return 1


class Closed(list[Any]):
    """A row that nobody may read."""

    def __iter__(self) -> Any:
        raise RuntimeError("item 12345")


@pytest.mark.parametrize("row", [Row([1, 2, 12345]), Closed([1])])
@pytest.mark.parametrize("first", [True, False])
def test_rows_of_a_strange_class_give_no_errors_of_their_own(row: Any, first: bool) -> None:
    with pytest.raises(InvalidError, match="rows of the same length|minimum of 1") as caught:
        read_columns([row, [1]] if first else [[1], row])
    assert "12345" not in str(caught.value)


def numbered() -> Any:
    """A frame whose column 0 is the second one."""
    source = np.random.default_rng(1)
    return pd.DataFrame({1: source.uniform(0, 1, 500), 0: source.uniform(0, 1000, 500)})


PUBLIC: dict[str, Any] = {"rho": 10, "target_bounds": (0, 10)}


def test_a_key_that_is_a_name_is_no_position() -> None:
    """Bounds of column 0 were those of the first column, whatever its name."""
    frame = numbered()
    bounds: dict[Any, Any] = {0: (0, 1000), 1: (0, 1)}
    model = LinearRegression(bounds=bounds, **PUBLIC).fit(frame, frame[1])
    assert [float(item.bounds[1]) for item in model.features_.columns] == [1, 1000]
    assert read_edges("Model", {np.int64(0): [300]}, model.features_) == (None, (300.0,))
    pairs = frame.set_axis(pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]), axis=1)
    found = LinearRegression(bounds={("a", "y"): (0, 1000), ("a", "x"): (0, 1)}, **PUBLIC).fit(pairs, frame[1])
    assert found.features_.columns == model.features_.columns
    plain = LinearRegression(bounds={1: (0, 1000), 0: (0, 1)}, **PUBLIC).fit(
        frame.set_axis(["a", "b"], axis=1), frame[1]
    )
    assert plain.features_.columns == model.features_.columns


@pytest.mark.parametrize("bounds", [{0: (0, 1), "0": (0, 1), 1: (0, 1)}, {"a": (0, 1), True: (0, 1)}])
def test_keys_that_mean_no_column_or_one_twice_are_refused(bounds: dict[Any, Any]) -> None:
    frame = numbered() if "0" in bounds else numbered().set_axis(["a", "b"], axis=1)
    with pytest.raises(InvalidError, match="two entries for one column|is no column"):
        LinearRegression(bounds=bounds, **PUBLIC).fit(frame, [1.0] * 500)


def test_edges_given_twice_for_one_column_are_refused() -> None:
    """The last of them would count without a word."""
    features = read_features("Model", ("a",), 1, (0, 9), None, None)
    with pytest.raises(InvalidError, match="edges has two entries for one column"):
        read_edges("Model", {"a": [1], 0: [5]}, features)


def test_rows_with_columns_in_another_order_are_refused() -> None:
    """Scikit-learn compares names that are texts, and no others."""
    frame = numbered()
    model = LinearRegression(bounds={0: (0, 1000), 1: (0, 1)}, **PUBLIC).fit(frame, frame[1])
    assert len(model.predict(frame)) == 500
    with pytest.raises(InvalidError, match="choose the columns of the fit, in their order"):
        model.predict(frame[[0, 1]])


@pytest.mark.parametrize("nothing", [[], ()])
def test_a_list_without_rows_is_told_from_an_array_without_rows(nothing: Any) -> None:
    """Its columns are unknown, and nothing was wrong with its dimensions."""
    with pytest.raises(InvalidError, match=r"a list without rows, whose number of columns is unknown.*numpy.empty"):
        read_columns(nothing)
    assert len(read_columns(np.empty((0, 2))).columns) == 2


def test_other_names_that_are_no_texts_are_refused() -> None:
    """scikit-learn does not compare them, and the columns would be taken by position."""
    model = LinearRegression(rho=1, bounds=(0, 1), target_bounds=(0, 1))
    model.fit(pd.DataFrame(np.zeros((3_000, 2)), columns=[1, 2]), np.zeros(3_000))
    with pytest.raises(InvalidError, match=r"was fitted to the columns \('1', '2'\), and these rows have \('3', '4'\)"):
        model.predict(pd.DataFrame(np.zeros((2, 2)), columns=[3, 4]))
    assert len(model.predict(np.zeros((2, 2)))) == 2


def test_each_item_is_asked_once_whatever_the_others_are() -> None:
    """One cell without a hash once made every other cell answer twice."""

    class Changing:
        """Its second hash is another one."""

        def __init__(self) -> None:
            self.asked = 0

        def __hash__(self) -> int:
            self.asked += 1
            return hash("a") if self.asked == 1 else 7

        def __eq__(self, other: object) -> bool:
            return other == "a"

    for more in ([], [[1]]):
        assert places_in(read_items([Changing(), "a", *more]), ["a", "b"])[:2].tolist() == [0, 0]


def test_a_very_deep_tuple_is_in_no_list() -> None:
    """Its hash would end the process."""
    deep: Any = ()
    for _ in range(1_000_000):
        deep = (deep,)
    assert places_in(read_items([deep, "a"]), ["a", "b"]).tolist() == [2, 0]
    assert places_in(read_items([(1, 2), "a"]), [(1, 2), "a"]).tolist() == [0, 1]
    while deep:  # or its end would be as deep
        (deep,) = deep


class Shy(list):  # type: ignore[type-arg]
    """Does not give its items."""

    def __iter__(self) -> Any:
        raise RuntimeError("name of the patient: Ann")


@pytest.mark.parametrize("odd", [Shy([1, 2]), b"ab", {1, 2}, {1: 2, 3: 4}, "ab", 3, None, np.array(3)])
def test_a_row_that_is_none_is_refused_with_one_message(odd: Any) -> None:
    for rows in ([[1, 2], odd], [np.array([1, 2]), odd]):
        with pytest.raises(InvalidError, match="^X must have rows of the same length.$") as caught:
            read_columns(rows)
        assert caught.value.__context__ is None
    assert read_columns([np.array([1, 2]), [3, 4], (5, 6)]).columns[1].tolist() == [2, 4, 6]


def test_a_list_without_nan() -> None:
    """NaN is equal to nothing, so that only the very same object would be found in a list."""
    for odd in (float("nan"), pd.NaT, pd.NA):
        with pytest.raises(InvalidError, match="must have no NaN: a missing value is in no list"):
            read_features("Model", None, 1, None, {0: ["a", odd]}, None)


def test_tables_without_rows_keep_their_form() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    for data in (frame, pl.DataFrame(frame), frame.to_numpy(), frame.to_numpy().tolist()):
        nothing = read_columns(without_rows(data, None)[0])
        assert (nothing.rows, len(nothing.columns)) == (0, 2)
        assert nothing.kinds == (
            read_columns(data).kinds if isinstance(data, pd.DataFrame | pl.DataFrame) else (None,) * 2
        )
    for target in (frame["a"], pl.Series([1, 2]), np.ones(2), [1, 2], pa.array([1, 2]), pa.chunked_array([[1], [2]])):
        assert len(without_rows(frame, target)[1]) == 0


@pytest.mark.parametrize(
    "data",
    ["people.csv", None, {"a": [1]}, 7, np.array(1.0), [1, 2], duckdb.sql("SELECT 1 AS a"), coo_array(np.eye(2))],
)
def test_what_is_no_table_is_refused_before_it_is_emptied(data: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as single:
        read_columns(data)
    with pytest.raises(type(single.value)) as emptied:
        without_rows(data, None)
    assert str(emptied.value) == str(single.value)


def test_a_class_that_says_that_it_is_another_one() -> None:
    class Liar:
        @property  # type: ignore[misc]
        def __class__(self) -> Any:
            raise ValueError("secret 42")

    assert places_in(read_items([Liar(), "a"]), ["a"]).tolist() == [1, 0]
