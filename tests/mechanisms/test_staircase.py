"""The staircase mechanism."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball, ends, precision
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

STAIRS = 30


def staircase(rate: Fraction, stair: int, first: int, value: int, stairs: int = STAIRS) -> masses.Masses:
    """The definition of Geng and Viswanath: a(r), then e^-epsilon of that from r on, and again for each stair."""
    fall = ball(-rate).exp()
    top = (1 - fall) / (2 * first + 2 * fall * (stair - first) - (1 - fall))

    def mass(far: int) -> arb:
        k, place = divmod(far, stair)
        return top * fall ** (k if place < first else k + 1)

    reach = stairs * stair
    inside = {value + z: mass(abs(z)) for z in range(-reach + 1, reach)}
    beyond = 2 * top * fall**stairs * (first + fall * (stair - first)) / (1 - fall)
    return masses.Masses(inside, beyond)


def exactly(scale: Any, sensitivity: Any, first: int, stairs: int = STAIRS) -> Any:
    """The output distribution at a value, in the units of the release."""

    def at(value: Any, space: Space) -> masses.Masses:
        step = masses.grid_of(space)
        middle = int(value[0]) if isinstance(value, np.ndarray) else value
        steps = staircase(Fraction(sensitivity) / Fraction(scale), int(sensitivity / step), first, middle, stairs)
        if space.domain.kind is int:  # type: ignore[attr-defined]
            return steps
        return masses.Masses({float(key * step): mass for key, mass in steps.inside.items()}, steps.outside)

    return at


def jointly(value: Any, space: Space) -> masses.Masses:
    """The joint distribution of two coordinates."""
    one, two = (staircase(Fraction(1), 3, 2, int(item), 6) for item in value)
    inside = {(a, b): p * q for a, p in one.inside.items() for b, q in two.inside.items()}
    return masses.Masses(inside, one.outside + two.outside)


def as_tuple(release: Any) -> Any:
    return tuple(release.tolist())


MANY = 50_000
UNIT = pc.Staircase(scale=3, sensitivity=3)
CASES = [
    Case(
        name="staircase, one integer",
        chain=pc.scalar(int) >> UNIT,
        pairs=[(0, 3), (0, 1), (5, 5), (-1, 1), (0, 4), (2, -7)],
        masses=exactly(3, 3, 2),
        tight="epsilon",
        sample=6_000,
    ),
    Case(
        name="staircase, one step over an edge",
        chain=pc.scalar(int) >> pc.Staircase(scale=2, sensitivity=5),
        pairs=[(0, 1), (0, 6), (0, 11)],
        masses=exactly(2, 5, 2),
        tight="epsilon",
        sample=6_000,
    ),
    Case(
        name="staircase, a grid of quarters",
        chain=pc.scalar(float, grid=0.25) >> pc.Staircase(scale=2, sensitivity=1),
        pairs=[(0.0, 1.0), (0.25, 0.0), (0.0, 1.25)],
        masses=exactly(2, 1, 2, 60),
        tight="epsilon",
        sample=6_000,
    ),
    Case(
        name="staircase, two integers",
        chain=pc.numbers(length=2) >> UNIT >> as_tuple,
        pairs=[([0, 0], [1, 1]), ([3, 4], [3, 8]), ([0, 5], [4, 0])],
        masses=jointly,
        tight="epsilon",
        sample=6_000,
        input=[1, 2],
    ),
    Case(
        name="staircase, many integers",
        chain=pc.numbers(length=MANY) >> pc.Staircase(scale=4, sensitivity=8),
        masses=exactly(4, 8, 3),
        sample=MANY,
        input=np.full(MANY, 7),
    ),
]


@frozen
class InProportion(TwinOf):
    """Charges a short distance in proportion, as for Laplace noise, although it may cross an edge."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(d_in / 3)


@frozen
class DistancesAdded(TwinOf):
    """Adds up the distances of two numbers before it counts edges: each number crosses one of its own."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(math.ceil(d_in.l1 / 3))


@frozen
class ZeroTwice(TwinOf):
    """Draws a size and a sign, so that zero, which has two signs, comes twice as often."""

    def release(self, value: Any, space: Space) -> Any:
        noise = abs(self.right.release(0, space))
        return value + noise if noise or discrete_laplace(3) % 2 else value + abs(self.right.release(0, space))


@frozen
class LaplaceNoise(TwinOf):
    """Draws Laplace noise of the same scale."""

    def release(self, value: Any, space: Space) -> Any:
        return value + discrete_laplace(3)


@frozen
class BareAtZero(TwinOf):
    """Gives zero without noise, and as a float."""

    def release(self, value: Any, space: Space) -> Any:
        return self.right.release(value, space) if value else 0.0


def broken(name: str, unit: Any, like: int = 0) -> Case:
    right = CASES[like]
    start = pc.scalar(int) if like == 0 else pc.numbers(length=2)
    chain = start >> unit if like == 0 else start >> unit >> as_tuple
    return Case(name=name, chain=chain, pairs=right.pairs, masses=right.masses, sample=6_000, input=right.input)


TWINS = [
    Twin(law="loss", case=broken("stairs charged in proportion", InProportion(UNIT))),
    Twin(law="loss", case=broken("stairs of two numbers charged as one", DistancesAdded(UNIT), like=3)),
    Twin(law="samples", case=broken("zero with two signs", ZeroTwice(UNIT))),
    Twin(law="samples", case=broken("no stairs", LaplaceNoise(UNIT))),
    Twin(law="parity", case=broken("zero without noise", BareAtZero(UNIT))),
]


@pytest.mark.parametrize(("d_in", "stairs"), [(0, 0), (1, 1), (5, 1), (6, 2), (10, 2), (11, 3)])
def test_a_distance_costs_the_stairs_that_begin_in_it(d_in: int, stairs: int) -> None:
    assert pc.Staircase(scale=10, sensitivity=5).map(d_in).epsilon() == Fraction(stairs, 2)


def test_at_the_sensitivity_the_loss_is_that_of_laplace_noise_of_the_same_scale() -> None:
    assert pc.Staircase(scale=7, sensitivity=4).map(4).epsilon() == pc.Laplace(scale=7).map(4).epsilon()


@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 9), st.integers(1, 6))
def test_no_way_to_move_several_numbers_crosses_more_edges(stair: int, l0: int, l1: int, linf: int) -> None:
    crossed = max(
        sum(-(-move // stair) for move in moves)
        for moves in itertools.product(range(linf + 1), repeat=3)
        if sum(map(bool, moves)) <= l0 and sum(moves) <= l1
    )
    chain = pc.numbers(3) >> pc.Staircase(scale=stair, sensitivity=stair)
    claimed = chain.map(Parts(l0=l0, l1=l1, l2_squared=l1 * linf, linf=linf)).epsilon()
    assert claimed >= crossed
    if linf >= l1:
        assert claimed == crossed


@pytest.mark.parametrize("stair", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("rate", ["0.1", "0.5", "1", "3", "6"])
def test_the_first_stair_has_the_least_expected_error(stair: int, rate: str) -> None:
    epsilon = Fraction(rate)
    taken = math.ceil(stair / (1 + math.exp(epsilon / 2)))
    with precision(64):
        stairs = int(40 / epsilon) + 2
        errors = {
            first: float(
                sum((abs(z) * m for z, m in staircase(epsilon, stair, first, 0, stairs).inside.items()), arb(0))
            )
            for first in range(1, stair + 1)
        }
    assert errors[taken] <= min(errors.values()) * (1 + 1e-9)
    ratio = math.exp(-epsilon / stair)
    assert errors[taken] <= 2 * ratio / (1 - ratio**2) * (1 + 1e-9), "Laplace noise of the same loss is no better"


@pytest.mark.parametrize("beta", [0.9, 0.5, 0.05, 1e-4])
@pytest.mark.parametrize(("scale", "sensitivity", "first"), [(3, 3, 2), (2, 5, 2), (4, 8, 3), (40, 4, 2), (1, 1, 1)])
def test_the_accuracy_is_the_smallest_that_holds(scale: int, sensitivity: int, first: int, beta: float) -> None:
    far = int((pc.scalar(int) >> pc.Staircase(scale=scale, sensitivity=sensitivity)).accuracy(beta))
    with precision(128):
        inside = staircase(Fraction(sensitivity, scale), sensitivity, first, 0, 40 * scale).inside

        def exceeded(k: int) -> Fraction:
            return ends(1 - sum((inside[z] for z in range(-k, k + 1)), arb(0)))[1]

        assert exceeded(far) <= pc.exact(beta)
        assert far == 0 or exceeded(far - 1) > pc.exact(beta)


def test_stairs_of_one_step_are_laplace_noise() -> None:
    stairs, laplace = (pc.scalar(int) >> unit for unit in (pc.Staircase(scale=4, sensitivity=1), pc.Laplace(scale=4)))
    assert stairs.map(3).epsilon() == laplace.map(3).epsilon()
    assert [stairs.accuracy(beta) for beta in (0.5, 0.05, 1e-6)] == [
        laplace.accuracy(beta) for beta in (0.5, 0.05, 1e-6)
    ]


@pytest.mark.parametrize("scale", [Fraction(1, 1000), 1000, 10**12])
def test_extreme_scales_are_drawn_at_once(scale: Any) -> None:
    unit = pc.Staircase(scale=scale, sensitivity=50)
    released = unit(10**20)
    assert type(released) is int
    assert abs(released - 10**20) <= unit.place(pc.scalar(int)).accuracy(1e-9)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), -(10**40), 3])
def test_every_number_is_released(value: Any) -> None:
    assert type(UNIT(value)) is int


def test_vectors_and_grids() -> None:
    released = (pc.numbers(3, float, grid=0.25) >> pc.Staircase(scale=1, sensitivity=0.5))([None, 1.0, -5])
    assert released.dtype == np.float64
    assert set((released * 4 % 1).tolist()) == {0.0}
    assert (pc.numbers(2) >> UNIT)([1, 2]).dtype == np.int64


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"must be a whole number of steps of the grid 1, got 2\.5"):
        pc.scalar(int) >> pc.Staircase(scale=1, sensitivity=2.5)
    with pytest.raises(MismatchError, match="Staircase adds noise to numbers"):
        pc.vector(int) >> UNIT
    with pytest.raises(InvalidError, match=r"Staircase.scale must be above zero, got 0\."):
        pc.Staircase(scale=0, sensitivity=1)
    with pytest.raises(InvalidError, match=r"Staircase.sensitivity must be above zero, got -1\."):
        pc.Staircase(scale=1, sensitivity=-1)
    with pytest.raises(NotExactError, match=r"Staircase.scale: expected a number"):
        pc.Staircase(scale="wide", sensitivity=1)
