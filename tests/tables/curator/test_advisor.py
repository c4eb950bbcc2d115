"""A session warns once per rule, of public facts alone."""

import warnings
from typing import Any

import pytest

import privet as pv
from privet.errors import PrivetWarning
from privet.tables.curator.advisor import unit_facts
from privet.tables.session import opening


@pytest.fixture(autouse=True)
def _sources_without_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the one warning about sources without types be given already, whichever test comes first."""
    monkeypatch.setattr(opening, "_said", {"said"})


def book(unit: pv.PrivacyUnit, *names: str) -> pv.Codebook:
    columns = {name: pv.column("integer") for name in names}
    columns["age"] = pv.column("integer", bounds=(0, 9))
    columns["day"] = pv.column("date", bounds=("2024-01-01", "2024-12-31"))
    return pv.Codebook(columns=columns, unit=unit)


def rules(given: Any) -> list[str]:
    return [str(each.message).rpartition("(Rule: ")[2].removesuffix(".)") for each in given]


@pytest.mark.parametrize(
    ("name", "looks"),
    [
        ("visitor_id", True),
        ("patientId", True),
        ("PatientID", True),
        ("user_uuid", True),
        ("id", False),
        ("row_id", False),
        ("record_id", False),
        ("paid", False),
        ("grid", False),
    ],
)
def test_a_column_called_like_an_id_of_persons(name: str, looks: bool) -> None:
    assert (unit_facts({"data": book(pv.Rows(), name)}).id_column == name) is looks


def test_rows_with_an_id_column_are_a_warning() -> None:
    with pytest.warns(PrivetWarning) as given:
        pv.Session([], book(pv.Rows(), "visitor_id"), pv.budget(epsilon=1))
    (warning,) = given
    assert str(warning.message) == (
        "pv.Session: protected: whether any one row is in the table, and what it holds. Not protected: a person with "
        "more than one row: someone with n rows is protected at the loss of a group of n. Column 'visitor_id' looks "
        "like an id: use pv.Persons('visitor_id') to protect persons with all of their rows. (Rule: rows of persons.)"
    )


def test_rows_without_one_are_a_note_of_releases_and_descriptions() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = pv.Session([], book(pv.Rows()), pv.budget(epsilon=1))
    query = session.query().agg(pv.count())
    note = "note: each row is protected by itself: that protects persons only if each of them has one row"
    assert note in query.describe(epsilon=0.5).splitlines()
    assert note in query.release(epsilon=0.5).notes


def test_a_period_is_a_warning() -> None:
    unit = pv.Persons("visitor", rows=3, period=("day", "month"))
    with pytest.warns(
        PrivetWarning, match="calendar month of 'day'. Not protected: what shows in several months"
    ) as given:
        pv.Planner(book(unit, "visitor"), pv.budget(epsilon=1))
    assert rules(given) == ["part of a person"]


def test_whole_persons_and_a_usual_loss_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = pv.Session([], book(pv.Persons("visitor", rows=3), "visitor"), pv.budget(epsilon=1, delta=1e-6))
        release = session.query().agg(pv.count()).release(epsilon=1)
    assert not [note for note in release.notes if note.startswith(("note", "warning"))]


def open_session(**budget: Any) -> pv.Session:
    return pv.Session([], book(pv.Persons("visitor", rows=3), "visitor"), pv.budget(**budget))


@pytest.mark.parametrize(
    "ask",
    [
        lambda session: session.query().agg(pv.count()),
        lambda session: session.query().rollup("age").agg(pv.count()),
        lambda session: session.batch(a=session.query().agg(pv.count())),
        lambda session: session.sql("SELECT COUNT(*) AS n FROM data"),
        lambda session: session.query().agg(pv.mean("age", bounds=pv.auto())),
        lambda session: session.partition("age"),
    ],
)
def test_every_kind_of_query_warns_once_and_says_it_in_words(ask: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = open_session(rho=1000)
        session._curator.advisor.warned.clear()
    query = ask(session)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        text = query.describe(epsilon=8)
        query.release(epsilon=8)
        query.describe(epsilon=9)
    assert rules(given) == ["very large epsilon"]
    assert any(line.startswith("warning: epsilon = 8 protects little") for line in text.splitlines())


def test_a_guess_of_the_rows_is_compared_with_delta() -> None:
    query: Any = open_session(epsilon=1, delta=1e-6).query().group_by("age").agg(pv.mean("age"))
    with pytest.warns(PrivetWarning, match="above 1 / n for about n = 20,000,000 rows") as given:
        query.describe(epsilon=1, delta=1e-6, group_size=2_000_000)
    assert rules(given) == ["delta above one in n"]


def test_a_session_without_a_limit_is_silent() -> None:
    session = pv.Session([], book(pv.Persons("visitor", rows=3), "visitor"), pv.InfiniteBudget())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session.query().agg(pv.count()).release(epsilon=10**9)


def test_parts_do_not_warn_again() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = open_session(epsilon=50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        part = next(iter(session.partition("age").release(epsilon=20).values()))
        part.query().agg(pv.count()).release(epsilon=10)
