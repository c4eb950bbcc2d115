"""Sums."""

import pytest

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.column import Column
from tests.tables.aggregates.test_estimates import CLAMPED, answer

CASES: list[Aggregate] = [
    total("minutes"),
    total("cost"),
    total("free", bounds=(-5, 10**15)),
    total("minutes", bounds=(2, 4)),
]


def test_it_is_that_of_the_clamped_values() -> None:
    assert answer(total("x")) == pytest.approx([CLAMPED.sum()], abs=1e-3)


@pytest.mark.parametrize(("bounds", "moves"), [((-5, 9), 9), ((-9, 5), 9), ((2, 4), 4)])
def test_a_row_moves_it_by_the_bound_farther_from_zero(bounds: tuple[int, int], moves: int) -> None:
    assert total("x").bind({"x": Column(kind="integer", bounds=bounds)}).measured().row.l1 == moves
