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
