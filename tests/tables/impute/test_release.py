"""Releases of imputed queries: written and read exactly, and clear about error bars."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidError, UnavailableError
from privet.tables.impute.release import ImputedRelease

FOUND = ImputedRelease(
    keys=("ward", "old"),
    groups=(("a", True), ("b", None)),
    columns={"count": [3, 4.0], "mean_x": [0.1, -1e300]},
    intervals={"count": ([1, 2], [5, float("inf")])},
    epsilon=Fraction(1, 3),
    notes=("told",),
)


def test_what_is_written_is_read_back() -> None:
    assert ImputedRelease.from_json(FOUND.to_json()) == FOUND


def test_columns_as_lists() -> None:
    assert FOUND.to_dict() == {
        "ward": ["a", "b"],
        "old": [True, None],
        "count": [3.0, 4.0],
        "count_low": [1.0, 2.0],
        "count_high": [5.0, float("inf")],
        "mean_x": [0.1, -1e300],
    }
    assert FOUND.to_pandas()["mean_x"].tolist() == [0.1, -1e300]
    assert FOUND.to_arrow().column_names == list(FOUND.to_dict())


def test_the_loss_is_pure() -> None:
    assert FOUND.loss.epsilon() == Fraction(1, 3)


def test_error_bars_that_were_not_paid_for_are_not_there() -> None:
    assert FOUND.interval()["count"][0].tolist() == [1.0, 2.0]
    assert np.isnan(FOUND.interval()["mean_x"]).all()
    with pytest.raises(UnavailableError, match="level 0.95 alone"):
        FOUND.interval(0.5)


def test_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidError, match="no column 'x'; there are 'count', 'mean_x'"):
        FOUND.values("x")


@pytest.mark.parametrize("text", ["{}", "[]", '{"privet_imputed_release": 1}', '{"privet_imputed_release": 2}'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidError, match=r"ImputedRelease\.from_json"):
        ImputedRelease.from_json(text)


def test_values_must_be_there_for_every_group() -> None:
    with pytest.raises(InvalidError, match="one value for each of 2 groups"):
        ImputedRelease(keys=("a",), groups=((1,), (2,)), columns={"count": [1]}, epsilon=Fraction(1))


def test_it_is_shown_as_a_table() -> None:
    assert str(FOUND).splitlines() == [
        "ward  old   count (95 % interval)  mean_x",
        "a     True  3 (1 to 5)             0.1",
        "b     null  4 (2 to unbounded)     about -10^299",
        "The 95 % interval covers the noise only.",
        "privacy loss: epsilon = 0.333334",
        "told",
    ]
    assert repr(FOUND) == str(FOUND)
