# ruff: noqa: E501
"""Whole queries (filters, joins, unions, summaries, caps, totals of every statistic) give the same integers everywhere."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from privet.core.space import Space
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsDrawn, NullsDrawnFromCategories, NullsDrawnFromGaussian, NullsReplaced
from privet.tables.columns.column import Column
from privet.tables.columns.limits import Limits
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.rows_of_groups import RowsOfGroups
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.relations.caps import Caps, cap
from privet.tables.relations.filling import fill_nulls
from privet.tables.relations.public_table import PublicTable
from privet.tables.relations.table_space import Database, Table
from privet.tables.statistics.groups import in_groups
from tests.tables.engines.conformance.engines import Opened
from tests.tables.nodes.spaces import PEOPLE, PERSONS_DATABASE, ROWS_DATABASE, VISITS, table
from tests.tables.nodes.test_every_aggregate import GROUPINGS, chosen

pytestmark = pytest.mark.engines
FLOORS = PublicTable(
    source=[
        {"ward": ward, "level": level, "rent": rent}
        for level, (ward, rent) in enumerate([("a", 0.1), ("b", 1e300), ("", None)])
    ],
    described={"ward": column("text"), "level": column("integer", bounds=(0, 5)), "rent": column("real")},
    on=("ward",),
)
LEVELS = PublicTable(
    source=[{"ward": ward, "level": level} for ward in ("a", "b", "c") for level in (1, 2)],
    described={"ward": column("text"), "level": column("integer", bounds=(0, 5))},
    on=("ward",),
    most=2,
)
Step = Callable[[Space], Any]
_databases: dict[int, Database] = {}


def database(opened: Opened) -> Database:
    if id(opened) not in _databases:
        tables = {"visits": opened.table("visits", VISITS), "people": opened.table("people", PEOPLE)}
        _databases[id(opened)] = Database(tables=tables, engine=opened.engine)
    return _databases[id(opened)]


def visits(space: Space) -> Any:
    return table(space, "visits")


def people(space: Space) -> Any:
    return table(space, "people")


def _summaries(**summaries: str) -> Step:
    return lambda space: visits(space) >> SummarizePersons(summaries=summaries)


WARDS = Grouping(keys=("ward",), groups=(("a",), ("b",), ("c",)), key=7)
ROWS_CHAINS: dict[str, Step] = {
    "all columns": visits,
    "people": people,
    "filter": lambda space: visits(space) >> FilterRows(condition="minutes > 30 and paid"),
    "filter on text": lambda space: people(space) >> FilterRows(condition="lower(city) >= 'b' or age is null"),
    "derive": lambda space: (
        visits(space) >> ProjectColumns(outputs={"id": "id", "v": "minutes * 2 - 7", "w": "upper(ward)"})
    ),
    "derive reals": lambda space: visits(space) >> ProjectColumns(outputs={"v": "cost / 3", "w": "round(cost, 1)"}),
    "public": lambda space: visits(space) >> JoinPublic(public=FLOORS),
    "public, several": lambda space: visits(space) >> JoinPublic(public=LEVELS),
    "split": lambda space: people(space) >> SplitText(name="city", separator=",", most=2, into="part"),
    "split in place": lambda space: people(space) >> SplitText(name="city", separator=",", most=9, into="city"),
    "split by two": lambda space: people(space) >> SplitText(name="city", separator=",a", most=3, into="part"),
    "union": lambda space: (
        space >> UnionRows(first=visits(space), second=visits(space) >> FilterRows(condition="free > 0"))
    ),
    "resize": lambda space: visits(space) >> ResizeRows(rows=100, key=3),
    "resize up": lambda space: people(space) >> ResizeRows(rows=150, key=3),
}
PERSON_CHAINS: dict[str, Step] = {
    "join persons": lambda space: space >> JoinPersons(first=visits(space), second=people(space) >> SummarizePersons(summaries={"oldest": "max(age)"}), rows=2, key=5),
    "sums": _summaries(n="count(*)", m="count(cost)", k="count(distinct ward)", s="sum(minutes)", t="sum(free)"),
    "sums of reals": _summaries(s="sum(cost)", m="mean(cost)", n="mean(minutes)"),
    "ends": _summaries(a="min(minutes)", b="max(cost)", c="min(ward)", d="max(day)", e="min(paid)", f="max(paid)"),
    "medians": _summaries(a="median(minutes)", b="median(cost)", c="median(day)", d="quantile(minutes, 0.9)", e="quantile(free, 0)"),
    "median of large": _summaries(a="median(free)"),
    "modes": _summaries(a="mode(ward)", b="mode(minutes)", c="mode(paid)"),
    "first and last": _summaries(a="first(minutes, day)", b="last(ward, minutes)", c="first(cost, ward)", d="any_value(ward)"),
    "by key": lambda space: visits(space) >> SummarizePersons(keys=("ward",), summaries={"n": "count(*)", "s": "sum(minutes)"}),
    "rows of groups": lambda space: visits(space) >> RowsOfGroups(grouping=evolve(WARDS, caps=Caps(groups=1, rows_per_group=2))),
    "other group": lambda space: visits(space) >> RowsOfGroups(grouping=evolve(WARDS, groups=(("a",), ("b",), ("rest",)), other=("rest",), caps=Caps(rows=3))),
}  # fmt: skip
CHAINS = [(ROWS_DATABASE, name, step) for name, step in ROWS_CHAINS.items()]
CHAINS += [(PERSONS_DATABASE, name, step) for name, step in PERSON_CHAINS.items()]


@pytest.mark.parametrize(("space", "name", "step"), CHAINS, ids=[name for _, name, _ in CHAINS])
def test_a_chain_of_nodes_gives_the_same_rows(
    space: Space, name: str, step: Step, reference: Opened, other: Opened
) -> None:
    def found(opened: Opened) -> list[Any]:
        return opened.rows(step(space).run(database(opened)).relation)

    assert found(other) == found(reference) != []


CAPS = [
    Caps(rows=1),
    Caps(rows=3),
    Caps(groups=1, rows_per_group=1),
    Caps(groups=2, rows_per_group=2, rows=3),
    Caps(rows_per_group=1),
    Caps(groups=2),
    Caps(by={"ward": {"groups": 1, "rows_per_group": 1}}),
    Caps(by={"ward": {"groups": 1}}, rows=5),
]
USED = [["minutes"], ["cost", "paid"], ["day", "free"], list(VISITS)[2:]]


@pytest.mark.parametrize("used", USED, ids=str)
@pytest.mark.parametrize("caps", CAPS, ids=str)
def test_caps_keep_the_same_rows(caps: Caps, used: list[str], reference: Opened, other: Opened) -> None:
    """The keyed hash has one canonical encoding of every type, so that ranks are the same everywhere."""

    def kept(opened: Opened) -> list[Any]:
        source = database(opened).tables["visits"]
        return opened.rows(cap(source, caps, person="id", groups=["ward"], used=used, key=2**62 + 12345))

    assert kept(other) == kept(reference) != []


UNCAPPED = {name: (space, grouping) for name, (space, grouping) in GROUPINGS.items() if not name.startswith("months")}
ASKED = [(asked, at) for asked, (space, _) in UNCAPPED.items() for at in range(len(chosen(space)))]


@pytest.mark.parametrize(("asked", "at"), ASKED)
def test_every_statistic_of_every_group_is_the_same_integer(
    asked: str, at: int, reference: Opened, other: Opened
) -> None:
    space, grouping = UNCAPPED[asked]
    measured = chosen(space)[at]

    def exact(opened: Opened) -> list[Any]:
        source = database(opened)
        queries = grouping.compile(source.tables["visits"], space.metric.id_columns, measured.statistics)  # type: ignore[attr-defined]
        opened.engine.rehearse([query for _, query in queries], Limits(), VISITS)
        rows = Table(relation=source.tables["visits"], engine=source.engine)
        return [(statistic, values.tolist()) for statistic, values in grouping.read(rows, queries).items()]

    assert exact(other) == exact(reference)


POLICIES = {
    "minutes": [NullsReplaced(7), NullsDrawn(), NullsDrawnFromGaussian(30, 10)],
    "cost": [NullsReplaced(0.5), NullsDrawn(), NullsDrawnFromGaussian(0, 3)],
    "ward": [NullsReplaced("b"), NullsDrawnFromCategories()],
}


@pytest.mark.parametrize(("name", "policy"), [(name, each) for name, items in POLICIES.items() for each in items])
def test_nulls_are_replaced_by_the_same_values(name: str, policy: Any, reference: Opened, other: Opened) -> None:
    bounds = {"minutes": (0, 60), "cost": (-10, 10)}.get(name)
    described: dict[str, Any] = {"id": column("integer"), "day": column("date"), "free": column("integer")}
    kind = VISITS[name].kind
    more = {"categories": ("a", "b", "c")} if name == "ward" else {"bounds": bounds}
    described[name] = column(kind, nulls=policy, **more)

    def filled(opened: Opened) -> list[Any]:
        read = {each: item.column for each, item in described.items()}
        return opened.rows(fill_nulls(opened.table("visits", read), described, key=99))

    assert filled(other) == filled(reference) != []


def test_many_listed_groups_are_found_in_the_same_rows(reference: Opened, other: Opened) -> None:
    groups = [(f"w{number}", number) for number in range(300)] + [("a", 5), ("ä\"'\\", -(2**63)), ("b", 17)]

    def found(opened: Opened) -> list[Any]:
        source = database(opened).tables["visits"].select("ward", "minutes", "free")
        return opened.rows(source.filter(in_groups(source, ["ward", "minutes"], groups)))

    assert found(other) == found(reference)


def test_a_column_of_every_kind_is_hashed_alike(reference: Opened, other: Opened) -> None:
    kinds = {
        "whole": "integer",
        "real": "real",
        "truth": "boolean",
        "words": "text",
        "day": "date",
        "moment": "timestamp",
    }
    known: dict[str, Any] = {"row": Column(kind="integer"), **{name: Column(kind=kind) for name, kind in kinds.items()}}  # type: ignore[arg-type]

    def kept(opened: Opened) -> list[Any]:
        return opened.rows(
            cap(opened.table("edges", known), Caps(rows=2), person="truth", groups=["words"], used=list(known), key=1)
        )

    assert kept(other) == kept(reference) != []
