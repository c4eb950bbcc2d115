"""The most frequent item, where it is stable."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.stable_keys import counted
from privet.mechanisms.tails import laplace_reaches
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.mechanisms.comparing import reaches
from tests.mechanisms.twins import TwinOf

UNIT = pc.MostFrequentItem(scale=2, threshold=5)


def exactly(value: Any, space: Space) -> masses.Masses:
    ranked = sorted(zip(*counted(value), strict=True), key=lambda pair: -pair[1])
    lead = (ranked[0][1] if ranked else 0) - (ranked[1][1] if len(ranked) > 1 else 0)
    told = reaches(Fraction(2), 5 - lead)
    if not ranked:
        return masses.Masses({(): arb(1)}, arb(0))
    return masses.Masses({(ranked[0][0],): told, (): 1 - told}, arb(0))


CASES = [
    Case(
        name="most frequent item",
        chain=pc.vector(str) >> UNIT,
        pairs=[
            (["a", "a", "b"], ["a", "b"]),
            (["a", "b", "b"], ["a", "a", "b", "b"]),
            ([], ["a"]),
            (["a"], ["b"]),
            (["a"] * 3, ["a"] * 7),
            (["a"] * 2, ["b"] * 3),
        ],
        masses=exactly,
        sample=6_000,
        input=["a", "a", "b", None, "a", "a"],
    ),
    Case(
        name="most frequent item, sized",
        chain=pc.vector(int, size=3) >> UNIT,
        pairs=[([1, 1, 2], [1, 2, 2]), ([1, 1, 1], [1, 2, 2]), ([None] * 3, [4, None, None])],
        masses=exactly,
    ),
]


@frozen
class StableMeansZero(TwinOf):
    """Takes unstable data to have no lead, as the book does; a lead of one may be lost to one row."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ApproximateLoss(Fraction(d_in) / 2, laplace_reaches(Fraction(2), 5))


@frozen
class CheapFailure(TwinOf):
    """Charges no delta, as if the test had failed."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in) / 2)


@frozen
class CountOfTheFirst(TwinOf):
    """Tests how often the first occurs, not its lead."""

    def release(self, value: Any, space: Space) -> Any:
        return ("a",) if 4 + discrete_laplace(2) >= 5 else ()


@frozen
class Undecided(TwinOf):
    """Raises where nothing is the most frequent."""

    def release(self, value: Any, space: Space) -> Any:
        if not len(value.compressed()):
            raise ValueError("no items")
        return self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.vector(str) >> unit,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=6_000,
        input=CASES[0].input,
    )


TWINS = [
    Twin(law="loss", case=broken("unstable data without a lead", StableMeansZero(UNIT))),
    Twin(law="loss", case=broken("a failed test for free", CheapFailure(UNIT))),
    Twin(law="samples", case=broken("the count for the lead", CountOfTheFirst(UNIT))),
    Twin(law="parity", case=broken("no items refused", Undecided(UNIT))),
]


def test_the_threshold_of_the_book_is_too_low() -> None:
    bar = pc.MostFrequentItem.threshold_for(scale=Fraction(1, 2), delta=1e-6)
    book = math.log(1e6) / 2
    assert bar > book
    right = math.ceil(1 + math.log(1 / 2e-6) / 2)
    assert bar == right
    printed = (pc.vector(str) >> pc.MostFrequentItem(scale=Fraction(1, 2), threshold=book)).map(1).pure().delta
    assert printed > Fraction(3, 10**6), "three times what was asked for"


def test_the_threshold_for_a_delta_is_the_smallest() -> None:
    bar = pc.MostFrequentItem.threshold_for(scale=4, delta=1e-5, d_in=3)
    deltas = [
        (pc.vector(str) >> pc.MostFrequentItem(scale=4, threshold=at)).map(3).pure().delta for at in (bar - 1, bar)
    ]
    assert deltas[0] > Fraction(1, 10**5) >= deltas[1]


def test_a_replaced_row_moves_the_lead_by_two() -> None:
    free, sized = (space >> UNIT for space in (pc.vector(str), pc.vector(str, size=5)))
    assert sized.map(2) == free.map(2)
    assert free.map(0).epsilon() == 0
    assert (pc.vector(str, size=5, ordered=True) >> UNIT).map(1) == free.map(2)


def test_a_clear_lead_is_released_and_a_tie_is_not() -> None:
    unit = pc.MostFrequentItem(scale=1, threshold=40)
    assert (pc.vector(int) >> unit)([3] * 200 + [4] * 50) == (3,)
    assert (pc.vector(int) >> unit)([3] * 200 + [4] * 200) == ()
    assert (pc.vector(str) >> unit)([None] * 500) == ()
    assert (pc.vector(bool) >> unit)([True] * 200) == (True,)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="MostFrequentItem counts equal keys"):
        pc.vector(float) >> UNIT
    with pytest.raises(InvalidError, match="MostFrequentItem.scale must be above zero"):
        pc.MostFrequentItem(scale=0, threshold=1)
    with pytest.raises(InvalidError, match="threshold_for.scale must be above zero"):
        pc.MostFrequentItem.threshold_for(scale=0, delta=0.1)
