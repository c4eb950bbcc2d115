# ruff: noqa: E501
"""Forms of statements that people write: stars, places, DISTINCT, constants, unselected aggregates, comments, TOP."""

from collections.abc import Iterator
from time import process_time
from typing import Any

import pytest

from privet.errors import InvalidError
from privet.tables.releases.release import Release
from privet.tables.session.session import Session
from privet.tables.sql.answer import SqlRelease
from tests.tables.hospital import exact, open_hospital
from tests.tables.sql.public_query import aggregates_of

BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
PER_PERSON = "SELECT COUNT(*) AS k, SUM(clip(n, 0, 9)) AS s FROM ({}) AS p"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ALL", BY_WARD),
        ("SELECT ward, COUNT(*) AS n, 'x' AS x FROM visits GROUP BY ALL", BY_WARD),
        ("SELECT DISTINCT ward, COUNT(*) AS n FROM visits GROUP BY ward", BY_WARD),
        ("SELECT TOP 2 ward, COUNT(*) AS n FROM visits GROUP BY ward", BY_WARD),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward FETCH FIRST 2 ROWS ONLY", BY_WARD),
        ("SELECT `ward`, COUNT(*) AS n FROM `visits` GROUP BY `ward` -- done", BY_WARD),
        ("/* by ward; DROP TABLE visits */ SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward; -- done", BY_WARD),
        ("SELECT ward, COUNT(*) AS n FROM (SELECT * FROM visits) GROUP BY ward", BY_WARD),
        ("SELECT ward, COUNT(*) AS n FROM (visits) GROUP BY ward", BY_WARD),
        ("SELECT v.ward, COUNT(*) AS n FROM (main.visits) AS v GROUP BY v.ward", BY_WARD),
        ("SELECT v.ward, COUNT(*) AS n FROM (SELECT w.* FROM visits AS w) AS v GROUP BY v.ward", BY_WARD),
        ("SELECT ward, COUNT(*) AS n FROM (SELECT ward FROM visits ORDER BY minutes DESC, 1) GROUP BY ward", BY_WARD),
        ("SELECT VAR(minutes) AS v FROM visits", "SELECT VAR_SAMP(minutes) AS v FROM visits"),
        ("SELECT STD(minutes) AS v FROM visits", "SELECT STDDEV_SAMP(minutes) AS v FROM visits"),
        ("SELECT COVAR_POP(minutes, minutes) AS v FROM visits", "SELECT VAR_POP(minutes) AS v FROM visits"),
        (
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING SUM(minutes) > 1",
            "SELECT ward, COUNT(*) AS n, SUM(minutes) AS sum_minutes FROM visits GROUP BY ward",
        ),
        (
            "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY AVG(minutes) DESC, SUM(minutes)",
            "SELECT ward, COUNT(*) AS n, AVG(minutes) AS a, SUM(minutes) AS s FROM visits GROUP BY ward",
        ),
        (
            PER_PERSON.format("SELECT patient, COUNT(*) AS n FROM visits GROUP BY 1"),
            PER_PERSON.format("SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient"),
        ),
        (
            PER_PERSON.format("SELECT patient, COUNT(*) AS n FROM visits GROUP BY ALL"),
            PER_PERSON.format("SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient"),
        ),
        (
            PER_PERSON.format("SELECT patient, minutes > 9 AS n2, COUNT(*) AS n FROM visits GROUP BY patient, n2"),
            PER_PERSON.format("SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient, minutes > 9"),
        ),
        (
            PER_PERSON.format("SELECT patient, ANY_VALUE(minutes) AS n FROM visits GROUP BY patient"),
            PER_PERSON.format("SELECT patient, MIN(minutes) AS n FROM visits GROUP BY patient"),
        ),
        (
            "SELECT COUNT(*) AS k FROM (SELECT DISTINCT patient FROM visits)",
            "SELECT COUNT(*) AS k FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
        ),
        (
            "SELECT COUNT(*) AS k FROM (SELECT patient FROM visits GROUP BY patient)",
            "SELECT COUNT(*) AS k FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
        ),
        (
            "WITH visits AS (SELECT * FROM visits WHERE minutes > 5) SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1",
            "SELECT ward, COUNT(*) AS n FROM visits WHERE minutes > 5 GROUP BY ward",
        ),
        ("SELECT upper(ward) AS ward, COUNT(*) AS n FROM visits GROUP BY ward", BY_WARD),
        (
            PER_PERSON.format("SELECT patient, COALESCE(SUM(minutes), 0) - COUNT(*) AS n FROM visits GROUP BY patient"),
            PER_PERSON.format(
                "SELECT patient, COALESCE(s, 0) - k AS n FROM "
                "(SELECT patient, SUM(minutes) AS s, COUNT(*) AS k FROM visits GROUP BY patient)"
            ),
        ),
        (
            PER_PERSON.format(
                "SELECT patient, ward, CASE WHEN ward = 'a' THEN COUNT(*) END AS n FROM visits GROUP BY 1, 2"
            ),
            PER_PERSON.format(
                "SELECT patient, CASE WHEN ward = 'a' THEN k END AS n FROM "
                "(SELECT patient, ward, COUNT(*) AS k FROM visits GROUP BY patient, ward)"
            ),
        ),
    ],
)
def test_a_form_asks_what_the_plain_one_asks(session: Session, text: str, plain: str) -> None:
    query, other = session.sql(text).query, session.sql(plain).query
    assert exact(session, query) == exact(session, other)
    assert query.plan(epsilon=1).loss.epsilon() == other.plan(epsilon=1).loss.epsilon()


def test_an_alias_may_be_the_name_of_another_column_or_key(session: Session) -> None:
    answer = session.sql("SELECT ward AS minutes, COUNT(*) AS ward FROM visits GROUP BY ward ORDER BY ward").release(
        epsilon=1
    )
    assert answer.names == ("minutes", "ward")
    assert answer.values("ward") == sorted(answer.values("ward"))
    again = SqlRelease.from_json(answer.to_json())
    assert again.to_dict().keys() == answer.to_dict().keys()
    with pytest.raises(InvalidError, match="two columns of the result would be called 'ward'"):
        session.sql("SELECT ward, COUNT(*) AS ward FROM visits GROUP BY ward")


def test_bigquery_prefers_the_alias(session: Session) -> None:
    text = "SELECT upper(ward) AS ward, COUNT(*) AS n FROM visits GROUP BY ward"
    column, alias = (aggregates_of(session.sql(text, dialect=dialect)).grouped.groups for dialect in (None, "bigquery"))
    assert {key for (key,) in alias} == {key.upper() for (key,) in column}


@pytest.mark.parametrize(
    ("dialect", "kept"),
    [(None, "a"), ("postgres", "a"), ("snowflake", "a"), ("bigquery", "b"), ("clickhouse", "b")],
)
def test_a_name_in_having_means_the_key_before_the_label(session: Session, dialect: str | None, kept: str) -> None:
    columns = "SELECT home AS ward, ward AS home, COUNT(*) AS n FROM patients"
    keys = "patients.ward, patients.home"  # no dialect takes these for labels
    text = f"{columns} GROUP BY {keys} HAVING ward = 'a' ORDER BY ward, home"
    answer = session.sql(text, dialect=dialect).release(epsilon=1)
    wards, homes = answer.values("home"), answer.values("ward")
    assert set(wards if kept == "a" else homes) == {"a"}
    assert len(answer) == 3
    assert homes == sorted(homes), "ORDER BY means the label"


def test_having_may_name_a_label_that_is_no_key(session: Session) -> None:
    answer = session.sql("SELECT SUM(minutes) AS minutes FROM visits HAVING minutes > 1").release(epsilon=100)
    assert len(answer) == 1


def test_what_having_and_order_need_is_released_and_described(session: Session) -> None:
    text = "SELECT ward FROM visits GROUP BY ward HAVING COUNT(*) > -9999 ORDER BY SUM(minutes) DESC"
    query = session.sql(text)
    assert set(query.unselected) == {"count", "sum_minutes"}
    told = query.describe(epsilon=1)
    assert "also released: count, sum_minutes (used and not shown; each takes its share of the loss)" in told
    answer = query.release(epsilon=1)
    assert answer.names == ("ward",)
    sums = dict(
        zip((key for (key,) in answer.release.groups), answer.release.values("sum_minutes").tolist(), strict=True)
    )
    assert answer.values("ward") == sorted(sums, key=sums.__getitem__, reverse=True)
    assert session.sql(BY_WARD).unselected == ()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ward FROM visits GROUP BY ward",
        "SELECT DISTINCT ward FROM visits",
        "SELECT ward, 1 AS one FROM visits GROUP BY ALL",
        "SELECT DISTINCT upper(ward) AS ward FROM visits ORDER BY ward DESC LIMIT 1",
    ],
)
def test_public_groups_alone_cost_nothing_and_read_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_hospital()
    from tests.tables.opened import database_of

    def read(*_: Any) -> None:
        raise AssertionError("a table was read")

    monkeypatch.setattr(database_of(opened).engine, "execute", read)
    before = opened.remaining
    query = opened.sql(text)
    answer = query.release(epsilon=1)
    assert opened.remaining == before
    assert answer.loss.epsilon() == query.loss(epsilon=1).epsilon() == query.plan(epsilon=1).loss.epsilon() == 0
    assert {value.lower() for value in answer.values("ward")} <= {"a", "b", "c"}
    assert "costs" in query.describe(epsilon=1) or "loss: epsilon = 0" in query.describe(epsilon=1)
    assert isinstance(answer.release, Release)
    assert "ward" in str(answer)
    assert SqlRelease.from_json(answer.to_json()).values("ward") == answer.values("ward")
    assert answer.to_pandas().shape[0] == len(answer)


def test_constants_stand_beside_released_values(session: Session) -> None:
    answer = session.sql(
        "SELECT 'all' AS who, 1 + 1 AS two, COUNT(*) AS n, date '2024-02-29' AS day FROM visits"
    ).release(epsilon=1)
    assert [answer.values(name)[0] for name in ("who", "two")] == ["all", 2]
    assert SqlRelease.from_json(answer.to_json()).values("two") == [2]
    assert list(answer.to_arrow().column("two")) is not None


def test_a_list_of_quantiles_is_a_column_for_each(session: Session) -> None:
    text = "SELECT [APPROX_QUANTILES(minutes, 4 IGNORE NULLS)[1], APPROX_QUANTILES(minutes, 4)[OFFSET(3)]] AS q FROM visits"
    plain = "SELECT QUANTILE_CONT(minutes, 0.25) AS q_1, QUANTILE_CONT(minutes, 0.75) AS q_2 FROM visits"
    assert session.sql(text, dialect="bigquery").query.aggregates == session.sql(plain).query.aggregates


def test_sums_of_one_are_counts(session: Session) -> None:
    one, count = (session.sql(f"SELECT ward, {call} AS n FROM visits GROUP BY ward") for call in ("SUM(1)", "COUNT(*)"))
    assert one.query.aggregates == count.query.aggregates


def test_outer_selects_stand_on_each_other(session: Session) -> None:
    text = f"""
        WITH src AS (SELECT * FROM visits),
        agg AS (SELECT ward, COUNT(*) AS n, SUM(minutes) AS s FROM src GROUP BY ward),
        final AS (SELECT agg.*, s / n AS mean FROM agg WHERE n > -9999)
        SELECT f.*, 1 AS one FROM final AS f WHERE mean > -99999 ORDER BY n DESC LIMIT 2 -- {BY_WARD}
    """
    answer = session.sql(text).release(epsilon=9)
    assert answer.names == ("ward", "n", "s", "mean", "one")
    assert len(answer) == 2
    assert answer.values("n") == sorted(answer.values("n"), reverse=True)
    with pytest.raises(InvalidError, match="LIMIT within a sub-query"):
        session.sql(f"SELECT n FROM (SELECT n FROM ({BY_WARD}) LIMIT 1)")


def test_the_privacy_clause_may_stand_in_the_sub_query_that_is_released(session: Session) -> None:
    inner = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=.5, max_groups_contributed=1) ward, COUNT(*) AS n FROM visits GROUP BY ward"
    for text in (
        f"SELECT ward, n * 2 AS d FROM ({inner}) WHERE n > 1",
        f"WITH t AS ({inner}) SELECT * FROM t ORDER BY n",
        inner.replace("DIFFERENTIAL_PRIVACY", "DIFFERENTIAL PRIVACY"),
        inner.replace("DIFFERENTIAL_PRIVACY", "ANONYMIZATION").replace("max_groups_contributed", "kappa"),
        inner.replace("max_groups_contributed", "max groups contributed").replace(".5", "'.5'"),
    ):
        query = session.sql(text)
        assert query.options == {"epsilon": 0.5}
        assert query.query.plan(epsilon=1) == session.sql(inner).query.plan(epsilon=1)
    persons = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) patient, COUNT(*) AS n FROM visits GROUP BY patient"
    with pytest.raises(InvalidError, match="must stand in the SELECT whose aggregates are released"):
        session.sql(f"SELECT AVG(clip(n, 0, 9)) AS a FROM ({persons})")
    with pytest.raises(InvalidError, match="is allowed once"):
        session.sql(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) FROM ({inner})")


def test_ninety_sums_are_planned_in_linear_time(session: Session) -> None:
    times = {}
    for many in (30, 90):
        sums = ", ".join(f"SUM(minutes + {at}) AS s{at}" for at in range(many))
        start = process_time()
        session.sql(f"SELECT {sums} FROM visits").plan(epsilon=1)
        times[many] = process_time() - start
    assert times[90] < 6 * times[30] + 0.2  # 9 times is the square
