"""Counts of rows and of values."""

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import count
from privet.tables.statistics.statistic import ROWS
from tests.tables.aggregates.test_estimates import answer

CASES: list[Aggregate] = [count(), count("cost"), count("free")]


def test_all_rows_or_those_with_a_value() -> None:
    assert (answer(count()), answer(count("x"))) == ([11], [10])


def test_all_rows_need_no_column() -> None:
    assert count().measured().statistics == (ROWS,)
    assert count("cost").measured().statistics[0].columns == ("cost",)
