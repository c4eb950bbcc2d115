"""The public grid: rounding, and sums that do not round."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core.grid import clamp_floats, default_grid, dyadic, float_steps, sum_steps

CASES = [
    ((Fraction(-8), Fraction(8)), Fraction(1, 4)),
    ((Fraction(-1, 10), Fraction(7, 10)), Fraction(1, 2**20)),
    ((Fraction(0), Fraction(1)), Fraction(1, 2**52)),  # too fine for the shift: the other way of rounding
    ((Fraction(-(10**308)), Fraction(10**308)), Fraction(2) ** 992),
]


def exactly(value: float, bounds: tuple[Fraction, Fraction], grid: Fraction) -> Fraction:
    """Round to the grid, half to even, within the outermost grid points."""
    if math.isinf(value):
        value = math.copysign(1.7e308, value)
    lowest, highest = math.ceil(bounds[0] / grid), math.floor(bounds[1] / grid)
    return min(max(round(Fraction(value) / grid), lowest), highest) * grid


@pytest.mark.parametrize(("bounds", "grid"), CASES)
@given(data=st.data())
def test_rounding_is_exact_and_half_to_even(bounds: Any, grid: Fraction, data: Any) -> None:
    half = st.integers(-40, 40).map(lambda k: float(Fraction(k, 2) * grid))  # ties among them
    values = data.draw(st.lists(st.one_of(st.floats(allow_nan=False), half, st.floats(-1, 1)), max_size=8))
    found = clamp_floats(np.array(values, dtype=np.float64), bounds, grid)
    assert [Fraction(item) for item in found.tolist()] == [exactly(value, bounds, grid) for value in values]


def test_nan_stays_and_infinities_go_to_the_ends() -> None:
    found = clamp_floats(np.array([np.nan, np.inf, -np.inf]), (Fraction(0), Fraction(3)), Fraction(1, 2))
    assert math.isnan(found[0])
    assert found[1:].tolist() == [3.0, 0.0]


@pytest.mark.parametrize("length", [0, 1, 2**15 - 1, 2**15, 2**15 + 1, 100_000])
def test_pieces_join_without_a_seam(length: int) -> None:
    values = np.linspace(-3, 5, length) if length else np.empty(0)
    found = clamp_floats(values, (Fraction(-2), Fraction(4)), Fraction(1, 8))
    assert (found == np.clip(np.rint(values * 8) / 8, -2, 4)).all()


@given(st.lists(st.integers(-(2**52), 2**52), max_size=40), st.sampled_from([2.0**-30, 1.0, 2.0**60]))
def test_sums_of_the_finest_grids_do_not_round(steps: list[int], per_unit: float) -> None:
    values = np.array([step / per_unit for step in steps], dtype=np.float64)
    assert sum_steps(values, per_unit, 2**52, missing=0) == sum(steps)


@given(st.lists(st.integers(-1000, 1000) | st.none(), max_size=40), st.integers(-5, 5))
def test_missing_values_count_as_stated(steps: list[int | None], missing: int) -> None:
    values = np.array([math.nan if step is None else step / 8 for step in steps], dtype=np.float64)
    wanted = sum(missing if step is None else step for step in steps)
    assert sum_steps(values, 8.0, 1000, missing) == wanted
    assert sum_steps(values, 8.0, 2**52, missing) == wanted, "whichever way the column is added up"


@given(st.lists(st.floats(-1e6, 1e6), max_size=20), st.sampled_from([Fraction(1), Fraction(1, 1024), Fraction(8)]))
def test_floats_become_steps_with_halves_up(values: list[float], grid: Fraction) -> None:
    found = float_steps(np.array(values, dtype=np.float64), grid)
    assert found is not None
    assert found.tolist() == [math.floor(Fraction(value) / grid + Fraction(1, 2)) for value in values]


def test_fractions_take_over_where_floats_fail() -> None:
    assert float_steps(np.array([np.nan]), Fraction(1)) is None
    assert float_steps(np.array([1e300]), Fraction(1)) is None
    assert float_steps(np.array([1.0]), Fraction(1, 3)) is None
    assert not dyadic(Fraction(1, 3))
    assert dyadic(Fraction(1, 2**900))


@given(st.fractions(Fraction(1, 10**200), 10**200))
def test_the_default_grid_is_a_fine_power_of_two(bound: Fraction) -> None:
    grid = default_grid("test", (-bound, bound))
    assert dyadic(grid)
    assert 2**31 <= bound / grid <= 2**32
