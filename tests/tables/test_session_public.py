"""Public tables joined to the rows of a session: keys that repeat, rows without a partner, keys without rows."""

from typing import Any

import duckdb
import pandas as pd
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError
from privet.tables.relations.caps import Caps
from tests.laws.replay import replayed
from tests.tables.opened import database_of

COLUMNS = {
    "id": pv.column("integer"),
    "ward": pv.column("text"),
    "day": pv.column("integer", bounds=(0, 6)),
    "minutes": pv.column("integer", bounds=(0, 60)),
}
ROWS = [
    {"id": number % 3, "ward": ward, "day": number % 2, "minutes": number} for number, ward in enumerate("aabbcaab?")
] + [{"id": 1, "ward": None, "day": 0, "minutes": 9}]
DOCTORS = [
    {"ward": "a", "doctor": "x"},
    {"ward": "a", "doctor": "y"},
    {"ward": "b", "doctor": "x"},
    {"ward": "d", "doctor": "z"},
    {"ward": None, "doctor": "x"},
]
PRICES = [{"ward": ward, "day": day, "price": 10 * day + len(ward)} for ward in ("a", "b", "d") for day in (0, 1, 1)]


def opened(unit: Any, rows: Any = None) -> pv.Session:
    with replayed(seed=5):
        return pv.Session(
            ROWS if rows is None else rows, pv.Codebook(columns=COLUMNS, unit=unit), pv.budget(epsilon=1000)
        )


def exact(session: pv.Session, query: Any) -> list[list[int]]:
    grouping = query.grouped.grouping
    table = query.grouped.query.chain.run(database_of(session))
    found = []
    for aggregate in query.aggregates.values():
        measured = aggregate.measured()
        reading = grouping.compile(table.relation, query.grouped.query.id_columns, measured.statistics)
        found.append(measured.exact(grouping.read(table, reading), len(grouping.groups)).tolist())
    return found


def in_duckdb(text: str) -> Any:
    visits, doctors, prices = (pd.DataFrame(rows) for rows in (ROWS, DOCTORS, PRICES))
    with duckdb.connect() as connection:
        for name, frame in {"visits": visits, "doctors": doctors, "prices": prices}.items():
            connection.register(name, frame)
        return connection.execute(text).fetchall()


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Persons("id", rows=100)])
@pytest.mark.parametrize("how", ["inner", "left"])
def test_a_join_that_fans_out_is_that_of_sql(unit: Any, how: Any) -> None:
    session = opened(unit)
    query = session.query().join_public(DOCTORS, on="ward", how=how)
    groups = ["x", "y", "z"]
    found = exact(session, query.group_by("doctor", groups=groups).agg(pv.count()))[0]
    wanted = dict(in_duckdb(f"SELECT doctor, count(*) FROM visits {how} JOIN doctors USING (ward) GROUP BY doctor"))
    assert found == [wanted.get(group, 0) for group in groups]
    assert exact(session, query.agg(pv.count())) == [[sum(wanted.values())]]


@pytest.mark.parametrize("how", ["inner", "left"])
def test_several_columns_are_matched_together(how: Any) -> None:
    session = opened(pv.Rows())
    query: Any = session.query().join_public(PRICES, on=["ward", "day"], how=how).agg(pv.count(), pv.count("price"))
    wanted = in_duckdb(f"SELECT count(*), count(price) FROM visits {how} JOIN prices USING (ward, day)")
    assert exact(session, query) == [[wanted[0][0]], [wanted[0][1]]]
    assert query.contribution.l1 == 2  # two prices on day 1


def test_a_right_join_gives_the_public_keys_as_groups() -> None:
    """Keys without rows are groups of zero; rows without a public key count nowhere."""
    session = opened(pv.Persons("id", rows=100))
    query = session.query().join_public(DOCTORS, on="ward", how="right").group_by("ward").agg(pv.count("minutes"))
    assert query.grouped.groups == (("a",), ("b",), ("d",))
    text = "SELECT ward, count(minutes) FROM visits RIGHT JOIN doctors USING (ward) GROUP BY ward"
    wanted = dict(in_duckdb(text))
    assert exact(session, query)[0] == [wanted[ward] for ward in "abd"]


def test_null_is_no_group_behind_a_right_join() -> None:
    columns = {**COLUMNS, "ward": pv.column("text", categories=("a", "b"), nulls=pv.NullsAsCategory())}
    planner = pv.Planner(pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=1))
    assert planner.query().group_by("ward").groups == (("a",), ("b",), (None,))
    joined = planner.query().join_public(DOCTORS, on="ward", how="right")
    assert joined.group_by("ward").groups == (("a",), ("b",), ("d",))


def test_rows_pay_for_all_that_they_become_and_persons_for_their_caps() -> None:
    rows: Any = opened(pv.Rows(count=2)).query().join_public(DOCTORS, on="ward").agg(pv.count())
    assert rows.contribution.l1 == 4
    query = opened(pv.Persons("id", rows=3)).query().join_public(DOCTORS, on="ward")
    assert query.effective_caps == Caps(rows=6)
    fewer: Any = query.cap(rows=2).agg(pv.count())
    assert fewer.contribution.l1 == 2
    once = opened(pv.Persons("id", rows=3)).query().join_public(DOCTORS[1:4], on="ward")
    assert once.effective_caps == Caps(rows=3)
    each = opened(pv.Persons("id", rows=3)).query().summarize("ward", n="count(*)")
    assert each.join_public(DOCTORS, on="ward").one_row_by is None
    assert "up to 2 rows for each" in query.agg(pv.count()).describe(epsilon=1)
    assert "one row may become several, so up to 6 rows of a person count" in query.agg(pv.count()).describe(epsilon=1)


@pytest.mark.parametrize("unit", [pv.Rows(), pv.Persons("id", rows=2), pv.Persons("id", rows_per_group=1, groups=2)])
def test_neighbours_move_no_further_than_planned(unit: Any) -> None:
    """Each row, or each person, taken away in turn: no number moves further than one unit may."""
    ways = [ROWS[:at] + ROWS[at + 1 :] for at in range(len(ROWS))]
    if isinstance(unit, pv.Persons):
        ways = [[row for row in ROWS if row["id"] != person] for person in range(3)]

    def ask(session: pv.Session) -> Any:
        joined = session.query().join_public(DOCTORS, on="ward", how="left")
        return joined.group_by("doctor", groups=["x", "y", "z"]).agg(pv.count(), pv.sum("minutes"))

    whole = opened(unit)
    query, before = ask(whole), exact(whole, ask(whole))
    for rows in ways:
        session = opened(unit, rows)
        for aggregate, first, second in zip(
            query.aggregates.values(), before, exact(session, ask(session)), strict=True
        ):
            moved = sum(abs(one - other) for one, other in zip(first, second, strict=True))
            assert moved <= aggregate.measured().distance(query.contribution, 3).l1
        session.close()


@pytest.mark.parametrize("how", ["inner", "left", "right"])
def test_files_keep_how_rows_are_matched(how: Any) -> None:
    columns = {"ward": pv.column("text"), "doctor": pv.column("text")}
    session = opened(pv.Persons("id", rows=2))
    query: Any = session.query().join_public(DOCTORS, columns, on="ward", how=how).agg(pv.count())
    again = session.read_query(query.to_yaml())
    assert again.to_yaml() == query.to_yaml()
    assert again.contribution == query.contribution
    assert exact(session, again) == exact(session, query)
    assert ("how" in query.to_yaml()) == (how != "inner")


def test_what_cannot_be_matched_is_refused() -> None:
    session = opened(pv.Rows())
    with pytest.raises(InvalidError, match="how must be one of inner, left, right"):
        session.query().join_public(DOCTORS, on="ward", how="full")  # type: ignore[arg-type]
    with pytest.raises(PrivetError, match="make 2,000 rows of one"):
        session.query().join_public([{"ward": "a", "x": 1}] * 2_000, on="ward")
