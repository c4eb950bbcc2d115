"""Domains admit everything, and only members come out."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.choices import ChoiceDomain
from privet.core.domain import VectorDomain
from privet.core.grid_domains import NumbersDomain, ScalarDomain
from privet.core.metric import SymmetricDistance
from privet.core.steps import to_steps
from privet.errors import WrongTypeError
from tests.core.test_rows import ANYTHING

SPACES = [
    pc.vector(int),
    pc.vector(int, bounds=(3, 9)),
    pc.vector(int, bounds=(3, 9), nullable=False),
    pc.vector(float),
    pc.vector(float, bounds=(-1, 0.1)),
    pc.vector(float, bounds=(-1, 0.1), size=3),
    pc.vector(float, bounds=(2, 3), size=3, nullable=False),
    pc.vector(bool),
    pc.vector(str, categories=["a", "b"]),
    pc.vector(str, categories=["a", "b"], nullable=False, size=2),
    pc.vector(int, categories=[1, 2, 3], size=2),
    pc.vector(str, size=4),
]


@pytest.mark.parametrize("space", SPACES, ids=repr)
@given(rows=st.lists(ANYTHING, max_size=6))
def test_every_input_becomes_a_member(space: pc.Space, rows: list[Any]) -> None:
    assert space.domain.member(space.domain.admit(rows))


@given(x=st.lists(st.integers(0, 9) | st.none(), max_size=7), y=st.lists(st.integers(0, 9) | st.none(), max_size=7))
def test_a_stated_size_turns_additions_into_replacements(x: list[Any], y: list[Any]) -> None:
    """Filling and cutting are functions of the multiset; one row more or less replaces at most one row."""
    any_size, sized = pc.vector(int).domain, pc.vector(int, size=4).domain
    metric = SymmetricDistance()
    before = metric.distance(any_size.admit(x), any_size.admit(y), any_size)
    after = metric.distance(sized.admit(x), sized.admit(y), sized)
    assert after <= 2 * before


def test_rows_of_the_right_number_keep_their_places() -> None:
    assert pc.vector(int, size=3).domain.admit([3, 1, 2]).tolist() == [3, 1, 2]


def test_without_nulls_a_missing_value_is_the_member_nearest_to_zero() -> None:
    assert pc.vector(int, nullable=False).domain.admit([None]).tolist() == [0]
    assert pc.vector(int, bounds=(-9, -4), nullable=False).domain.admit([None]).tolist() == [-4]
    assert pc.vector(float, bounds=(2, 3), nullable=False).domain.admit([None]).tolist() == [2.0]
    assert pc.vector(str, categories=["a", "b"], nullable=False).domain.admit(["z"]).tolist() == ["a"]
    assert math.isnan(pc.vector(float, nullable=False).domain.admit([math.nan])[0])


def test_unknown_categories_become_null() -> None:
    assert pc.vector(str, categories=["a", "b"]).domain.admit(["a", "c", None]).tolist() == ["a", None, None]


@pytest.mark.parametrize(
    ("value", "grid", "steps"),
    [
        (3, Fraction(1), 3),
        (0.3, Fraction(1, 10), 3),
        (2.5, Fraction(1), 3),
        (-2.5, Fraction(1), -2),
        (Decimal("0.75"), Fraction(1, 2), 2),
        (Decimal("sNaN"), Fraction(1), 0),
        (Decimal("1e999999999"), Fraction(1), 10**1000),
        (Decimal("-1e999999999"), Fraction(1), -(10**1000)),
        (Decimal("1e-999999999"), Fraction(1), 0),
        (pd.NA, Fraction(1), 0),
        (np.ma.masked, Fraction(1), 0),
        (np.datetime64("NaT", "s"), Fraction(1), 0),
        (np.timedelta64(5, "s"), Fraction(1), 0),
        (np.longdouble(3), Fraction(1), 3),
        (Fraction(7, 3), Fraction(1, 3), 7),
        (math.nan, Fraction(1), 0),
        (None, Fraction(1), 0),
        (math.inf, Fraction(1), 2**63 - 1),
        (-math.inf, Fraction(1), -(2**63)),
        (np.int32(4), Fraction(1, 2), 8),
        (np.float64(0.5), Fraction(1, 2), 1),
        (10**50, Fraction(1), 10**50),
        (True, Fraction(1), 1),
    ],
)
def test_numbers_become_grid_steps(value: Any, grid: Fraction, steps: int) -> None:
    assert to_steps(value, grid) == steps
    assert ScalarDomain(kind=float, grid=grid).admit(value) == steps


def test_a_container_is_not_a_number() -> None:
    with pytest.raises(WrongTypeError, match="expected a number, got str"):
        ScalarDomain(kind=int).admit("secret 42")
    with pytest.raises(WrongTypeError, match="expected 3 numbers: the length is public"):
        NumbersDomain(length=3, kind=int).admit([1, 2])
    with pytest.raises(WrongTypeError, match="expected 3 numbers, got int"):
        NumbersDomain(length=3, kind=int).admit(7)


def test_released_steps_are_written_in_units_and_never_overflow() -> None:
    assert ScalarDomain(kind=float, grid=Fraction(1, 4)).release(3) == 0.75
    assert ScalarDomain(kind=float, grid=Fraction(10**300)).release(10**300) == math.inf
    assert ScalarDomain(kind=float, grid=Fraction(10**300)).release(-(10**300)) == -math.inf
    huge = np.array([10**400, -(10**400)], dtype=object)
    assert NumbersDomain(length=2, kind=float).release(huge).tolist() == [math.inf, -math.inf]
    assert NumbersDomain(length=2, kind=int).release(huge).tolist() == [2**63 - 1, -(2**63)]


def test_domains_recognise_their_members() -> None:
    domain = VectorDomain(kind=float, bounds=(Fraction(0), Fraction(1)), grid=Fraction(1, 4), size=2, nullable=False)
    assert domain.member(np.array([0.25, 1.0]))
    for wrong in ([0.25], np.array([0.25]), np.array([0.3, 1.0]), np.array([0.25, 2.0]), np.array([0.25, np.nan]),
                  np.array([0, 1]), np.ma.MaskedArray([0.25, 1.0]), np.array([0.25, np.inf])):  # fmt: skip
        assert not domain.member(wrong)
    assert ChoiceDomain(categories=("a", "b")).member("a")
    assert not ChoiceDomain(categories=("a", "b")).member("c")
    assert not ChoiceDomain(categories=(0, 1)).member(False)
    assert not ScalarDomain(kind=int).member(True)
    assert NumbersDomain(length=1, kind=int).member(np.array([2**70], dtype=object))
    assert not NumbersDomain(length=1, kind=int).member(np.array([0.5], dtype=object))
    assert not NumbersDomain(length=2, kind=int).member(np.array([1]))


@given(st.floats(-50, 50), st.floats(-50, 50), st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(5)]))
def test_numbers_are_read_no_further_apart_than_their_distance_rounded_up(x: float, y: float, grid: Fraction) -> None:
    domain = ScalarDomain(kind=float, grid=grid)
    apart = abs(domain.admit(x) - domain.admit(y)) * grid
    assert apart <= domain.widen(abs(Fraction(x) - Fraction(y)))


def test_a_distance_between_real_numbers_is_charged_in_whole_steps() -> None:
    assert pc.Laplace(scale=1).map(0.2).epsilon() == 1, "0.4 and 0.6 are read as 0 and 1"
    assert (pc.scalar(float, grid=0.1) >> pc.Laplace(scale=1)).map(0.2).epsilon() == Fraction(1, 5)


def test_values_under_a_mask_are_never_released() -> None:
    hidden = np.ma.MaskedArray([123456, 777], mask=[False, True])
    released = (pc.numbers(2) >> pc.Laplace(scale=1))(hidden)
    assert type(released) is np.ndarray
    assert abs(int(released[1])) < 500


def test_a_subclass_of_arrays_is_read_as_an_array() -> None:
    class Loud(np.ndarray[Any, np.dtype[Any]]):
        def sum(self, *arguments: Any, **named: Any) -> Any:
            raise RuntimeError("secret")

    rows = np.array([1.0, 2.0]).view(Loud)
    assert (pc.vector(float, bounds=(0, 4)) >> pc.Sum())(rows) == 3.0


def test_an_ordered_domain_keeps_positions() -> None:
    domain = pc.vector(int, size=3, ordered=True).domain
    assert domain.admit([9, 2, 3, 4]).tolist() == [9, 2, 3]
    assert domain.admit([9, 2]).tolist() == [9, 2, None]


def test_a_clamp_forgets_the_categories() -> None:
    chain = pc.vector(int, categories=[20, 30], nullable=False) >> pc.Clamp(bounds=(0, 10)) >> pc.Clamp(bounds=(0, 5))
    assert (chain >> pc.Sum())([20]) == 5
    assert (chain >> pc.Sum())([7]) == 5, "an unknown category is read as the first, 20, and clamped"


def test_choices_are_read_from_numpy_too() -> None:
    assert ChoiceDomain(categories=(False, True)).admit(np.True_) is True
    assert ChoiceDomain(categories=("a", "b")).admit(np.str_("b")) == "b"
    assert ChoiceDomain(categories=(1, 2)).admit(np.int64(2)) == 2
