"""Whole and non-negative numbers that still add up."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.mechanisms.consistent_tree import add_up, summable
from privet.tables.rollup.whole import nonnegative_down, whole_down

PARENTS = (np.array([0, 0, 0]), np.array([2, 0, 1, 0, 1, 0, 2]))
LEAVES = st.lists(st.floats(-1000, 1000), min_size=7, max_size=7)


def levels(leaves: list[float]) -> list[Any]:
    return add_up(PARENTS, summable(np.array(leaves)))


def add_up_exactly(found: list[Any]) -> bool:
    return all((a == b).all() for a, b in zip(found, add_up(PARENTS, found[-1]), strict=True))


@given(LEAVES)
def test_rounding_adds_up_and_moves_no_number_by_more_than_one(leaves: list[float]) -> None:
    given_levels = levels(leaves)
    found = whole_down(given_levels, PARENTS)
    assert add_up_exactly(found)
    for before, after in zip(given_levels, found, strict=True):
        assert (after == np.rint(after)).all()
        assert (np.abs(after - before) <= 1).all()


@given(LEAVES)
def test_nonnegative_numbers_add_up(leaves: list[float]) -> None:
    found = nonnegative_down(levels(leaves), PARENTS)
    assert add_up_exactly(found)
    assert all((level >= 0).all() for level in found)
    assert np.isclose(found[0][0], max(sum(leaves), 0), atol=1e-6)


@given(LEAVES)
def test_nonnegative_whole_numbers_stay_so(leaves: list[float]) -> None:
    found = whole_down(nonnegative_down(levels(leaves), PARENTS), PARENTS)
    assert add_up_exactly(found)
    assert all((level >= 0).all() for level in found)


@given(st.lists(st.floats(0, 1000), min_size=7, max_size=7))
def test_what_is_nonnegative_already_stays_as_it_is(leaves: list[float]) -> None:
    given_levels = levels(leaves)
    for before, after in zip(given_levels, nonnegative_down(given_levels, PARENTS), strict=True):
        assert np.allclose(before, after, atol=1e-9)


def test_rounding_each_number_by_itself_would_not_add_up() -> None:
    rounded = [np.rint(level) for level in levels([0.5, 0.6, 0.7, 0.6, 0.6, 0.7, 0.8])]
    assert not add_up_exactly(rounded)


def test_infinite_numbers_are_left_alone() -> None:
    found = whole_down([np.array([np.inf]), np.array([np.inf, 1.5])], (np.array([0, 0]),))
    assert found[1].tolist() == [np.inf, 1.5]
