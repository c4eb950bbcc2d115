"""Budgets have one form."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.numerics.convert import Point
from privet.accounting.planning.budget import AdditiveBudget, GaussianBudget
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from tests.combinators.gaussian_twin import KnownMu


def test_budgets_cover_what_fits() -> None:
    assert pc.PureLoss(1) <= pv.budget(epsilon=1)
    assert not pc.PureLoss(1.0000001) <= pv.budget(epsilon=1)
    assert not pc.ConcentratedLoss(0.1) <= pv.budget(epsilon=10)
    assert pc.ConcentratedLoss(0.1) <= pv.budget(epsilon=10, delta=1e-6)
    assert pc.ConcentratedLoss(0.1) <= pv.budget(rho=0.1)
    assert not pc.ApproximateLoss(0.1, 1e-9) <= pv.budget(rho=10)
    assert pc.ApproximateLoss(1, 1e-9) <= pv.budget(epsilon=1, delta=1e-9)
    assert not pc.ApproximateLoss(1, 1e-9) <= pv.budget(epsilon=1, delta=9e-10)


def test_one_order_is_compared_at_that_order() -> None:
    assert pc.ConcentratedLoss(0.1) <= pv.budget(order=5, renyi=0.5)
    assert not pc.ConcentratedLoss(0.1) <= pv.budget(order=6, renyi=0.5)


def test_mu_is_compared_by_its_square() -> None:
    assert KnownMu(Fraction(1, 3)) <= pv.budget(mu=Fraction(1, 3))
    assert not KnownMu(Fraction(1, 3) + Fraction(1, 10**30)) <= pv.budget(mu=Fraction(1, 3))
    assert not KnownMu(math.inf) <= pv.budget(mu=10**9)


def test_mu_is_read_back_rounded_up() -> None:
    assert GaussianBudget(mu_squared=Fraction(4, 9)).mu == Fraction(2, 3)
    assert GaussianBudget(mu_squared=2).mu ** 2 > 2


@pytest.mark.parametrize(
    "budget",
    [
        pv.budget(epsilon=0.5),
        pv.budget(epsilon=0.5, delta=1e-6),
        pv.budget(rho=0.5),
        pv.budget(order=3, renyi=0.5),
        pv.budget(mu=0.5),
    ],
    ids=repr,
)
def test_a_budget_can_be_rebuilt_from_its_point(budget: AdditiveBudget) -> None:
    assert budget.like(budget.point()) == budget
    assert budget.like(Point(Fraction(1), Fraction(0))) != budget


@pytest.mark.parametrize(
    "budget",
    [
        pv.budget(epsilon=0.5),
        pv.budget(epsilon=0.5, delta=1e-6),
        pv.budget(rho=0.5),
        pv.budget(order=3, renyi=0.5),
        pv.budget(mu=0.5),
    ],
    ids=repr,
)
def test_the_loss_of_a_budget_fits_it_and_fills_it(budget: AdditiveBudget) -> None:
    assert budget.loss() <= budget
    assert budget.price(budget.loss()) == budget.point()


def test_the_loss_of_a_gaussian_budget_is_that_of_gaussian_noise() -> None:
    loss = pv.budget(mu=1).loss()
    assert loss.rho() == Fraction(1, 2)
    assert 4.8865 < loss.epsilon(1e-6) < 4.8866


def test_epsilon_is_priced_at_a_delta() -> None:
    loss = pc.ConcentratedLoss(0.1)
    assert pv.budget(epsilon=9, delta=0.1).price(loss, 1e-6) == Point(loss.epsilon(1e-6), Fraction(1, 10**6))
    with pytest.raises(UnavailableError, match="no finite epsilon without a delta"):
        pv.budget(epsilon=9, delta=0.1).price(loss)


@pytest.mark.parametrize("budget", [pv.budget(rho=1), pv.budget(mu=1), pv.budget(order=2, renyi=1)], ids=repr)
def test_other_forms_have_no_delta(budget: AdditiveBudget) -> None:
    with pytest.raises(InvalidError, match="delta is for budgets of epsilon and delta, and this one is in"):
        budget.price(KnownMu(Fraction(1)), 0.1)


def test_budgets_print_as_typed() -> None:
    assert repr(pv.budget(order=2, renyi=0.5)) == "RenyiBudget(order=2, cost=0.5)"
    assert repr(pv.budget(mu=0.5)) == "GaussianBudget(mu_squared=0.25)"
    assert repr(pv.budget(epsilon=0.1, delta=1e-9)) == "ApproximateBudget(epsilon=0.1, delta=1e-09)"
    assert repr(pv.budget(rho=Fraction(1, 3))) == "ConcentratedBudget(rho=1/3)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, WrongTypeError, "needs epsilon"),
        ({"delta": 1e-6}, WrongTypeError, "needs epsilon"),
        ({"epsilon": 1, "rho": 1}, WrongTypeError, "not both"),
        ({"delta": 0.1, "rho": 1}, WrongTypeError, "takes delta with epsilon only: leave it out, since rho has none"),
        ({"epsilon": -1}, InvalidError, "pv.budget: epsilon must be above zero, got -1. Give a number such as 0.5."),
        ({"epsilon": math.inf}, InvalidError, "pv.budget: epsilon must be a finite number such as 0.5, got inf."),
        (
            {"epsilon": 1, "delta": 1},
            InvalidError,
            "pv.budget: delta is a probability, zero or more and below one, got 1. Give one such as 1e-6.",
        ),
        ({"rho": "x"}, InvalidError, "pv.budget: rho must be a number such as 0.5, got text 'x'."),
        ({"mu": 1, "rho": 1}, WrongTypeError, "budget takes rho or mu, not both"),
        ({"mu": -1}, InvalidError, "pv.budget: mu must be above zero, got -1."),
        ({"mu": "x"}, InvalidError, "pv.budget: mu must be a number such as 0.5, got text 'x'."),
        ({"renyi": 1}, WrongTypeError, "needs both order and renyi"),
        ({"order": 2}, WrongTypeError, "needs both order and renyi"),
        ({"order": 1, "renyi": 1}, InvalidError, "RenyiBudget.order must be above one, got 1."),
        ({"order": 2, "renyi": -1}, InvalidError, "RenyiBudget.cost must be zero or more, got -1."),
    ],
)
def test_wrong_budgets_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pv.budget(**arguments)
