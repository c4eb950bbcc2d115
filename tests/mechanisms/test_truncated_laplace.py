"""Truncated Laplace noise."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.noise import discrete_laplace
from tests.accounting.losses.test_truncated_laplace import truncated
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf


def exactly(scale: Any, radius: int) -> Any:
    def at(value: Any, space: Space) -> masses.Masses:
        return truncated(Fraction(scale), radius, int(value[0]) if isinstance(value, np.ndarray) else value)

    return at


UNIT = pc.TruncatedLaplace(scale=2, radius=9)
CASES = [
    Case(
        name="truncated laplace",
        chain=pc.scalar(int) >> UNIT,
        pairs=[(0, 1), (0, 3), (5, 0), (0, 40)],
        masses=exactly(2, 9),
        sample=20_000,
        fewest=20_000,
        input=4,
    ),
    Case(
        name="truncated laplace, a small radius",
        chain=pc.numbers(4000) >> pc.TruncatedLaplace(scale=7, radius=3),
        masses=exactly(7, 3),
        sample=4000,
        input=np.full(4000, 2),
    ),
]


@frozen
class ForgetsTheEnds(TwinOf):
    """Claims pure privacy: the outputs that only one input can give are forgotten."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.LaplaceLoss(distance=d_in, scale=2, step=1)


@frozen
class HalfDelta(TwinOf):
    """Counts one of the outputs that three steps take away from the support."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ApproximateLoss(d_in / 2, pc.TruncatedLaplaceLoss(distance=1, scale=2, radius=9).slack())


@frozen
class Clamped(TwinOf):
    """Clamps the noise instead of drawing again: the ends get the mass of the tails."""

    def release(self, value: Any, space: Space) -> Any:
        return value + min(max(discrete_laplace(2), -9), 9)


@frozen
class LargeUntouched(TwinOf):
    """Adds no noise to large numbers, and gives another type."""

    def release(self, value: Any, space: Space) -> Any:
        return float(value) if value > 30 else self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.scalar(int) >> unit,
        pairs=CASES[0].pairs,
        masses=exactly(2, 9),
        sample=20_000,
        fewest=20_000,
        input=4,
    )


TWINS = [
    Twin(law="loss", case=broken("no delta", ForgetsTheEnds(UNIT))),
    Twin(law="loss", case=broken("the delta of one step for all", HalfDelta(UNIT))),
    Twin(law="samples", case=broken("clamped noise", Clamped(UNIT))),
    Twin(law="parity", case=broken("large numbers untouched", LargeUntouched(UNIT))),
]


def test_the_loss_is_the_exact_curve_of_one_number() -> None:
    assert UNIT.map(3) == pc.TruncatedLaplaceLoss(distance=3, scale=2, radius=9)
    grid = pc.scalar(float, grid=0.5) >> pc.TruncatedLaplace(scale=2, radius=4.7)
    assert grid.map(1) == pc.TruncatedLaplaceLoss(distance=2, scale=4, radius=9)


def test_several_numbers_add_up_what_one_input_alone_can_give() -> None:
    loss = (pc.numbers(3) >> UNIT).map(Parts(l0=2, l1=2, l2_squared=2, linf=1))
    one = UNIT.map(1)
    assert loss.epsilon(2 * one.pure().delta) == 1
    assert loss.epsilon(one.pure().delta) == math.inf


def test_no_error_exceeds_the_radius() -> None:
    released = (pc.numbers(2000) >> pc.TruncatedLaplace(scale=5, radius=6))(np.zeros(2000, dtype=np.int64))
    assert abs(released).max() == 6
    chain = pc.scalar(int) >> pc.TruncatedLaplace(scale=5, radius=6)
    assert chain.accuracy(1e-12) == 6
    assert chain.accuracy(0.5) < 6


def test_the_accuracy_is_the_exact_tail() -> None:
    half = (pc.scalar(int) >> UNIT).accuracy(0.1)
    weights = {z: math.exp(-abs(z) / 2) for z in range(-9, 10)}
    tails = [sum(w for z, w in weights.items() if abs(z) > k) / sum(weights.values()) for k in (half - 1, half)]
    assert tails[0] > 0.1 >= tails[1]


def test_the_radius_for_a_delta_is_the_smallest() -> None:
    radius = pc.TruncatedLaplace.radius_for(scale=3, d_in=2, delta=1e-5)
    assert pc.TruncatedLaplace(scale=3, radius=radius).map(2).pure().delta <= Fraction(1, 10**5)
    assert pc.TruncatedLaplace(scale=3, radius=radius - 1).map(2).pure().delta > Fraction(1, 10**5)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="TruncatedLaplace.radius must be above zero, got 0."):
        pc.TruncatedLaplace(scale=1, radius=0)
    with pytest.raises(MismatchError, match="put an aggregate"):
        pc.vector(int) >> UNIT
    with pytest.raises(InvalidError, match="radius_for needs"):
        pc.TruncatedLaplace.radius_for(scale=1, d_in=1, delta=0)
