"""Options of the differential privacy clause: numbers as they may be written."""

from fractions import Fraction

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.session.session import Session


@pytest.fixture
def session() -> Session:
    columns = {"id": pv.column("integer"), "x": pv.column("real", bounds=(0, 1))}
    book = pv.Codebook(table="t", columns=columns, unit=pv.Persons(id="id", rows=1))
    return Session([], book, pv.budget(epsilon=10, delta=1e-3))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("epsilon=.5", {"epsilon": Fraction(1, 2)}),
        ("epsilon = .5e0, delta=.1e-5", {"epsilon": Fraction(1, 2), "delta": Fraction(1, 10**6)}),
        ("epsilon=5., max_rows_contributed=3", {"epsilon": Fraction(5)}),
        ("max_rows_per_group=2, epsilon=1e-1", {"epsilon": Fraction(1, 10)}),
    ],
)
def test_numbers_need_no_digit_before_the_point(session: Session, written: str, read: dict[str, Fraction]) -> None:
    query = session.sql(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({written}) COUNT(*) AS n FROM t")
    assert {name: Fraction(str(value)) for name, value in query.options.items()} == read


def test_bounds_within_calls_need_none_either(session: Session) -> None:
    call = "SUM(x, contribution_bounds_per_row => (-.5, .5)) AS s, ANON_VAR_POP(x CLAMPED BETWEEN .25 AND .75) AS v"
    query = session.sql(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) {call} FROM t").query
    built = session.query().agg(s=pv.sum("x", bounds=(-0.5, 0.5)), v=pv.variance("x", bounds=(0.25, 0.75), ddof=0))
    assert query.aggregates == built.aggregates


@pytest.mark.parametrize(
    "written", ["epsilon=-1", "epsilon=. 5", "epsilon=..5", "epsilon=.x", "epsilon=", "epsilon=x", "epsilon"]
)
def test_what_is_no_number_is_refused(session: Session, written: str) -> None:
    with pytest.raises(InvalidError, match="epsilon must be a number|OPTIONS must be written|cannot be"):
        session.sql(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS({written}) COUNT(*) AS n FROM t")


_ZETASQL = [  # ZetaSQL's own test table: a person, a whole number and a real one
    *((1, None, None), (2, 2, 1.5), (3, 1, 1.5), (1, None, 2.5), (2, 1, 3.5)),
    *((2, 2, None), (1, 1, -0.5), (2, 4, -1.5), (3, 2, 1.5), (2, 3, 2.5)),
]


@pytest.fixture(scope="module")
def zetasql() -> Session:
    columns = {
        "uid": pv.column("integer"),
        "i": pv.column("integer", bounds=(-10, 10)),
        "d": pv.column("real", bounds=(-10, 10)),
    }
    rows = [dict(zip(columns, row, strict=True)) for row in _ZETASQL]
    book = pv.Codebook(table="t", columns=columns, unit=pv.Persons(id="uid", rows=9))
    return Session(rows, book, pv.budget(epsilon=10**24, delta=0.99))


@pytest.mark.parametrize(
    ("clause", "calls", "expected"),
    [  # what ZetaSQL publishes for the same statements
        (
            "DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)",
            "SUM(i, contribution_bounds_per_group => (2, 3))",
            [8],
        ),
        (
            "DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1)",
            "AVG(i, contribution_bounds_per_group => (2, 3))",
            [32 / 15],
        ),
        (
            "DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)",
            "SUM(d, contribution_bounds_per_group => (0, 10))",
            [11],
        ),
        ("DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)", "SUM(d), SUM(i)", [11, 16]),
        (
            "DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)",
            "AVG(d, contribution_bounds_per_group => (0, 10))",
            [4 / 3],
        ),
        ("DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)", "VAR_POP(d), VAR_POP(i)", [2.359375, 1]),
        (
            "DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)",
            "VAR_POP(d, contribution_bounds_per_row => (2.0, 3.0))",
            [0.125],
        ),
        (
            "DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1e20, delta=1.0)",
            "COUNT(d, contribution_bounds_per_group => (0, 10))",
            [8],
        ),
        ("ANONYMIZATION OPTIONS(epsilon=1e20, k_threshold=1)", "ANON_SUM(i CLAMPED BETWEEN 2 AND 3)", [8]),
        ("ANONYMIZATION OPTIONS(epsilon=1e20, k_threshold=3)", "ANON_AVG(i CLAMPED BETWEEN 2 AND 3)", [32 / 15]),
        ("ANONYMIZATION OPTIONS(epsilon=1e20, k_threshold=1)", "ANON_VAR_POP(i CLAMPED BETWEEN 2 AND 3)", [0.1875]),
        ("ANONYMIZATION OPTIONS(epsilon=1e20, k_threshold=0)", "ANON_COUNT(*)", [10]),
        ("ANONYMIZATION OPTIONS(epsilon=1e20, k_threshold=100)", "ANON_SUM(d)", None),
        ("ANONYMIZATION OPTIONS(epsilon=1e20, k_threshold=100)", "ANON_AVG(d)", None),
    ],
)
def test_statements_of_zetasql_give_its_numbers(
    zetasql: Session, clause: str, calls: str, expected: list[float] | None
) -> None:
    release = zetasql.sql(f"SELECT WITH {clause} {calls} FROM t").release()
    found = [release.values(name) for name in release.names]
    assert found == ([[pytest.approx(each, abs=1e-6)] for each in expected] if expected else [[]])


def test_a_delta_of_one_is_not_spent(zetasql: Session) -> None:
    query = zetasql.sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, delta=1) COUNT(*) AS n FROM t")
    assert query.loss() == zetasql.sql("SELECT COUNT(*) AS n FROM t").loss(epsilon=1)
    with pytest.raises(InvalidError, match="delta is a probability"):
        zetasql.sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1, delta=1.01) COUNT(*) AS n FROM t").plan()


@pytest.mark.parametrize("clause", ["", " HAVING n > 2"])
def test_a_threshold_is_a_condition_on_the_noisy_number_of_persons(session: Session, clause: str) -> None:
    text = "SELECT WITH ANONYMIZATION OPTIONS(k_threshold = 7) x > 0.5 AS k, ANON_COUNT(*) AS n FROM t GROUP BY k"
    plain = "SELECT x > 0.5 AS k, COUNT(*) AS n FROM t GROUP BY k HAVING {}COUNT(DISTINCT id) >= 7"
    query, other = session.sql(text + clause), session.sql(plain.format("(n > 2) AND " if clause else ""))
    assert query.query.aggregates == other.query.aggregates
    assert str(query.after.having) == str(other.after.having)
    assert query.unselected == other.unselected == ("count_ids",)
    assert query.plan(epsilon=1).loss == other.plan(epsilon=1).loss


def test_a_threshold_counts_rows_where_rows_are_protected() -> None:
    book = pv.Codebook(columns={"x": pv.column("real", bounds=(0, 1))}, unit=pv.Rows())
    rows = Session([{"x": 0.5}] * 50, book, pv.budget(epsilon=1000))
    for least, shown in ((10, 1), (90, 0)):
        text = f"SELECT WITH ANONYMIZATION OPTIONS(epsilon = 100, k_threshold = {least}) ANON_SUM(x) AS s FROM data"
        assert len(rows.sql(text).release()) == shown


@pytest.mark.parametrize("least", ["-1", "1.5", "x", "1e3"])
def test_a_threshold_is_a_whole_number(session: Session, least: str) -> None:
    with pytest.raises(InvalidError, match="k_threshold must be"):
        session.sql(f"SELECT WITH ANONYMIZATION OPTIONS(k_threshold={least}) ANON_COUNT(*) AS n FROM t")


def test_options_may_be_empty(session: Session) -> None:
    query = session.sql("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS() COUNT(*) AS n FROM t")
    assert query.options == {}
    assert query.plan(epsilon=1) == session.sql("SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*) AS n FROM t").plan(epsilon=1)
