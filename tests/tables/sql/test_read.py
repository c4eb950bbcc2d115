"""SQL: the same queries as the builder makes, post-processing, and refusals that cost nothing."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.errors import BudgetExceededError, InvalidError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.columns.column import Column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.expressions.parser import parse
from privet.tables.session.query import Query
from privet.tables.session.session import Session
from privet.tables.sql.post_processing import Order, PostProcessing
from tests.tables.expressions.oracle import evaluate
from tests.tables.opened import exact_totals
from tests.tables.sql.public_query import aggregates_of

CANARY = "canary-7f3a"
WARDS = ("a", "b", "c")
PERSONS = Persons(id="patient", rows=3)


def rows() -> list[dict[str, Any]]:
    made = [{"patient": n % 70, "ward": "abc"[n % 3], "minutes": n % 60, "day": None} for n in range(300)]
    return [*made, {"patient": 1, "ward": None, "minutes": None, "day": None}, {"patient": 2, "ward": CANARY}]


def open_session(unit: PrivacyUnit = PERSONS, epsilon: Any = 10, **nulls: Any) -> Session:
    book = Codebook(
        unit=unit,
        table="visits",
        columns={
            "patient": column("integer"),
            "ward": column("text", categories=WARDS, nulls=nulls.get("ward")),
            "minutes": column("integer", bounds=(0, 60)),
            "day": column("date"),
        },
    )
    return Session(rows(), book, pv.budget(epsilon=epsilon))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_session()
    yield opened
    opened.close()


def exact(session: Session, query: Any) -> list[list[int]]:
    plan = query.plan(epsilon=1)
    found = exact_totals(query, plan)
    return [part.measured.exact(found, plan.groups).tolist() for part in plan.planned]


def by_ward(query: Query, **aggregates: Any) -> Any:
    return query.group_by("ward").agg(**aggregates)


ALIKE: list[tuple[str, Any]] = [
    ("SELECT COUNT(*) FROM visits", lambda q: q.agg(count())),
    ("select count(*) as n from Visits;", lambda q: q.agg(n=count())),
    ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", lambda q: by_ward(q, n=count())),
    ("SELECT COUNT(*) AS n FROM visits GROUP BY ward", lambda q: by_ward(q, n=count())),
    (
        'SELECT v."WARD" AS w, COUNT(v.minutes) n FROM visits v GROUP BY v.ward',
        lambda q: by_ward(q, n=count("minutes")),
    ),
    ("SELECT ward, COUNT(DISTINCT patient) FROM visits GROUP BY 1", lambda q: by_ward(q, count_ids=count_ids())),
    (
        "SELECT ward, AVG(minutes) a, SUM(minutes) s FROM visits WHERE minutes > 9 AND ward <> 'b' GROUP BY ward",
        lambda q: by_ward(q.filter("minutes > 9 and ward <> 'b'"), a=mean("minutes"), s=total("minutes")),
    ),
    (
        "SELECT VARIANCE(minutes) a, VAR_SAMP(minutes) b, VAR_POP(minutes) c FROM visits",
        lambda q: q.agg(a=variance("minutes"), b=variance("minutes"), c=variance("minutes", ddof=0)),
    ),
    (
        "SELECT STDDEV(minutes) a, STDDEV_SAMP(minutes) b, STDDEV_POP(minutes) c FROM visits",
        lambda q: q.agg(a=std("minutes"), b=std("minutes"), c=std("minutes", ddof=0)),
    ),
    (
        "SELECT minutes >= 30 AS late, COUNT(*) n FROM visits GROUP BY late",
        lambda q: q.derive(late="minutes >= 30").group_by("late").agg(n=count()),
    ),
    (
        "SELECT upper(ward) AS u, COUNT(*) n FROM visits GROUP BY upper(ward)",
        lambda q: q.derive(u="upper(ward)").group_by("u").agg(n=count()),
    ),
    (
        "SELECT AVG(h) AS a FROM (SELECT minutes // 2 AS h FROM visits WHERE ward = 'a') AS s WHERE h < 20",
        lambda q: q.filter("ward = 'a'").derive(h="minutes // 2").filter("h < 20").agg(a=mean("h")),
    ),
    (
        (
            "WITH s AS (SELECT ward AS w, minutes FROM visits), t AS (SELECT s.w, minutes FROM s WHERE minutes > 3) "
            "SELECT w, SUM(minutes) AS s FROM (SELECT minutes, w FROM t) GROUP BY w"
        ),
        lambda q: q.rename(w="ward").filter("minutes > 3").group_by("w").agg(s=total("minutes")),
    ),
    (
        (
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, privacy_unit_column=patient) ward, "
            'AVG(`minutes`, contribution_bounds_per_row => (0, 9)) a FROM `visits` WHERE ward != "b" GROUP BY ward'
        ),
        lambda q: by_ward(q.filter("ward <> 'b'"), a=mean("minutes", bounds=(0, 9))),
    ),
    (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed=2) ward, COUNT(*) n FROM visits GROUP BY ward",
        lambda q: by_ward(q.cap(rows=3, groups=2), n=count()),
    ),
    (
        "WITH s AS (SELECT ward FROM visits WHERE ward = 'select with differential_privacy') SELECT COUNT(*) n FROM s",
        lambda q: q.filter("ward = 'select with differential_privacy'").agg(n=count()),
    ),
]


@pytest.mark.parametrize(("text", "build"), ALIKE, ids=[text for text, _ in ALIKE])
def test_a_select_asks_what_the_builder_asks(session: Session, text: str, build: Any) -> None:
    query, built = aggregates_of(session.sql(text)), build(session.query())
    assert query.plan(epsilon=1) == built.plan(epsilon=1)
    assert query.grouped.groups == built.grouped.groups
    assert exact(session, query) == exact(session, built)


def test_an_argument_may_be_an_expression(session: Session) -> None:
    query = session.sql("SELECT ward, SUM(minutes * 2) AS s, COUNT(1) AS n FROM visits GROUP BY ward").query
    built = by_ward(session.query().derive(x="minutes * 2"), s=total("x"), n=count())
    assert exact(session, query) == exact(session, built)


def test_another_statement_is_told_apart() -> None:
    opened = open_session(Rows())  # without caps, which may drop the very rows that differ
    query = opened.sql("SELECT ward, SUM(minutes) AS s FROM visits WHERE minutes > 9 GROUP BY ward").query
    wrong = by_ward(opened.query().filter("minutes >= 9"), s=total("minutes"))
    assert exact(opened, query) != exact(opened, wrong)


def test_sub_queries_keep_whose_rows_are_whose(session: Session) -> None:
    inner = session.sql("SELECT COUNT(*) AS n FROM (SELECT ward FROM visits)").query
    assert exact(session, inner) == exact(session, session.query().agg(n=count()))
    assert exact(session, inner)[0][0] < 300  # without the cap on persons all rows would count


def test_nulls_that_are_a_category_are_a_group_under_any_name() -> None:
    opened = open_session(Rows(), ward=NullsAsCategory())
    text = "SELECT w, COUNT(*) AS n FROM (SELECT ward AS w FROM visits) GROUP BY w ORDER BY w NULLS FIRST"
    answer = opened.sql(text).release(epsilon=9)
    assert answer.values("w") == [None, *WARDS]


def test_a_key_may_have_the_name_of_another_column() -> None:
    opened = open_session(Rows(), epsilon=1000)
    text = "SELECT upper(ward) AS minutes, AVG(minutes) AS a FROM visits GROUP BY upper(ward) ORDER BY minutes DESC"
    answer = opened.sql(text).release(epsilon=1000)
    assert answer.values("minutes") == ["C", "B", "A"]
    assert answer.values("a") == pytest.approx([30.5, 29.5, 28.5], abs=0.4)


def test_having_order_and_limit_act_on_released_values() -> None:
    opened = open_session(Rows(), epsilon=2000)
    text = (
        "SELECT ward AS w, COUNT(*) AS n, SUM(minutes) AS s FROM visits WHERE minutes < 30 OR ward <> 'b' "
        "GROUP BY ward HAVING COUNT(*) > 60 AND NOT (w = 'c' OR s < -5) ORDER BY n, 1 DESC LIMIT 5 OFFSET 0"
    )
    answer = opened.sql(text).release(epsilon=1000)
    assert answer.names == ("w", "n", "s")
    assert answer.values("w") == ["a"]
    assert [len(values) for values in answer.to_dict().values()] == [1] * 9
    assert len(answer.release.groups) == 3
    assert opened.remaining == pv.budget(epsilon=1000)


def test_selected_rows_follow_the_noise_and_not_the_table() -> None:
    opened = open_session(Rows())
    answer = opened.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 100").release(epsilon=1)
    (numbers,) = answer.release.numbers
    forced = evolve(answer, release=evolve(answer.release, numbers=(np.array([[7], [-900], [101]]),)))
    assert numbers.shape == (3, 1)
    assert forced.values("ward") == ["c"]


KNOWN = {"k": Column(kind="text"), "v": Column(kind="real")}
TABLE: list[dict[str, Any]] = [
    {"k": k, "v": v} for k, v in zip(["x", None, "y", "z"], [3.0, 1.0, None, 2.0], strict=True)
]


def by(text: str, *, falling: bool, nulls_first: bool) -> Order:
    return Order(parse(text, KNOWN), falling, nulls_first)


@pytest.mark.parametrize(
    ("after", "places"),
    [
        (PostProcessing(columns=()), [0, 1, 2, 3]),
        (PostProcessing(columns=(), order=(by("v", falling=False, nulls_first=False),)), [1, 3, 0, 2]),
        (PostProcessing(columns=(), order=(by("v", falling=True, nulls_first=False),)), [0, 3, 1, 2]),
        (PostProcessing(columns=(), order=(by("v", falling=True, nulls_first=True),)), [2, 0, 3, 1]),
        (PostProcessing(columns=(), order=(by("abs(v - 2)", falling=False, nulls_first=False),)), [3, 0, 1, 2]),
        (PostProcessing(columns=(), order=(by("k", falling=False, nulls_first=True),)), [1, 0, 2, 3]),
        (PostProcessing(columns=(), order=(by("k", falling=True, nulls_first=False),), limit=2, offset=1), [2, 0]),
        (PostProcessing(columns=(), limit=0), []),
        (PostProcessing(columns=(), offset=9), []),
        (PostProcessing(columns=(), having=parse("v >= 2", KNOWN)), [0, 3]),
        (PostProcessing(columns=(), having=parse("not v >= 2", KNOWN)), [1]),
        (PostProcessing(columns=(), having=parse("v < 3 and k <> 'q'", KNOWN)), [3]),
        (PostProcessing(columns=(), having=parse("not (v < 3 and k = 'x')", KNOWN)), [0, 2, 3]),
    ],
)
def test_rows_after_the_release(after: PostProcessing, places: list[int]) -> None:
    assert after.compute(TABLE)[0] == places


@pytest.mark.parametrize(
    "text",
    [
        "5 < n",
        "n > 5",
        "NOT n <= 5",
        "n > 5 OR n > 1000",
        "count(*) > 5.0",
        "n <> -1 AND n > 5",
        "n - 5 > 0",
        "n BETWEEN 6 AND 9",
        "n NOT BETWEEN -9 AND 5",
        "n IN (6, 7)",
        "CASE WHEN n > 5 THEN true ELSE n > 5 END",
        "2 * COUNT(*) + 1 > n + 6",
        "round(n - 0.5) > 5",
    ],
)
def test_ways_to_write_a_condition(session: Session, text: str) -> None:
    found = session.sql(f"SELECT COUNT(*) AS n FROM visits HAVING {text}").after.having
    assert found is not None
    assert [evaluate(found, {"n": value}) for value in (4.0, 5.0, 6.0, None)] == [False, False, True, None]


def test_options_say_what_is_lost() -> None:
    opened = open_session()
    query = opened.sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=0.1) COUNT(*) AS n FROM visits")
    query.release()
    assert opened.spent == pv.budget(epsilon=Fraction(1, 10))
    with pytest.raises(InvalidError, match="OPTIONS give epsilon already"):
        query.release(epsilon=1)
    with pytest.raises(BudgetExceededError):
        opened.sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=99) COUNT(*) FROM visits").release()
    assert opened.spent == pv.budget(epsilon=Fraction(1, 10))


def test_options_of_persons_need_persons() -> None:
    opened = open_session(Rows())
    for option in ("privacy_unit_column=patient", "max_groups_contributed=1"):
        with pytest.raises(InvalidError, match=option.split("=")[0]):
            opened.sql(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({option}) COUNT(*) FROM visits")


def test_the_table_is_called_data_unless_the_codebook_says_otherwise() -> None:
    opened = Session([], Codebook(unit=Rows(), columns={"x": column("boolean")}), pv.budget(epsilon=1))
    assert aggregates_of(opened.sql("SELECT COUNT(*) FROM data")).grouped.groups == ((),)
    with pytest.raises(InvalidError, match="there are 'data'"):
        opened.sql("SELECT COUNT(*) FROM visits")


def test_hostile_names_of_columns_are_names_and_no_more() -> None:
    names = ['a"; DROP TABLE x; --', "select", "self", "ü 🜁", "x'y", "COUNT(*)", " spaced "]
    book = Codebook(unit=Rows(), columns={name: column("integer", categories=(1, 2)) for name in names})
    opened = Session([dict.fromkeys(names, 1)] * 5, book, pv.budget(epsilon=9000))
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        text = f"SELECT {quoted}, COUNT(*) AS s FROM (SELECT {quoted} FROM data) GROUP BY {quoted}"
        answer = opened.sql(text).release(epsilon=1000)
        assert answer.values(name) == [1, 2]
        assert round(answer.values("s")[0]) == 5


def test_an_answer_holds_nothing_of_the_rows(session: Session) -> None:
    answer = session.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n").release(epsilon=0.01)
    frame = answer.to_pandas()
    assert list(frame.columns) == ["ward", "n", "n_error", "n_low", "n_high"]
    assert CANARY not in str(answer) + repr(answer) + str(frame)
    assert answer.loss <= pv.budget(epsilon=0.01)
    with pytest.raises(InvalidError, match="no column 'x'"):
        answer.values("x")
