"""Every aggregate under the map law through ``GroupTotals``: for all units, keys and kinds of caps."""

from typing import Any

import pytest
from attrs import evolve

from privet.core.metric import VectorDistance
from privet.core.space import Space
from privet.tables.nodes.group_totals import Grouping, GroupTotals
from privet.tables.relations.caps import Caps
from privet.tables.statistics.numbers_spec import NumbersSpec
from tests.laws.tables import admitted, extreme_tables, input_distance
from tests.tables.aggregates.cases import aggregate_cases
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS, VISITS

MEASURED = [aggregate.bind(VISITS).measured() for aggregate in aggregate_cases()]
WARD = Grouping(keys=("ward",), groups=(("a",), ("b",), ("c",)), key=7)
TWO = Grouping(
    keys=("paid", "ward"), groups=tuple((paid, ward) for paid in (False, True) for ward in ("a", "b", "c")), key=7
)
FEW = evolve(TWO, groups=TWO.groups[:4:2])
GROUPINGS = {
    "rows, all": (ROWS, Grouping()),
    "rows, one key": (ROWS, WARD),
    "rows, two keys": (ROWS, FEW),
    "persons, all, rows": (PERSONS, Grouping(caps=Caps(rows=3), key=7)),
    "persons, one key, rows": (PERSONS, evolve(WARD, caps=Caps(rows=3))),
    "persons, one key, groups": (PERSONS, evolve(WARD, caps=Caps(groups=2, rows_per_group=2))),
    "persons, two keys, everything": (PERSONS, evolve(TWO, caps=Caps(rows=4, groups=3, rows_per_group=2))),
    "months, one key, rows per group": (MONTHS, evolve(WARD, caps=Caps(rows=3, rows_per_group=1))),
    "months, two keys, groups": (MONTHS, evolve(FEW, caps=Caps(groups=1, rows_per_group=3))),
}


def chosen(space: Space) -> list[NumbersSpec]:
    """What can be asked: persons are counted where there are owners."""
    return [each for each in MEASURED if space is not ROWS or each.per == "rows"]


def numbers(space: Space, grouping: Grouping, data: Any) -> list[Any]:
    """Read all statistics together, as a query does, and combine them for each aggregate."""
    table = admitted(space.domain, data)
    statistics = list(dict.fromkeys(statistic for each in chosen(space) for statistic in each.statistics))
    id_columns = space.metric.id_columns  # type: ignore[attr-defined]
    exact = grouping.read(table, grouping.compile(table.relation, id_columns, statistics))
    return [each.exact(exact, len(grouping.groups)) for each in chosen(space)]


def check_maps(asked: str, share: slice) -> None:
    space, grouping = GROUPINGS[asked]
    chains = [space >> GroupTotals(grouping=grouping, measured=each) for each in chosen(space)]
    maps: dict[int, list[Any]] = {d_in: [chain.map(d_in) for chain in chains] for d_in in range(4)}
    read: dict[str, list[Any]] = {}
    for pair in list(extreme_tables(chains[0]))[share]:
        for data in pair:
            if repr(data) not in read:
                read[repr(data)] = numbers(space, grouping, data)
        one, other = (read[repr(data)] for data in pair)
        allowed = maps[input_distance(space, *pair)]
        for a, b, most, chain in zip(one, other, allowed, chains, strict=True):
            moved = VectorDistance().distance(a, b, chain.output.domain)
            assert moved <= most, f"{chain} moved by {moved}"


@pytest.mark.parametrize(("at", "asked"), list(enumerate(GROUPINGS)))
@pytest.mark.share(2)
def test_no_aggregate_moves_further_than_its_map(at: int, asked: str) -> None:
    """A fifth of the pairs, another fifth for the next grouping of the day: five groupings see all of them."""
    check_maps(asked, slice(at // 2 % 5, None, 5))


@pytest.mark.long
@pytest.mark.parametrize("asked", GROUPINGS)
def test_no_aggregate_moves_further_than_its_map_on_any_pair(asked: str) -> None:
    check_maps(asked, slice(None))


@pytest.mark.parametrize("asked", ["rows, one key", "persons, one key, rows"])
def test_read_together_or_alone_the_numbers_are_those_of_the_step(asked: str) -> None:
    """Where no one has more rows than the caps allow, what else is read does not matter."""
    space, grouping = GROUPINGS[asked]
    rows = [{"id": number, "ward": "abc"[number % 3], "minutes": number, "cost": number / 3} for number in range(9)]
    together = numbers(space, grouping, rows)
    for measured, found in zip(chosen(space), together, strict=True):
        alone = (space >> GroupTotals(grouping=grouping, measured=measured)).run(admitted(space.domain, rows))
        assert alone.tolist() == found.tolist()
