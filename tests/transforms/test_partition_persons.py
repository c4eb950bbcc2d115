"""Partitioning with bounded contributions of persons."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.chains.transformation import RandomTransformation
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.raw_people import IDENTIFIERS, check_raw, space_of

VISITS = pc.Space(pc.records(id=str, v=int).domain, pc.IdentifierDistance("id"))
UNIT = pc.PartitionPersons(id="id", key="v", categories=[0, 1, -1, 7], groups=2, rows=1)
TIGHT = pc.PartitionPersons(id="id", key="v", categories=[0, 1, 7], groups=3, rows=2, total=3)
FEW = pc.Space(pc.records(id=bool, v=bool).domain, pc.IdentifierDistance("id"))
ONE = pc.PartitionPersons(id="id", key="v", categories=[False, True], groups=2, rows=2, total=1)
CASES = [
    Case(name="persons in few parts", chain=VISITS >> UNIT),
    Case(name="persons with a total", chain=FEW >> ONE),
]


@frozen
class ResampledUpward(RandomTransformation):
    """Caps the total, then draws two records for each part with replacement: more than the cap allows."""

    right: pc.PartitionPersons

    def output(self, space: Space) -> Space:
        return self.right.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return self.right.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return tuple(self._filled(part) for part in self.right.combine(value, coins, space))

    def _filled(self, part: Any) -> Any:
        people = part.columns["id"].tolist()
        first = [people.index(person) for person in dict.fromkeys(people)]
        return part.take(np.array(first * 2, dtype=np.int64))

    def stability(self, d_in: Any, space: Space) -> Distance:
        return self.right.stability(d_in, space)


@frozen
class ReplacedOnce(ResampledUpward):
    """Keeps the right records, but charges a person with other records once."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return self.right.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return self.right.stability((d_in + 1) // 2, space)


TWINS = [
    Twin(law="map", case=Case(name="parts resampled upward", chain=FEW >> ResampledUpward(ONE))),
    Twin(law="map", case=Case(name="other records in parts charged once", chain=FEW >> ReplacedOnce(ONE))),
]


def sizes(unit: Any, rows: list[Any]) -> list[int]:
    return [len(part) for part in (VISITS >> unit)(rows)]


def test_all_limits_hold_at_once() -> None:
    rows = [("a", value) for value in (0, 0, 0, 1, 1, 7, 7, 7)]
    assert sum(sizes(TIGHT, rows)) == 3
    assert max(sizes(TIGHT, rows)) <= 2
    assert sorted(sizes(UNIT, rows)) == [0, 0, 1, 1]


def test_a_person_with_few_records_keeps_them_and_no_more() -> None:
    assert sizes(TIGHT, [("a", 0), ("b", 0), ("b", 7), ("c", None), ("c", 99)]) == [2, 0, 1]


def test_the_map() -> None:
    assert (VISITS >> UNIT).map(1) == pc.Parts(l0=2, l1=2, l2_squared=2, linf=1)
    assert (VISITS >> UNIT).map(3) == pc.Parts(l0=4, l1=6, l2_squared=18, linf=3), "no more parts than there are"
    assert (VISITS >> TIGHT).map(1) == pc.Parts(l0=3, l1=3, l2_squared=6, linf=2)


def test_counts_of_persons_with_one_record_in_each_part() -> None:
    chain = VISITS >> UNIT >> pc.GroupSize()
    assert chain([("a", 0), ("a", 0), ("b", 0), ("b", 1)]).tolist() == [2, 1, 0, 0]
    assert chain.map(1) == pc.Parts(l0=2, l1=2, l2_squared=2, linf=1)


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidError, match="PartitionPersons.groups must be above zero"):
        pc.PartitionPersons(id="id", key="v", groups=0, rows=1)
    with pytest.raises(MismatchError, match="start from pc.persons"):
        pc.records(id=str, v=int) >> UNIT
    with pytest.raises(MismatchError, match="must be stated for a column without categories"):
        VISITS >> pc.PartitionPersons(id="id", key="v", groups=1, rows=1)


def test_records_without_a_readable_identifier_belong_to_no_person() -> None:
    assert sizes(UNIT, [(None, 0), (7, 0), ("a", 1)]) == [0, 1, 0, 0]


@pytest.mark.parametrize(("kind", "ids"), IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_persons_are_never_merged_by_reading(kind: Any, ids: list[Any]) -> None:
    chain = space_of(kind) >> pc.PartitionPersons(id="id", key="v", categories=[0, 10], groups=1, rows=1)
    check_raw(chain, ids, chain.map(1))


def test_identifiers_that_reading_may_merge_are_refused() -> None:
    with pytest.raises(MismatchError, match="PartitionPersons needs identifiers that no two persons share"):
        space_of(float) >> UNIT
