"""One run of Lloyd's algorithm: the split by nearest centres, private means and the score."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.combinators.lloyd import _Nearest, calinski_harabasz, inside, move_centres, nearest, random_centres
from privet.core.balls import Norm
from privet.core.exact import exact as read_exact
from privet.core.metric import Distance
from privet.core.space import Space
from tests.laws import Case, Twin, check_map, check_parity
from tests.laws.replay import replayed
from tests.transforms.twins import TwinOf

BALL = pc.ClampNorm(radius=2, origin=(1, 0))
NORM = Norm(order=2, radius=read_exact(2), origin=(read_exact(1), read_exact(0)))
UNIT = _Nearest(centres=((0.0, 0.0), (1.5, 0.5), (0.0, 0.0)))
CASES = [
    Case(name="nearest centres", chain=pc.matrix(2) >> BALL >> UNIT),
    Case(name="nearest centres, a known size", chain=pc.matrix(2, size=3) >> BALL >> UNIT),
]


@frozen
class ByTheMean(TwinOf):
    """Splits at the mean of all rows: every row's part depends on the others."""

    def apply(self, value: Any, space: Space) -> Any:
        high = value[:, 0] > (value[:, 0].mean() if len(value) else 0.0)
        return value[high], value[~high], value[:0]


@frozen
class OnePartForReplaced(TwinOf):
    """Charges one part where a record leaves one and enters another."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return pc.Parts(l0=min(1, d_in), l1=d_in, l2_squared=d_in**2, linf=d_in)


TWINS = [
    Twin(law="map", case=Case(name="split at the mean", chain=pc.matrix(2) >> BALL >> ByTheMean(UNIT))),
    Twin(law="map", case=Case(name="one part", chain=pc.matrix(2, size=3) >> BALL >> OnePartForReplaced(UNIT))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_laws_hold(case: Case) -> None:
    check_map(case)


def test_neighbours_behave_the_same() -> None:
    check_parity(CASES[0])


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.case.name)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    with pytest.raises(AssertionError, match="^map law"):
        partial(check_map, quick=True)(twin.case)


def test_no_rows_part_depends_on_other_rows() -> None:
    rows = np.linspace(-1, 2, 4001).reshape(-1, 1) * np.array([[1.0, 0.37]])
    centres = np.array([[0.1, 0.2], [0.3, 0.1], [1.0, 0.4]])
    alone = [int(nearest(rows[at : at + 1], centres)[0]) for at in range(len(rows))]
    assert nearest(rows, centres).tolist() == alone


def test_random_centres_are_in_the_ball() -> None:
    with replayed(seed=1):
        centres = random_centres(NORM, 200)
    assert (((centres - [1, 0]) ** 2).sum(axis=1) <= 4 + 1e-9).all()
    assert centres[:, 0].min() < 0 < centres[:, 1].max()


def test_means_are_pulled_into_the_ball_and_small_clusters_stay() -> None:
    centres = np.array([[0.0, 0.0], [1.0, 1.0]])
    found = move_centres(centres, np.array([10.0, 2.0]), np.array([[100.0, 0.0], [5.0, 5.0]]), NORM, few=3.0)
    assert found.tolist() == [[3.0, 0.0], [1.0, 1.0]]
    assert inside(np.array([[1.0, 0.0]]), NORM).tolist() == [[1.0, 0.0]]


def test_the_score_is_that_of_calinski_and_harabasz() -> None:
    """From exact sums it equals the definition, whatever the origin."""
    rows = np.array([[0.0, 0.0], [0.2, 0.1], [1.0, 1.0], [1.2, 0.8], [1.1, 1.1], [2.0, 0.0]])
    label = np.array([0, 0, 1, 1, 1, 2])
    gaps = rows - [1, 0]
    counts = np.array([(label == k).sum() for k in range(3)], dtype=float)
    sums = np.array([gaps[label == k].sum(axis=0) for k in range(3)])
    centres = np.array([rows[label == k].mean(axis=0) for k in range(3)])
    between = sum(counts[k] * ((centres[k] - rows.mean(axis=0)) ** 2).sum() for k in range(3))
    within = ((rows - centres[label]) ** 2).sum()
    fit = {"centres": centres, "counts": counts, "sums": sums}
    expected = (between / 2) / (within / 3)
    assert calinski_harabasz(fit, float((gaps**2).sum()), NORM, 1e-12) == pytest.approx(expected)


def test_the_score_of_nothing_is_zero_and_noise_has_a_low_score() -> None:
    nothing = {"centres": np.zeros((2, 2)), "counts": np.zeros(2), "sums": np.zeros((2, 2))}
    assert calinski_harabasz(nothing, 0.0, NORM, 1.0) == 0
    fit = {"centres": np.array([[0.0, 0.0], [2.0, 0.0]]), "counts": np.array([50.0, 50.0]), "sums": np.zeros((2, 2))}
    assert calinski_harabasz(fit, -1e9, NORM, 10.0) == calinski_harabasz(fit, -1e6, NORM, 10.0)
