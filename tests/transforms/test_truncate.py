"""Truncation per person."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.chains.transformation import RandomTransformation
from privet.core.frames import Records
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.raw_people import IDENTIFIERS, check_raw, space_of
from tests.transforms.twins import TwinOf

VISITS = pc.Space(pc.records(id=str, v=int).domain, pc.IdentifierDistance("id"))
RANDOM = pc.Truncate(id="id", rows=2)
FIRST = pc.Truncate(id="id", rows=2, keep="first", order="v")
CASES = [
    Case(name="truncate at random", chain=VISITS >> RANDOM),
    Case(name="truncate to the last", chain=VISITS >> pc.Truncate(id="id", rows=3, keep="last", order="v")),
]


@frozen
class AsTheyStand(TwinOf):
    """Keeps the records that stand first, so that the order of rows decides."""

    def apply(self, value: Any, space: Space) -> Any:
        seen: Counter[Any] = Counter()
        kept = []
        for at, person in enumerate(value.columns["id"].tolist()):
            seen[person] += 1
            if seen[person] <= 2:
                kept.append(at)
        return value.take(np.array(kept, dtype=np.int64))


@frozen
class ByTheOthers(RandomTransformation):
    """Draws each person's records by a count over all records: one person more and the others change."""

    def output(self, space: Space) -> Space:
        return RANDOM.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return RANDOM.coins(rows, space)

    def combine(self, value: Records, coins: Any, space: Space) -> Records:
        turned = np.roll(np.sort(coins), len(coins) // 2)
        return RANDOM.combine(value, turned, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return RANDOM.stability(d_in, space)


@frozen
class ResampledUpward(TwinOf):
    """Caps a person's records, then draws two for each value with replacement: the cap no longer holds."""

    def apply(self, value: Any, space: Space) -> Any:
        kept = self.right.apply(value, space)
        pairs = list(zip(kept.columns["id"].tolist(), kept.columns["v"].tolist(), strict=True))
        rows = [at for at in range(len(pairs)) if pairs.index(pairs[at]) == at for _ in range(2)]
        return kept.take(np.array(rows, dtype=np.int64))


@frozen
class ReplacedOnce(TwinOf):
    """Forgets that a person with other records is removed and added: charges such a person once."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return 2 * ((d_in + 1) // 2)


TWINS = [
    Twin(law="map", case=Case(name="truncated as they stand", chain=VISITS >> AsTheyStand(FIRST))),
    Twin(law="map", case=Case(name="truncated by the others", chain=VISITS >> ByTheOthers())),
    Twin(law="map", case=Case(name="resampled upward", chain=VISITS >> ResampledUpward(FIRST))),
    Twin(law="map", case=Case(name="other records charged once", chain=VISITS >> ReplacedOnce(FIRST))),
]


def rows(chain: Any, data: Any) -> list[Any]:
    found = chain(data)
    return sorted(zip(*(column.tolist() for column in found.columns.values()), strict=True))


def test_a_person_with_few_records_keeps_them_and_no_more() -> None:
    assert rows(VISITS >> RANDOM, [("a", 1), ("b", 1), ("b", 2)]) == [("a", 1), ("b", 1), ("b", 2)]


def test_the_first_and_the_last_are_by_value() -> None:
    data = [("a", 3), ("a", 1), ("a", 2), ("b", 9)]
    assert rows(VISITS >> FIRST, data) == [("a", 1), ("a", 2), ("b", 9)]
    last = pc.Truncate(id="id", rows=1, keep="last", order="v")
    assert rows(VISITS >> last, data) == [("a", 3), ("b", 9)]


@pytest.mark.parametrize("keep", ["first", "last"])
def test_a_record_without_a_value_is_kept_last(keep: Any) -> None:
    chain = VISITS >> pc.Truncate(id="id", rows=1, keep=keep, order="v")
    assert rows(chain, [("a", None), ("a", 5)]) == [("a", 5)]
    assert len(rows(chain, [("a", None), ("a", None)])) == 1


def test_records_without_a_readable_identifier_belong_to_no_person() -> None:
    assert rows(VISITS >> FIRST, [(None, 1), ("a", 2), (7, 3)]) == [("a", 2)]
    numbers = pc.persons("id", id=int, v=int) >> RANDOM
    assert rows(numbers, [(2**70, 1), (2**63 - 1, 1), (-(2**63), 1), ("a", 1), (0, 1)]) == [(0, 1)]


@pytest.mark.parametrize(("kind", "ids"), IDENTIFIERS.values(), ids=IDENTIFIERS)
@pytest.mark.parametrize(
    "unit", [pc.Truncate(id="id", rows=1), pc.Truncate(id="id", rows=1, keep="last", order="v")], ids=["random", "last"]
)
def test_persons_are_never_merged_by_reading(unit: Any, kind: Any, ids: list[Any]) -> None:
    chain = space_of(kind) >> unit >> pc.Select(columns="v") >> pc.CountBy(categories=[0, 10])
    check_raw(chain, ids, chain.map(1))


def test_truncation_follows_the_dropping_of_nulls() -> None:
    chain = VISITS >> pc.DropNulls() >> FIRST
    assert rows(chain, [("a", None), ("a", 1), (None, 1)]) == [("a", 1)]
    with pytest.raises(MismatchError, match="identifiers that no two persons share"):
        pc.persons("id", id=pc.vector(str, nullable=False), v=int) >> pc.DropNulls() >> FIRST


@pytest.mark.parametrize("kind", [float, pc.vector(int, bounds=(0, 9)), pc.vector(str, nullable=False)])
def test_identifiers_that_reading_may_merge_are_refused(kind: Any) -> None:
    with pytest.raises(MismatchError, match="read the identifier as str or int, nullable, without bounds"):
        pc.persons("id", id=kind, v=int) >> RANDOM


def test_every_record_has_the_same_chance() -> None:
    """Of 4 records 2 are kept; each of the 6 choices 1,000 times in 6,000, within 7 standard deviations."""
    chain = VISITS >> RANDOM
    data = chain.input.domain.admit([("a", 1), ("a", 2), ("a", 3), ("a", 4)])
    seen = Counter(tuple(sorted(chain.run(data).columns["v"].tolist())) for _ in range(6000))
    assert len(seen) == 6
    assert all(abs(times - 1000) < 7 * 29 for times in seen.values())


def test_the_map_is_tight() -> None:
    chain = VISITS >> FIRST
    x, y = (chain.input.domain.admit([("a", shift), ("a", shift + 1)]) for shift in (0, 10))
    assert chain.input.metric.distance(x, y, chain.input.domain) == 2
    apart = chain.output.metric.distance(chain.run(x), chain.run(y), chain.output.domain)
    assert apart == chain.map(2) == 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": 0}, "Truncate.rows must be above zero, got 0"),
        ({"rows": 1, "keep": "best"}, "Truncate.keep must be one of 'random', 'first', 'last'"),
        ({"rows": 1, "keep": "first"}, "Truncate.order must name a column"),
        ({"rows": 1, "order": "v"}, "Truncate.order must name a column"),
    ],
)
def test_wrong_parameters_are_named(wrong: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        pc.Truncate(id="id", **wrong)


@pytest.mark.parametrize(
    ("space", "unit", "message"),
    [
        (pc.vector(int), RANDOM, "start from pc.records"),
        (pc.records(id=str, v=int), RANDOM, "start from pc.persons\\('id'"),
        (VISITS, pc.Truncate(id="name", rows=1), "identified by 'name'"),
        (VISITS, pc.Truncate(id="id", rows=1, keep="first", order="day"), "needs a column named 'day'"),
    ],
)
def test_a_space_that_does_not_fit_is_refused(space: Space, unit: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> unit
