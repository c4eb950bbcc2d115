"""A quantile selected from candidates."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from privet.mechanisms.selection import gaps_of, select
from privet.transforms.columns import seen
from privet.transforms.ranks import rows_around
from tests.laws import Case, Twin
from tests.mechanisms.scores import flipped_quantile, quantile
from tests.mechanisms.twins import TwinOf

POINTS = [0, 1, 2, 5, 9]
NINTH = pc.Quantile(candidates=POINTS, alpha=0.9, by=pc.Exponential(temperature=2))
ROWS = [0, 1, 1, 2, 2, 3, 7, 8, None]
# candidates far from the quantile on both sides: one score rises, the other falls, by as much as they can
WORST = ([5] * 60, [5] * 60 + [20])
CASES = [
    Case(
        name="quantile of integers",
        chain=pc.vector(int) >> NINTH,
        pairs=[(ROWS, ROWS[1:]), ([], [None]), ([], [7]), ([3, 3, 3], [2, 2, 3, 8, 1])],
        masses=quantile(POINTS, Fraction(9, 10), 2),
        sample=1_500,
        input=ROWS,
    ),
    Case(
        name="quantile at its worst",
        chain=pc.vector(int) >> pc.Quantile(candidates=[0, 10, 12], alpha=0.9, by=pc.Exponential(temperature=2)),
        pairs=[WORST],
        masses=quantile([0, 10, 12], Fraction(9, 10), 2),
    ),
    Case(
        name="median of reals",
        chain=pc.vector(float) >> pc.Quantile(candidates=[-0.5, 0, 0.1], alpha=0.5, by=pc.Exponential(temperature=1)),
        pairs=[([0.1, 0.1], [0.1, 0.1, float("inf")]), ([], [float("nan")])],
        masses=quantile([-0.5, 0.0, 0.1], Fraction(1, 2), 1),
        sample=1_500,
        input=[0.1, 0.05, -7.0, 0.1],
    ),
    Case(
        name="median by permute and flip",
        chain=pc.vector(int) >> pc.Quantile(candidates=POINTS, alpha=0.5, by=pc.PermuteAndFlip(scale=1)),
        pairs=[(ROWS, ROWS[1:]), ([5] * 60, [5] * 60 + [20])],
        masses=flipped_quantile(POINTS, Fraction(1, 2), 1),
        sample=1_500,
        input=ROWS,
    ),
    Case(
        name="median of known size",
        chain=pc.vector(int, size=4) >> pc.Quantile(candidates=POINTS, alpha=0.5, by=pc.Exponential(temperature=1)),
        pairs=[([0, 0, 9, 9], [0, 9, 9, 9]), ([1, 2, 3, 4], [None, 2, 3, 4])],
        masses=quantile(POINTS, Fraction(1, 2), 1),
    ),
]


@frozen
class TwoRowsMore(TwinOf):
    """Compares the rows below with alpha (n + 2): the quantile of two rows more than there are."""

    def release(self, value: Any, space: Space) -> int:
        rows = seen(value)
        below, _ = rows_around(rows, np.array(POINTS))
        return POINTS[select(gaps_of(-np.abs(10 * below - 9 * (len(rows) + 2))), Fraction(1, 20))]


@frozen
class Monotonic(TwinOf):
    """Charges as if all scores moved to the same side."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(9, 10) * d_in / 2)


TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="quantile with alpha (n + 2)",
            chain=pc.vector(int) >> TwoRowsMore(NINTH),
            masses=quantile(POINTS, Fraction(9, 10), 2),
            sample=1_500,
            input=ROWS,
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="quantile charged as monotonic",
            chain=pc.vector(int)
            >> Monotonic(pc.Quantile(candidates=[0, 10], alpha=0.9, by=pc.Exponential(temperature=2))),
            masses=quantile([0, 10], Fraction(9, 10), 2),
            pairs=[([5] * 10, [5] * 10 + [20])],
        ),
    ),
]


def test_a_clear_median_is_found() -> None:
    rows = np.arange(100_001, dtype=np.float64)
    chain = pc.vector(float) >> pc.Quantile(
        candidates=range(0, 100_001, 1000), alpha=0.5, by=pc.Exponential(temperature=1)
    )
    assert chain(rows) == 50_000.0


def test_a_release_has_the_type_of_the_column() -> None:
    assert type((pc.vector(int) >> NINTH)([])) is int
    assert type((pc.vector(float) >> NINTH)([])) is float


def test_the_maps_for_private_and_public_sizes() -> None:
    assert (pc.vector(int) >> NINTH).map(1).epsilon() == Fraction(9, 10)
    assert (pc.vector(int, size=9) >> NINTH).map(2).epsilon() == 1
    assert (pc.vector(int) >> NINTH).map(1).rho() == pc.BoundedRangeLoss(0.9).rho()


def test_candidates_must_fit_the_column() -> None:
    with pytest.raises(MismatchError, match=r"Quantile\.candidates must be whole numbers"):
        pc.vector(int) >> pc.Quantile(candidates=[0.5], alpha=0.5, by=pc.Exponential(temperature=1))


def test_permute_and_flip_is_charged_in_epsilon_only() -> None:
    chain = pc.vector(int) >> pc.Quantile(candidates=POINTS, alpha=0.5, by=pc.PermuteAndFlip(scale=2))
    assert chain.map(1).epsilon() == Fraction(1, 2)
    assert chain.map(1).rho() == pc.PureLoss(0.5).rho()


def test_only_a_selection_selects() -> None:
    wrong: Any = pc.Laplace(scale=1)
    with pytest.raises(WrongTypeError, match=r"Quantile\.by must be a selection such as PermuteAndFlip\(scale=...\)"):
        pc.Quantile(candidates=POINTS, alpha=0.5, by=wrong)


def test_the_shortfall_is_that_of_the_selection() -> None:
    unit = pc.Quantile(candidates=range(5), alpha=0.5, by=pc.PermuteAndFlip(scale=2))
    assert unit.shortfall(0.1) == pc.PermuteAndFlip(scale=2).shortfall(0.1, candidates=5)


def test_the_least_and_the_largest_cost_half() -> None:
    for alpha in (0, 1):
        unit = pc.Quantile(candidates=range(5), alpha=alpha, by=pc.PermuteAndFlip(scale=1))
        assert (pc.vector(int) >> unit).map(1).epsilon() == 1
        assert (pc.vector(int, size=5) >> unit).map(2).epsilon() == 1
