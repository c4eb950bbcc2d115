"""Which keys are moments in time, and what a plot leaves out."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from privet.tables.releases.plot_data import picture_of, read_times
from privet.tables.releases.released_column import key_column, number_column


@pytest.mark.parametrize(
    ("keys", "first"),
    [
        (["2024-02-29", "2024-03-01"], date(2024, 2, 29)),
        (["2024-02"], date(2024, 2, 1)),
        (["2024-Q3"], date(2024, 7, 1)),
        (["2024", "2025"], date(2024, 1, 1)),
        ([date(2024, 5, 1)], date(2024, 5, 1)),
        ([datetime(2024, 5, 1, 12, tzinfo=UTC)], datetime(2024, 5, 1, 12, tzinfo=UTC)),
    ],
)
def test_periods_are_read(keys: list[Any], first: Any) -> None:
    times = read_times(keys)
    assert times is not None
    assert times[0] == first


@pytest.mark.parametrize(
    "keys", [[], [2024, 2025], ["2024-13"], ["2024-01", "other"], ["a"], [None], ["2024-01", None]]
)
def test_other_keys_are_no_times(keys: list[Any]) -> None:
    assert read_times(keys) is None


def test_a_group_of_its_own_beside_periods_gives_bars() -> None:
    keys = ["2024-01", "2024-02", "other"]
    table: dict[str, list[Any]] = {
        "month": keys,
        "n": [1, 2, 3],
        "n_error": [1.0] * 3,
        "n_low": [0.0] * 3,
        "n_high": [4.0] * 3,
    }
    picture = picture_of([key_column("month", keys), number_column("n", "integer")], table, None)
    assert (picture.form, list(picture.ticks)) == ("bars", keys)


def test_time_and_another_key_give_a_line_each() -> None:
    months, wards = ["2024-01", "2024-02"] * 2, ["a", "a", "b", "b"]
    table: dict[str, list[Any]] = {
        "ward": wards,
        "month": months,
        "n": [1, 2, 3, 4],
        "n_error": [1.0] * 4,
        "n_low": [0.0] * 4,
    }
    columns = [key_column("ward", wards), key_column("month", months), number_column("n")]
    picture = picture_of(columns, table | {"n_high": [9.0] * 4}, "n")
    assert picture.form == "line"
    assert [(each.label, each.values.tolist()) for each in picture.series] == [("a", [1.0, 2.0]), ("b", [3.0, 4.0])]


def test_three_keys_are_written_below_each_bar() -> None:
    columns = [*(key_column(name, ["u"]) for name in "abc"), number_column("n")]
    table: dict[str, list[Any]] = {"a": ["u"], "b": ["v"], "c": ["w"], "n": [1], "n_low": [0], "n_high": [2]}
    picture = picture_of(columns, table, None)
    assert (list(picture.ticks), picture.x_label) == (["u, v, w"], "a, b, c")


def test_a_line_goes_forward_in_time_however_rows_are_sorted() -> None:
    months = ["2024-03", "2024-01", "2024-02"]
    table: dict[str, list[Any]] = {"month": months, "n": [3, 1, 2], "n_low": [0] * 3, "n_high": [9] * 3}
    picture = picture_of([key_column("month", months), number_column("n")], table, None)
    assert picture.series[0].values.tolist() == [1.0, 2.0, 3.0]
    assert list(picture.series[0].places) == sorted(picture.series[0].places)
