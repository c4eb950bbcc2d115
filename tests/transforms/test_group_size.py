"""The sizes of the parts of a partition."""

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
    Case(name="group sizes", chain=PARTED >> pv.GroupSize()),
    Case(
        name="group sizes of known size",
        chain=pv.vector(bool, size=3) >> pv.PartitionByKey(categories=[True, False]) >> pv.GroupSize(),
    ),
]


@frozen
class OnceInEach(TwinOf):
    """Takes it that a person has one record in each part, which nobody promised."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return pv.Parts(l0=d_in.l0, l1=d_in.l0, l2_squared=d_in.l0, linf=min(d_in.linf, 1))


@frozen
class Shares(TwinOf):
    """Gives percentages, which all move when one part grows."""

    def apply(self, value: Any, space: Space) -> Any:
        sizes = self.right.apply(value, space)
        return np.array([100 * int(size) // max(int(sizes.sum()), 1) for size in sizes], dtype=object)


TWINS = [
    Twin(law="map", case=Case(name="once in each group", chain=PARTED >> OnceInEach(pv.GroupSize()))),
    Twin(law="map", case=Case(name="shares of groups", chain=PARTED >> Shares(pv.GroupSize()))),
]


def test_every_part_is_counted() -> None:
    assert (PARTED >> pv.GroupSize())(["b", None, "b", "x"]).tolist() == [0, 2, 2]
    assert (PARTED >> pv.GroupSize())([]).tolist() == [0, 0, 0]


def test_contributions_bounded_in_each_part_cost_less() -> None:
    """At most one record in each of four parts: the square of l2 is four, not sixteen."""
    space = Space(PartitionDomain(parts=9, inner=pv.vector(int).domain), pv.PartitionDistance())
    chain = space >> pv.GroupSize()
    spread = pv.Parts(l0=4, l1=4, l2_squared=16, linf=1)
    assert chain.map(spread) == pv.Parts(l0=4, l1=4, l2_squared=4, linf=1)


def test_what_is_no_partition_is_refused() -> None:
    with pytest.raises(Mismatch, match="put PartitionByKey or PartitionRandomly before it"):
        pv.vector(int) >> pv.GroupSize()
    persons = pv.PartitionDistance(pv.IdentifierDistance("id"))
    with pytest.raises(Mismatch, match="reads parts made of records"):
        Space(PartitionDomain(parts=2, inner=pv.records(id=str).domain), persons) >> pv.GroupSize()
