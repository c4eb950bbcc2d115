"""Private rows: charged for as many rows as neighbours differ by, before anything is computed from them."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.core import MatrixDomain, Space, SymmetricDistance
from privet.errors import BudgetExceededError, WrongTypeError
from privet.models.private_rows import Account, PrivateRows
from privet.models.spending import Form, spending_of
from privet.transforms.sums_by_group import SumsByGroup

BUDGETS: dict[Form, Any] = {
    "normal": pv.budget(epsilon=1, delta=1e-6),
    "concentrated": pv.budget(rho=0.1),
    "pure": pv.budget(epsilon=1),
}
DOMAIN = MatrixDomain(columns=1, bounds=((Fraction(0), Fraction(1)),), grid=Fraction(1, 2**20), nan=False)
COUNT = SumsByGroup(groups=[1])


def rows_of(form: Form, d_in: int, value: Any = None) -> PrivateRows:
    spending = spending_of("Model", BUDGETS[form], (form,) if form == "pure" else ("normal", "concentrated"))
    assert spending.form == form
    table = np.zeros((7, 1)) if value is None else value
    return PrivateRows(value=table, space=Space(DOMAIN, SymmetricDistance()), account=Account(spending, d_in))


@pytest.mark.parametrize("d_in", [1, 3])
@pytest.mark.parametrize("form", list(BUDGETS))
def test_a_whole_share_is_the_whole_budget_at_any_distance(form: Form, d_in: int) -> None:
    """Charged for one row, the noise of three would leave most of the budget for more releases."""
    rows = rows_of(form, d_in)
    rows.release("count", COUNT, share=Fraction(1))
    with pytest.raises(BudgetExceededError):
        rows.release("count again", COUNT, share=Fraction(1, 100))
    one, several = rows_of(form, 1), rows_of(form, d_in)
    one.release("count", COUNT, share=Fraction(1))
    several.release("count", COUNT, share=Fraction(1))
    assert several.scale() == pytest.approx(d_in * one.scale())


@pytest.mark.parametrize("d_in", [1, 3])
@pytest.mark.parametrize("form", list(BUDGETS))
def test_sums_of_an_engine_are_charged_likewise_and_before_they_are_computed(form: Form, d_in: int) -> None:
    rows = rows_of(form, d_in)
    rows.release_sums("count", COUNT, share=Fraction(1), compute=lambda: np.array([7]))

    def compute() -> Any:
        raise AssertionError

    with pytest.raises(BudgetExceededError):
        rows.release_sums("count again", COUNT, share=Fraction(1, 100), compute=compute)


class Untouchable:
    """Rows that nobody may read."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.mark.parametrize("form", list(BUDGETS))
def test_rows_are_not_touched_before_the_charge(form: Form) -> None:
    rows = rows_of(form, 1)
    rows.release("count", COUNT, share=Fraction(1))
    hidden = PrivateRows(value=Untouchable(), space=rows.space, account=rows.account)
    with pytest.raises(BudgetExceededError):
        hidden.release("count again", COUNT, share=Fraction(1, 100))


@pytest.mark.parametrize("form", list(BUDGETS))
def test_the_loss_is_that_of_the_budget(form: Form) -> None:
    rows = rows_of(form, 1)
    before = rows.account.loss
    rows.release("count", COUNT, share=Fraction(1, 3))
    assert rows.account.loss == before
    assert BUDGETS[form].point().cost >= 0
    assert (before <= BUDGETS[form]) is True


def test_sums_leave_rows_by_a_release_only() -> None:
    """Whatever goes through counts as rows, and rows are free."""
    with pytest.raises(WrongTypeError, match="SumsByGroup is no row-by-row unit: release what it gives"):
        rows_of("pure", 1).through(COUNT)  # type: ignore[arg-type]
