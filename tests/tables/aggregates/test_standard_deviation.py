"""Standard deviations."""

import pytest

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.variance import variance
from tests.tables.aggregates.test_estimates import CLAMPED, COLUMNS, answer

CASES: list[Aggregate] = [std("minutes"), std("paid"), std("cost", ddof=0)]


def test_it_is_that_of_the_clamped_values() -> None:
    assert answer(std("x")) == pytest.approx([CLAMPED.std(ddof=1)], abs=1e-3)


def test_it_reads_the_numbers_of_the_variance() -> None:
    assert std("x").bind(COLUMNS).measured() == variance("x").bind(COLUMNS).measured()
