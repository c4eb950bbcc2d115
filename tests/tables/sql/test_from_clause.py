"""Joins, unions and summaries in SQL: the builder's queries, names that differ, refusals that cost nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError
from privet.tables.columns.unit import Persons, Rows
from privet.tables.session.query import Query
from privet.tables.session.session import Session
from tests.tables.hospital import CANARY, exact, open_hospital
from tests.tables.hostile_sql_more import MORE
from tests.tables.opened import database_of
from tests.tables.sql.public_query import aggregates_of

Build = Callable[[Query, Query], Query]
ONE_ROW = "(SELECT patient, MAX(age) AS oldest FROM patients GROUP BY patient)"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


def oldest(patients: Query) -> Query:
    return patients.summarize(oldest="max(age)")


ALIKE: list[tuple[str, str, Build]] = [
    ("SUM(oldest)", f"visits JOIN {ONE_ROW} AS p USING (patient)", lambda v, p: v.join(oldest(p))),
    ("SUM(oldest)", f"visits INNER JOIN {ONE_ROW} p ON p.patient = visits.patient", lambda v, p: v.join(oldest(p))),
    (
        "SUM(p.oldest)",
        f"visits AS v LEFT JOIN {ONE_ROW} AS p USING (Patient)",
        lambda v, p: v.join(oldest(p), how="left"),
    ),
    (
        "SUM(oldest)",
        f"visits v LEFT OUTER JOIN {ONE_ROW} AS p ON (v.patient = p.patient) WHERE oldest IS NULL OR oldest > 30",
        lambda v, p: v.join(oldest(p), how="left").filter("oldest is null or oldest > 30"),
    ),
    (
        "SUM(minutes)",
        (
            "visits JOIN (SELECT patient, COUNT(*) AS n FROM patients WHERE age > 3 GROUP BY patient) AS p "
            "USING (patient) WHERE n < 2"
        ),
        lambda v, p: v.join(p.filter("age > 3").summarize(n="count(*)")).filter("n < 2"),
    ),
    (
        "SUM(n)",
        (
            "(SELECT clip(n, 0, 9) AS n FROM (SELECT patient, ward, COUNT(DISTINCT minutes // 10) AS n FROM visits "
            "GROUP BY patient, ward))"
        ),
        lambda v, _: v.summarize("ward", n="count(distinct minutes // 10)").derive(n="clip(n, 0, 9)"),
    ),
    (
        "SUM(total)",
        (
            "(SELECT clip(t, 0, 500) AS total FROM (SELECT patient, SUM(minutes) AS t, AVG(cost) AS c FROM visits "
            "GROUP BY patient) WHERE c > 1)"
        ),
        lambda v, _: v.summarize(t="sum(minutes)", c="mean(cost)").filter("c > 1").derive(total="clip(t, 0, 500)"),
    ),
    (
        "COUNT(*)",
        "(SELECT patient, ward FROM visits UNION ALL SELECT patient, home FROM patients)",
        lambda v, p: v.select("ward").union(p.select("home").rename(ward="home")),
    ),
    (
        "SUM(x)",
        (
            "(SELECT minutes AS x FROM visits UNION ALL (SELECT age FROM patients) "
            "UNION ALL SELECT 2 * minutes FROM visits)"
        ),
        lambda v, p: (
            v.rename(x="minutes")
            .select("x")
            .union(p.rename(x="age").select("x"))
            .union(v.derive(x="2 * minutes").select("x"))
        ),
    ),
    (
        "COUNT(*)",
        (
            "visits JOIN (SELECT patient, COUNT(*) AS n FROM patients GROUP BY patient) AS p USING (patient) "
            "JOIN (SELECT patient, MIN(age) AS low FROM patients GROUP BY patient) AS q ON q.patient = visits.patient"
        ),
        lambda v, p: v.join(p.summarize(n="count(*)")).join(p.summarize(low="min(age)")),
    ),
]


@pytest.mark.parametrize(("item", "source", "build"), ALIKE, ids=[source for _, source, _ in ALIKE])
def test_rows_are_those_of_the_builder(session: Session, item: str, source: str, build: Build) -> None:
    query = aggregates_of(session.sql(f"SELECT {item} AS y, COUNT(*) AS n FROM {source}"))
    built = build(session.query("visits"), session.query("patients"))
    column = item.removeprefix("SUM(").removesuffix(")").removeprefix("p.")
    aggregate = pv.count() if item == "COUNT(*)" else pv.sum(column)
    expected: Any = built.agg(y=aggregate, n=pv.count())
    assert query.contribution == expected.contribution
    assert exact(session, query) == exact(session, expected)


def private(options: str, rest: str) -> str:
    return f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, {options}) {rest}"


def test_options_say_how_many_rows_are_matched(session: Session) -> None:
    text = "COUNT(*) AS n FROM visits JOIN patients USING (patient)"
    for rows in (1, 4):
        query = session.sql(private(f"join_rows={rows}", text)).query
        right = session.query("patients").rename(other="ward")
        built = session.query("visits").join(right, rows=rows).agg(n=pv.count())
        assert exact(session, query) == exact(session, built)


def test_rows_to_match_may_be_given_beside_the_statement(session: Session) -> None:
    text = "COUNT(*) AS n FROM visits JOIN patients USING (patient)"
    beside, within = session.sql(f"SELECT {text}", join_rows=2), session.sql(private("join_rows=2", text))
    assert exact(session, beside.query) == exact(session, within.query)
    for wrong, message in ((0, "1 or more"), (1.5, "whole number"), (True, "whole number")):
        with pytest.raises(PrivetError, match=message):
            session.sql(f"SELECT {text}", join_rows=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match="already"):
        session.sql(private("join_rows=2", text), join_rows=2)


def test_columns_of_one_name_are_told_apart(session: Session) -> None:
    text = (
        "v.ward, p.ward AS theirs, SUM(p.age) s FROM visits v JOIN patients p USING (patient) GROUP BY v.ward, p.ward"
    )
    query = session.sql(private("join_rows=1", text)).query
    right = session.query("patients").rename(theirs="ward")
    built = session.query("visits").join(right, rows=1).group_by("ward", "theirs").agg(s=pv.sum("age"))
    assert exact(session, query) == exact(session, built)
    wrong = session.query("visits").join(right, rows=1).group_by("theirs", "ward").agg(s=pv.sum("age"))
    assert exact(session, query) != exact(session, wrong)
    answer = session.sql(private("join_rows=1", text)).release()
    assert answer.names == ("ward", "theirs", "s")


@pytest.mark.parametrize("place", ["ward, COUNT(*) {} GROUP BY ward", "COUNT(*) {} WHERE ward = 'a'", "COUNT(ward) {}"])
def test_columns_of_both_tables_are_ambiguous(session: Session, place: str) -> None:
    text = place.format("AS n FROM visits JOIN patients USING (patient)")
    with pytest.raises(InvalidError, match=r"a column of several tables.*visits\.ward"):
        session.sql(private("join_rows=1", text))


def test_further_columns_may_be_matched_under_other_names(session: Session) -> None:
    text = "SUM(age) AS s FROM visits v JOIN patients p ON v.patient = p.patient AND p.home = v.ward"
    query = session.sql(private("join_rows=2", text)).query
    right = session.query("patients").rename(theirs="ward", ward="home")
    built = session.query("visits").join(right, on="ward", rows=2).agg(s=pv.sum("age"))
    assert exact(session, query) == exact(session, built)
    same = session.sql(private("join_rows=2", "COUNT(*) AS n FROM visits JOIN patients USING (ward, patient)")).query
    plain = session.query("visits").join(session.query("patients"), on=("ward",), rows=2).agg(n=pv.count())
    assert exact(session, same) == exact(session, plain)


def test_rows_without_a_partner_have_no_id_of_a_partner(session: Session) -> None:
    text = f"SELECT COUNT(*) AS n, COUNT(p.patient) AS m FROM visits LEFT JOIN {ONE_ROW} AS p USING (patient)"
    query = session.sql(text).query
    built = session.query().join(oldest(session.query("patients")).derive(other="patient"), how="left")
    assert exact(session, query) == exact(session, built.agg(n=pv.count(), m=pv.count("other")))


def test_a_table_may_be_joined_with_itself_by_person(session: Session) -> None:
    text = "COUNT(*) AS n FROM visits AS v JOIN visits AS w USING (patient) WHERE v.minutes < w.minutes"
    query = aggregates_of(session.sql(private("join_rows=2", text)))
    assert query.contribution.l1 == 3  # the caps hold for the rows that come out


def test_expressions_of_summaries_may_be_keys(session: Session) -> None:
    inner = "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient"
    query = aggregates_of(session.sql(f"SELECT n >= 4 AS often, COUNT(*) AS m FROM ({inner}) GROUP BY often"))
    built = session.query().summarize(n="count(*)").derive(often="n >= 4").group_by("often").agg(m=pv.count())
    assert exact(session, query) == exact(session, built)
    assert query.contribution.l1 == 1


def test_a_message_says_how_to_join() -> None:
    opened = open_hospital(Persons(id="patient"))
    text = "COUNT(*) FROM visits JOIN patients USING (patient)"
    with pytest.raises(InvalidError, match=r"OPTIONS\(join_rows = 5\).*GROUP BY patient"):
        opened.sql(f"SELECT {text}")
    assert aggregates_of(opened.sql(private("join_rows=2, max_rows_contributed=4", text))).contribution.l1 == 4


def test_the_caps_of_the_codebook_say_how_many_rows_a_join_takes(session: Session) -> None:
    query = session.sql("SELECT COUNT(*) FROM visits JOIN patients USING (patient)").query
    assert exact(session, query) == exact(
        session, session.query().join(session.query("patients").rename(w="ward")).agg(pv.count())
    )


def test_rows_that_are_protected_one_by_one_cannot_be_joined() -> None:
    opened = open_hospital(Rows())
    with pytest.raises(InvalidError, match="the codebook protects rows"):
        opened.sql("SELECT COUNT(*) FROM visits JOIN patients USING (patient)")
    with pytest.raises(InvalidError, match="join_rows is not allowed"):
        opened.sql(private("join_rows=1", "COUNT(*) FROM visits"))
    with pytest.raises(InvalidError, match="GROUP BY without the id"):
        opened.sql("SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)")
    text = "SELECT COUNT(*) AS n FROM (SELECT ward FROM visits UNION ALL SELECT ward FROM visits)"
    assert aggregates_of(opened.sql(text)).contribution.l1 == 2


def _release(session: Session, text: str) -> None:
    query = session.sql(text)
    query.release(epsilon=None if query.options else 1)


def test_there_are_many_more_hostile_statements() -> None:
    every = [text for texts in MORE.values() for text in texts]
    assert len(set(every)) == len(every) > 600


@pytest.mark.parametrize("family", MORE)
def test_hostile_statements_are_refused_before_a_charge(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = open_hospital(Persons(id="patient", rows=3), epsilon=10)
    before = opened.remaining

    def read(*_: Any) -> None:
        raise AssertionError("a table was read")

    monkeypatch.setattr(database_of(opened).engine, "execute", read)
    for text in MORE[family]:
        with pytest.raises(PrivetError) as caught:
            _release(opened, text)
        message = str(caught.value)
        assert CANARY not in message, text
        assert 20 < len(message) < 700, text
        assert caught.value.__cause__ is None, text
        assert opened.remaining == before, text
