"""A private upper bound of the size."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

UNIT = pc.SizeUpperBound(scale=2, beta=0.01)
MARGIN = 8


def exactly(value: Any, space: Space) -> masses.Masses:
    free = masses.laplace(Fraction(2), len(value) + MARGIN, 80)
    inside: dict[Any, arb] = {}
    for outcome, mass in free.inside.items():
        inside[max(outcome, 0)] = inside.get(max(outcome, 0), arb(0)) + mass
    inside[0] = inside.get(0, arb(0)) + arb(0).union(free.outside)  # the tail that was cut off may land there
    return masses.Masses(inside, free.outside)


CASES = [
    Case(
        name="size upper bound",
        chain=pc.vector(float) >> UNIT,
        pairs=[([1.0], [1.0, 2.0]), ([], [None, None]), ([3.0], [4.0])],
        masses=exactly,
        tight="epsilon",
        sample=20_000,
        fewest=20_000,
        input=[1.0, None, float("nan")],
    ),
    Case(name="size upper bound, a public size", chain=pc.vector(int, size=4) >> UNIT),
]


@frozen
class HalfLoss(TwinOf):
    """Charges half."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in) / 4)


@frozen
class TwoSidedMargin(TwinOf):
    """Adds the margin of both tails for one."""

    def release(self, value: Any, space: Space) -> Any:
        return max(len(value) + discrete_laplace(2) + 9, 0)


@frozen
class NeverBelow(TwinOf):
    """Draws again until the bound holds: it then holds for certain, and tells the size from below."""

    def release(self, value: Any, space: Space) -> Any:
        released = self.right.release(value, space)
        return released if released >= len(value) else float(len(value))


@frozen
class RaisesOnEmpty(TwinOf):
    """Raises where there is nothing to bound."""

    def release(self, value: Any, space: Space) -> Any:
        return self.right.release(value, space) // (1 if len(value) else 0)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.vector(float) >> unit,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=20_000,
        fewest=20_000,
        input=CASES[0].input,
    )


TWINS = [
    Twin(law="loss", case=broken("half the loss of a size", HalfLoss(UNIT))),
    Twin(law="samples", case=broken("a margin for both tails", TwoSidedMargin(UNIT))),
    Twin(law="samples", case=broken("a bound that always holds", NeverBelow(UNIT))),
    Twin(law="parity", case=broken("no bound of nothing", RaisesOnEmpty(UNIT))),
]


def test_the_margin_is_the_smallest_that_holds() -> None:
    assert UNIT.margin == MARGIN
    ratio = np.exp(-1 / 2)
    tails = [ratio ** (margin + 1) / (1 + ratio) for margin in (MARGIN - 1, MARGIN)]
    assert tails[0] > 0.01 >= tails[1]


def test_the_bound_holds_as_often_as_it_says() -> None:
    chain = pc.vector(int) >> pc.SizeUpperBound(scale=5, beta=1e-9)
    assert min(chain([1] * 50) for _ in range(500)) >= 50
    assert chain.accuracy(0.05) < 2 * chain.accuracy(1e-9)


def test_the_accuracy_is_about_the_size() -> None:
    chain = pc.vector(int) >> UNIT
    errors = sorted(abs(chain([0] * 40) - 40) for _ in range(4000))
    assert errors[3800] <= chain.accuracy(0.01)
    assert chain.accuracy(0.5) >= errors[1500]


def test_a_public_size_costs_nothing() -> None:
    assert (pc.vector(int, size=4) >> UNIT).map(2).epsilon() == 0
    assert UNIT.map(3).epsilon() == Fraction(3, 2)


def test_the_scale_for_a_margin() -> None:
    scale = pc.SizeUpperBound.scale_for(margin=30, beta=1e-6)
    assert pc.SizeUpperBound(scale=scale, beta=1e-6).margin == 30
    assert pc.SizeUpperBound(scale=scale * Fraction(1001, 1000), beta=1e-6).margin == 31


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="SizeUpperBound.beta must be above zero and below one, got 0."):
        pc.SizeUpperBound(scale=1, beta=0)
    with pytest.raises(InvalidError, match="scale_for.beta"):
        pc.SizeUpperBound.scale_for(margin=3, beta=0.5)
    with pytest.raises(MismatchError, match="reads a column of records"):
        pc.scalar(int) >> UNIT
