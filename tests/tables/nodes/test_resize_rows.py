"""A table of exactly so many rows: a fair sample, or public rows beside them."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, PrivetError
from privet.tables.columns.column import Column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.relations.table_space import RowDistance, TableDomain
from tests.laws import Case, Twin
from tests.noise.chi_square import chi_square_upper
from tests.tables.files.examples import planner
from tests.tables.nodes.spaces import PERSONS, ROWS, rows_of
from tests.tables.nodes.twins import ChargedOnce, written

THREE = ResizeRows(rows=3, fill={"minutes": 7, "ward": "b", "cost": 0.25, "paid": True, "day": "2024-02-01"}, key=7)
FIVE = ResizeRows(rows=5, key=7)
CASES = [
    Case(name="resize to three rows", chain=ROWS >> THREE),
    Case(name="resize to five rows", chain=ROWS >> FIVE),
    Case(name="resize to one row", chain=ROWS >> ResizeRows(rows=1, key=2**62)),
    Case(name="resize to many rows", chain=ROWS >> ResizeRows(rows=40, fill={"free": -1}, key=7)),
    Case(
        name="filter, resize, filter",
        chain=ROWS >> FilterRows(condition="minutes > 5") >> FIVE >> FilterRows(condition="paid"),
    ),
    Case(name="resize twice", chain=ROWS >> FIVE >> THREE),
]
ALL = "SELECT * FROM {rows} AS r"
NOTHING = "CAST(NULL AS BIGINT), NULL, NULL, NULL, NULL, NULL, NULL"


@frozen
class HalfOfEach(ChargedOnce):
    """Claims half of the map."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(d_in)


TWINS = [
    Twin(law="map", case=Case(name="resize charged once", chain=ROWS >> HalfOfEach(FIVE))),
    written("resize by every second row", ROWS, ResizeRows(rows=4, key=7),
            f"{ALL} QUALIFY row_number() OVER (ORDER BY minutes, ward, id, cost, free, paid, day) % 2 = 0"),
    written("resize by a constant share", ROWS, FIVE,
            f"{ALL} QUALIFY row_number() OVER (ORDER BY minutes, ward, id) <= count(*) OVER () / 2"),
    written("resize by repeating rows", ROWS, FIVE, f"{ALL} UNION ALL {ALL} UNION ALL {ALL}"),
    written("resize filled from the data", ROWS, THREE,
            f"{ALL} UNION ALL SELECT max(id), NULL, CAST(avg(minutes) AS BIGINT), NULL, count(*), NULL, NULL "
            "FROM {rows} AS q, range(3)"),
    written("resize that asserts its size", ROWS, FIVE,
            f"{ALL} WHERE CASE WHEN (SELECT count(*) FROM {{rows}} AS q) > 3 THEN error('too many') ELSE TRUE END",
            "parity"),
]  # fmt: skip
NUMBERS = Space(TableDomain(columns={"x": Column(kind="integer", bounds=(0, 99))}), RowDistance())


def kept(values: list[Any], rows: int, key: int, **fill: Any) -> list[Any]:
    chain = NUMBERS >> ResizeRows(rows=rows, fill=fill or None, key=key)
    return [row[0] for row in rows_of(chain([{"x": value} for value in values]))]


@pytest.mark.parametrize("rows", [1, 3, 4, 7])
def test_there_are_exactly_so_many_rows(rows: int) -> None:
    for values in ([], [1], [1, 2, 3, 4], [5] * 9, [None] * 4, list(range(30))):
        found = Counter(kept(values, rows, 7, x=40))
        assert found.total() == rows
        assert found - Counter([40] * rows) <= Counter(values), "no row is made of others"
        assert (found - Counter(values)).total() == max(rows - len(values), 0)


def test_added_rows_are_null_unless_they_are_filled() -> None:
    assert kept([3], 3, 7) == [3, None, None]
    output: Any = (NUMBERS >> ResizeRows(rows=3, fill={"x": 1}, key=7)).output.domain
    assert output.columns["x"].nullable == NUMBERS.domain.columns["x"].nullable  # type: ignore[attr-defined]


def fair(choose: Any, values: list[int], draws: int = 160) -> float:
    """The p-value of the counts of pairs of places that stay, where equal rows are told apart by a place of theirs."""
    counts: Counter[Any] = Counter(tuple(sorted(choose(values, key))) for key in range(1, draws + 1))
    places = list(product(range(len(values)), repeat=2))
    subsets = Counter(tuple(sorted((values[a], values[b]))) for a, b in places if a < b)
    total = sum(subsets.values())
    assert set(counts) <= set(subsets)
    expected = {pair: often / total * draws for pair, often in subsets.items()}
    statistic = sum((counts[pair] - often) ** 2 / often for pair, often in expected.items())
    return chi_square_upper(statistic, len(expected) - 1)


def test_every_subset_is_equally_likely_and_equal_rows_are_no_block() -> None:
    """160 keys: blocks of equal rows add about 100 to a statistic that a fair choice brings to 45 once in a billion."""
    values = [1, 2, 2, 2, 9]
    assert fair(lambda rows, key: many(rows, 2, key), values) > 1e-9
    assert fair(lambda rows, _: sorted(rows)[:2], values) < 1e-9, "the smallest rows"
    by_content = np.random.default_rng(5)

    def block(rows: list[int], _: int) -> list[int]:
        order = {value: by_content.random() for value in set(rows)}
        return sorted(rows, key=lambda value: order[value])[:2]

    assert fair(block, values) < 1e-9, "equal rows that share a hash stay or go together"


ENGINE: dict[str, Any] = {}


def many(values: list[int], rows: int, key: int) -> list[int]:
    """As ``kept``, in one engine."""
    if not ENGINE:
        ENGINE["table"] = NUMBERS.domain.admit([{"x": value} for value in values])
    table = (NUMBERS >> ResizeRows(rows=rows, key=key)).run(ENGINE["table"])
    return list(table.engine.execute(table.relation)["x"])


def test_the_same_rows_stay_whatever_their_order() -> None:
    values = [7, 7, 7, 1, 2, None, None, 3]
    assert kept(values, 4, 7) == kept(values[::-1], 4, 7)
    assert len({tuple(kept(values, 4, key)) for key in range(12)}) > 3, "another session keeps others"


def test_a_negative_zero_is_a_zero() -> None:
    space = Space(TableDomain(columns={"x": Column(kind="real", bounds=(-1, 1))}), RowDistance())
    found = [
        rows_of((space >> ResizeRows(rows=2, key=7))([{"x": zero} for zero in row]))
        for row in ([0.0, -0.0, 0.0], [-0.0, 0.0, -0.0])
    ]
    assert found[0] == found[1]


def session(rows: Any, unit: Any = None) -> pv.Session:
    columns = {
        "id": pv.column("integer"),
        "x": pv.column("integer", bounds=(0, 99)),
        "day": pv.column("date", bounds=("2024-01-01", "2024-12-31")),
    }
    return pv.Session(rows, pv.Codebook(columns=columns, unit=unit or pv.Rows()), pv.budget(epsilon=10**9))


def test_the_mean_of_a_session_is_that_of_a_fair_sample() -> None:
    """50 of 0 .. 99: each mean has deviation 2.9, so that of 8 lies within 6.3 except with probability 1e-9."""
    rows = [{"id": n, "x": n} for n in range(100)]
    means = [
        session(rows).query().resize(50).agg(m=pv.mean("x")).release(epsilon=10**6).values("m")[0] for _ in range(8)
    ]
    assert abs(float(np.mean(means)) - 49.5) < 6.3, "the smallest rows have a mean of 24.5"


def test_a_resized_query_costs_twice() -> None:
    query = session([]).query()
    plain, resized = (each.agg(pv.sum("x")).plan(epsilon=1).planned[0].noise.scale for each in (query, query.resize(9)))
    assert resized == 2 * plain
    twice = query.resize(9).resize(4).agg(pv.sum("x")).plan(epsilon=1).planned[0].noise.scale
    assert twice == 4 * plain


def test_a_query_says_that_it_is_resized_and_is_written() -> None:
    query = session([]).query().resize(1200, fill={"x": 5, "day": "2024-02-03"})
    assert "resize to 1,200 rows, added rows have x = 5, day = 2024-02-03" in repr(query)
    door = session([])
    text = door.query().resize(1200, fill={"x": 5, "day": "2024-02-03"}).agg(pv.count()).to_yaml()
    assert "resize: {rows: 1200" in text.replace("\n", "") or "resize:" in text
    again = door.read_query(text)
    assert again.to_yaml() == text
    assert again.describe(epsilon=1) == door.query().resize(1200, fill={"x": 5, "day": "2024-02-03"}).agg(
        pv.count()
    ).describe(epsilon=1)


def test_a_planner_resizes_without_data() -> None:
    door = planner(pv.Rows())
    assert "resize to 10 rows" in door.query("visits").resize(10).agg(pv.count()).describe(epsilon=1)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda query: query.resize(0), "rows must be from 1 to 1,000,000, got 0"),
        (lambda query: query.resize(10**7), "rows must be from 1 to 1,000,000"),
        (lambda query: query.resize(2.5), "rows"),
        (lambda query: query.resize(3, fill={"nosuch": 1}), "nosuch"),
        (lambda query: query.resize(3, fill={"x": 100}), r"resize.fill\['x'\] must lie within the bounds"),
        (lambda query: query.resize(3, fill={"x": "many"}), r"resize.fill\['x'\] must be a whole number"),
        (lambda query: query.resize(3, fill={"day": "never"}), r"resize.fill\['day'\]"),
        (lambda query: query.resize(3, fill=[1]), "resize.fill must be a dict"),
        (lambda query: query.rename(**{"privet copy": "x"}).resize(3), "begin with 'privet '"),
        (lambda query: query.impute("x", by={"id": 1}).resize(3), "cannot follow impute|impute"),
    ],
)
def test_what_does_not_fit_is_refused(ask: Any, message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        ask(session([]).query())


def test_persons_are_refused() -> None:
    with pytest.raises(InvalidError, match="the unit is persons"):
        PERSONS >> FIVE
    with pytest.raises(InvalidError, match="the unit is persons"):
        session([], pv.Persons("id", rows=3)).query().resize(4)
