"""Variances."""

import pytest

from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.variance import variance
from tests.tables.aggregates.test_estimates import CLAMPED, answer

CASES: list[Aggregate] = [variance("cost"), variance("minutes", ddof=0), variance("paid")]


def test_it_is_that_of_the_clamped_values() -> None:
    assert answer(variance("x")) == pytest.approx([CLAMPED.var(ddof=1)], abs=1e-3)
    assert answer(variance("x", ddof=0)) == pytest.approx([CLAMPED.var()], abs=1e-3)


def test_it_is_of_a_sample_or_of_a_population() -> None:
    with pytest.raises(InvalidError, match=r"ddof must be 0 \(population\) or 1 \(sample\), got 2"):
        variance("x", ddof=2)
