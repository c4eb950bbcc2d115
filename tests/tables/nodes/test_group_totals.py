"""Totals of public groups, with every kind of cap."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve, frozen
from sqlglot import parse_one

from privet.core.metric import Distance, Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.sum import sum as total
from privet.tables.engines.default import write_query
from privet.tables.nodes.group_totals import Grouping, GroupTotals
from privet.tables.relations.caps import Caps
from privet.tables.relations.table_space import UnitDistance
from privet.tables.statistics.contribution import Contribution
from privet.tables.vocabulary.relation import Relation
from tests.laws import Case, Twin
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, VISITS
from tests.transforms.twins import TwinOf

WARDS = (("a",), ("b",), ("c",))
PAIRS = tuple((ward, paid) for ward in ("a", "b", "c") for paid in (False, True))
BY_WARD = Grouping(keys=("ward",), groups=WARDS, key=7)
WITH_NULLS = evolve(BY_WARD, groups=(*WARDS, (None,)), null_groups=frozenset({"ward"}))
BY_TWO = Grouping(keys=("ward", "paid"), groups=PAIRS, key=7)
WITH_OTHER = Grouping(keys=("ward",), groups=(("a",), ("rest",)), other=("rest",), key=7)


def totals(grouping: Grouping, aggregate: Any) -> GroupTotals:
    return GroupTotals(grouping=grouping, measured=aggregate.bind(VISITS).measured())


def capped(grouping: Grouping, **caps: Any) -> Grouping:
    return evolve(grouping, caps=Caps(**caps))


ALL = capped(Grouping(key=7), rows=3)
WARD = {"ward": {"groups": 2, "rows_per_group": 2}}
PAID = {"paid": {"groups": 1, "rows_per_group": 3}}
MINUTES = {"minutes": {"groups": 1, "rows_per_group": 2}}
ONE_WARD = {"ward": {"groups": 1}}
PAIR: Any = {("ward", "paid"): {"groups": 2, "rows_per_group": 2}}
HALF_KEY: Any = {("ward", "minutes"): {"groups": 2, "rows_per_group": 1}}
ONE_HALF_KEY: Any = {("minutes", "ward"): {"groups": 1}}
OF_PAID: Any = {("minutes", "paid"): {"groups": 1}}
CASES = [
    Case(name="totals of rows", chain=ROWS >> totals(BY_WARD, total("cost"))),
    Case(name="totals of rows, some groups", chain=ROWS >> totals(evolve(BY_TWO, groups=PAIRS[1:3]), count())),
    Case(name="totals of all rows", chain=ROWS >> totals(Grouping(), histogram("minutes", 3))),
    Case(name="totals, rows capped", chain=PERSONS >> totals(capped(BY_WARD, rows=3), total("minutes"))),
    Case(name="totals, nulls a group", chain=PERSONS >> totals(capped(WITH_NULLS, rows=2, groups=2), count())),
    Case(
        name="totals, groups capped", chain=PERSONS >> totals(capped(BY_TWO, groups=2, rows_per_group=1), count_ids())
    ),
    Case(name="totals, everything capped", chain=PERSONS >> totals(capped(BY_TWO, rows=4, groups=3), total("cost"))),
    Case(name="totals of all persons", chain=PERSONS >> totals(ALL, histogram("ward"))),
    Case(name="totals with other rows", chain=ROWS >> totals(WITH_OTHER, total("minutes"))),
    Case(name="totals with others", chain=PERSONS >> totals(capped(WITH_OTHER, rows=3, groups=1), count_ids())),
    Case(name="totals, caps by a key", chain=PERSONS >> totals(capped(BY_WARD, by=WARD), total("minutes"))),
    Case(name="totals, caps by two keys", chain=PERSONS >> totals(capped(BY_TWO, by=WARD | PAID), count())),
    Case(name="totals, caps by another column", chain=PERSONS >> totals(capped(BY_WARD, by=MINUTES), total("cost"))),
    Case(name="totals of all, caps by a column", chain=PERSONS >> totals(capped(Grouping(key=7), by=WARD), count())),
    Case(name="persons, caps by a key", chain=PERSONS >> totals(capped(BY_TWO, rows=9, by=ONE_WARD), count_ids())),
    Case(name="totals, caps by column, others", chain=PERSONS >> totals(capped(WITH_OTHER, by=WARD), count())),
    Case(name="totals, months, caps by column", chain=MONTHS >> totals(capped(BY_TWO, by=WARD | PAID), count())),
    Case(name="totals, caps by both keys", chain=PERSONS >> totals(capped(BY_TWO, by=PAIR), total("minutes"))),
    Case(name="totals, caps by a key and more", chain=PERSONS >> totals(capped(BY_WARD, by=HALF_KEY), count())),
    Case(
        name="totals, values by a key and more",
        chain=PERSONS >> totals(capped(BY_WARD, rows_per_group=2, by=ONE_HALF_KEY), count()),
    ),
    Case(
        name="persons, caps by half of keys", chain=PERSONS >> totals(capped(BY_TWO, rows=9, by=OF_PAID), count_ids())
    ),
    Case(
        name="totals, caps by many columns", chain=PERSONS >> totals(capped(BY_TWO, by=PAIR | HALF_KEY | WARD), count())
    ),
    Case(name="totals, caps by columns, others", chain=PERSONS >> totals(capped(WITH_OTHER, by=HALF_KEY), count())),
    Case(name="totals, months, caps by columns", chain=MONTHS >> totals(capped(BY_TWO, by=PAIR | PAID), count())),
    Case(name="totals, months", chain=MONTHS >> totals(capped(BY_WARD, rows=2), count_ids())),
]


@frozen
class Uncapped(TwinOf):
    """Reads all rows and claims the distance of the capped ones."""

    def apply(self, value: Any, space: Space) -> Any:
        right: Any = self.right
        return evolve(right, grouping=evolve(right.grouping, caps=Caps(rows=10**6))).apply(value, space)


@frozen
class Claimed(TwinOf):
    """Claims the distance of another contribution."""

    contribution: Contribution

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right
        one = right.measured.distance(self.contribution, len(right.grouping.groups))
        times = Fraction(d_in)
        return Parts(
            l0=int(d_in) * one.l0, l1=times * one.l1, l2_squared=times**2 * one.l2_squared, linf=times * one.linf
        )


@frozen
class CappedAs(TwinOf):
    """Keeps the first rows of some partition instead."""

    window: str
    most: int = 3

    def apply(self, value: Any, space: Space) -> Any:
        kept = f"WHERE id IS NOT NULL QUALIFY row_number() OVER ({self.window}) <= {self.most}"
        query: Any = parse_one(f"SELECT * FROM ({write_query(value.relation)}) AS r {kept}", dialect="duckdb")
        rows = evolve(value, relation=Relation(query=query, columns=value.relation.columns))
        return Uncapped(self.right).apply(rows, space)


@frozen
class ValuesAsTheyLie(TwinOf):
    """Keeps the values that come first among all persons, instead of the person's own."""

    def apply(self, value: Any, space: Space) -> Any:
        kept = "WHERE id IS NOT NULL QUALIFY dense_rank() OVER (ORDER BY ward) <= 2"
        limited = "QUALIFY row_number() OVER (PARTITION BY ward ORDER BY id) <= 2"
        text = f"SELECT * FROM (SELECT * FROM ({write_query(value.relation)}) AS r {kept}) AS s {limited}"
        query: Any = parse_one(text, dialect="duckdb")
        rows = evolve(value, relation=Relation(query=query, columns=value.relation.columns))
        return Uncapped(self.right).apply(rows, space)


@frozen
class OwnedBy(TwinOf):
    """Caps each person within a month, where persons are protected."""

    def apply(self, value: Any, space: Space) -> Any:
        return self.right.apply(value, MONTHS)


THREE = totals(capped(BY_WARD, rows=3), total("minutes"))
COUNTED = totals(capped(BY_WARD, rows=3), count())
ONE = totals(capped(BY_WARD, rows=1), count())
IN_GROUPS = totals(capped(BY_WARD, groups=2, rows_per_group=2), count())
BY_KEY = totals(capped(BY_WARD, by=WARD), count())
BY_OTHER = totals(capped(BY_WARD, by=MINUTES), count())
OF_WARD = totals(capped(BY_TWO, rows=9, by=ONE_WARD), count_ids())
BY_PAIR = totals(capped(BY_TWO, by=PAIR), count())
BY_MORE = totals(capped(BY_WARD, by=HALF_KEY), count())
ONE_PAIR = totals(capped(BY_TWO, rows=9, by=OF_PAID), count_ids())
HALF = Parts(l0=1, l1=Fraction(1, 2), l2_squared=Fraction(1, 4), linf=Fraction(1, 2))
YEARS = Space(MONTHS.domain, UnitDistance(("id",)))


@frozen
class OnlyFound(TwinOf):
    """Leaves out the groups that have no rows."""

    def apply(self, value: Any, space: Space) -> Any:
        found = self.right.apply(value, space)
        return found[found > 0]


def twin(name: str, chain: Any) -> Twin:
    return Twin(law="map", case=Case(name=name, chain=chain))


TWINS = [
    twin("totals without caps", PERSONS >> Uncapped(COUNTED)),
    twin("totals that forget linf", PERSONS >> Claimed(COUNTED, Contribution(l0=3, l1=3, linf=1))),
    twin("totals that forget groups", PERSONS >> Claimed(IN_GROUPS, Contribution(l0=1, l1=4, linf=4))),
    twin("totals that forget rows of a group", PERSONS >> Claimed(IN_GROUPS, Contribution(l0=2, l1=2, linf=2))),
    twin("caps by column that are only asserted", PERSONS >> Uncapped(BY_KEY)),
    twin("caps by another column that are only asserted", PERSONS >> Uncapped(BY_OTHER)),
    twin("values of a key charged as groups", PERSONS >> Claimed(OF_WARD, Contribution(l0=1, l1=9, linf=9))),
    twin("caps by a key that forget its values", PERSONS >> Claimed(BY_KEY, Contribution(l0=1, l1=2, linf=2))),
    twin("caps by a key that forget its rows", PERSONS >> Claimed(BY_KEY, Contribution(l0=2, l1=2, linf=1))),
    twin("caps by both keys that are only asserted", PERSONS >> Uncapped(BY_PAIR)),
    twin("caps by a key and more that are only asserted", PERSONS >> Uncapped(BY_MORE)),
    twin("caps by both keys that forget pairs", PERSONS >> Claimed(BY_PAIR, Contribution(l0=1, l1=4, linf=4))),
    twin("caps by both keys that forget rows", PERSONS >> Claimed(BY_PAIR, Contribution(l0=2, l1=4, linf=1))),
    twin("rows of a pair charged as rows of a key", PERSONS >> Claimed(BY_MORE, Contribution(l0=2, l1=2, linf=1))),
    twin("half of the keys charged as groups", PERSONS >> Claimed(ONE_PAIR, Contribution(l0=1, l1=9, linf=9))),
    twin("values ranked as they lie", PERSONS >> ValuesAsTheyLie(BY_KEY)),
    twin("rows charged as persons", PERSONS >> evolve(COUNTED, measured=evolve(COUNTED.measured, per="persons"))),
    twin("totals capped as rows lie", PERSONS >> CappedAs(THREE, "PARTITION BY id")),
    twin("totals capped for all together", PERSONS >> CappedAs(ONE, "ORDER BY id DESC, minutes, cost, free", 1)),
    twin("persons capped by month", YEARS >> OwnedBy(COUNTED)),
    Twin(law="parity", case=Case(name="groups that were found", chain=PERSONS >> OnlyFound(COUNTED))),
    twin("half a row claimed", ROWS >> evolve(COUNTED, measured=evolve(COUNTED.measured, row=HALF))),
]


def exact(space: Space, grouping: Grouping, aggregate: Any, rows: Sequence[Any]) -> list[int]:
    found = (space >> totals(grouping, aggregate)).run(space.domain.admit(rows))
    return [int(each) for each in found]


DATA: list[dict[str, Any]] = [
    {"id": 1, "ward": "a", "minutes": 10, "cost": 0.5, "paid": True},
    {"id": 1, "ward": "a", "minutes": 99, "cost": 0.6, "paid": False},
    {"id": 2, "ward": "a", "minutes": None, "cost": -99.0, "paid": None},
    {"id": 2, "ward": None, "minutes": 1, "cost": 1.0, "paid": True},
    {"id": None, "ward": "c", "minutes": 5},
]


def test_numbers_are_in_the_order_of_the_groups_with_zeros_for_empty_ones() -> None:
    assert exact(ROWS, BY_WARD, count(), DATA) == [3, 0, 1]
    assert exact(ROWS, evolve(BY_WARD, groups=(("c",), ("a",))), count(), DATA) == [1, 3]
    assert exact(ROWS, BY_WARD, total("minutes"), DATA) == [70, 0, 5]
    assert exact(ROWS, BY_WARD, total("cost"), DATA) == [2 + 2 - 40, 0, 0]  # in steps of a quarter


def test_rows_of_nobody_do_not_count_where_persons_do() -> None:
    assert exact(PERSONS, capped(BY_WARD, rows=9), count(), DATA) == [3, 0, 0]
    assert exact(PERSONS, capped(BY_WARD, rows=9), count_ids(), DATA) == [2, 0, 0]


@pytest.mark.parametrize("space", [ROWS, PERSONS], ids=["rows", "persons"])
def test_nulls_are_a_group_where_they_are_listed(space: Space) -> None:
    whole = capped(WITH_NULLS, rows=9)
    last = int(space is ROWS)
    assert exact(space, whole, count(), DATA) == [3, 0, last, 1]
    assert exact(space, evolve(whole, groups=((None,), ("b",))), count(), DATA) == [1, 0]
    two = capped(BY_TWO, rows=9)
    some = evolve(two, groups=((None, True), ("a", None), ("a", True)), null_groups=frozenset({"ward", "paid"}))
    assert exact(space, some, count(), DATA) == [1, 1, 1]


def test_a_person_with_ten_thousand_rows_counts_as_the_caps_say() -> None:
    rows = [{"id": 1, "ward": "abc"[number % 3], "minutes": 60} for number in range(10_000)]
    assert sum(exact(PERSONS, capped(BY_WARD, rows=5), total("minutes"), rows)) == 300
    assert exact(PERSONS, capped(BY_WARD, groups=3, rows_per_group=2), count(), rows) == [2, 2, 2]
    assert sorted(exact(PERSONS, capped(BY_WARD, groups=1, rows_per_group=2), count(), rows)) == [0, 0, 2]


def test_rows_of_other_groups_use_up_no_cap() -> None:
    rows = [{"id": 1, "ward": ward} for ward in "abc"]
    assert exact(PERSONS, evolve(capped(BY_WARD, rows=1), groups=(("b",),)), count(), rows) == [1]


@pytest.mark.parametrize(
    ("space", "node", "error", "message"),
    [
        (PERSONS, totals(BY_WARD, count()), InvalidError, "how much one person may count is not bounded"),
        (PERSONS, totals(capped(BY_WARD, groups=1), count()), InvalidError, "how much one person may count"),
        (ROWS, totals(BY_WARD, count_ids()), InvalidError, "GroupTotals counts persons, but the unit is rows"),
        (ROWS, totals(evolve(BY_WARD, keys=("nosuch",)), count()), InvalidError, "there is no column 'nosuch'"),
        (ROWS, totals(evolve(BY_WARD, keys=("cost",)), count()), MismatchError, "'cost' is real"),
        (ROWS, totals(evolve(BY_WARD, groups=(("a",), ("a",))), count()), InvalidError, "must be different"),
        (ROWS, totals(evolve(BY_WARD, groups=(("a", "b"),)), count()), InvalidError, "a value of each key"),
        (ROWS, totals(evolve(BY_WARD, groups=((None,),)), count()), InvalidError, "null only where it is a category"),
        (ROWS, totals(evolve(BY_WARD, groups=()), count()), InvalidError, "at least one"),
    ],
)
def test_what_cannot_be_counted_is_refused(
    space: Space, node: GroupTotals, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        space >> node


def test_a_column_that_is_not_there_is_named() -> None:
    node = GroupTotals(grouping=Grouping(), measured=count("nosuch").measured())
    with pytest.raises(InvalidError, match="GroupTotals: there is no column 'nosuch'"):
        ROWS >> node


def test_the_key_is_not_shown() -> None:
    assert "1234567" not in repr(totals(evolve(ALL, key=1234567), count()))
