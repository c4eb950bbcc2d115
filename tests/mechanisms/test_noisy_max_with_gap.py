"""Report noisy max with the gap."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball
from privet.core.space import Space
from privet.errors import MismatchError
from privet.mechanisms import noisy_max_with_gap
from tests.laws import Case, Twin, masses
from tests.mechanisms.scores import scores, weights
from tests.mechanisms.twins import TwinOf

THREE = scores(3)
INPUT = (3, 4, 1)
GAP = pc.NoisyMaxWithGap(scale=2, grid=1)


def with_gap(scale: Any, grid: Any, reach: int = 60) -> Any:
    """The joint distribution of winner and gap, from the logistic law of the difference."""

    def at(value: Any, space: Space) -> masses.Masses:
        found = weights(value.tolist(), masses.grid_of(space) / Fraction(scale))
        inside, outside = {}, arb(0)
        for position, weight in enumerate(found):
            odds = (sum(found, arb(0)) - weight) / weight
            above = [1 / (1 + odds * ball(step * Fraction(grid) / Fraction(scale)).exp()) for step in range(reach + 1)]
            for step in range(reach):
                inside[(position, float(step * Fraction(grid)))] = above[step] - above[step + 1]
            outside += above[reach]
        return masses.Masses(inside, outside)

    return at


CASES = [
    Case(
        name="noisy max with gap",
        chain=THREE >> GAP,
        pairs=[([0, -30, -60], [-2, -30, -60]), ([0, 0, 0], [1, 0, -1]), (INPUT, [4, 4, 1]), ([0, 5, 5], [2, 5, 3])],
        masses=with_gap(2, 1),
        tight="epsilon",
        sample=3_000,
        input=INPUT,
    ),
    Case(
        name="noisy max with gap in thirds",
        chain=scores(2, Fraction(1, 3)) >> pc.NoisyMaxWithGap(scale=1, grid=Fraction(1, 4)),
        pairs=[([0, 0], [Fraction(1, 3), 0])],
        masses=with_gap(1, Fraction(1, 4)),
        sample=2_000,
        input=[0, Fraction(1, 3)],
    ),
]


@frozen
class ExactGap(TwinOf):
    """Releases the gap without noise."""

    def release(self, value: Any, space: Space) -> Any:
        position, _ = self.right.release(value, space)
        first, second = sorted(value.tolist())[-2:]
        return position, float(second - first)


@frozen
class BoundedRangeKept(TwinOf):
    """Claims the rho of the selection alone; the gap doubles the range of the loss."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="the gap without noise", chain=THREE >> ExactGap(GAP), masses=with_gap(2, 1), sample=2_000, input=INPUT
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="gap with the rho of the selection",
            chain=THREE >> BoundedRangeKept(GAP),
            masses=with_gap(2, 1),
            pairs=[([20, 0, -60], [18, 0, -60])],
        ),
    ),
]


@pytest.mark.parametrize("values", [[10**30, -(10**30), 0], [2**63 - 1, -(2**63), 5], [0, 0, 10**400]])
def test_extreme_scores_give_a_finite_race(values: list[int]) -> None:
    position, gap = (THREE >> GAP)(values)
    assert position == values.index(max(values))
    assert gap > 0


def test_a_wide_gap_is_found() -> None:
    _, gap = (THREE >> pc.NoisyMaxWithGap(scale=1, grid=0.5))([1000, 0, 0])
    assert abs(gap - 1000) < 60


def test_one_candidate_has_no_gap() -> None:
    with pytest.raises(MismatchError, match="needs two candidates"):
        scores(1) >> GAP


def test_no_score_stays_in_a_cache_of_the_module() -> None:
    (scores(3) >> pc.NoisyMaxWithGap(scale=1, grid=1))([41, 4, 0])
    caches = [item for item in vars(noisy_max_with_gap).values() if hasattr(item, "cache_info")]
    assert caches == []
