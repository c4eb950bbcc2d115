"""Sampling facts: the total of a session is amplified, once, and only where the facts are about the protected units."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.sampling.population import Population
from privet.tables.aggregates.count import count
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.curator.sampling import for_population
from privet.tables.session.session import Session

TENTH = Population(rate=Fraction(1, 10))
SURVEY = Population(size=10, population=100)
PERSON = Persons(id="person", rows=1)
MONTHLY = Persons(id="person", rows=1, period=("day", "month"))


def book(unit: PrivacyUnit, sampling: Any) -> Codebook:
    return Codebook(columns={"person": column("integer"), "day": column("date")}, unit=unit, sampling=sampling)


@pytest.mark.parametrize("unit", [Rows(), PERSON])
def test_the_total_is_amplified_not_each_release(unit: PrivacyUnit) -> None:
    session = Session([], book(unit, TENTH), pv.budget(epsilon=2))
    for _ in range(2):
        session.query().agg(count()).release(epsilon=1)
    assert session.loss == pc.PureLoss(2).amplify(TENTH)
    each = 2 * pc.PureLoss(1).amplify(pv.Poisson(TENTH.rate)).epsilon()  # wrong: as if there were two samples
    assert each < session.loss.epsilon() < 2


def test_what_a_session_may_spend_is_not_amplified() -> None:
    session = Session([], book(PERSON, TENTH), pv.budget(epsilon=1))
    session.query().agg(count()).release(epsilon=1)
    assert session.spent == pv.budget(epsilon=1)
    assert session.remaining == pv.budget(epsilon=0)


def test_a_simple_sample_amplifies_what_a_replaced_person_loses() -> None:
    found = for_population(pc.PureLoss(1), {"people": book(PERSON, SURVEY)})
    assert found == pc.PureLoss(1).group(2).amplify(SURVEY)
    assert found.epsilon() > pc.PureLoss(1).amplify(SURVEY).epsilon()


def test_a_replaced_person_taken_for_an_added_one_is_caught() -> None:
    """One of two persons is drawn, and their value, -1 or 1, released with Laplace noise of scale 1.

    One added row costs 1. Where one of the values -1 becomes 1, outputs far to the right are (1 + e^2) / 2 times as
    likely: with probability 1/2 the person is in, and moves the sum by 2.
    """
    half = Population(size=1, population=2)
    truth = math.log((1 + math.e**2) / 2)
    wrong = pc.PureLoss(1).amplify(half).epsilon()
    right = for_population(pc.PureLoss(1), {"people": book(Rows(), half)}).epsilon()
    assert float(wrong) < truth / 2
    assert truth * (1 - 1e-12) <= float(right) <= truth * (1 + 1e-12)


@pytest.mark.parametrize(
    "books",
    [
        {"people": book(PERSON, None)},
        {"people": book(MONTHLY, TENTH)},  # the draw was of persons, with all of their months
        {"people": book(Rows(count=2), TENTH)},  # one of the two rows is drawn more often than each
        {"people": book(PERSON, TENTH), "visits": book(PERSON, None)},  # who is in one may be seen in the other
        {"people": book(PERSON, TENTH), "visits": book(PERSON, Population(rate=Fraction(1, 5)))},
        {"people": book(PERSON, TENTH), "visits": book(PERSON, Population(rate=Fraction(1, 10), name="other"))},
    ],
)
def test_facts_about_something_else_amplify_nothing(books: dict[str, Codebook]) -> None:
    assert for_population(pc.PureLoss(1), books) == pc.PureLoss(1)


def test_one_sample_in_several_tables_is_one_sample() -> None:
    books = {"people": book(PERSON, TENTH), "visits": book(PERSON, TENTH)}
    assert for_population(pc.PureLoss(1), books) == pc.PureLoss(1).amplify(TENTH)


def test_the_assertion_is_told() -> None:
    session = Session([], book(PERSON, TENTH), pv.budget(epsilon=1))
    answer = session.query().agg(count()).release(epsilon=1)
    assert TENTH.assertion in session.loss.assumptions()
    assert TENTH.assertion in answer.notes
