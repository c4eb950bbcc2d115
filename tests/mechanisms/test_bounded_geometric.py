"""The geometric mechanism with bounds."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

UNIT = pc.BoundedGeometric(scale=2, bounds=(0, 6))


def exactly(scale: int, lower: int, upper: int) -> Any:
    def at(value: Any, space: Space) -> masses.Masses:
        middle = int(value[0]) if isinstance(value, np.ndarray) else value
        free = masses.laplace(Fraction(scale), min(max(middle, lower), upper), 400)
        inside: dict[Any, arb] = {}
        for outcome, mass in free.inside.items():
            kept = min(max(outcome, lower), upper)
            inside[kept] = inside.get(kept, arb(0)) + mass
        slack = arb(0).union(free.outside)
        return masses.Masses({outcome: mass + slack for outcome, mass in inside.items()}, arb(0))

    return at


CASES = [
    Case(
        name="bounded geometric",
        chain=pc.scalar(int) >> UNIT,
        pairs=[(2, 3), (0, 4), (6, 0), (-50, 3), (100, -100)],
        masses=exactly(2, 0, 6),
        tight="delta",
        sample=6_000,
        input=2,
    ),
    Case(
        name="bounded geometric, many",
        chain=pc.numbers(5000) >> pc.BoundedGeometric(scale=3, bounds=(-2, 9)),
        masses=exactly(3, -2, 9),
        sample=5000,
        input=np.full(5000, 7),
    ),
]


@frozen
class Renormalised(TwinOf):
    """Draws again until the result is within the bounds, which lets the ratio grow."""

    def release(self, value: Any, space: Space) -> Any:
        while not 0 <= (found := min(max(value, 0), 6) + discrete_laplace(2)) <= 6:
            pass
        return found


@frozen
class UnclampedInput(TwinOf):
    """Charges for the width of the bounds only, although the number is not clamped before."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.LaplaceLoss(distance=min(d_in, 1), scale=2, step=1)


@frozen
class BareAtBounds(TwinOf):
    """Gives a number at the bounds without noise."""

    def release(self, value: Any, space: Space) -> Any:
        return float(value) if value in (0, 6) else self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.scalar(int) >> unit,
        pairs=CASES[0].pairs,
        masses=CASES[0].masses,
        sample=6_000,
        input=2,
    )


TWINS = [
    Twin(law="samples", case=broken("drawn again until inside", Renormalised(UNIT))),
    Twin(law="loss", case=broken("a distance cut short", UnclampedInput(UNIT))),
    Twin(law="parity", case=broken("bare at the bounds", BareAtBounds(UNIT))),
]


def test_the_loss_stops_at_the_width() -> None:
    assert UNIT.map(2).epsilon() == 1
    assert UNIT.map(1000).epsilon() == 3
    several = pc.numbers(4) >> UNIT
    assert several.map(Parts(l0=2, l1=4, l2_squared=8, linf=2)).epsilon() == 2
    assert several.map(Parts(l0=2, l1=400, l2_squared=80000, linf=200)).epsilon() == 6


@pytest.mark.parametrize("value", [10**40, -(10**40), None, float("nan"), float("inf"), 3])
def test_a_release_is_within_the_bounds(value: Any) -> None:
    released = UNIT(value)
    assert type(released) is int
    assert 0 <= released <= 6


def test_vectors_and_grids() -> None:
    chain = pc.numbers(3, float, grid=0.25) >> pc.BoundedGeometric(scale=1, bounds=(-0.3, 0.6))
    released = chain([None, 1e300, -5])
    assert released.dtype == np.float64
    assert set(released.tolist()) <= {-0.25, 0.0, 0.25, 0.5}
    assert (pc.numbers(2) >> UNIT)([1, 2]).dtype == np.int64


def test_the_accuracy_and_the_scale_for_it() -> None:
    wide = pc.BoundedGeometric(scale=pc.BoundedGeometric.scale_for(accuracy=30, beta=0.05), bounds=(0, 1000))
    chain = pc.scalar(int) >> wide
    assert chain.accuracy(0.05) == 30
    slightly = pc.BoundedGeometric(scale=wide.scale * Fraction(1001, 1000), bounds=(0, 1000))
    assert (pc.scalar(int) >> slightly).accuracy(0.05) == 31
    assert (pc.scalar(int) >> UNIT).accuracy(1e-9) == 6, "no error exceeds the width"


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="BoundedGeometric.bounds: lower must be below upper"):
        pc.BoundedGeometric(scale=1, bounds=(3, 3))
    with pytest.raises(WrongTypeError, match="BoundedGeometric.bounds must be a pair"):
        pc.BoundedGeometric(scale=1, bounds=3)
    with pytest.raises(MismatchError, match="hold no point of the grid"):
        pc.scalar(int) >> pc.BoundedGeometric(scale=1, bounds=(0.2, 0.8))
    with pytest.raises(InvalidError, match="at least one step"):
        pc.BoundedGeometric.scale_for(accuracy=0, beta=0.1)
    with pytest.raises(InvalidError, match="beta must be between zero and one"):
        pc.BoundedGeometric.scale_for(accuracy=1, beta=1)
