"""Several steps in a row, drawn at random: their map is measured as that of one step is."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.tables.aggregates.count import count
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook.column import column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.group_totals import Grouping, GroupTotals
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.relations.caps import Caps
from privet.tables.relations.public_table import PublicTable
from tests.laws.inputs import LAW
from tests.laws.map import _check_pair
from tests.laws.tables import extreme_tables
from tests.tables.nodes.spaces import DATABASES, table

FLOORS = PublicTable(
    source=[{"place": place, "level": level} for level, place in enumerate(("a", "b", ""))],
    described={"place": column("text"), "level": column("integer", bounds=(0, 5))},
    on=("place",),
)
LEVELS = PublicTable(
    source=[{"place": place, "level": level} for place in ("a", "b") for level in (1, 2)],
    described={"place": column("text"), "level": column("integer", bounds=(0, 5))},
    on=("place",),
    most=2,
)
KEYS = tuple((at,) for at in range(4))
OFTEN = settings(LAW, max_examples=5)


def begin(unit: str, name: str) -> Any:
    """A table with the columns that every chain here has: a place and a value, and the owner."""
    space = DATABASES[unit]
    id_columns = {each: f'"{each}"' for each in space.metric.id_columns}  # type: ignore[attr-defined]
    value, place = ("minutes", "ward") if name == "visits" else ("age", "city")
    # both kinds of text without categories, so that a union knows the same of either
    outputs = {**id_columns, "value": value, "place": f"lower({place})"}
    return table(space, name) >> ProjectColumns(outputs=outputs)


@st.composite
def chains(draw: Any, unit: str, depth: int = 3) -> Any:
    """A chain that ends with a value and a place."""
    space = DATABASES[unit]
    id_columns = space.metric.id_columns  # type: ignore[attr-defined]
    kept = {each: f'"{each}"' for each in id_columns} | {"value": "value", "place": "place"}
    chain = begin(unit, draw(st.sampled_from(["visits", "people"])))
    of_persons = ["join", "summarize", "left"]
    steps = ["filter", "derive", "public", "split", "union", *(of_persons if id_columns else ["resize"])]
    for _ in range(draw(st.integers(0, depth))):
        step = draw(st.sampled_from(steps))
        if step == "filter":
            condition = draw(st.sampled_from(["value > 5", "place in ('a', 'b') or value is null", "value % 2 = 0"]))
            chain = chain >> FilterRows(condition=condition)
        elif step == "derive":
            value = draw(st.sampled_from(["value * 2", "60 - value", "case when place = 'a' then 1 else value end"]))
            chain = chain >> ProjectColumns(outputs={**kept, "value": value})
        elif step == "public":
            chain = (
                chain
                >> JoinPublic(public=draw(st.sampled_from([FLOORS, LEVELS])))
                >> ProjectColumns(outputs={**kept, "value": "value + level"})
            )
        elif step == "split":
            chain = chain >> SplitText(name="place", separator="a", most=2, into="place")
        elif step == "union":
            chain = space >> UnionRows(first=chain, second=draw(chains(unit, max(depth - 2, 0))))
        elif step == "resize":
            fill = draw(st.sampled_from([None, {"value": 3}]))
            chain = chain >> ResizeRows(rows=draw(st.integers(1, 4)), fill=fill, key=7)
        elif step == "summarize":
            chain = chain >> SummarizePersons(keys=("place",), summaries={"value": "sum(value)"})
        else:
            names = {**{each: kept[each] for each in id_columns}, "other": "value"}
            second = draw(chains(unit, max(depth - 2, 0))) >> ProjectColumns(outputs=names)
            how: Any = "left" if step == "left" else "inner"
            joined = space >> JoinPersons(first=chain, second=second, rows=draw(st.integers(1, 2)), how=how, key=7)
            chain = joined >> ProjectColumns(outputs={**kept, "value": "coalesce(other, value)"})
    return chain


@st.composite
def questions(draw: Any, unit: str) -> Any:
    """A chain with totals at its end."""
    chain = draw(chains(unit))
    id_columns = {each: f'"{each}"' for each in chain.output.metric.id_columns}
    outputs = {**id_columns, "key": "clip(value, 0, 3)", "value": "clip(value, -20, 70)"}
    caps = draw(st.sampled_from([Caps(rows=2), Caps(groups=2, rows_per_group=1), Caps(rows=3, groups=1)]))
    grouping = Grouping(keys=("key",), groups=KEYS, caps=caps, key=7)
    if draw(st.booleans()):
        grouping = evolve(grouping, groups=KEYS[1:3])
    made = chain >> ProjectColumns(outputs=outputs)
    asked: Any = draw(st.sampled_from([count(), total("value")]))
    measured = asked.bind(made.output.domain.columns).measured()
    return made >> GroupTotals(grouping=grouping, measured=measured)


@pytest.mark.parametrize("unit", DATABASES)
def test_no_chain_moves_further_than_its_map(unit: str) -> None:
    @OFTEN
    @given(questions(unit), st.data())
    def law(chain: Any, data: Any) -> None:
        pairs = list(extreme_tables(chain))
        for pair in data.draw(st.lists(st.sampled_from(pairs), min_size=2, max_size=2)):
            _check_pair(chain, *pair)

    law()


@pytest.mark.parametrize("unit", ["rows", "persons"])
def test_a_chain_of_rows_is_measured_before_its_totals_too(unit: str) -> None:
    @OFTEN
    @given(chains(unit), st.data())
    def law(chain: Any, data: Any) -> None:
        _check_pair(chain, *data.draw(st.sampled_from(list(extreme_tables(chain)))))

    law()
