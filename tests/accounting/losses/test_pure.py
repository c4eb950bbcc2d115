"""Pure losses."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet.calculus as pc
from privet.errors import InvalidError, NotExactError


def test_every_form_of_a_pure_loss() -> None:
    loss = pc.PureLoss(0.5)
    assert loss.epsilon() == Fraction(1, 2)
    assert math.isclose(float(loss.rho()), 0.5 * math.tanh(0.25))
    assert Fraction(227, 1000) < loss.renyi(2) < Fraction(1, 4)  # that of randomised response
    assert Fraction(49, 100) < loss.renyi(100) < Fraction(1, 2)
    assert loss.delta(0.5) == 0
    assert math.isclose(float(loss.delta(0)), math.tanh(0.25))
    assert loss.epsilon(0.1) < Fraction(1, 2)


@pytest.mark.parametrize(
    ("cost", "error", "message"),
    [
        (-1, InvalidError, "PureLoss.cost must be zero or more, got -1."),
        (math.inf, NotExactError, "PureLoss.cost: expected a finite number, got inf."),
        ("x", NotExactError, "got str"),
    ],
)
def test_wrong_costs_are_refused(cost: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.PureLoss(cost)
