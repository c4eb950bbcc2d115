"""Counts of persons."""

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.statistics.contribution import Contribution
from tests.tables.aggregates.test_estimates import answer

CASES: list[Aggregate] = [count_ids()]


def test_a_person_counts_once_however_many_rows_he_has() -> None:
    assert answer(count_ids()) == [6]
    assert count_ids().measured().distance(Contribution(l0=1, l1=9, linf=9), 5).l1 == 1
