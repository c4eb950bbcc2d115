"""Gradients and curvatures of a row are clipped and depend on that row alone."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import MismatchError
from privet.transforms.leaf_gradients import LeafGradients
from tests.laws import Case, Twin
from tests.transforms.test_add_tree import rows_of
from tests.transforms.twins import TwinOf

SPLITS = [(0, [0, 0, 1, 1])]
SQUARED = LeafGradients(splits=SPLITS, loss="squared")
LOGISTIC = LeafGradients(splits=SPLITS, loss="logistic")
SEVERAL = LeafGradients(splits=SPLITS, loss="multinomial", scores=3)
NUMBER = rows_of([(0, 3), (-1, 1), (-2, 2)])
CLASS = rows_of([(0, 3), (0, 2), (-8, 8)])
CLASSES = rows_of([(0, 3), (0, 3), (-8, 8), (-8, 8), (-8, 8)])
CASES = [
    Case(name="gradients of squares", chain=NUMBER >> SQUARED),
    Case(name="gradients of two classes", chain=CLASS >> LOGISTIC),
    Case(name="gradients of three classes", chain=CLASSES >> SEVERAL),
    Case(
        name="gradients of classes, of known size",
        chain=rows_of([(0, 3), (0, 2), (-8, 8)], size=2) >> LOGISTIC,
    ),
    Case(
        name="gradients of rows in a ball",
        chain=pc.matrix(3) >> pc.ClampNorm(radius=1, grid=2**-10) >> LeafGradients(splits=[(0, [1])], loss="squared"),
    ),
]


@frozen
class MeanSubtracted(TwinOf):
    """Subtracts the mean gradient: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 1] = np.clip(np.rint((right[:, 1] - right[:, 1].mean()) * 1024) / 1024, -0.5, 0.5)
        return right


@frozen
class Unclipped(TwinOf):
    """Doubles the gradient after it is clipped."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[:, 1] *= 2
        return right


TWINS = [
    Twin(law="map", case=Case(name="gradients less their mean", chain=NUMBER >> MeanSubtracted(SQUARED))),
    Twin(law="map", case=Case(name="gradients beyond the clip", chain=NUMBER >> Unclipped(SQUARED))),
]


def test_two_classes() -> None:
    chance = 1 / (1 + math.exp(-1))
    release = (CLASS >> LeafGradients(splits=SPLITS, loss="logistic", clip=2))([[0, 1, 1], [2, 0, 1], [3, 2, 1]])
    curvature = 4 * chance * (1 - chance)
    expected = [[0, 1 - chance, curvature], [1, -chance, curvature], [1, 0, 0]]
    assert np.abs(release - expected).max() < 3e-3


def test_three_classes() -> None:
    scores = np.array([1.0, 0.0, -1.0])
    chances = np.exp(scores) / np.exp(scores).sum()
    unit = LeafGradients(splits=SPLITS, loss="multinomial", scores=3, clip=2)
    release = (CLASSES >> unit)([[0, 2, *scores], [0, 3, *scores]])
    expected = [*(np.array([0, 0, 1]) - chances), (1 - (chances**2).sum()) / (1 - 1 / 3)]
    assert np.abs(release[0, 1:] - expected).max() < 3e-3
    assert release[1].tolist() == [0, 0, 0, 0, 0]


def test_long_gradients_are_shortened() -> None:
    release = (CLASSES >> SEVERAL)([[0, 2, 8, -8, -8]])
    assert 0.495 < np.linalg.norm(release[0, 1:4]) <= 0.5
    assert (NUMBER >> SQUARED)([[0, 1, -2]]).tolist() == [[0, 0.5, 0.25]]


@pytest.mark.parametrize("clip", [Fraction(1, 2), Fraction(3007, 10_000)])
def test_no_gradient_is_longer_than_the_clip_in_exact_numbers(clip: Fraction) -> None:
    """Random rows, most of them clipped, on a coarse grid, of which the clip may be no point: fractions decide."""
    source = np.random.default_rng(1)
    rows = np.concatenate(
        [np.zeros((300, 1)), source.integers(0, 3, (300, 1)), source.uniform(-8, 8, (300, 3))], axis=1
    )
    several = LeafGradients(splits=SPLITS, loss="multinomial", scores=3, clip=clip)
    for row in (CLASSES >> several)(rows).tolist():
        assert sum(Fraction(item) ** 2 for item in row[1:4]) <= clip**2
    one = LeafGradients(splits=SPLITS, loss="squared", clip=clip)
    for row in (NUMBER >> one)([[0, 1, -2], [0, -1, 2], [0, 0.5, 0.25]]).tolist():
        assert abs(Fraction(row[1])) <= clip


@pytest.mark.parametrize(("loss", "scores"), [("squared", 2), ("multinomial", 1)])
def test_the_number_of_scores_fits_the_loss(loss: Any, scores: int) -> None:
    with pytest.raises(MismatchError, match="must be one, and two or more for loss='multinomial'"):
        LeafGradients(splits=SPLITS, loss=loss, scores=scores)


def test_rows_need_codes_a_target_and_scores() -> None:
    with pytest.raises(MismatchError, match="at least 5 columns"):
        CLASS >> SEVERAL
    with pytest.raises(MismatchError, match="without NaN"):
        pc.matrix(3, bounds=(0, 1)) >> SQUARED
