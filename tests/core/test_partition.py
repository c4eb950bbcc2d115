"""Data that come in parts."""

from typing import Any

import pytest

import privet.calculus as pc
from privet.errors import InvalidError, WrongTypeError


def test_a_partition_is_measured_part_by_part() -> None:
    days = pc.partition(2, pc.vector(int))
    assert days.distance([[1, 2], []], [[1], [7, 7]]) == pc.Parts(l0=2, l1=3, l2_squared=5, linf=2)
    assert days == (pc.vector(int) >> pc.PartitionByKey(categories=[0, 1])).output


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, pc.vector(int)), InvalidError, "partition.parts must be one or more, got 0"),
        ((1.5, pc.vector(int)), WrongTypeError, "partition.parts must be a whole number"),
        ((3, int), WrongTypeError, "partition.each must be a space of records"),
        ((3, pc.scalar(int)), WrongTypeError, "measured by SymmetricDistance or InsertDelete, got AbsoluteDistance"),
        ((3, pc.vector(int, size=3, ordered=True)), WrongTypeError, "got HammingDistance"),
    ],
)
def test_other_parts_are_refused(arguments: tuple[Any, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.partition(*arguments)
