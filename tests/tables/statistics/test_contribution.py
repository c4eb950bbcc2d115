"""Contributions: the distance of counts over groups is the largest that rows within the caps can make."""

from fractions import Fraction
from itertools import product

import pytest

from privet.core.metric import Parts
from privet.errors import InvalidError, WrongTypeError
from privet.tables.statistics.contribution import Contribution, times


def largest(l0: int, l1: int, linf: int, groups: int) -> Parts:
    """Try every way to spread rows over groups."""
    fits = [
        Parts.of(map(Fraction, rows))
        for rows in product(range(linf + 1), repeat=groups)
        if sum(rows) <= l1 and sum(map(bool, rows)) <= l0
    ]
    return Parts(
        l0=max(item.l0 for item in fits),
        l1=max(item.l1 for item in fits),
        l2_squared=max(item.l2_squared for item in fits),
        linf=max(item.linf for item in fits),
    )


@pytest.mark.parametrize(("l0", "l1", "linf"), [(1, 1, 1), (2, 3, 2), (3, 5, 2), (3, 7, 3), (4, 4, 4), (2, 9, 3)])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_the_rows_of_all_groups_differ_by_no_more_and_by_no_less(l0: int, l1: int, linf: int, groups: int) -> None:
    assert Contribution(l0=l0, l1=l1, linf=linf).rows(groups) == largest(l0, l1, linf, groups)


def test_persons_count_once_in_each_group() -> None:
    assert Contribution(l0=3, l1=30, linf=10).persons(100) == Parts(l0=3, l1=3, l2_squared=3, linf=1)


def test_rows_of_one_group_may_move_different_numbers() -> None:
    one_bin = Parts(l0=1, l1=1, l2_squared=1, linf=1)
    rows = Contribution(l0=1, l1=3, linf=3).rows(5)
    assert times(rows, one_bin, length=10).l0 == 3
    assert times(rows, one_bin, length=2).l0 == 2


def test_a_cap_in_a_group_above_all_rows_is_refused() -> None:
    with pytest.raises(InvalidError, match=r"Contribution.linf must be at most l1, got linf=3, l1=2"):
        Contribution(l0=1, l1=2, linf=3)


def test_a_fraction_of_a_row_is_refused() -> None:
    with pytest.raises(WrongTypeError, match=r"Contribution.l0 must be a whole number"):
        Contribution(l0=0.5, l1=2, linf=1)
