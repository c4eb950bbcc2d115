"""Sessions and planners say what is public of their tables, and what was spent; nothing depends on the data."""

import os
from typing import Any

import pytest

import privet as pv

BOOK = pv.Codebook(
    table="visits",
    description="visits to a clinic",
    columns={
        "person": pv.column("integer", description="who"),
        "ward": pv.column("text", categories=("a", "b"), nulls=pv.NullsAsCategory()),
        "minutes": pv.column("real", bounds=(0, 10_000), nulls=pv.NullsReplaced(5)),
        "day": pv.column("date", bounds=("2024-01-01", "2024-12-31")),
    },
    unit=pv.Persons("person", rows=1, groups=2 - 1),
)
TEXT = """
{door}
budget: epsilon = 3 and delta = 1e-6
spent: {spent}
left: {left}

table visits: visits to a clinic
protected: all rows of any one person (column 'person')
not protected: {open}
caps of a person: 1 row, 1 group
public groups: by ward, from their categories

column   type         values                         nulls                    about
person   integer, id  any                            left out                 who
ward     text         a, b                           a category of their own
minutes  real         from 0 to 10,000               replaced by 5
day      date         from 2024-01-01 to 2024-12-31  left out
""".strip()


def open_session(rows: Any = (), budget: Any = None) -> pv.Session:
    return pv.Session(list(rows), BOOK, budget or pv.budget(epsilon=3, delta=1e-6))


def test_a_session_describes_its_tables_and_its_budget() -> None:
    session = open_session()
    whole = "epsilon = 3 and delta = 1e-6"
    assert session.describe() == TEXT.format(door="Session", spent="nothing", left=whole, open=BOOK.unit.leaves_open)
    session.query().agg(pv.count()).release(epsilon=1)
    assert "spent: epsilon = 1 in 1 charge\nleft: epsilon = 2 and delta = 1e-6" in session.describe()


def test_a_planner_describes_the_same() -> None:
    planner = pv.Planner(BOOK, pv.budget(epsilon=3, delta=1e-6))
    whole = "epsilon = 3 and delta = 1e-6"
    assert planner.describe() == TEXT.format(door="Planner", spent="nothing", left=whole, open=BOOK.unit.leaves_open)
    assert len(planner.history) == 0


def test_a_session_in_one_line() -> None:
    session = open_session()
    session.query().agg(pv.count()).release(epsilon=3)
    assert repr(session) == (
        "Session(tables: visits (4 columns); protected: all rows of any one person (column 'person'); "
        "budget: epsilon = 3 and delta = 1e-6; spent: epsilon = 3 in 1 charge; left: epsilon = 0 and delta = 1e-6)"
    )
    html = session._repr_html_()
    assert html.count("<table>") == 2
    assert "from 0 to 10,000" in html


def test_a_part_says_which_part_it_is() -> None:
    parts = open_session([{"person": 1, "ward": "a"}]).partition("ward").release(epsilon=1)
    assert "part: ward = 'a'; rows of a person count in at most 1 of 3 parts" in parts["a"].describe()
    assert "part: ward = 'a'" in repr(parts["a"])


def test_a_session_without_a_limit_says_so() -> None:
    session = open_session(budget=pv.InfiniteBudget())
    session.query().agg(pv.count()).release(epsilon=1)
    assert "NOT PRIVATE" in repr(session)
    assert "NOT PRIVATE" in session.describe()
    assert "NOT PRIVATE" in session._repr_html_()


def test_nothing_depends_on_the_data() -> None:
    full = open_session([{"person": n, "ward": "CANARY", "minutes": 1, "day": "2024-02-03"} for n in range(50)])
    empty = open_session()
    for session in (full, empty):
        session.query().group_by("ward").agg(pv.count()).release(epsilon=1)
    assert repr(full) == repr(empty)
    assert full.describe() == empty.describe()
    assert full._repr_html_() == empty._repr_html_()
    assert "CANARY" not in full._repr_html_()


def test_a_closed_session_can_still_be_looked_at() -> None:
    session = open_session()
    session.close()
    assert session.describe()
    assert session._repr_html_()
    assert len(session.history) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_copy_can_be_looked_at() -> None:
    session = open_session()
    child = os.fork()
    if child == 0:
        fine = "known to the process that opened the session" in session.describe() and bool(session._repr_html_())
        os._exit(7 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
