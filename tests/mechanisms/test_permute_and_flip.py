"""Permute-and-flip."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ends, precision
from privet.core.space import Space
from privet.errors import MismatchError
from privet.noise import bernoulli_exp, shuffle
from tests.laws import Case, Twin
from tests.mechanisms.scores import exponential, permute_and_flip, scores
from tests.mechanisms.twins import TwinOf

FOUR = scores(4)
INPUT = (3, 4, 0, 4)
CASES = [
    Case(
        name="permute and flip",
        chain=FOUR >> pc.PermuteAndFlip(scale=2),
        pairs=[([-60, 0, -60, -60], [-58, 0, -60, -60]), ([0, 0, 0, 0], [2, 0, 0, 0]), ([0, 1, 2, 3], [2, 3, 2, 5])],
        masses=permute_and_flip(2),
        tight="epsilon",
        sample=3_000,
        input=INPUT,
    ),
    Case(
        name="permute and flip, all scores equal",
        chain=FOUR >> pc.PermuteAndFlip(scale=1),
        pairs=[([1, 1, 1, 1], [0, 1, 2, 1])],
        masses=permute_and_flip(1),
        sample=2_000,
        input=[-(10**30)] * 4,
    ),
]


@frozen
class NotPermuted(TwinOf):
    """Flips the coins in the order of the candidates, so that the first of equals is taken."""

    def release(self, value: Any, space: Space) -> int:
        best = max(value.tolist())
        return next(at for at, item in enumerate(value.tolist()) if bernoulli_exp(Fraction(int(best - item), 2)))


@frozen
class HalfCost(TwinOf):
    """Charges half, as if the caller had said that the scores are monotonic."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in) / 4)


@frozen
class FlipsUntilHeads(TwinOf):
    """Draws coins only until one shows heads: how much randomness is used tells the scores."""

    def release(self, value: Any, space: Space) -> int:
        best = max(value.tolist())
        order = map(int, shuffle(4))
        return next(at for at in order if bernoulli_exp(Fraction(int(best - value[at]), 2)))


TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="flips without a permutation",
            chain=FOUR >> NotPermuted(pc.PermuteAndFlip(scale=2)),
            masses=permute_and_flip(2),
            sample=3_000,
            input=INPUT,
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="permute and flip at half its cost",
            chain=FOUR >> HalfCost(pc.PermuteAndFlip(scale=2)),
            masses=permute_and_flip(2),
            pairs=CASES[0].pairs,
        ),
    ),
    Twin(
        law="parity",
        case=Case(
            name="flips until heads",
            chain=FOUR >> FlipsUntilHeads(pc.PermuteAndFlip(scale=2)),
            input=(0, 0, 0, 0),  # no list: the law then compares the pairs
            pairs=[([0, 0, 0, 0], [0, 0, 0, 50]), ([0, 0, 50, 0], [0, 50, 0, 0])],
            masses=permute_and_flip(2),
        ),
    ),
]


@pytest.mark.parametrize("values", [[0, 1, 2, 3], [0, 0, 5, 5], [0, 3, 3, 3], [7, 7, 7, 7]])
def test_it_is_never_worse_than_the_exponential_mechanism(values: list[int]) -> None:
    """The expected score is at least that of the exponential mechanism at the same epsilon."""
    column = np.array(values)
    with precision(128):
        found = [law(2)(column, FOUR).inside for law in (permute_and_flip, exponential)]
        ours, theirs = (sum(ends(mass * values[at])[0] for at, mass in law.items()) for law in found)
    assert ours >= theirs - Fraction(1, 2**60)


def test_extreme_scores_give_a_candidate() -> None:
    assert (FOUR >> pc.PermuteAndFlip(scale=Fraction(1, 10**30)))([2**63 - 1, -(2**63), 0, 1]) == 0


def test_the_shortfall_is_that_of_the_exponential_mechanism() -> None:
    ours = pc.PermuteAndFlip(scale=2).shortfall(0.1, candidates=5)
    assert ours == pc.Exponential(temperature=2).shortfall(0.1, candidates=5)


def test_what_is_no_score_is_refused() -> None:
    with pytest.raises(MismatchError, match="PermuteAndFlip selects by scores"):
        pc.numbers(3) >> pc.PermuteAndFlip(scale=1)
