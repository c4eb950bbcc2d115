# ruff: noqa: E501
"""Refusals with advice in SQL, word for word; where the advice is a statement, it is one that is answered."""

from collections.abc import Iterator

import pytest

import privet as pv
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.session.session import Session

LEVELS = (
    "Write one statement for each level, each with its own GROUP BY, and release them in one batch: "
    "session.batch(by_ward=session.sql('SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward'), "
    "all=session.sql('SELECT COUNT(*) AS n FROM visits')).release(epsilon=1)."
)
DISTINCT = (
    "One row decides whether a value occurs: it would need the noise of SUM(x), for a far smaller sum. Use "
    "COUNT(DISTINCT x), or SUM over a sub-query with one row for each person: SELECT id, MAX(x) AS x FROM ... GROUP BY id."
)
FULL = (
    "Write the rows of the first table, and then those that only the second has, in a sub-query: "
    "SELECT ... FROM visits LEFT JOIN people ON visits.id = people.person UNION ALL "
    "SELECT ... FROM people LEFT JOIN visits ON visits.id = people.person WHERE visits.id IS NULL."
)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    ward = pv.column("text", categories=("a", "b"))
    number = pv.column("integer", bounds=(0, 9))
    visits = pv.Codebook(columns={"id": pv.column("integer"), "ward": ward, "x": number}, unit=pv.Persons("id", rows=1))
    people = pv.Codebook(columns={"person": pv.column("integer"), "y": number}, unit=pv.Persons("person", rows=1))
    rows = {
        "visits": [{"id": n, "ward": "ab"[n % 2], "x": n % 9} for n in range(100)],
        "people": [{"person": n, "y": 3} for n in range(50, 150)],
    }
    wards = {"name": ["a", "b"], "beds": [1, 2]}
    books = {"visits": visits, "people": people}
    opened = Session(rows, books, pv.budget(epsilon=10**9, delta=0.5), public={"wards": wards})
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("dialect", "text", "message"),
    [
        (None, "SELECT COUNT(*) FROM visits FULL JOIN people ON id = person", f"SQL: FULL JOIN is not allowed: 'FULL JOIN people ON id = person'. {FULL}"),
        (None, "SELECT COUNT(*) FROM visits FULL OUTER JOIN people ON id = person", f"SQL: FULL OUTER JOIN is not allowed: 'FULL OUTER JOIN people ON id = person'. {FULL}"),
        (None, "SELECT COUNT(*) FROM visits FULL JOIN wards ON ward = name", "SQL: FULL JOIN is not allowed: 'FULL JOIN wards ON ward = name'. Write LEFT JOIN. With RIGHT JOIN to a public table, its keys without rows are groups of zero."),
        (None, "SELECT STDDEV(DISTINCT x) FROM visits", "SQL: DISTINCT in the aggregate stddev(...) is not allowed: 'STDDEV(DISTINCT x)'. One row decides whether a value occurs. Leave DISTINCT out, or use COUNT(DISTINCT x)."),
        (None, "SELECT WITH AGGREGATION_THRESHOLD OPTIONS(threshold=50) COUNT(*) FROM visits", "SQL: WITH AGGREGATION_THRESHOLD is not allowed: exact numbers of large groups protect nobody. Write WITH DIFFERENTIAL_PRIVACY OPTIONS(k_threshold = 50), which leaves groups out by their noisy number of persons."),
        (None, "SELECT AVG(id + x) FROM visits", "SQL: AVG('id_plus_x') needs bounds of 'id_plus_x': write clip(x, lower, upper) around it, as in SUM(clip(x, 0, 100)), or put them in the codebook."),
        (None, "SELECT LOGICAL_OR(x > 3) FROM visits", "SQL: the aggregate logical_or(...) is not allowed: 'BOOL_OR(CAST(x > 3 AS BOOLEAN))'. One row would decide it. Count the rows of which a condition is true: COUNT_IF(x > 3)."),
        (None, "SELECT WITH DIFFERENTIAL_PRIVACY SUM(x, contribution_bounds_per_row => (0, 1), report_format => 'JSON') FROM visits", "SQL: report_format is not allowed. Leave it out: every number of a release has its standard error and its interval beside it."),
        (None, "SELECT WITH DIFFERENTIAL_PRIVACY ARRAY_LENGTH(APPROX_QUANTILES(x, 2, contribution_bounds_per_row => (0, 1))) FROM visits", "SQL: the aggregate approx_quantiles(...) within an expression is not allowed: 'APPROX_QUANTILE(x, [0, 0.5, 1])'. It gives several columns."),
        (None, "SELECT COUNT(*) FROM visits GROUP BY x * 1000 + id, ward", "SQL: GROUP BY: the groups of 'x_times_1000_plus_id' are not known. Put its categories (or close bounds of an integer) in the codebook, list the groups in WHERE x IN (...) or with session.sql(text, groups=[...]), or let the release find them with session.sql(text, keys=pv.private(delta=1e-7))."),
        (None, "SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)", f"SQL: GROUP BY ROLLUP is not allowed: 'GROUP BY ROLLUP (ward)'. {LEVELS}"),
        (None, "SELECT ward, COUNT(*) FROM visits GROUP BY CUBE (ward)", f"SQL: GROUP BY CUBE is not allowed: 'GROUP BY CUBE (ward)'. {LEVELS}"),
        (None, "SELECT ward, COUNT(*) FROM visits GROUP BY GROUPING SETS ((ward), ())", f"SQL: GROUP BY GROUPING SETS is not allowed: 'GROUP BY GROUPING SETS ((ward), ())'. {LEVELS}"),
        ("mysql", "SELECT ward, COUNT(*) FROM visits GROUP BY ward WITH ROLLUP", f"SQL: GROUP BY with ROLLUP is not allowed: 'GROUP BY ward WITH ROLLUP'. {LEVELS}"),
        ("tsql", "SELECT ward, COUNT(*) FROM visits GROUP BY ward WITH CUBE", f"SQL: GROUP BY with CUBE is not allowed: 'GROUP BY ward WITH CUBE'. {LEVELS}"),
        (None, "SELECT SUM(DISTINCT x) FROM visits", f"SQL: DISTINCT in the aggregate sum(...) is not allowed: 'SUM(DISTINCT x)'. {DISTINCT}"),
        (None, "SELECT AVG(DISTINCT x) FROM visits", f"SQL: DISTINCT in the aggregate avg(...) is not allowed: 'AVG(DISTINCT x)'. {DISTINCT}"),
        (None, "SELECT MAX(DISTINCT x) FROM visits", "SQL: DISTINCT in the aggregate max(...) is not allowed: 'MAX(DISTINCT x)'. The smallest and the largest value are the same with and without DISTINCT: leave it out."),
        (None, "SELECT COUNT(*) FROM visits JOIN people USING (id)", "SQL: USING 'id', which is not a column of both, is not allowed: 'JOIN people USING (id)'. The ids of the two tables have different names. Write ON visits.id = people.person."),
        (None, "SELECT COUNT(*) FROM visits AS v JOIN people AS p USING (person)", "SQL: USING 'person', which is not a column of both, is not allowed: 'JOIN people AS p USING (person)'. The ids of the two tables have different names. Write ON v.id = p.person."),
        (None, "SELECT COUNT(*) FROM visits JOIN people USING (x)", "SQL: USING 'x', which is not a column of both, is not allowed: 'JOIN people USING (x)'. Write ON visits.id = people.person, and equations of further columns behind AND."),
        (None, "SELECT COUNT(*) FROM visits JOIN wards USING (ward)", "SQL: USING 'ward', which is not a column of both, is not allowed: 'JOIN wards USING (ward)'. Write the columns to match: ON visits.x = wards.y."),
    ],
)  # fmt: skip
def test_advice(session: Session, dialect: str | None, text: str, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        session.sql(text, dialect=dialect)
    assert str(error.value) == message


def test_a_full_join_is_written_as_advised(session: Session) -> None:
    rows = FULL.partition(": ")[2].rstrip(".").replace("SELECT ...", "SELECT {}")
    inner = rows.format("visits.id, x", "people.person, y")
    release = session.sql(f"SELECT COUNT(*) AS n FROM ({inner})").release(epsilon=10**6)
    assert round(release.values("n")[0]) == 150


def test_ids_of_different_names_are_matched_as_advised(session: Session) -> None:
    release = session.sql("SELECT COUNT(*) AS n FROM visits JOIN people ON visits.id = people.person").release(10**6)
    assert round(release.values("n")[0]) == 50


def test_levels_are_released_in_one_batch_as_advised(session: Session) -> None:
    call = LEVELS.partition(": ")[2].rstrip(".")
    before = session.spent.epsilon  # type: ignore[attr-defined]
    releases = eval(call, {"session": session})
    assert session.spent.epsilon - before == 1  # type: ignore[attr-defined]
    assert list(releases) == ["by_ward", "all"]
    assert releases["by_ward"].groups == (("a",), ("b",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELECT COUNT(*) AS n FROM visits HAVING n > 3", "batch: a: a batch gives keys and aggregates."),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY 2", "batch: a: a batch gives keys and aggregates."),
        ("SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1 LIMIT 1", "batch: a: a batch gives keys and aggregates."),
        ("SELECT 2 * COUNT(*) AS n FROM visits", "batch: a: a batch gives keys and aggregates."),
        ("SELECT n FROM (SELECT COUNT(*) AS n, SUM(x) AS s FROM visits)", "batch: a: a batch gives keys and aggregates."),
        ("SELECT DISTINCT ward FROM visits", "batch: a: a batch needs aggregates."),
        ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) COUNT(*) AS n FROM visits", "batch: a: a batch has one budget; leave epsilon out of OPTIONS."),
    ],
)  # fmt: skip
def test_a_batch_refuses_what_it_would_not_do(session: Session, text: str, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        session.batch(a=session.sql(text))
    assert message in str(error.value)


def test_a_statement_with_private_groups_is_refused_in_a_batch(session: Session) -> None:
    query = session.sql("SELECT x, COUNT(*) AS n FROM visits GROUP BY x", keys=pv.private(delta=1e-7))
    with pytest.raises(WrongTypeError, match="batch: a must be an aggregate query"):
        session.batch(a=query)


def test_private_groups_have_the_methods_of_public_ones(session: Session) -> None:
    """A statement with OPTIONS may become one or the other, so that callers use both alike."""
    clause = "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, delta=1e-6, group_selection_strategy=LAPLACE_THRESHOLD)"
    text = f"SELECT {clause} x, COUNT(*) AS n, 2 * COUNT(*) AS twice FROM visits GROUP BY x ORDER BY SUM(x)"
    query = session.sql(text)
    assert (
        query.columns == {"count": "count", "n": "n", "twice": "computed from n", "sum_x": "sum_x"} | {"count": "count"}
        or query.columns["n"] == "n"
    )
    assert query.unselected == ("sum_x",)
    with pytest.raises(UnavailableError, match="epsilon_for: the groups are not known before"):
        query.epsilon_for(n=3)
    for call in (query.describe, query.loss, query.release):
        with pytest.raises(InvalidError, match="bias=... measures groups that are known"):
            call(bias=0.1)


def test_public_groups_leave_a_line_in_the_history_at_no_cost() -> None:
    book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows(), table="visits")
    for budget in (pv.budget(epsilon=1), pv.budget(epsilon=1, delta=1e-6), pv.budget(rho=1)):
        opened = Session([{"ward": "a"}], book, budget)
        query = opened.sql("SELECT DISTINCT ward FROM visits")
        query.describe(epsilon=1)
        assert len(opened.history) == 0
        query.release()
        (entry,) = opened.history
        assert entry.query == "SQL: SELECT DISTINCT ward FROM visits"
        point = entry.cost.point()
        assert not point.cost
        assert not point.delta
        assert entry.left == opened.remaining == budget
        assert "spent: nothing;" in repr(opened)
        assert opened.history.to_dict()["number"] == [1]
    planner = pv.Planner(book, pv.budget(epsilon=1))
    planner.sql("SELECT DISTINCT ward FROM visits").release()
    assert len(planner.history) == 0
