"""Counts by category and by interval."""

import pytest

from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.histogram import histogram
from tests.tables.aggregates.test_estimates import COLUMNS, answer

CASES: list[Aggregate] = [
    histogram("cost", 4),
    histogram("minutes", [0, 10, 60]),
    histogram("ward"),
    histogram("paid"),
    histogram("free", 3, bounds=(-5, 9)),
]


def test_values_beyond_the_edges_count_in_the_outer_bins_and_unknown_categories_nowhere() -> None:
    assert answer(histogram("x", [0, 3, 10, 20])) == [3, 4, 3]
    assert answer(histogram("c")) == [2, 5, 2]


def test_categories_must_be_known() -> None:
    with pytest.raises(InvalidError, match="needs the categories of 'y'"):
        histogram("y").bind(COLUMNS)
