"""Metrics measure what their definitions say."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.grid_domains import NumbersDomain, ScalarDomain
from privet.errors import InvalidError, WrongTypeError

COLUMN = VectorDomain(kind=int)
ROWS = st.lists(st.sampled_from([0, 1, 2, math.nan, None]), max_size=6)
COUNTING = [pc.SymmetricDistance(), pc.InsertDelete()]


@pytest.mark.parametrize("metric", COUNTING, ids=repr)
@given(x=ROWS, y=ROWS, z=ROWS)
def test_counting_metrics_are_metrics(metric: Any, x: Any, y: Any, z: Any) -> None:
    def apart(a: Any, b: Any) -> int:
        return int(metric.distance(a, b, COLUMN))

    assert apart(x, x) == 0
    assert apart(x, y) == apart(y, x)
    assert apart(x, z) <= apart(x, y) + apart(y, z)


@given(x=ROWS, y=ROWS)
def test_order_only_adds_distance(x: Any, y: Any) -> None:
    unordered = pc.SymmetricDistance().distance(x, y, COLUMN)
    assert unordered <= pc.InsertDelete().distance(x, y, COLUMN)
    if len(x) == len(y):
        assert unordered <= 2 * pc.HammingDistance().distance(x, y, COLUMN)


def test_one_replacement_is_one_removal_and_one_addition() -> None:
    assert pc.SymmetricDistance().distance([1, 2], [2, 3], COLUMN) == 2
    assert pc.HammingDistance().distance([1, 2], [1, 3], COLUMN) == 1
    assert pc.InsertDelete().distance([1, 2, 3], [3, 1, 2], COLUMN) == 2


def test_missing_values_equal_each_other_but_not_anything_else() -> None:
    x = np.ma.MaskedArray([1.0, math.nan, 7.0], mask=[False, False, True])
    y = np.ma.MaskedArray([1.0, math.nan, 8.0], mask=[False, False, True])
    assert pc.SymmetricDistance().distance(x, y, COLUMN) == 0
    assert pc.SymmetricDistance().distance([math.nan], [None], COLUMN) == 2


def test_columns_of_different_size_have_no_hamming_distance() -> None:
    with pytest.raises(InvalidError, match="same size"):
        pc.HammingDistance().distance([1], [1, 2], COLUMN)


def test_a_person_with_other_records_counts_two() -> None:
    metric = pc.IdentifierDistance(0)
    x = [("ann", 1), ("ann", 2), ("bob", 3)]
    assert metric.distance(x, x[::-1], COLUMN) == 0
    assert metric.distance(x, [("ann", 1), ("bob", 3)], COLUMN) == 2, "ann's records differ"
    assert metric.distance(x, [("ann", 1), ("ann", 2)], COLUMN) == 1, "bob left"
    assert metric.distance(x, [("ann", 1), ("ann", 1), ("bob", 3)], COLUMN) == 2, "records are counted, not a set"
    assert pc.IdentifierDistance("id").distance([{"id": 1, "v": 2}], [{"id": 2, "v": 2}], COLUMN) == 2
    assert pc.IdentifierDistance("id").distance([{"id": 1, "v": math.nan}], [{"v": math.nan, "id": 1}], COLUMN) == 0


def test_numbers_are_measured_in_units() -> None:
    assert pc.AbsoluteDistance().distance(3, -1, ScalarDomain(kind=float, grid=Fraction(1, 8))) == Fraction(1, 2)
    domain = NumbersDomain(length=3, kind=float, grid=Fraction(1, 2))
    x, y = np.array([1, 2, 3]), np.array([1, 4, 0])
    assert pc.VectorDistance().distance(x, y, domain) == pc.Parts(
        l0=2, l1=Fraction(5, 2), l2_squared=Fraction(13, 4), linf=Fraction(3, 2)
    )
    assert pc.RangeDistance().distance(x, y, domain) == Fraction(5, 2)
    assert pc.RangeDistance().distance(x, x + 5, domain) == 0
    assert pc.DiscreteDistance().distance("a", "b", domain) == 1
    assert pc.DiscreteDistance().distance(math.nan, math.nan, domain) == 0


def test_extreme_integers_do_not_wrap() -> None:
    x, y = np.array([2**63 - 1]), np.array([-(2**63)])
    assert pc.VectorDistance().distance(x, y, NumbersDomain(length=1, kind=int)).linf == 2**64 - 1


def test_parts_of_a_partition() -> None:
    metric = pc.PartitionDistance(pc.SymmetricDistance())
    apart = metric.distance([[1, 2], [3], []], [[1], [3], [4, 5]], COLUMN)
    assert (apart.l0, apart.l1, apart.linf) == (2, Fraction(3), Fraction(2))


def test_parts_are_compared_in_every_norm() -> None:
    small = pc.Parts(l0=1, l1=1, l2_squared=1, linf=1)
    assert small <= pc.Parts(l0=2, l1=1, l2_squared=1, linf=1)
    assert not pc.Parts(l0=2, l1=1, l2_squared=1, linf=1) <= small


@pytest.mark.parametrize(
    ("metric", "wrong", "error", "message"),
    [
        (pc.SymmetricDistance(), -1, InvalidError, "SymmetricDistance.distance must be zero or more, got -1."),
        (pc.SymmetricDistance(), 0.5, WrongTypeError, "must be a whole number, got float."),
        (pc.HammingDistance(), True, WrongTypeError, "must be a whole number, got bool."),
        (pc.AbsoluteDistance(), -1, InvalidError, "zero or more"),
        (pc.AbsoluteDistance(), math.nan, InvalidError, "finite"),
        (pc.AbsoluteDistance(), pc.Parts(l0=0, l1=0, l2_squared=0, linf=0), WrongTypeError, "one number, got Parts"),
        (pc.RangeDistance(), math.inf, InvalidError, "finite"),
        (pc.VectorDistance(), 1, WrongTypeError, "must be Parts"),
        (pc.PartitionDistance(), 1, WrongTypeError, "must be Parts"),
    ],
)
def test_wrong_distances_are_refused(metric: Any, wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        metric.check(wrong)


def test_wrong_parts_are_refused() -> None:
    with pytest.raises(InvalidError, match="Parts.l1 must be zero or more, got -1."):
        pc.Parts(l0=0, l1=-1, l2_squared=0, linf=0)
    with pytest.raises(WrongTypeError, match="Parts.l0 must be a whole number"):
        pc.Parts(l0=0.5, l1=0, l2_squared=0, linf=0)
