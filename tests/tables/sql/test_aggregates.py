"""Aggregates in SQL: each spelling asks what the builder asks, and bounds within calls are honoured or refused."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.errors import InvalidError
from privet.tables.aggregates.sum_by_person import sum_by_person
from privet.tables.columns.unit import Persons, Rows
from privet.tables.session.session import Session
from privet.tables.sql.read import SqlQuery
from tests.tables.hospital import exact, open_hospital
from tests.tables.sql.public_query import aggregates_of


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


ONE: list[tuple[str, Any]] = [
    ("MEDIAN(minutes)", pv.median("minutes")),
    ("QUANTILE_CONT(minutes, 0.9)", pv.quantile("minutes", 0.9)),
    ("QUANTILE_DISC(minutes, 0.9)", pv.quantile("minutes", 0.9)),
    ("QUANTILE(minutes, 0.9)", pv.quantile("minutes", 0.9)),
    ("PERCENTILE_CONT(minutes, 0.9)", pv.quantile("minutes", 0.9)),
    ("APPROX_QUANTILE(minutes, 0.9)", pv.quantile("minutes", 0.9)),
    ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY minutes)", pv.quantile("minutes", 0.9)),
    ("PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY minutes ASC)", pv.quantile("minutes", 0.9)),
    ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY minutes DESC)", pv.quantile("minutes", Fraction(1, 10))),
    ("QUANTILE_CONT(minutes, [0.25, 0.5])", pv.quantiles("minutes", [0.25, 0.5])),
    ("APPROX_QUANTILES(minutes, 2)", pv.quantiles("minutes", [0, 0.5, 1])),
    ("MIN(minutes)", pv.minimum("minutes")),
    ("MAX(cost)", pv.maximum("cost")),
    ("VAR_POP(minutes)", pv.variance("minutes", ddof=0)),
    ("VAR_SAMP(minutes)", pv.variance("minutes")),
    ("STDDEV_POP(minutes)", pv.std("minutes", ddof=0)),
    ("CORR(minutes, cost)", pv.correlation("minutes", "cost")),
    ("COVAR_POP(minutes, cost)", pv.covariance("minutes", "cost", ddof=0)),
    ("COVAR_SAMP(minutes, cost)", pv.covariance("minutes", "cost")),
    ("MODE(ward)", pv.mode("ward")),
    ("MODE() WITHIN GROUP (ORDER BY ward)", pv.mode("ward")),
    ("APPROX_TOP_K(ward, 2)", pv.top_k("ward", 2)),
    ("COUNT(DISTINCT patient)", pv.count_ids()),
    ("APPROX_COUNT_DISTINCT(patient)", pv.count_ids()),
    ("COUNT(DISTINCT minutes)", pv.count_distinct("minutes")),
    ("APPROX_COUNT_DISTINCT(minutes)", pv.count_distinct("minutes")),
    ("COUNT(patient)", pv.count("patient")),
]
PRIVATE: list[tuple[str, Any]] = [
    ("SUM(minutes, contribution_bounds_per_row => (0, 10))", pv.sum("minutes", bounds=(0, 10))),
    ("AVG(cost, contribution_bounds_per_row => (-0.5, 4))", pv.mean("cost", bounds=(-0.5, 4))),
    ("VAR_POP(minutes, contribution_bounds_per_row => (0, 10))", pv.variance("minutes", bounds=(0, 10), ddof=0)),
    (
        "PERCENTILE_CONT(minutes, 0.5, contribution_bounds_per_row => (0, 10))",
        pv.quantile("minutes", 0.5, bounds=(0, 10)),
    ),
    ("APPROX_QUANTILES(minutes, 100)[OFFSET(50)]", pv.quantile("minutes", 0.5)),
    ("APPROX_QUANTILES(minutes, 4)[ORDINAL(2)]", pv.quantile("minutes", 0.25)),
    (
        "APPROX_QUANTILES(minutes, 4, contribution_bounds_per_row => (0, 9))[OFFSET(1)]",
        pv.quantile("minutes", 0.25, bounds=(0, 9)),
    ),
    ("ANON_COUNT(*)", pv.count()),
    ("ANON_VAR_POP(minutes CLAMPED BETWEEN 0 AND 10)", pv.variance("minutes", bounds=(0, 10), ddof=0)),
    ("ANON_STDDEV_POP(minutes CLAMPED BETWEEN 0 AND 10)", pv.std("minutes", bounds=(0, 10), ddof=0)),
    ("ANON_PERCENTILE_CONT(minutes, 0.5 CLAMPED BETWEEN 0 AND 10)", pv.quantile("minutes", 0.5, bounds=(0, 10))),
    ("ANON_QUANTILES(minutes, 2 CLAMPED BETWEEN 0 AND 10)", pv.quantiles("minutes", [0, 0.5, 1], bounds=(0, 10))),
    ("COUNT(*, contribution_bounds_per_group => (0, 3))", pv.count()),
    ("COUNT(DISTINCT patient, contribution_bounds_per_group => (0, 1))", pv.count_ids()),
    ("COUNT(patient, contribution_bounds_per_group => (-1, 5))", pv.count("patient")),
]


@pytest.mark.parametrize(("call", "aggregate"), ONE, ids=[call for call, _ in ONE])
def test_a_call_asks_what_the_builder_asks(session: Session, call: str, aggregate: Any) -> None:
    query = session.sql(f"SELECT ward, {call} AS x FROM visits GROUP BY ward").query
    built = session.query().group_by("ward").agg(x=aggregate)
    assert query.aggregates == built.aggregates
    assert exact(session, query) == exact(session, built)


@pytest.mark.parametrize(("call", "aggregate"), PRIVATE, ids=[call for call, _ in PRIVATE])
def test_bounds_within_calls(session: Session, call: str, aggregate: Any) -> None:
    query = session.sql(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) {call} AS x FROM visits").query
    assert query.aggregates == session.query().agg(x=aggregate).aggregates


def test_another_call_is_told_apart(session: Session) -> None:
    query = session.sql("SELECT QUANTILE_CONT(minutes, 0.9) AS x FROM visits").query
    assert query.aggregates != session.query().agg(x=pv.quantile("minutes", 0.8)).aggregates
    bounded = session.sql("SELECT SUM(minutes, contribution_bounds_per_row => (0, 10)) AS x FROM visits").query
    assert bounded.aggregates != session.query().agg(x=pv.sum("minutes")).aggregates


@pytest.mark.parametrize(
    "call", ["AVG(minutes, contribution_bounds_per_group => (0, 10))", "ANON_AVG(minutes CLAMPED BETWEEN 0 AND 10)"]
)
def test_a_mean_of_persons_is_of_one_row_for_each_person(session: Session, call: str) -> None:
    text = "SELECT WITH ANONYMIZATION OPTIONS(epsilon=1{}) {} AS x FROM visits"
    query = aggregates_of(session.sql(text.format("", call)))
    built = session.query().summarize(mean_minutes="mean(minutes)").agg(x=pv.mean("mean_minutes", bounds=(0, 10)))
    assert query.aggregates == built.aggregates
    assert query.contribution.l1 == 1
    query = aggregates_of(session.sql(text.format(", max_rows_per_group=1", call)))
    assert query.aggregates == session.query().agg(x=pv.mean("minutes", bounds=(0, 10))).aggregates


@pytest.mark.parametrize(
    ("call", "derived"),
    [
        ("SUM(minutes, contribution_bounds_per_group => (0, 10))", "minutes"),
        ("ANON_SUM(minutes CLAMPED BETWEEN 0 AND 10)", "minutes"),
        ("COUNT(*, contribution_bounds_per_group => (0, 10))", "1 + 0 * patient"),
        ("COUNT(minutes, contribution_bounds_per_group => (0, 10))", "case when minutes is not null then 1 end"),
        ("ANON_COUNT(* CLAMPED BETWEEN 0 AND 10)", "case when patient is null then 0 else 1 end"),
    ],
)
def test_bounds_of_a_persons_share_clamp_totals(call: str, derived: str) -> None:
    opened = open_hospital(Persons(id="patient", groups=2, rows_per_group=20))
    query = opened.sql(f"SELECT WITH ANONYMIZATION OPTIONS(epsilon=1) ward, {call} AS x FROM visits GROUP BY ward")
    built: Any = opened.query().derive(y=derived).group_by("ward").agg(x=sum_by_person("y", bounds=(0, 10)))
    assert aggregates_of(query).contribution == built.contribution
    assert exact(opened, query.query) == exact(opened, built)


@pytest.mark.parametrize(
    "call",
    [
        "SUM(spent, contribution_bounds_per_group => (10, 50)) FILTER (WHERE shop = 'a')",
        "SUM(CASE WHEN shop = 'a' THEN spent END, contribution_bounds_per_group => (10, 50))",
        "30 * COUNT(*, contribution_bounds_per_group => (1, 2)) FILTER (WHERE shop = 'a')",
        "30 * COUNT(CASE WHEN shop = 'a' THEN spent END, contribution_bounds_per_group => (1, 2))",
        "30 * COUNT_IF(shop = 'a', contribution_bounds_per_group => (1, 2))",
    ],
)
def test_a_person_without_rows_that_count_adds_nothing(call: str) -> None:
    columns = {
        "id": pv.column("integer"),
        "shop": pv.column("text", categories=("a", "b")),
        "spent": pv.column("integer", bounds=(0, 100)),
    }
    book = pv.Codebook(table="t", columns=columns, unit=Persons(id="id", rows=1))
    rows = [{"id": n, "shop": "ab"[n % 2], "spent": 30} for n in range(100)]
    answer = Session(rows, book, pv.budget(epsilon=10**9)).sql(f"SELECT {call} AS x FROM t").release(epsilon=10**8)
    assert round(answer.values("x")[0]) == 1500


@pytest.mark.parametrize(
    ("call", "derived", "aggregate"),
    [
        ("COUNT(*) FILTER (WHERE minutes > 9)", "case when minutes > 9 then 1 end", pv.count("x")),
        ("COUNT_IF(minutes > 9)", "case when minutes > 9 then 1 end", pv.count("x")),
        (
            "COUNT_IF(minutes > 9) FILTER (WHERE cost < 3)",
            "case when minutes > 9 and cost < 3 then 1 end",
            pv.count("x"),
        ),
        ("COUNT(cost) FILTER (WHERE minutes > 9)", "case when minutes > 9 then cost end", pv.count("x")),
        ("SUM(minutes) FILTER (WHERE ward = 'a')", "case when ward = 'a' then minutes end", pv.sum("x")),
        ("MEDIAN(minutes) FILTER (WHERE ward = 'a')", "case when ward = 'a' then minutes end", pv.median("x")),
        ("MODE(ward) FILTER (WHERE minutes > 9)", "case when minutes > 9 then ward end", pv.mode("x")),
        ("COUNT(DISTINCT ward) FILTER (WHERE cost < 1)", "case when cost < 1 then ward end", pv.count_distinct("x")),
        ("AVG(minutes * 2)", "minutes * 2", pv.mean("x")),
    ],
)
def test_a_filter_is_a_column_that_is_null_elsewhere(session: Session, call: str, derived: str, aggregate: Any) -> None:
    query = session.sql(f"SELECT {call} AS y FROM visits").query
    built = session.query().derive(x=derived).agg(y=aggregate)
    assert exact(session, query) == exact(session, built)
    assert query.plan(epsilon=1).loss == built.plan(epsilon=1).loss


def test_rows_that_are_protected_one_by_one_have_no_persons() -> None:
    opened = open_hospital(Rows())
    query = opened.sql("SELECT COUNT(DISTINCT patient) AS x FROM visits").query
    assert query.aggregates == {"x": pv.count_distinct("patient")}


def test_options_set_caps() -> None:
    opened = open_hospital(Persons(id="patient"))
    options = "max_groups_contributed=2, max_rows_per_group=4"
    text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({}) ward, COUNT(*) AS n FROM visits GROUP BY ward"
    assert aggregates_of(opened.sql(text.format(options))).contribution == pc.Contribution(l0=2, l1=8, linf=4)
    assert aggregates_of(opened.sql(text.format("max_rows_contributed=5"))).contribution.l1 == 5
    assert (
        aggregates_of(opened.sql(text.format(f"group_selection_strategy=PUBLIC_GROUPS, {options}"))).contribution.l0
        == 2
    )


def test_several_quantiles_are_several_columns(session: Session) -> None:
    text = "SELECT QUANTILE_CONT(minutes, [0.25, 0.5]) AS q, APPROX_TOP_K(ward, 2) AS t FROM visits HAVING q_0 < 1"
    with pytest.raises(InvalidError, match="q_0"):
        session.sql(text)
    answer = session.sql(text.replace("q_0", '"q_0.25"').replace("< 1", "< 60")).release(epsilon=100)
    assert answer.names == ("q_0.25", "q_0.5", "t_1", "t_2")
    assert set(answer.values("t_1")) <= {"a", "b", "c"}


def test_listed_groups_and_the_rest() -> None:
    columns = {"person": pv.column("integer"), "doctor": pv.column("text")}
    book = pv.Codebook(table="visits", columns=columns, unit=pv.Persons(id="person", rows=1))
    rows = [{"person": n, "doctor": "abc"[n % 3]} for n in range(30)]
    session = pv.Session(rows, book, pv.InfiniteBudget())
    text = "SELECT doctor, COUNT(*) AS n FROM visits GROUP BY doctor"
    answer = session.sql(text, groups=["a", "b"], other="rest").release(epsilon=10**9)
    assert answer.values("doctor") == ["a", "b", "rest"]
    assert answer.values("n") == [10, 10, 10]
    with pytest.raises(InvalidError, match="no GROUP BY"):
        session.sql("SELECT COUNT(*) AS n FROM visits", groups=["a"]).release(epsilon=1)
    with pytest.raises(InvalidError, match="not known"):
        session.sql(text).release(epsilon=1)


CLAUSE = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1000000{}) "


def shops() -> Session:
    """Person 0 has nine rows of 90, all others one of 10."""
    columns = {
        "id": pv.column("integer"),
        "shop": pv.column("text", categories=("a",)),
        "spent": pv.column("integer", bounds=(0, 100)),
    }
    book = pv.Codebook(table="t", columns=columns, unit=Persons(id="id", rows=9))
    rows = [{"id": 0, "shop": "a", "spent": 90}] * 9 + [{"id": n, "shop": "a", "spent": 10} for n in range(1, 10)]
    return Session(rows, book, pv.budget(epsilon=10**9))


def test_a_plain_average_under_bigquerys_clause_is_that_of_persons() -> None:
    session = shops()
    release = session.sql(f"{CLAUSE.format('')}AVG(spent) AS m, 2 * AVG(spent) AS twice FROM t").release()
    assert release.values("m")[0] == pytest.approx(18, abs=0.01)  # one person of 90, nine of 10
    assert release.values("twice")[0] == pytest.approx(36, abs=0.02)
    assert any("AVG of persons" in note for note in release.notes)
    for beside in ("MEDIAN(spent)", "SUM(spent)", "AVG(spent, contribution_bounds_per_row => (0, 9))"):
        with pytest.raises(InvalidError, match="beside an AVG of persons"):
            session.sql(f"{CLAUSE.format('')}AVG(spent) AS m, {beside} AS x FROM t")
    assert (
        round(session.sql("SELECT AVG(spent) AS m FROM t").release(epsilon=10**6).values("m")[0]) == 50
    )  # no clause: rows


def test_what_an_average_means_is_said_in_a_plan_and_in_a_batch_too() -> None:
    session = shops()
    statement = session.sql("SELECT WITH DIFFERENTIAL_PRIVACY shop, AVG(spent) AS m FROM t GROUP BY shop")
    assert isinstance(statement, SqlQuery)
    assert "note: AVG of persons" in statement.describe_plan(statement.plan(epsilon=1))
    assert statement.describe(epsilon=1).count("AVG of persons") == 1
    batch = session.batch(averages=statement, rows=session.sql("SELECT COUNT(*) AS n FROM t"))
    assert batch.describe(epsilon=1).count("note: AVG of persons") == 1
    release = batch.release(epsilon=10**6)
    assert release["averages"].values("m")[0] == pytest.approx(18, abs=0.01)
    assert [sum("AVG of persons" in note for note in each.notes) for each in release.values()] == [1, 0]


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        (f"{CLAUSE.format('')}AVG(spent, contribution_bounds_per_row => (0, 100)) AS m FROM t", 50),
        (
            (
                f"{CLAUSE.format(', max_rows_per_group=1')}AVG(x) AS m "
                "FROM (SELECT id, shop, AVG(spent) AS x FROM t GROUP BY id, shop)"
            ),
            18,
        ),
    ],
)
def test_both_averages_can_be_written(text: str, mean: int) -> None:
    assert round(shops().sql(text).release().values("m")[0]) == mean
