"""Rho and Rényi divergences rise with what they are made of, and are exact to the last bit that is kept."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.characteristic.atomic import ApproximateTerm
from privet.accounting.characteristic.continuous import BoundedRangeTerm, LaplaceTerm
from privet.accounting.numerics.convert import Amount
from privet.accounting.numerics.renyi_convert import pure_rho, range_rho
from privet.core.exact import ball, ends, precision

DIGITS = 700  # bits, above 200 decimal digits
COSTS = [Fraction(n, 1000) for n in (1, 10, 500, 990, 999, 1000, 1001, 1010, 1500, 5000, 20_000, 200_000)]
NEAR = [1 + Fraction(k, 10**9) for k in range(-20, 21)]  # around one, where the form once changed


def pure_reference(epsilon: Fraction) -> arb:
    return ball(epsilon) * (ball(epsilon) / 2).tanh()


def range_reference(eta: Fraction) -> arb:
    half = ball(eta) / 2
    return half * half.coth() - 1 + (half.sinh() / half).log()


MAKERS: dict[str, Callable[[Fraction], pv.Loss]] = {
    "pure": pc.PureLoss,
    "bounded range": pc.BoundedRangeLoss,
    "approximate": lambda cost: pc.ApproximateLoss(cost, Fraction(1, 10**9)),
    "concentrated": pc.ConcentratedLoss,
    "Laplace": lambda cost: pc.LaplaceLoss(distance=cost, scale=1),
    "Laplace on a grid": lambda cost: pc.LaplaceLoss(distance=3, scale=3 / cost, step=1),
    "Gaussian": lambda cost: pc.GaussianLoss(distance=cost, scale=1),
    "sampled pure": lambda cost: pc.PureLoss(cost).amplify(pv.Poisson(0.1)),
    "sample without replacement": lambda cost: pc.PureLoss(cost).amplify(pv.SimpleSampling(0.3)),
    "sampled Laplace": lambda cost: pc.LaplaceLoss(distance=cost, scale=1).amplify(pv.Poisson(0.1)),
    "truncated Laplace": lambda cost: pc.TruncatedLaplaceLoss(distance=2, scale=2 / cost, radius=30),
    "group": lambda cost: pc.PureLoss(cost).group(3),
    "sum": lambda cost: pc.PureLoss(cost) * 2 + pc.BoundedRangeLoss(cost),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_every_form_rises_with_the_cost(make: Callable[[Fraction], pv.Loss]) -> None:
    questions: dict[str, Callable[[pv.Loss], Amount]] = {
        "rho": lambda loss: loss.concentrated().cost,
        "Rényi of order 2": lambda loss: loss.renyi(2),
        "Rényi of order 1.01": lambda loss: loss.renyi(Fraction(101, 100)),
        "Rényi of order 60": lambda loss: loss.renyi(60),
        "mu": lambda loss: loss.gaussian(),
    }
    for costs in (COSTS, NEAR):
        losses = [make(cost) for cost in costs]
        for name, ask in questions.items():
            answers = [ask(loss) for loss in losses]
            slack = 1 - Fraction(1, 2**40) if name == "mu" else 1  # a search in floats chooses mu
            for (low, before), (high, after) in pairwise(zip(costs, answers, strict=True)):
                assert after >= before * slack, f"{name} falls between {float(low)} and {float(high)}"


@pytest.mark.parametrize("make", [pc.PureLoss, pc.BoundedRangeLoss])
@given(cost=st.fractions(0, 200), more=st.integers(1, 400))
def test_rho_rises_at_the_smallest_steps(make: Callable[[Fraction], pv.Loss], cost: Fraction, more: int) -> None:
    assert make(cost).rho() <= make(cost + Fraction(1, 2**more)).rho()


@pytest.mark.parametrize(("found", "reference"), [(pure_rho, pure_reference), (range_rho, range_reference)])
@given(mantissa=st.integers(1, 10**9), exponent=st.integers(-400, 40))
def test_rho_is_the_next_number_of_eighty_bits(
    found: Callable[[Fraction], Fraction], reference: Callable[[Fraction], arb], mantissa: int, exponent: int
) -> None:
    cost = Fraction(mantissa) * Fraction(2) ** exponent
    with precision(DIGITS + 4 * max(-exponent, 0)):
        least, most = ends(reference(cost))
    claimed = found(cost)
    assert least <= claimed, "rounded up"
    assert claimed <= most * (1 + Fraction(1, 2**79)), "and by no more than a unit of the last place"


def test_rho_at_costs_that_no_float_holds() -> None:
    tiny, huge = Fraction(1, 10**5000), Fraction(10**5000)
    assert pure_rho(tiny) == tiny**2 / 2
    assert range_rho(tiny) == tiny**2 / 8
    assert pure_rho(huge) == huge
    assert huge * Fraction(999, 1000) < range_rho(huge) <= huge
    assert pure_rho(Fraction(0)) == range_rho(Fraction(0)) == 0


@pytest.mark.parametrize("cost", COSTS)
def test_no_loss_with_an_epsilon_has_a_larger_rho_than_epsilon_alone(cost: Fraction) -> None:
    bound = pure_rho(cost)
    losses = [MAKERS[name](cost) for name in ("pure", "bounded range", "approximate", "Laplace", "truncated Laplace")]
    assert [loss for loss in losses if loss.concentrated().cost > bound] == []
    assert MAKERS["group"](cost).rho() <= pure_rho(3 * cost)
    terms = [LaplaceTerm(cost), ApproximateTerm(cost), BoundedRangeTerm(cost)]
    assert [term for term in terms if term.concentrated().cost > bound] == []
    odds = pc.RandomizedResponseLoss(truth=Fraction(3, 4), other=Fraction(1, 4))
    assert odds.rho() <= pure_rho(Fraction(odds.epsilon()))
