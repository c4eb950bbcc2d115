"""The sizes of the parts of a partition."""

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
    Case(name="group sizes", chain=PARTED >> pc.GroupSize()),
    Case(
        name="group sizes of known size",
        chain=pc.vector(bool, size=3) >> pc.PartitionByKey(categories=[True, False]) >> pc.GroupSize(),
    ),
]


@frozen
class OnceInEach(TwinOf):
    """Assumes without reason that a person has one record in each part."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return pc.Parts(l0=d_in.l0, l1=d_in.l0, l2_squared=d_in.l0, linf=min(d_in.linf, 1))


@frozen
class Shares(TwinOf):
    """Gives percentages, which all move when one part grows."""

    def apply(self, value: Any, space: Space) -> Any:
        sizes = self.right.apply(value, space)
        return np.array([100 * int(size) // max(int(sizes.sum()), 1) for size in sizes], dtype=object)


TWINS = [
    Twin(law="map", case=Case(name="once in each group", chain=PARTED >> OnceInEach(pc.GroupSize()))),
    Twin(law="map", case=Case(name="shares of groups", chain=PARTED >> Shares(pc.GroupSize()))),
]


def test_every_part_is_counted() -> None:
    assert (PARTED >> pc.GroupSize())(["b", None, "b", "x"]).tolist() == [0, 2, 2]
    assert (PARTED >> pc.GroupSize())([]).tolist() == [0, 0, 0]


def test_contributions_bounded_in_each_part_cost_less() -> None:
    """At most one record in each of four parts: the square of l2 is four, not sixteen."""
    space = Space(PartitionDomain(parts=9, inner=pc.vector(int).domain), pc.PartitionDistance())
    chain = space >> pc.GroupSize()
    spread = pc.Parts(l0=4, l1=4, l2_squared=16, linf=1)
    assert chain.map(spread) == pc.Parts(l0=4, l1=4, l2_squared=4, linf=1)


def test_only_partitions_are_read() -> None:
    with pytest.raises(MismatchError, match="put PartitionByKey or PartitionRandomly before it"):
        pc.vector(int) >> pc.GroupSize()
    persons = pc.PartitionDistance(pc.IdentifierDistance("id"))
    with pytest.raises(MismatchError, match="reads parts made of records"):
        Space(PartitionDomain(parts=2, inner=pc.records(id=str).domain), persons) >> pc.GroupSize()
