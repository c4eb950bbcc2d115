"""The made-up visits: always the same, with the heavy tail that makes caps matter."""

from collections import Counter

import pytest

import privet as pv
from privet.errors import InvalidError


def test_the_same_number_of_rows_gives_the_same_table() -> None:
    assert pv.datasets.visits(2_000).equals(pv.datasets.visits(2_000))


def test_a_few_visitors_make_most_visits() -> None:
    table = pv.datasets.visits()
    of_visitor = sorted(Counter(table["visitor_id"].to_pylist()).values(), reverse=True)
    assert table.num_rows == sum(of_visitor) == 50_000
    assert of_visitor[0] > 2_000
    assert sum(min(10, each) for each in of_visitor) < 25_000  # a cap of ten rows leaves out more than half


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_small_tables_have_the_same_types(rows: int) -> None:
    assert pv.datasets.visits(rows).schema == pv.datasets.visits(1_000).schema
    assert pv.datasets.visits(rows).num_rows == rows


def test_a_negative_number_of_rows_is_refused() -> None:
    with pytest.raises(InvalidError, match="datasets.visits.rows must be zero or more"):
        pv.datasets.visits(-1)
