"""The union of the parts of a partition."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.core.frames import PartitionDomain
from privet.core.space import Space
from privet.errors import Mismatch
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

PARTED = pv.vector(str) >> pv.PartitionByKey(categories=["a", "b"], other=True)
CASES = [
    Case(name="union of text", chain=PARTED >> pv.Union()),
    Case(
        name="union of records",
        chain=pv.records(k=bool, v=int) >> pv.PartitionByKey(key="k", categories=[False, True]) >> pv.Union(),
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
    Twin(law="map", case=Case(name="parts counted for records", chain=PARTED >> PartsCounted(pv.Union()))),
    Twin(law="map", case=Case(name="nulls lost in a union", chain=PARTED >> NullsLost(pv.Union()))),
]


def test_nothing_is_lost() -> None:
    assert sorted(map(str, (PARTED >> pv.Union())(["b", None, "a", "x"]).tolist())) == ["None", "a", "b", "x"]
    assert (PARTED >> pv.Union())([]).tolist() == []


def test_the_map_is_the_sum_over_the_parts() -> None:
    space = Space(PartitionDomain(parts=9, inner=pv.vector(int).domain), pv.PartitionDistance())
    assert (space >> pv.Union()).map(pv.Parts(l0=3, l1=5, l2_squared=9, linf=2)) == 5


def test_a_union_can_be_read_like_any_column() -> None:
    assert (PARTED >> pv.Union() >> pv.Count())(["a", "b"]) == 2


def test_what_is_no_partition_is_refused() -> None:
    with pytest.raises(Mismatch, match="put PartitionByKey or PartitionRandomly before it"):
        pv.vector(int) >> pv.Union()
