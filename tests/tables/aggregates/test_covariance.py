"""Covariances."""

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.covariance import covariance
from tests.tables.aggregates.test_estimates import BESIDE, CLAMPED, COLUMNS, answer

CASES: list[Aggregate] = [covariance("minutes", "cost"), covariance("cost", "paid")]


def test_it_is_that_of_the_rows_in_which_both_have_a_value() -> None:
    assert answer(covariance("x", "y")) == pytest.approx([np.cov(CLAMPED, BESIDE)[0, 1]], abs=1e-3)


def test_a_column_with_itself_is_a_variance() -> None:
    with pytest.raises(InvalidError, match=r"take variance\('x'\)"):
        covariance("x", "x").bind(COLUMNS)
