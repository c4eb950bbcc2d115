"""Reading a number is total, and a function of its value alone."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.steps import LARGEST, read_exactly, to_steps
from privet.errors import WrongTypeError
from tests.laws.drawn import HOSTILE, Lies, Raises

GRIDS = [Fraction(1), Fraction(1, 3), Fraction(1, 2**40), Fraction(7), Fraction(1, 10**1200)]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: f"{float(grid):.2g}")
def test_no_value_raises(value: Any, grid: Fraction) -> None:
    assert type(to_steps(value, grid)) is int


@pytest.mark.parametrize("items", [[1, "a"], [1, Raises()], [1, [2]], [1, None], [1, b"x"], [1, np.array([1, 2])]])
def test_items_that_are_not_numbers_become_zero(items: list[Any]) -> None:
    assert pc.numbers(2).domain.admit(items).tolist() == [1, 0]
    assert (pc.numbers(2) >> pc.Laplace(scale=1))(items).shape == (2,)


def test_an_object_is_not_a_number() -> None:
    assert pc.scalar(int).domain.admit(Raises()) == 0
    assert pc.scalar(int).domain.admit(object()) == 0
    assert pc.scalar(float, grid=0.5).domain.admit(Lies(2.5)) == 5, "a float is what it holds"
    assert pc.scalar(int).domain.admit(np.array(5)) == 5


@given(st.integers(-(10**1002), 10**1002), st.integers(-3, 3))
def test_the_type_of_a_number_does_not_matter(value: int, shift: int) -> None:
    makers: list[Callable[[int], Any]] = [int, Fraction, Decimal]
    near = value + shift
    for first in makers:
        for second in makers:
            apart = abs(to_steps(first(value), Fraction(1)) - to_steps(second(near), Fraction(1)))
            assert apart <= abs(shift)


@given(st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(GRIDS))
def test_decimals_are_rounded_exactly(value: Decimal, grid: Fraction) -> None:
    assert to_steps(value, grid) == math.floor(Fraction(value) / grid + Fraction(1, 2))


def test_huge_numbers_saturate() -> None:
    for value in (Decimal("1e1001"), Decimal("1e999999999"), Fraction(10**5000), 10**5000, Fraction(10**5000, 7)):
        assert to_steps(value, Fraction(1)) == LARGEST
    assert to_steps(-(10**5000), Fraction(1)) == -LARGEST
    assert len(str((pc.scalar(int) >> pc.Laplace(scale=1))(Fraction(10**5000)))) <= 1001, "it can be printed"
    assert to_steps(Decimal("-1e-999999999"), Fraction(1, 10**1200)) == 0


def test_long_doubles_are_not_merged() -> None:
    whole = np.longdouble(2) ** 60 + 1
    assert read_exactly(whole) == Fraction(*whole.as_integer_ratio())


@pytest.mark.parametrize("data", [{1, 2}, frozenset({1, 2}), {1: 2, 3: 4}, {1: 2, 3: 4}.keys()])
def test_containers_without_an_order_are_refused(data: Any) -> None:
    with pytest.raises(WrongTypeError, match="expected 2 numbers, got .* no order"):
        pc.numbers(2).domain.admit(data)


class Broken:
    def __iter__(self) -> Any:
        raise ValueError("a secret")


@pytest.mark.parametrize("data", ["12", b"12", np.zeros((2, 2)), np.array(2), Broken(), 7])
def test_only_lists_of_numbers_are_read(data: Any) -> None:
    with pytest.raises(WrongTypeError, match="expected 2 numbers, got"):
        pc.numbers(2).domain.admit(data)
