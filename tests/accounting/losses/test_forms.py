"""Forms of loss to restate a loss in."""

import math
from fractions import Fraction

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.forms import ApproximateForm, AssertedLoss, ConcentratedForm, Form, PureForm, RenyiForm
from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError, NotExactError, UnavailableError, WrongTypeError

LOSSES: list[Loss] = [
    pc.PureLoss(0.5),
    pc.BoundedRangeLoss(1),
    pc.ConcentratedLoss(0.1),
    pc.ApproximateLoss(0.5, 1e-8),
    pc.ApproximateConcentratedLoss(0.1, 1e-8),
    pc.PureLoss(0.1) * 20 + pc.ConcentratedLoss(0.01),
    pc.PureLoss(1).amplify(pv.Poisson(0.1)),
    pc.PureLoss(0.2).group(3),
]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_in_its_own_form_a_restated_loss_says_the_same(loss: Loss) -> None:
    """In other forms it may say more or, by a sharper conversion of what is left, even less."""
    if loss.epsilon() != math.inf:
        assert PureForm().restate(loss).epsilon() == loss.epsilon()
    assert ApproximateForm(delta=1e-6).restate(loss).epsilon(1e-6) == loss.epsilon(1e-6)
    if loss.rho() != math.inf:
        assert ConcentratedForm().restate(loss).rho() == loss.rho()
        assert RenyiForm(orders=[8]).restate(loss).renyi(8) == loss.renyi(8)
    assert ConcentratedForm(delta=1e-7).restate(loss).concentrated().cost == loss.concentrated().cost


def test_the_edges_of_the_graph() -> None:
    assert ConcentratedForm().restate(pc.PureLoss(1)) == pc.ConcentratedLoss(pc.PureLoss(1).rho())
    assert ConcentratedForm().restate(pc.BoundedRangeLoss(1)).rho() <= Fraction(1, 8)
    assert PureForm().restate(pc.BoundedRangeLoss(1)) == pc.PureLoss(1)
    assert float(ApproximateForm(delta=1e-6).restate(pc.ConcentratedLoss(0.5)).epsilon(1e-6)) == pytest.approx(
        5.222, abs=1e-3
    )
    assert RenyiForm(orders=[2]).restate(pc.ConcentratedLoss(0.5)).renyi(2) == 1
    shifted = ConcentratedForm(delta=1e-7).restate(pc.ApproximateLoss(1, 1e-8))
    assert shifted == pc.ApproximateConcentratedLoss(pc.ApproximateLoss(1, 1e-8).concentrated().cost, 1e-7)


@pytest.mark.parametrize(
    ("loss", "form", "reason"),
    [
        (pc.ConcentratedLoss(1), PureForm(), "no finite epsilon at delta = 0"),
        (pc.ApproximateLoss(1, 1e-3), ApproximateForm(delta=1e-6), "give a larger delta"),
        (pc.ApproximateLoss(1, 1e-3), ConcentratedForm(), "outside an event of probability 0.001 only"),
        (pc.ApproximateLoss(1, 1e-3), ConcentratedForm(delta=1e-4), "outside an event of probability 0.001 only"),
        (pc.ApproximateLoss(1, 1e-3), RenyiForm(orders=[2]), "no finite Rényi divergence"),
    ],
    ids=str,
)
def test_the_impossible_is_refused_with_a_reason(loss: Loss, form: Form, reason: str) -> None:
    with pytest.raises(UnavailableError, match=reason):
        form.restate(loss)


def test_orders_without_a_finite_divergence_are_left_out() -> None:
    loss = RenyiForm(orders=[2, 4]).restate(RenyiForm(orders=[3]).restate(pc.ConcentratedLoss(1)))
    assert loss.renyi(2) == 3
    assert loss.renyi(4) == math.inf


def test_messages() -> None:
    with pytest.raises(
        InvalidError,
        match="ApproximateForm.delta must be above zero .* is PureForm..., got 0",
    ):
        ApproximateForm(delta=0)
    with pytest.raises(
        InvalidError,
        match="ApproximateForm.delta must be .* at most one .* got 2.",
    ):
        ApproximateForm(delta=2)
    with pytest.raises(NotExactError, match="ConcentratedForm.delta"):
        ConcentratedForm(delta=math.nan)
    with pytest.raises(InvalidError, match="RenyiForm.orders must be above one, got 1."):
        RenyiForm(orders=[1, 2])
    with pytest.raises(WrongTypeError, match="RenyiForm.orders must be a list of numbers above one, got int."):
        RenyiForm(orders=3)
    assert RenyiForm(orders=[Fraction(3, 2)]).orders == (Fraction(3, 2),)


def test_what_was_asserted_is_kept() -> None:
    told = AssertedLoss(pc.PureLoss(1), ("a random sample",))
    restated = ConcentratedForm().restate(told)
    assert restated.assumptions() == ("a random sample",)
    plain = pc.ConcentratedLoss(pc.PureLoss(1).rho())
    assert restated.rho() == plain.rho()
    assert restated.renyi(3) == plain.renyi(3)
    assert restated.delta(1) == plain.delta(1)
    assert restated.epsilon(1e-6) == plain.epsilon(1e-6)
    assert told.pure() == pc.PureLoss(1).pure()


def test_an_asserted_loss_keeps_the_pair_of_its_base() -> None:
    base = pc.LaplaceLoss(distance=1, scale=1)
    told = AssertedLoss(base, ("a random sample",))
    assert (told * 10).epsilon(1e-6) == (base * 10).epsilon(1e-6)
    lower, upper = told.interval(delta=0.1)
    assert lower <= upper


def test_an_asserted_loss_keeps_the_direction_of_its_base() -> None:
    base = pc.PureLoss(1).amplify(pv.Poisson(0.1))
    told = AssertedLoss(base, ("a random sample",))
    assert told.directed
    assert not told.undirected().directed
    assert told.undirected().assumptions() == told.assumptions()
