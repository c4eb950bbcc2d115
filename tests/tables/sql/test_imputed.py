# ruff: noqa: E501
"""Statements about completed tables: the plan and the charge of the query in Python, and the post-processing of SQL."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.session.planner import Planner
from privet.tables.session.session import Session
from privet.tables.sql.imputed import SqlImputedQuery
from privet.tables.sql.imputed_answer import SqlImputedRelease
from tests.laws.replay import replayed

PEOPLE = pv.Codebook(
    table="people",
    columns={
        "person": pv.column("integer"),
        "age": pv.column("integer", bounds=(0, 9), nulls=pv.NullsReplaced(4)),
        "sex": pv.column("text", categories=("f", "m")),
        "income": pv.column("integer", bounds=(0, 1000)),
    },
    unit=pv.Persons(id="person", rows=2),
)
HOW: dict[str, Any] = {"name": "income", "by": {"age": 2, "sex": 1}, "guess": pv.Guess(incomplete=100, changes=5)}
ROWS = [
    {"person": n, "age": n % 10, "sex": "fm"[n % 2], "income": None if n % 30 == 9 else 100 * (n % 10)}
    for n in range(3000)
]
GROUPED = """SELECT sex, AVG(income) AS average, COUNT(*) AS n, 2 * COUNT(*) AS twice
FROM people WHERE age > 2 GROUP BY sex HAVING COUNT(*) > 10 ORDER BY sex DESC LIMIT 1"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = Session(ROWS, PEOPLE, pv.budget(epsilon=10**9, delta=0.5))
    yield opened
    opened.close()


def built(session: Session, **caps: Any) -> Any:
    query = session.query().cap(**caps) if caps else session.query()
    return query.impute(**HOW)


@pytest.mark.parametrize("budget", [{"epsilon": 4}, {"epsilon": 1, "delta": 1e-6}, {"epsilon": 2, "interval": 0.2}])
def test_plan_and_charge_are_those_of_the_query_in_python(session: Session, budget: dict[str, Any]) -> None:
    query = session.sql(GROUPED, impute=HOW)
    python = built(session).filter("age > 2").group_by("sex").agg(average=pv.mean("income"), n=pv.count())
    assert isinstance(query, SqlImputedQuery)
    assert query.plan(**budget) == python.plan(**budget)
    assert query.loss(**budget) == python.loss(**budget)
    before = session.spent
    query.release(**budget)
    charged = session.spent
    python.release(**budget)
    assert session.spent.epsilon - charged.epsilon == charged.epsilon - before.epsilon  # type: ignore[attr-defined]
    assert session.history[-2].query == "SQL: " + " ".join(GROUPED.split())


def test_caps_of_the_clause_come_before_the_imputation(session: Session) -> None:
    text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=2, max_rows_contributed=1) AVG(income) AS a FROM people"
    python = built(session, rows=1).agg(a=pv.mean("income"))
    assert session.sql(text, impute=HOW).plan() == python.plan(epsilon=2)


def test_having_order_limit_and_computed_columns_follow_the_release(session: Session) -> None:
    with replayed(3):  # heavy tails: the draws are the same in every run
        release = session.sql(GROUPED, impute=HOW).release(epsilon=900)
    assert release.names == ("sex", "average", "n", "twice")
    assert release.values("sex") == ["m"]
    assert release.values("average")[0] == pytest.approx(600, abs=5)
    assert release.values("twice") == [2 * release.values("n")[0]]
    assert list(release.to_dict()) == ["sex", "average", "n", "n_low", "n_high", "twice"]
    assert len(release.release) == 2
    assert math.isnan(release.errors("n")[0])
    low, high = release.interval()["n"]
    assert low[0] <= release.values("n")[0] <= high[0]
    assert all(map(math.isnan, (*release.interval()["average"][0], *release.interval()["twice"][1])))
    with pytest.raises(UnavailableError, match=r"level 0\.95 alone"):
        release.interval(0.9)


def test_intervals_that_were_paid_for_are_shown(session: Session) -> None:
    with replayed(3):
        release = session.sql(GROUPED, impute=HOW).release(epsilon=900, interval=0.2)
    table = release.to_dict()
    assert table["average_low"][0] <= 600 <= table["average_high"][0]
    assert [each.name for each in release.layout()] == list(release.names)


@pytest.mark.parametrize("interval", [0, 0.2])
def test_json_reads_back(session: Session, interval: float) -> None:
    with replayed(3):
        release = session.sql(GROUPED, impute=HOW).release(epsilon=900, interval=interval)
    assert SqlImputedRelease.from_json(release.to_json()) == release
    broken = {**json.loads(release.to_json()), "limit": 2}
    assert SqlImputedRelease.from_json(json.dumps(broken)).values("sex") == ["m", "f"]
    with pytest.raises(PrivetError):
        SqlImputedRelease.from_json(json.dumps({**broken, "kinds": {"x": "real"}}))


def test_a_file_keeps_the_imputation() -> None:
    other = pv.Codebook(table="other", columns=dict(PEOPLE.columns), unit=PEOPLE.unit)
    for tables in ({"people": PEOPLE}, {"people": PEOPLE, "other": other}):
        planner = Planner(tables, pv.budget(epsilon=10))
        query = planner.sql(GROUPED, impute={**HOW, "k": 3})
        again = planner.read_query(query.to_yaml())
        assert isinstance(again, SqlImputedQuery)
        assert again.plan(epsilon=1) == query.plan(epsilon=1)
        plan = planner.read_plan(query.plan(epsilon=1, interval=0.1).to_yaml())
        assert plan.plan == query.plan(epsilon=1, interval=0.1)
        assert "imputed: income by MeanOfNeighbours(k=3)" in plan.describe()


def test_a_plan_of_a_file_is_released(session: Session) -> None:
    query = session.sql("SELECT AVG(income) AS a FROM people", impute=HOW)
    with replayed(3):
        release = session.read_plan(query.plan(epsilon=400).to_yaml()).release()
    assert release.values("a")[0] == pytest.approx(450, abs=5)
    with pytest.raises(UnavailableError, match="private size"):
        query.epsilon_for(a=1)


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("SELECT AVG(a.income) AS x FROM people a JOIN people b USING (person)", {}, "SQL: a JOIN is not allowed with impute=...: the table is completed before anything else is done, and there is no rule behind that. Do it in Python, before impute: session.query().join(...).impute('x', by=[...])."),
        ("SELECT AVG(m) AS x FROM (SELECT person, MAX(income) AS m FROM people GROUP BY person)", {}, "SQL: one row for each person is not allowed with impute=...: the table is completed before anything else is done, and there is no rule behind that. Do it in Python, before impute: session.query().summarize(...).impute('x', by=[...])."),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) AVG(income) AS x FROM people", {}, "SQL: AVG of persons' averages has no rule for imputed values. Average rows: AVG(x, contribution_bounds_per_row => (0, 100))."),
        ("SELECT DISTINCT sex FROM people", {}, "SQL: a SELECT without an aggregate shows public groups, which need no impute=.... Leave it out."),
        ("SELECT AVG(income) AS x FROM people", {"keys": pv.private(delta=1e-7)}, "session.sql: keys=pv.private(...) has no rule with impute=...; list the groups instead."),
        ("SELECT AVG(income) AS x FROM people", {"impute": {"name": "incomes", "by": "age"}}, "session.sql: impute: there is no column 'incomes' in 'people', which the statement reads. Did you mean income?"),
        ("SELECT AVG(income) AS x FROM people", {"impute": {"name": "income", "bye": "age"}}, "session.sql: impute has no 'bye'. Did you mean by? It takes name, by, within, k, scheme, guess, default, table."),
        ("SELECT AVG(income) AS x FROM people", {"impute": {"name": "income", "table": "x"}}, "session.sql: impute names the table 'x', which the statement does not read."),
        ("SELECT MEDIAN(income) AS x FROM people", {}, "Compare a few public values c instead: AVG(CASE WHEN income <= c THEN 1.0 ELSE 0.0 END) gives the share"),
    ],
)  # fmt: skip
def test_what_has_no_rule_is_refused_with_advice(
    session: Session, text: str, more: dict[str, Any], message: str
) -> None:
    before = repr(session.spent)
    with pytest.raises(InvalidError) as error:
        session.sql(text, **{"impute": HOW, **more})
    assert message in str(error.value)
    assert repr(session.spent) == before


def test_impute_is_a_dictionary(session: Session) -> None:
    wrong: Any = "income"
    with pytest.raises(WrongTypeError) as error:
        session.sql("SELECT AVG(income) AS x FROM people", impute=wrong)
    assert str(error.value) == (
        "session.sql: impute must be a dictionary with a name, such as impute={'name': 'income', 'by': ['age', 'sex']}."
    )


def test_rho_is_refused(session: Session) -> None:
    with pytest.raises(InvalidError, match="imputed queries take epsilon"):
        session.sql("SELECT AVG(income) AS x FROM people", impute=HOW).release(rho=0.1)
