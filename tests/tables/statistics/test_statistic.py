"""Steps: bounds and grids come from the column, are narrowed by the aggregate, and refused where there are none."""

from fractions import Fraction
from typing import Any

import pytest

from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.statistics.statistic import Statistic, grid_column


def test_whole_numbers_have_steps_of_one() -> None:
    found = grid_column("sum", "x", Column(kind="integer", bounds=(-3, 7)), None)
    assert found.grid == 1
    assert (found.low, found.high, found.width) == (-3, 7, 10)


def test_booleans_are_zero_and_one() -> None:
    found = grid_column("mean", "b", Column(kind="boolean"), None)
    assert (found.low, found.high) == (0, 1)


def test_bounds_are_narrowed_and_never_widened() -> None:
    found = grid_column("sum", "x", Column(kind="integer", bounds=(0, 10)), (Fraction(-5), Fraction(4)))
    assert (found.low, found.high) == (0, 4)


def test_the_grid_of_the_column_is_kept() -> None:
    assert grid_column("sum", "x", Column(kind="real", bounds=(0, 1), grid=Fraction(1, 8)), None).grid == Fraction(1, 8)


def test_ends_lie_on_the_grid_within_the_bounds() -> None:
    found = grid_column("sum", "x", Column(kind="real", bounds=(0.1, 0.9), grid=Fraction(1, 4)), None)
    assert (found.lower, found.upper) == (Fraction(1, 4), Fraction(3, 4))


def test_squares_have_room() -> None:
    bound = variance("x").bind({"x": Column(kind="integer", bounds=(0, 2**60))})
    assert bound.on_grid is not None
    assert bound.on_grid.width <= 2**20


@pytest.mark.parametrize(
    ("column", "bounds", "message"),
    [
        (Column(kind="real"), None, r"sum\('x'\) needs bounds of 'x': give bounds"),
        (Column(kind="text"), None, r"needs numbers, got the text column 'x'"),
        (Column(kind="integer", bounds=(0, 10)), (20, 30), r"leave nothing of those of 'x', \(0, 10\)"),
        (Column(kind="integer", bounds=(0.2, 1.3)), None, r"needs two values between the bounds of 'x'"),
    ],
)
def test_what_is_missing_is_said(column: Column, bounds: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        sum_("x", bounds=bounds).bind({"x": column})


def test_an_unknown_column_is_named_with_those_there_are() -> None:
    with pytest.raises(InvalidError, match=r"mean\('z'\): there is no column 'z'; there are 'x', 'y'"):
        mean("z").bind({"x": Column(kind="integer"), "y": Column(kind="text")})


def test_an_aggregate_must_be_bound_first() -> None:
    with pytest.raises(UnavailableError, match=r"call bind\(columns\)"):
        mean("x").measured()


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidError, match=r"Statistic.kind must be one of rows, persons"):
        Statistic(kind="median")  # type: ignore[arg-type]


def test_only_products_have_an_origin() -> None:
    steps = grid_column("sum", "x", Column(kind="integer", bounds=(-3, 7)), None)
    assert Statistic(kind="sum", of=(steps, steps), origin=5).origin == 5
    for wrong in ({"kind": "sum", "of": (steps,)}, {"kind": "present", "of": (steps, steps)}, {"kind": "rows"}):
        with pytest.raises(InvalidError, match="Statistic.origin is for sums of products"):
            Statistic(**wrong, origin=5)
