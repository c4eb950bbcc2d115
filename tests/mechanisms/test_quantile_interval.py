"""A quantile selected from all points of a grid."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import MismatchError
from privet.mechanisms import pieces
from privet.mechanisms.pieces import sorted_steps
from privet.mechanisms.selection import gaps_of, select
from privet.noise import uniform_below
from privet.transforms.quantile_scores import split_scores
from tests.laws import Case, Twin
from tests.mechanisms.scores import quantile
from tests.mechanisms.twins import TwinOf

TEN = pc.vector(int, bounds=(-3, 9))
POINTS = list(range(-3, 10))
QUARTERS = pc.vector(float, bounds=(0, 1), grid=Fraction(1, 4))
ROWS = [-3, 1, 1, 2, 9, 100, None]
MEDIAN = pc.QuantileInterval(alpha=0.5, temperature=1)
CASES = [
    Case(
        name="median between integers",
        chain=TEN >> MEDIAN,
        pairs=[(ROWS, ROWS[1:]), ([], [4]), ([0] * 9, [0] * 9 + [-2]), ([], [None])],
        masses=quantile(POINTS, Fraction(1, 2), 1),
        sample=1_500,
        input=ROWS,
    ),
    Case(
        name="quantile between reals",
        chain=QUARTERS >> pc.QuantileInterval(alpha=0.8, temperature=Fraction(3, 2)),
        pairs=[([0.2, 0.5], [0.2, 0.5, 1]), ([], [float("nan")]), ([0.5] * 40, [0.5] * 40 + [1.0])],
        masses=quantile([0.0, 0.25, 0.5, 0.75, 1.0], Fraction(4, 5), Fraction(3, 2)),
        sample=1_000,
        input=[0.3, 0.3, 0.9, None],
    ),
    Case(
        name="median of known size between integers",
        chain=pc.vector(int, bounds=(0, 4), size=3) >> MEDIAN,
        pairs=[([0, 2, 4], [0, 4, 4]), ([0, 0, 0], [0, 0, 4])],
        masses=quantile(range(5), Fraction(1, 2), 1),
    ),
    Case(
        name="the least between integers",
        chain=TEN >> pc.QuantileInterval(alpha=0, temperature=1),
        pairs=[(ROWS, ROWS[1:]), ([9] * 9, [9] * 9 + [-3]), ([], [4])],
        masses=quantile(POINTS, Fraction(0), 1),
        sample=1_000,
        input=ROWS,
    ),
    Case(
        name="the largest of known size between integers",
        chain=pc.vector(int, bounds=(0, 4), size=3) >> pc.QuantileInterval(alpha=1, temperature=1),
        pairs=[([0, 2, 4], [0, 4, 4]), ([0, 0, 0], [0, 0, 4])],
        masses=quantile(range(5), Fraction(1), 1),
    ),
    Case(name="median of 64 bits", chain=pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> MEDIAN),
]


@frozen
class LengthsForgotten(TwinOf):
    """Draws a piece by its score alone, however many points it has."""

    def release(self, value: Any, space: Space) -> int:
        rows, low, high = sorted_steps(value, self, space)
        found = pieces._near(rows, low, high, Fraction(1, 2), 100)
        chosen = select(gaps_of(split_scores(found.below, found.above, Fraction(1, 2))), Fraction(1, 2))
        return int(found.starts[chosen]) + uniform_below(int(found.counts[chosen]))


@frozen
class HalfCost(TwinOf):
    """Charges half."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="pieces without their lengths",
            chain=TEN >> LengthsForgotten(MEDIAN),
            masses=quantile(POINTS, Fraction(1, 2), 1),
            sample=1_500,
            input=ROWS,
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="interval at half its cost",
            chain=TEN >> HalfCost(MEDIAN),
            masses=quantile(POINTS, Fraction(1, 2), 1),
            pairs=[([0] * 9, [0] * 9 + [-2])],
        ),
    ),
]


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 3), Fraction(1)])
def test_rows_beyond_the_reach_are_drawn_rightly(alpha: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a reach of two rows most candidates lie outside the list; the samples law must still hold."""
    from tests.laws import check_samples

    monkeypatch.setattr(pieces, "_SHORT", 2)
    monkeypatch.setattr(pieces, "_FAR", 0)
    check_samples(
        Case(
            name="short reach",
            chain=TEN >> pc.QuantileInterval(alpha=alpha, temperature=4),
            masses=quantile(POINTS, alpha, 4),
            sample=1_500,
            input=[-2, -2, -1, 0, 0, 0, 1, 2, 4, 4, 4, 5, 7, 8, 9],
        )
    )


def test_every_step_is_in_one_piece() -> None:
    rows = np.sort(uniform_below(50, size=30))
    found = pieces._near(rows, -5, 60, Fraction(1, 2), 4)
    covered = [
        step
        for start, count in zip(found.starts.tolist(), found.counts.tolist(), strict=True)
        for step in range(start, start + int(count))
    ]
    assert sorted(covered) == list(range(-5, 61))


@pytest.mark.parametrize("rows", [[], [2**63 - 1], [-(2**63)], [0, 10**30, None]])
def test_the_widest_bounds_give_an_integer(rows: list[Any]) -> None:
    release = (pc.vector(int, bounds=(-(2**63), 2**63 - 1)) >> MEDIAN)(rows)
    assert type(release) is int
    assert -(2**63) <= release < 2**63


def test_many_equal_rows_are_found() -> None:
    chain = pc.vector(float, bounds=(0, 1)) >> MEDIAN
    assert chain([0.25] * 100_000) == 0.25
    assert chain([0.0] * 30_000 + [0.5] * 100_000 + [1.0] * 30_000) == 0.5


def test_bounds_are_needed() -> None:
    with pytest.raises(MismatchError, match="QuantileInterval needs bounded input"):
        pc.vector(float) >> MEDIAN


@pytest.mark.parametrize("alpha", [0, 1])
def test_the_least_and_the_largest_cost_half(alpha: int) -> None:
    unit = pc.QuantileInterval(alpha=alpha, temperature=1)
    assert (pc.vector(int, bounds=(0, 9)) >> unit).map(1).epsilon() == 1
    assert (pc.vector(int, bounds=(0, 9), size=5) >> unit).map(2).epsilon() == 1
