"""Mistakes about losses, as newcomers made them: each ends in a message, verbatim."""

import warnings
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError, PrivetWarning, WrongTypeError

BOOK = pv.Codebook(
    columns={"visitor": pv.column("integer"), "spending": pv.column("real", bounds=(0, 60))},
    unit=pv.Persons("visitor", rows=10),
)


def session(**budget: Any) -> pv.Session:
    return pv.Session([{"visitor": 1, "spending": 3.0}], BOOK, pv.budget(**(budget or {"epsilon": 1})))


def count(**budget: Any) -> Any:
    """Make a query, in a session with room for a release."""
    return session(**budget).query().agg(pv.count())


def test_mistake_05_epsilon_as_text() -> None:
    assert count().plan(epsilon="1").loss.epsilon() == 1
    assert count().plan(epsilon="1/3").loss.epsilon() == Fraction(1, 3)
    assert pv.budget(epsilon="0.5") == pv.budget(epsilon=0.5)
    with pytest.raises(InvalidError) as error:
        count().release(epsilon="one")
    assert str(error.value) == "release: epsilon must be a number such as 0.5, got text 'one'."
    with pytest.raises(InvalidError) as error:
        pv.budget(epsilon="one")
    assert str(error.value) == "pv.budget: epsilon must be a number such as 0.5, got text 'one'."


@pytest.mark.parametrize("text", ["", "1/0", "0x1", "1_0", "nan", "inf", "1e9999", "١", " 1", "1" * 100])
def test_mistake_05_no_other_text_is_a_number(text: str) -> None:
    with pytest.raises(InvalidError, match="must be a number such as 0.5, got text"):
        pv.budget(epsilon=text)


def test_mistake_06_epsilon_below_zero() -> None:
    with pytest.raises(InvalidError) as error:
        count().release(epsilon=-1)
    assert str(error.value) == "release: epsilon must be above zero, got -1. Give a number such as 0.5."


def test_mistake_07_epsilon_of_zero() -> None:
    with pytest.raises(InvalidError) as error:
        count().release(epsilon=0)
    assert str(error.value) == "release: epsilon must be above zero, got 0. Give a number such as 0.5."


def test_mistake_08_epsilon_is_missing() -> None:
    with pytest.raises(WrongTypeError) as error:
        count().release(epsilon=None)
    assert str(error.value) == ("release needs epsilon=..., with or without delta=..., or rho=...: what it may lose.")


HUGE = (
    "epsilon = 1,000,000 protects little: odds that a person is in the data may grow by a factor of more than "
    "10^300. An epsilon of 0.1 to 1 is usual, and 5 is the most. Use a smaller loss. (Rule: very large epsilon.)"
)


def test_mistake_09_a_huge_epsilon() -> None:
    with pytest.warns(PrivetWarning) as given:
        opened = session(epsilon=1_000_000)
    assert [str(each.message) for each in given] == [f"pv.Session.budget: {HUGE}"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a session warns once
        release = opened.query().agg(pv.count()).release(epsilon=500_000)
    assert any(note.startswith("warning: epsilon = 500,000 protects little") for note in release.notes)


def test_mistake_09_a_huge_epsilon_of_a_plan() -> None:
    with pytest.warns(PrivetWarning) as given:
        count().plan(epsilon=1_000_000)
    assert [str(each.message) for each in given] == [f"plan: {HUGE}"]
    assert given[0].filename == __file__


def test_mistake_10_a_huge_delta() -> None:
    with pytest.warns(PrivetWarning) as given:
        count(epsilon=1, delta=0.5)
    (warning,) = given
    assert str(warning.message) == (
        "pv.Session.budget: with probability delta = 0.5, a release may reveal everything. A delta of 0.000001 or less "
        "is usual, and below one divided by the number of persons. Use a smaller delta. (Rule: large delta.)"
    )


def test_mistake_11_a_budget_without_a_name() -> None:
    assert pv.budget(1) == pv.budget(epsilon=1)
    assert pv.budget(1, 1e-6) == pv.budget(epsilon=1, delta=1e-6)
