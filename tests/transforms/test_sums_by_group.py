"""Sums of rows in each group."""

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.balls import Norm, into_ball
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import sums_by_group
from privet.transforms.sums_by_group import SumsByGroup
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.twins import TwinOf

CODES = pc.matrix(2, bounds=[(0, 2), (0, 1)], grid=2**-4)
VALUES = pc.matrix(3, bounds=[(0, 2), (-4, 4), (-4, 4)], grid=2**-10)
COUNTS, BOTH = SumsByGroup(groups=[3]), SumsByGroup(groups=[3, 2])
SUMS, DIAMOND = SumsByGroup(groups=[3], radius=2), SumsByGroup(groups=[3], radius=2, order=1)
CASES = [
    Case(name="rows of groups", chain=pc.matrix(1, bounds=(-1, 3)) >> COUNTS),
    Case(name="rows of two groupings", chain=CODES >> BOTH),
    Case(name="rows of groups of known size", chain=pc.matrix(2, bounds=(0, 2), size=2) >> BOTH),
    Case(name="sums of groups", chain=VALUES >> SUMS),
    Case(name="sums of magnitudes of groups", chain=VALUES >> DIAMOND),
    Case(
        name="sums of two groupings",
        chain=pc.matrix(3, bounds=[(0, 2), (0, 1), (-4, 4)]) >> SumsByGroup(groups=[3, 2], radius=Fraction(10, 3)),
    ),
    Case(
        name="sums of groups of known size",
        chain=pc.matrix(3, bounds=[(0, 1), (-4, 4), (-4, 4)], size=1) >> SumsByGroup(groups=[2], radius=2),
    ),
    Case(
        name="sums of groups in order",
        chain=pc.matrix(2, bounds=(-4, 4), size=2, ordered=True) >> SumsByGroup(groups=[1], radius=5),
    ),
]


@frozen
class OneGrouping(TwinOf):
    """Releases a count in each of two groupings at the price of one."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l1=right.l1 / 2, l2_squared=right.l2_squared / 2)


@frozen
class UnknownGroups(TwinOf):
    """Opens a further group for codes that are not in the public list."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        known = (value[:, 0] >= 0) & (value[:, 0] < 3) & (value[:, 0] == np.floor(value[:, 0]))
        return right if known.all() else np.append(right, (~known).sum())


@frozen
class NotMovedInward(TwinOf):
    """Adds up vectors as they are and charges for the radius."""

    def apply(self, value: Any, space: Space) -> Any:
        return SumsByGroup(groups=[3], radius=100).apply(value, space)


@frozen
class ColumnByColumn(TwinOf):
    """Takes each column alone into the interval of the radius, so that a vector of two columns is too long."""

    def apply(self, value: Any, space: Space) -> Any:
        return SumsByGroup(groups=[3], radius=100).apply(np.clip(value, [-9, -2, -2], [9, 2, 2]), space)


@frozen
class ReplacementsInOneGroup(TwinOf):
    """Charges for a replacement as if the row stayed in its group."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l0=right.l0 // 2, l1=right.l1 / 2, l2_squared=right.l2_squared / 2)


TWINS = [
    Twin(law="map", case=Case(name="two groupings at the price of one", chain=CODES >> OneGrouping(BOTH))),
    Twin(
        law="membership",
        case=Case(name="a group for unknown codes", chain=pc.matrix(1, bounds=(-1, 3)) >> UnknownGroups(COUNTS)),
    ),
    Twin(law="map", case=Case(name="sums of groups without a ball", chain=VALUES >> NotMovedInward(SUMS))),
    Twin(law="map", case=Case(name="sums of groups in a box", chain=VALUES >> ColumnByColumn(SUMS))),
    Twin(
        law="map",
        case=Case(
            name="replacements within a group",
            chain=pc.matrix(1, bounds=(0, 2), size=2) >> ReplacementsInOneGroup(COUNTS),
        ),
    ),
]


def test_rows_are_counted_on_the_grid_of_the_rows() -> None:
    chain = CODES >> BOTH
    assert chain([[0, 1], [2, 1], [0, 0], [0.5, math.nan], [math.inf, -3]]).tolist() == [2, 0, 2, 2, 2]
    assert numbers_of(chain, []) == [0] * 5
    domain: Any = chain.output.domain
    assert (domain.kind, domain.grid) == (float, Fraction(1, 16))


def test_the_radius_does_not_change_counts() -> None:
    chain = CODES >> SumsByGroup(groups=[3, 2], radius=7)
    assert chain([[1, 1]]).tolist() == [0, 1, 0, 0, 1]
    assert chain.map(2) == (CODES >> BOTH).map(2)


def test_sums_are_exact_and_vectors_moved_inward() -> None:
    rows = [[0, 1, 0.5], [2, 4, 0], [0, 0.25, 0], [math.nan, 1, 1], [1, math.nan, 1], [0.5, 1, 1]]
    found = numbers_of(VALUES >> SUMS, rows)
    assert found[:4] == [Fraction(5, 4), Fraction(1, 2), 0, 0]
    assert 2 - Fraction(1, 2**9) <= found[4] <= 2


def test_the_maps_are_reached() -> None:
    added = CODES >> BOTH
    assert added.map(1) == Parts(l0=2, l1=2, l2_squared=2, linf=1) == Parts.of(numbers_of(added, [[0, 1]]))
    swapped = pc.matrix(1, bounds=(0, 2), size=2) >> COUNTS
    moved = [a - b for a, b in zip(numbers_of(swapped, [[0], [0]]), numbers_of(swapped, [[1], [1]]), strict=True)]
    assert swapped.map(4) == Parts(l0=3, l1=4, l2_squared=8, linf=2)
    assert Parts.of(moved) == Parts(l0=2, l1=4, l2_squared=8, linf=2)
    assert Parts.of(numbers_of(VALUES >> SUMS, [[0, 2, 0]])).l2_squared == 4


def test_chunks_give_the_same_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    source = np.random.default_rng(0)
    rows = np.column_stack([source.integers(0, 3, 1000), source.uniform(-4, 4, size=(1000, 2))])
    whole, counted = numbers_of(VALUES >> SUMS, rows), numbers_of(CODES >> BOTH, rows[:, :2])
    member: Any = VALUES.domain.admit(rows)
    moved = into_ball(member[:, 1:], Norm(order=2, radius=Fraction(2), origin=(Fraction(0),) * 2), Fraction(1, 2**10))
    slow: Counter[tuple[int, int]] = Counter()
    for code, *vector in np.column_stack([member[:, 0], moved]).tolist():
        for at, item in enumerate(vector):
            if code in (0, 1, 2):
                slow[int(code), at] += Fraction(item)  # type: ignore[assignment]
    assert whole == [slow[code, at] for code in range(3) for at in range(2)]
    monkeypatch.setattr(sums_by_group, "_ROWS", 7)
    monkeypatch.setattr(sums_by_group, "_MOST", 0)  # as for so many rows that 64 bits may not hold a sum
    assert numbers_of(VALUES >> SUMS, rows) == whole
    assert numbers_of(CODES >> BOTH, rows[:, :2]) == counted
    result = SUMS.apply(member, VALUES)
    assert {type(item) for item in result.tolist()} == {int}


def test_what_cannot_be_added_exactly_is_refused() -> None:
    with pytest.raises(MismatchError, match="names 2 groupings, and the rows have 1"):
        pc.matrix(1, bounds=(0, 1)) >> BOTH
    with pytest.raises(MismatchError, match="needs bounded columns"):
        pc.matrix(1) >> COUNTS
    with pytest.raises(MismatchError, match="that contains the whole numbers"):
        pc.matrix(1, bounds=(0, 100), grid=2) >> COUNTS
    with pytest.raises(MismatchError, match="give a coarser one"):
        pc.matrix(1, bounds=(0, 1), grid=2**-34) >> COUNTS
    with pytest.raises(MismatchError, match="give a coarser one"):
        pc.matrix(2, bounds=(0, 1)) >> SumsByGroup(groups=[2], radius=3)


@pytest.mark.parametrize(("groups", "error"), [([], InvalidError), ([0], InvalidError), ([2.5], WrongTypeError)])
def test_other_groups_are_refused(groups: Any, error: Any) -> None:
    with pytest.raises(error, match="groups"):
        SumsByGroup(groups=groups)
