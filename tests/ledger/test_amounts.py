"""Amounts are exact where they can be stored, and rounded up by next to nothing where they cannot."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.planning.budget import AdditiveBudget, budget
from privet.accounting.planning.infinite import InfiniteBudget
from privet.errors import InvalidError, LedgerError, WrongTypeError
from privet.ledger.amounts import EXACT, read_amount, read_budget, same_form, stored_cost, write_amount, write_budget

BUDGETS = [
    budget(epsilon=1),
    budget(epsilon=Fraction(1, 3), delta=1e-30),
    budget(rho=0.5),
    budget(mu=1),
    budget(order=8, renyi=0.5),
]
WIDE = st.builds(Fraction, st.integers(1, 10**60), st.integers(1, 10**60))


@given(st.builds(Fraction, st.integers(0, 10**30), st.integers(1, 10**30)))
def test_an_amount_is_read_as_it_was_written(value: Fraction) -> None:
    assert read_amount(write_amount(value)) == value


@pytest.mark.parametrize("text", ["", "1", "-1/2", "1/0", "01/2", "1/2 ", "1e3/4", "٣/4", "nan", 1, None])
def test_what_is_no_amount_is_refused(text: object) -> None:
    with pytest.raises(LedgerError, match="no fraction"):
        read_amount(text)


@given(st.integers(1, 600), st.integers(1, 10**30), st.integers(-5, 5))
def test_a_charge_can_always_be_read_back(digits: int, numerator: int, more: int) -> None:
    """One entry that cannot be read makes the whole ledger unreadable, for ever."""
    value = Fraction(numerator, 10**digits + more)
    assert read_amount(write_amount(stored_cost(value))) >= value


@pytest.mark.parametrize("value", [1 + Fraction(1, 10**450), Fraction(10**450), Fraction(1, 10**400)])
def test_an_amount_with_too_many_digits_is_refused_before_it_is_written(value: Fraction) -> None:
    with pytest.raises(InvalidError, match="at most 400 digits"):
        write_amount(value)
    assert read_amount(write_amount(Fraction(10**400 - 1, 10**400 - 2))) > 1


@pytest.mark.parametrize("value", BUDGETS)
def test_a_budget_is_read_as_it_was_written(value: AdditiveBudget) -> None:
    assert read_budget(write_budget(value)) == value
    assert [same_form(value, other) for other in BUDGETS].count(True) == (2 if "epsilon" in repr(value) else 1)


def test_a_budget_without_an_end_cannot_be_kept() -> None:
    with pytest.raises(WrongTypeError, match="a ledger keeps budgets"):
        write_budget(InfiniteBudget())


def test_a_form_of_a_newer_version_is_refused() -> None:
    with pytest.raises(LedgerError, match="use a newer"):
        read_budget({"form": "quantum"})


@given(WIDE)
def test_a_cost_is_rounded_up_by_next_to_nothing(value: Fraction) -> None:
    stored = stored_cost(value)
    assert value <= stored <= value * (1 + Fraction(1, EXACT))
    assert stored.denominator <= max(Fraction(EXACT), EXACT / value + 1)


@given(WIDE, st.integers(1, 10**9), st.integers(1, 10**9))
def test_what_covers_a_cost_covers_it_rounded(value: Fraction, above: int, below: int) -> None:
    """Also for a limit that lies next to the cost."""
    limit = Fraction(above, below)
    for cost in (value, limit - value / 10**90, limit):
        if 0 < cost <= limit:
            assert stored_cost(cost) <= limit


@given(st.builds(Fraction, st.integers(1, 10**6), st.integers(1, EXACT)))
def test_a_cost_of_a_small_denominator_is_exact(value: Fraction) -> None:
    assert stored_cost(value) == value


def test_rounding_to_a_multiple_would_not_let_three_thirds_fit() -> None:
    """The twin: the next multiple of 2^-64 lies above a third."""
    cost = Fraction(1, 3) - Fraction(1, 3**99)
    assert Fraction(-(-EXACT * cost.numerator // cost.denominator), EXACT) * 3 > 1
    assert stored_cost(cost) * 3 == 1


def test_a_tiny_delta_stays_tiny() -> None:
    assert stored_cost(Fraction(1, 10**30)) == Fraction(1, 10**30)
