"""The outermost SELECT: names of results, and statements with very many aggregates."""

from time import process_time

import numpy as np
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.session.session import Session
from tests.tables.sql.public_query import aggregates_of

COLUMNS = {
    "id": pv.column("integer"),
    "ward": pv.column("text", categories=("a", "b")),
    **{f"c{at}": pv.column("integer", bounds=(0, 100)) for at in range(20)},
}


def opened() -> Session:
    book = pv.Codebook(table="t", columns=COLUMNS, unit=pv.Persons(id="id", rows=1))
    rows = [{"id": n, "ward": "ab"[n % 2], **{f"c{at}": at for at in range(20)}} for n in range(50)]
    return Session(rows, book, pv.budget(epsilon=10**12))


def wide(many: int) -> str:
    sums = ", ".join(f"SUM(CASE WHEN c{at % 20} >= {at % 7} THEN c{(at + 1) % 20} END) AS s{at}" for at in range(many))
    return f"SELECT ward, {sums} FROM t GROUP BY ward"


@pytest.mark.parametrize("name", ["self", '"self"', "aggregates", "named", "cls"])
def test_results_may_have_the_names_of_our_own_parameters(name: str) -> None:
    plain = name.strip('"')
    assert next(iter(opened().sql(f"SELECT COUNT(*) AS {name} FROM t").release(epsilon=1).to_dict())) == plain
    text = f"SELECT ward AS {name}, COUNT(*) AS n, COUNT(*) + 1 AS m FROM t GROUP BY {name} ORDER BY {name}"
    assert opened().sql(text).release(epsilon=1).values(plain) == ["a", "b"]


def test_a_name_that_is_used_twice_is_refused() -> None:
    with pytest.raises(InvalidError, match="'n' is used twice"):
        opened().sql("SELECT COUNT(*) AS n, SUM(c1) AS n FROM t")


def test_two_hundred_sums_are_planned_in_time_that_grows_with_their_number() -> None:
    session = opened()
    times = {}
    for many in (50, 200):
        start = process_time()
        session.sql(wide(many)).plan(epsilon=1)
        times[many] = process_time() - start
    assert times[200] < 10 * times[50]  # 16 times is the square


def test_a_wide_statement_is_answered_and_columns_are_computed_side_by_side() -> None:
    session = opened()
    answer = session.sql(wide(200)).release(epsilon=10**9)
    assert np.ravel(answer.values("s150")).tolist() == [25 * 11] * 2
    assert len(answer.to_dict()) == 1 + 4 * 200
    assert len(aggregates_of(session.sql(wide(200))).grouped.query.chain.links) == 2  # the table, and one projection


def test_a_key_and_aggregates_of_one_expression_share_a_column() -> None:
    session = opened()
    text = "SELECT c1 > 5 AS k, SUM(CASE WHEN c1 > 5 THEN 1 ELSE 0 END) AS s, COUNT(*) AS n FROM t GROUP BY c1 > 5"
    answer = session.sql(text).release(epsilon=10**9)
    assert answer.values("k") == [False, True]
    assert answer.values("s") == [0, 0]


def test_a_sub_query_may_group_by_the_id_and_by_expressions() -> None:
    text = (
        "SELECT k, COUNT(*) AS n FROM (SELECT id, c1 > 0 AS k, ward = 'a' AS a, MAX(c2) AS m FROM t "
        "GROUP BY id, c1 > 0, ward = 'a') GROUP BY k"
    )
    assert opened().sql(text).release(epsilon=10**9).values("n") == [0, 50]
