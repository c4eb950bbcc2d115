"""Budgets have one form."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import Invalid, WrongType


def test_budgets_cover_what_fits() -> None:
    assert pv.PureLoss(1) <= pv.budget(epsilon=1)
    assert not pv.PureLoss(1.0000001) <= pv.budget(epsilon=1)
    assert not pv.ConcentratedLoss(0.1) <= pv.budget(epsilon=10)
    assert pv.ConcentratedLoss(0.1) <= pv.budget(epsilon=10, delta=1e-6)
    assert pv.ConcentratedLoss(0.1) <= pv.budget(rho=0.1)
    assert not pv.ApproximateLoss(0.1, 1e-9) <= pv.budget(rho=10)
    assert pv.ApproximateLoss(1, 1e-9) <= pv.budget(epsilon=1, delta=1e-9)
    assert not pv.ApproximateLoss(1, 1e-9) <= pv.budget(epsilon=1, delta=9e-10)


def test_budgets_print_as_typed() -> None:
    assert repr(pv.budget(epsilon=0.1, delta=1e-9)) == "ApproximateBudget(epsilon=0.1, delta=1e-09)"
    assert repr(pv.budget(rho=Fraction(1, 3))) == "ConcentratedBudget(rho=1/3)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, WrongType, "needs epsilon"),
        ({"delta": 1e-6}, WrongType, "needs epsilon"),
        ({"epsilon": 1, "rho": 1}, WrongType, "not both"),
        ({"delta": 0.1, "rho": 1}, WrongType, "not both"),
        ({"epsilon": -1}, Invalid, "epsilon must be zero or more, got -1."),
        ({"epsilon": math.inf}, Invalid, "ApproximateBudget.epsilon: expected a finite number"),
        ({"epsilon": 1, "delta": 1}, Invalid, "ApproximateBudget.delta must be zero or more and below one, got 1."),
        ({"rho": "x"}, Invalid, "ConcentratedBudget.rho: expected a number"),
    ],
)
def test_wrong_budgets_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pv.budget(**arguments)
