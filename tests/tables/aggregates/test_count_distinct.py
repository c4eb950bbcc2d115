"""Counts of different values."""

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count_distinct import count_distinct
from tests.tables.aggregates.test_estimates import answer

CASES: list[Aggregate] = [count_distinct("free"), count_distinct("day"), count_distinct("ward")]


def test_nulls_are_no_value() -> None:
    assert answer(count_distinct("c")) == [4]
