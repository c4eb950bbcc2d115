"""Randomised response for a vector of bits."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.noise import bernoulli
from tests.laws import Case, Twin, masses
from tests.mechanisms.twins import TwinOf

SPACE = pc.vector(bool, size=3, ordered=True)
UNIT = pc.RandomizedResponseBits(truth=0.7)


def exactly(value: Any, space: Space) -> masses.Masses:
    bits = value.filled(False).tolist()
    inside = {}
    for told in product((False, True), repeat=3):
        chance = math.prod(Fraction(7, 10) if a == b else Fraction(3, 10) for a, b in zip(told, bits, strict=True))
        inside[told] = ball(Fraction(chance))
    return masses.Masses(inside, ball(0))


def as_tuple(release: Any) -> tuple[bool, ...]:
    return tuple(release.tolist())


CASES = [
    Case(
        name="randomised response, three bits",
        chain=SPACE >> UNIT >> as_tuple,
        pairs=[
            ([True, False, True], [False, True, True]),
            ([True] * 3, [False] * 3),
            ([None, True, False], [True, True, False]),
            ([True], [True, True]),
        ],
        masses=exactly,
        tight="epsilon",
        sample=6_000,
        input=[True, None, False],
    ),
    Case(name="randomised response, an array of bits", chain=SPACE >> UNIT),
]


@frozen
class OneBit(TwinOf):
    """Charges for one bit, however many differ."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.RandomizedResponseLoss(truth=Fraction(7, 10), other=Fraction(3, 10))


@frozen
class OneCoin(TwinOf):
    """Flips all bits together or none."""

    def release(self, value: Any, space: Space) -> Any:
        return value.filled(False) ^ bernoulli(Fraction(3, 10))


@frozen
class DropsLastZeros(TwinOf):
    """Gives as many bits as are needed to hold the last one that is set: the length tells where it is."""

    def release(self, value: Any, space: Space) -> Any:
        kept = np.flatnonzero(value.filled(False))
        return self.right.release(value, space)[: kept[-1] + 1 if kept.size else 0]


def broken(name: str, unit: Any, after: Any = as_tuple) -> Case:
    chain = SPACE >> unit
    return Case(
        name=name,
        chain=chain >> after if after else chain,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=6_000,
        input=CASES[0].input,
    )


TWINS = [
    Twin(law="loss", case=broken("one bit charged", OneBit(UNIT))),
    Twin(law="samples", case=broken("one coin for all bits", OneCoin(UNIT))),
    Twin(law="parity", case=broken("a length that tells the last bit", DropsLastZeros(UNIT), after=None)),
]


def test_the_loss_grows_with_the_bits_that_differ() -> None:
    chain = SPACE >> UNIT
    one = math.log(7 / 3)
    assert math.isclose(float(chain.map(1).epsilon()), one)
    assert math.isclose(float(chain.map(3).epsilon()), 3 * one)
    assert chain.map(100) == chain.map(3), "no more bits differ than there are"
    assert chain.map(0).epsilon() == 0


@pytest.mark.parametrize("bits", [[], [True], [False] * 99, [None, "x", 7.5], np.ones(3, dtype=bool)])
def test_the_length_of_a_release_is_the_public_one(bits: Any) -> None:
    released = (SPACE >> UNIT)(bits)
    assert released.shape == (3,)
    assert released.dtype == np.bool_


def test_estimates_for_each_position() -> None:
    estimates = pc.RandomizedResponseBits(truth=0.75).estimate(np.array([[True, False]] * 3 + [[False, False]]))
    assert [[int(count) for count in estimate.counts] for estimate in estimates] == [[0, 4], [6, -2]]
    assert pc.RandomizedResponseBits(truth=0.75).estimate([]) == ()
    with pytest.raises(WrongTypeError, match="releases of the same length"):
        pc.RandomizedResponseBits(truth=0.75).estimate([[True], [True, False]])


def test_what_does_not_fit_is_refused() -> None:
    for space in (pc.vector(bool), pc.vector(int, size=3, ordered=True), pc.scalar(int)):
        with pytest.raises(MismatchError, match="reads bits in a public number of positions"):
            space >> UNIT
    with pytest.raises(MismatchError, match="counts different positions, got SymmetricDistance"):
        pc.vector(bool, size=3) >> UNIT
    for truth in (0.4, 1):
        with pytest.raises(InvalidError, match="must be at least one half and below one"):
            pc.RandomizedResponseBits(truth=truth)
