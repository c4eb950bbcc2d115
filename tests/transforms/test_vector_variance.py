"""Variances of columns are exact, and move no further than their map says, in a box and in a ball."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import Distance, Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

BALL = pc.matrix(3, size=3) >> pc.ClampNorm(radius=2)
CASES = [
    Case(name="vector variance", chain=pc.matrix(2, bounds=[(0, 1), (-5, 0.1)], size=3) >> pc.VectorVariance()),
    Case(name="vector variance of these rows", chain=pc.matrix(2, bounds=(-1, 1), size=1) >> pc.VectorVariance(ddof=0)),
    Case(
        name="vector variance in order", chain=pc.matrix(1, bounds=(0, 9), size=4, ordered=True) >> pc.VectorVariance()
    ),
    Case(name="vector variance in a ball", chain=BALL >> pc.VectorVariance()),
    Case(
        name="vector variance in a diamond away from zero",
        chain=pc.matrix(2, size=2) >> pc.ClampNorm(radius=0.75, order=1, origin=[10, -3]) >> pc.VectorVariance(),
    ),
    Case(
        name="the trace of a covariance",
        chain=pc.matrix(2, bounds=(-1, 1), size=4) >> pc.VectorVariance() >> pc.Scale(factor=[[1, 1]]),
    ),
]


@frozen
class OneColumn(TwinOf):
    """Charges for one column only."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=right.l0, l1=right.linf, l2_squared=right.linf**2, linf=right.linf)


@frozen
class Radius(TwinOf):
    """Takes the radius for the diameter."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=right.l0, l1=right.l1, l2_squared=right.l2_squared / 16, linf=right.linf / 4)


@frozen
class NotCentred(TwinOf):
    """Adds up the squares, and forgets to subtract the mean."""

    def apply(self, value: Any, space: Space) -> Any:
        grid = float(space.domain.grid)  # type: ignore[attr-defined]
        steps = [[int(item / grid) for item in column] for column in np.nan_to_num(value, nan=0.5).T.tolist()]
        return np.array([len(value) * sum(item**2 for item in column) for column in steps], dtype=object)


TWINS = [
    Twin(
        law="map",
        case=Case(
            name="variance of one column", chain=pc.matrix(2, bounds=(0, 1), size=3) >> OneColumn(pc.VectorVariance())
        ),
    ),
    Twin(law="map", case=Case(name="radius for diameter", chain=BALL >> Radius(pc.VectorVariance()))),
    Twin(
        law="map",
        case=Case(name="not centred", chain=pc.matrix(2, bounds=(0, 1), size=3) >> NotCentred(pc.VectorVariance())),
    ),
]


def test_each_entry_is_the_variance_of_its_column() -> None:
    rows: list[list[float]] = [[0.25, 9], [0.5, 1], [1, 4], [0, 4]]
    found = (pc.matrix(2, bounds=(0, 10), size=4) >> pc.VectorVariance())(rows)
    assert found.tolist() == pytest.approx(np.var(rows, axis=0, ddof=1).tolist())
    columns = [(pc.vector(float, bounds=(0, 10), size=4) >> pc.Variance())([row[at] for row in rows]) for at in (0, 1)]
    assert found.tolist() == columns


def test_the_box_is_tight_in_every_norm_at_once() -> None:
    chain = pc.matrix(2, bounds=[(0, 10), (0, 1)], size=5, grid=1) >> pc.VectorVariance()
    for swaps in (1, 2):
        rows = [[10.0, 1.0]] * swaps + [[0.0, 0.0]] * (5 - swaps)
        assert chain.output.distance(chain([[0, 0]] * 5), chain(rows)) == chain.map(2 * swaps)


def change(x: Any, y: Any, mu: Any) -> Any:
    """An independent formula for one replacement, many other rows at mu, times the size."""
    return (x - mu) ** 2 - (y - mu) ** 2


def test_no_rows_of_a_ball_move_further() -> None:
    """Random search in the unit ball; 120 degrees reach the bound of l1, and no l2 above 4 is found."""
    source = np.random.default_rng(1)
    points = source.normal(size=(3, 20_000, 2))
    points /= np.maximum(np.linalg.norm(points, axis=2, keepdims=True), 1)
    moved = change(*points)
    assert np.abs(moved).sum(axis=1).max() <= 27**0.5
    assert np.sqrt((moved**2).sum(axis=1)).max() <= 4 + 1e-9
    turn = np.array([[1, -1], [1, 1]]) / 2**0.5
    x, y, mu = (turn @ np.array(point) for point in ([0.5, 0.75**0.5], [0.5, -(0.75**0.5)], [-1, 0]))
    assert np.abs(change(x, y, mu)).sum() == pytest.approx(27**0.5)
    allowed = (pc.matrix(2, size=1000) >> pc.ClampNorm(radius=1) >> pc.VectorVariance()).map(2)
    assert isinstance(allowed, Parts)
    assert float(allowed.l1) * 1000 == pytest.approx(27**0.5)


def test_a_ball_costs_less_than_its_box_from_three_columns_on() -> None:
    for columns, gains in ((1, False), (2, True), (3, True), (10, True)):
        ball: Any = (pc.matrix(columns, size=50) >> pc.ClampNorm(radius=1) >> pc.VectorVariance()).map(2)
        box: Any = (pc.matrix(columns, size=50, bounds=(-1, 1)) >> pc.VectorVariance()).map(2)
        assert ball <= box
        assert (ball.l2_squared < box.l2_squared) == gains


def test_replaced_rows_of_a_ball_add_up() -> None:
    source = random.Random(5)
    chain: Any = pc.matrix(2, size=4) >> pc.ClampNorm(radius=1) >> pc.VectorVariance(ddof=0)
    for _ in range(200):
        rows = [[source.uniform(-2, 2), source.uniform(-2, 2)] for _ in range(4)]
        swaps = source.randint(1, 4)
        other = [[source.uniform(-2, 2), source.uniform(-2, 2)] for _ in range(swaps)] + rows[swaps:]
        assert chain.output.distance(chain(rows), chain(other)) <= chain.map(2 * swaps)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (pc.matrix(2, bounds=(0, 1)), "needs a public size: write pc.matrix"),
        (pc.matrix(2, bounds=(0, 1), size=1), "with ddof=1 needs more than 1 row, got a public size of 1"),
        (pc.matrix(2, size=3), "needs bounded columns"),
        (pc.vector(int, bounds=(0, 1), size=3), "reads rows of numbers"),
    ],
)
def test_what_does_not_fit_is_refused(space: Space, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> pc.VectorVariance()


def test_another_divisor_is_refused() -> None:
    with pytest.raises(InvalidError, match="VectorVariance.ddof must be one of 0, 1"):
        pc.VectorVariance(ddof=2)


def test_the_grid_holds_both_divisors() -> None:
    domain: Any = (pc.matrix(1, bounds=(0, 1), grid=0.5, size=4) >> pc.VectorVariance()).output.domain
    assert domain.grid == Fraction(1, 4) / 12
