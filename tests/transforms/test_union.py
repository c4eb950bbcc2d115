"""The union of the parts of a partition."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.frames import PartitionDomain
from privet.core.space import Space
from privet.errors import MismatchError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

PARTED = pc.vector(str) >> pc.PartitionByKey(categories=["a", "b"], other=True)
CASES = [
    Case(name="union of text", chain=PARTED >> pc.Union()),
    Case(
        name="union of records",
        chain=pc.records(k=bool, v=int) >> pc.PartitionByKey(key="k", categories=[False, True]) >> pc.Union(),
    ),
]


@frozen
class PartsCounted(TwinOf):
    """Counts the parts that changed, not the records in them."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in.l0


@frozen
class NullsLost(TwinOf):
    """Joins the values and forgets which were null."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.concatenate([part.data for part in value])


TWINS = [
    Twin(law="map", case=Case(name="parts counted for records", chain=PARTED >> PartsCounted(pc.Union()))),
    Twin(law="map", case=Case(name="nulls lost in a union", chain=PARTED >> NullsLost(pc.Union()))),
]


def test_nothing_is_lost() -> None:
    assert sorted(map(str, (PARTED >> pc.Union())(["b", None, "a", "x"]).tolist())) == ["None", "a", "b", "x"]
    assert (PARTED >> pc.Union())([]).tolist() == []


def test_the_map_is_the_sum_over_the_parts() -> None:
    space = Space(PartitionDomain(parts=9, inner=pc.vector(int).domain), pc.PartitionDistance())
    assert (space >> pc.Union()).map(pc.Parts(l0=3, l1=5, l2_squared=9, linf=2)) == 5


def test_a_union_can_be_read_like_any_column() -> None:
    assert (PARTED >> pc.Union() >> pc.Count())(["a", "b"]) == 2


def test_only_partitions_are_read() -> None:
    with pytest.raises(MismatchError, match="put PartitionByKey or PartitionRandomly before it"):
        pc.vector(int) >> pc.Union()
