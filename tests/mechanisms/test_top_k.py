"""The best few candidates."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.selection import gaps_of, select
from tests.laws import Case, Twin, masses
from tests.mechanisms.scores import scores, weights
from tests.mechanisms.twins import TwinOf

FOUR = scores(4)
INPUT = (3, 4, 0, 4)
TWO = pc.TopK(count=2, temperature=2)


def peeled(count: int, temperature: int) -> Any:
    """The joint distribution of the selected positions in order."""

    def at(value: Any, space: Space) -> masses.Masses:
        found = weights(value.tolist(), masses.grid_of(space) / Fraction(temperature))
        inside = {}
        for order in permutations(range(len(found)), count):
            mass, left = arb(1), sum(found, arb(0))
            for position in order:
                mass *= found[position] / left
                left -= found[position]
            inside[order] = mass
        return masses.Masses(inside, arb(0))

    return at


def as_tuple(release: Any) -> Any:
    return tuple(release.tolist())


CASES = [
    Case(
        name="top two",
        chain=FOUR >> TWO >> as_tuple,
        pairs=[([-20, -20, 0, 0], [-19, -19, 0, 0]), ([0, 0, 0, 0], [2, 0, 0, 0]), (INPUT, [4, 4, 1, 3])],
        masses=peeled(2, 2),
        tight="epsilon",
        sample=2_000,
        input=INPUT,
    ),
    Case(
        name="all in order",
        chain=scores(3) >> pc.TopK(count=3, temperature=1) >> as_tuple,
        pairs=[([0, 0, 0], [1, 0, -1])],
        masses=peeled(3, 1),
        sample=2_000,
        input=[5, 5, 5],
    ),
]


@frozen
class OneCost(TwinOf):
    """Charges once for all that are selected."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


@frozen
class WithRepetitions(TwinOf):
    """Leaves a selected candidate in."""

    def release(self, value: Any, space: Space) -> Any:
        return np.array([select(gaps_of(value), Fraction(1, 2)) for _ in range(2)])


TWINS = [
    Twin(
        law="loss",
        case=Case(
            name="two for one", chain=FOUR >> OneCost(TWO) >> as_tuple, masses=peeled(2, 2), pairs=CASES[0].pairs
        ),
    ),
    Twin(
        law="samples",
        case=Case(
            name="top two with repetitions",
            chain=FOUR >> WithRepetitions(TWO) >> as_tuple,
            masses=peeled(2, 2),
            sample=2_000,
            input=INPUT,
        ),
    ),
]


def test_clear_winners_come_in_order() -> None:
    chain = scores(1000) >> pc.TopK(count=3, temperature=1)
    column = np.zeros(1000, dtype=np.int64)
    column[[7, 500, 999]] = [300, 100, 200]
    assert chain(column).tolist() == [7, 999, 500]


def test_rho_adds_up() -> None:
    assert (FOUR >> TWO).map(1).rho() == 2 * Fraction(pc.BoundedRangeLoss(0.5).rho())


def test_more_than_there_are_is_refused() -> None:
    with pytest.raises(MismatchError, match="TopK.count must be at most the number of candidates, 4, got 5"):
        FOUR >> pc.TopK(count=5, temperature=1)
    with pytest.raises(InvalidError, match="TopK.count must be above zero"):
        pc.TopK(count=0, temperature=1)
