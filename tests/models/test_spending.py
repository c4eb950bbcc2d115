"""Budgets of fits: which form is spent, and that every noise scale is rounded toward more noise."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.core import Parts
from privet.errors import InvalidError, WrongTypeError
from privet.models.k_means import KMeans
from privet.models.spending import largest_rho, read_spending, spending_of

ALL: Any = ("normal", "concentrated", "pure")


@pytest.mark.parametrize(
    ("stated", "forms", "form"),
    [
        (pv.budget(epsilon=1, delta=1e-6), ALL, "normal"),
        (pv.budget(epsilon=1, delta=1e-6), ("concentrated",), "concentrated"),
        (pv.budget(epsilon=1, delta=1e-6), ("pure", "concentrated"), "pure"),
        (pv.budget(epsilon=200, delta=1e-6), ALL, "concentrated"),
        (pv.budget(epsilon=1), ALL, "pure"),
        (pv.budget(rho=0.1), ALL, "concentrated"),
        (pv.budget(rho=0.1), ("pure", "concentrated"), "concentrated"),
    ],
)
def test_the_form_is_the_best_one_that_the_estimator_can_spend(stated: Any, forms: Any, form: str) -> None:
    spending = spending_of("Model", stated, forms)
    assert spending.form == form
    assert spending.whole().epsilon(Fraction(1, 10**6)) <= stated.point().cost or form == "concentrated"


@pytest.mark.parametrize("form", ["normal", "concentrated", "pure"])
@pytest.mark.parametrize("share", [Fraction(1), Fraction(1, 3), Fraction(1, 7_000)])
def test_noise_costs_at_most_its_share(form: Any, share: Fraction) -> None:
    stated = pv.budget(epsilon=Fraction(7, 10)) if form == "pure" else pv.budget(rho=Fraction(1, 30))
    if form == "normal":
        stated = pv.budget(epsilon=Fraction(7, 10), delta=Fraction(1, 10**6))
    spending = spending_of("Model", stated, (form,))
    distance = Parts(l0=3, l1=5, l2_squared=Fraction(13, 2), linf=2)
    scale = spending.noise(distance, share).scale
    spent = distance.l1 / scale if form == "pure" else distance.l2_squared / (2 * scale**2)
    assert spent <= share * spending.total
    assert spent > share * spending.total * (1 - Fraction(1, 2**30))


def test_the_whole_loss_is_that_of_the_budget() -> None:
    """A total is half the mu² of normal noise: the loss of the total alone would be far below what is spent."""
    normal, concentrated, pure = (
        spending_of("Model", stated, ALL).whole()
        for stated in (pv.budget(epsilon=1, delta=1e-6), pv.budget(rho=Fraction(1, 10)), pv.budget(epsilon=2))
    )
    assert 0.999 < normal.epsilon(Fraction(1, 10**6)) <= 1
    assert (concentrated.rho(), pure.epsilon(0)) == (Fraction(1, 10), 2)


def test_the_largest_rho_is_rounded_down() -> None:
    from privet.accounting.losses.concentrated import ConcentratedLoss

    epsilon, delta = Fraction(1), Fraction(1, 10**6)
    rho = largest_rho(epsilon, delta)
    assert ConcentratedLoss(rho).epsilon(delta) <= epsilon
    assert ConcentratedLoss(rho * (1 + Fraction(1, 2**30))).epsilon(delta) > epsilon


@pytest.mark.parametrize("epsilon", [20, 100, 1_000])
def test_a_budget_that_protects_nothing_is_no_error(epsilon: int) -> None:
    """Its noise is finer than the grid on which it would count as normal noise, so another form is spent."""
    rows = np.random.default_rng(0).uniform(-1, 1, size=(60, 3))
    model = KMeans(n_clusters=3, epsilon=epsilon, delta=1e-3, bounds=(-1, 1)).fit(rows)
    assert model.loss_.epsilon(Fraction(1, 1000)) <= epsilon


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({}, InvalidError, "needs a privacy budget"),
        ({"budget": 1}, WrongTypeError, "must be a budget such as"),
        ({"budget": pv.budget(rho=1), "epsilon": 1}, InvalidError, "give one of them"),
        ({"epsilon": 1}, InvalidError, "has no epsilon without a delta"),
    ],
)
def test_what_is_missing_or_given_twice_is_refused(given: dict[str, Any], kind: Any, message: str) -> None:
    estimator = SimpleNamespace(**({"epsilon": None, "delta": None, "rho": None, "budget": None} | given))
    with pytest.raises(kind, match=message):
        read_spending("Model", estimator, ("normal", "concentrated"))
