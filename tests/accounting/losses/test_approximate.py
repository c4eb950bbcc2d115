"""Approximate losses."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet.calculus as pc
from privet.errors import InvalidError


def test_every_form_of_an_approximate_loss() -> None:
    loss = pc.ApproximateLoss(1, 1e-6)
    assert loss.epsilon(1e-6) == 1
    assert loss.epsilon() == math.inf
    assert loss.delta(1) == Fraction(1, 10**6)
    assert loss.delta(100) == Fraction(1, 10**6)
    assert loss.rho() == math.inf
    assert loss.renyi(2) == math.inf
    assert loss.epsilon(1) == 0


def test_many_approximate_losses_use_the_concentrated_route() -> None:
    loss = pc.ApproximateLoss(0.01, 1e-12) * 1000
    assert loss.epsilon(1e-6) < 2
    assert loss.pure().cost == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0), "ApproximateLoss.cost must be zero or more"),
        ((1, 2), "ApproximateLoss.slack must be between zero and one, got 2."),
        ((1, -1), "between zero and one"),
        ((math.nan, 0), "finite"),
    ],
)
def test_wrong_points_are_refused(arguments: tuple[Any, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        pc.ApproximateLoss(*arguments)
