"""Means."""

import numpy as np
import pytest

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.noise import Noise
from tests.tables.aggregates.test_estimates import CLAMPED, COLUMNS, answer

CASES: list[Aggregate] = [mean("minutes"), mean("cost"), mean("paid"), mean("free", bounds=(-5, 9))]


def test_it_is_that_of_the_clamped_values() -> None:
    assert answer(mean("x")) == pytest.approx([CLAMPED.mean()], abs=1e-3)


def test_a_group_without_values_gives_the_middle_and_says_so() -> None:
    bound, noise = mean("x").bind(COLUMNS), Noise(kind="laplace", scale=20, grid=1)
    found = bound.estimate(np.zeros((1, 2), dtype=np.int64), noise)
    assert (found.value.item(), found.error.item()) == (10, 10)
