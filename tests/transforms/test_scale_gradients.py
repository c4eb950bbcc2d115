"""How the loss of a row changes with a factor of its scores."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms.scale_gradients import ScaleGradients
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf


def rows_of(bounds: Any, **more: Any) -> Space:
    """Rows without NaN."""
    space = pc.matrix(len(bounds), bounds=bounds, grid=2**-10, **more)
    domain: Any = space.domain
    return Space(evolve(domain, nan=False), space.metric)


NUMBER = rows_of([(0, 3), (-1, 1), (-8, 8)])
CLASSES = rows_of([(0, 2), (-8, 8), (-8, 8)])
SQUARED = ScaleGradients(factors=[0, 1, 3], offsets=[0.25], loss="squared", clip=1)
LOGISTIC = ScaleGradients(factors=[2, 4], offsets=[-1], loss="logistic", clip=2)
MANY = ScaleGradients(factors=[1, 5], offsets=[0.5, -0.5], loss="multinomial", clip=Fraction(3, 2))
CASES = [
    Case(name="factors of squares", chain=NUMBER >> SQUARED),
    Case(name="factors of squares, of known size", chain=rows_of([(-1, 1), (-8, 8)], size=2) >> SQUARED),
    Case(name="factors of two classes", chain=NUMBER >> LOGISTIC),
    Case(name="factors of several classes", chain=CLASSES >> MANY),
    Case(name="sums for several factors", chain=CLASSES >> MANY >> pc.VectorSum()),
    Case(
        name="factors of rows in a ball",
        chain=pc.matrix(2)
        >> pc.ClampNorm(radius=1, grid=2**-10)
        >> ScaleGradients(factors=[0, 100], offsets=[0], loss="squared", clip=8),
    ),
]


@frozen
class Centred(TwinOf):
    """Subtracts the mean of the scores: one row decides about all others."""

    def apply(self, value: Any, space: Space) -> Any:
        moved = np.array(value)
        middle = moved[:, -1].mean() if len(moved) else 0.0
        moved[:, -1] = np.clip(np.rint((moved[:, -1] - middle) * 1024) / 1024, -8, 8)
        return self.right.apply(moved, space)


@frozen
class Unclipped(TwinOf):
    """Forgets the clip."""

    def apply(self, value: Any, space: Space) -> Any:
        unit: Any = self.right
        return evolve(unit, clip=100).apply(value, space)


@frozen
class Raises(TwinOf):
    """Raises for a class outside the list."""

    def apply(self, value: Any, space: Space) -> Any:
        for item in value[:, 0].tolist():
            if item not in (0, 1):
                raise ValueError(item)
        return self.right.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="factors of centred scores", chain=NUMBER >> Centred(SQUARED))),
    Twin(law="membership", case=Case(name="factors without a clip", chain=NUMBER >> Unclipped(SQUARED))),
    Twin(law="parity", case=Case(name="an unknown class is an error", chain=CLASSES >> Raises(MANY))),
]


def test_squares() -> None:
    """Minus the derivative of (y - 1/4 - s f)² / 2 is (y - 1/4 - s f) f."""
    assert (NUMBER >> SQUARED)([[0, 0.75, 0.5], [0, -0.75, 1], [0, 0, 0]]).tolist() == [
        [0.25, 0, -0.5], [-1, -1, -1], [0, 0, 0],
    ]  # fmt: skip


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_two_classes_as_by_definition() -> None:
    found = (NUMBER >> LOGISTIC)([[0, 1, 0.5], [0, 0, 0.5], [0, 0.5, 3]])
    for at, factor in enumerate((2, 4)):
        chance = sigmoid(factor * 0.5 - 1)
        assert abs(found[0, at] - (1 - chance) * 0.5) < 2e-3
        assert abs(found[1, at] + chance * 0.5) < 2e-3
    assert found[2].tolist() == [0, 0]  # no class


def test_several_classes_as_by_definition() -> None:
    found = (CLASSES >> MANY)([[0, 1, -0.5], [1, 1, -0.5], [2, 3, 4]])
    for at, factor in enumerate((1, 5)):
        gap = factor * 1.5 + 1
        chance = sigmoid(gap)
        assert abs(found[0, at] - (1 - chance) * 1.5) < 3e-3
        assert abs(found[1, at] - max(-1.5, -chance * 1.5)) < 3e-3
    assert found[2].tolist() == [0, 0]


def test_results_are_clamped_and_a_row_adds_no_more_to_a_sum() -> None:
    chain = NUMBER >> SQUARED
    assert chain([[0, 1, 8], [0, -1, -8]]).tolist() == [[1, -1, -1], [1, -1, -1]]
    claimed: Any = (chain >> pc.VectorSum()).map(2)
    assert (claimed.l1, claimed.l2_squared) == (6, 12)
    coarse = evolve(SQUARED, clip=Fraction(1, 3))  # rounded inward to the grid
    assert (NUMBER >> coarse)([[0, 1, 8]])[0, 0] == 341 / 1024


def test_falling_sums() -> None:
    """The loss is convex in the factor: no row has a derivative that falls."""
    source = np.random.default_rng(1)
    rows = np.column_stack([source.integers(0, 2, 200), source.normal(size=(200, 2)) * 2])
    unit = ScaleGradients(factors=[1, 2, 4, 8], offsets=[0.25, 0], loss="multinomial", clip=100)
    found = (CLASSES >> unit)(rows)
    assert (np.diff(found, axis=1) <= 3e-3).all()


def test_a_row_alone_gives_what_it_gives_among_others() -> None:
    rows = np.random.default_rng(5).integers(-2000, 2000, size=(99, 3)) / 1024
    domain: Any = CLASSES.domain
    member = domain.admit(rows)
    together = MANY.apply(member, CLASSES)
    assert [MANY.apply(member[at : at + 1], CLASSES)[0].tolist() for at in range(99)] == together.tolist()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidError, match="factors must be one or more numbers"):
        evolve(SQUARED, factors=[])
    with pytest.raises(MismatchError, match="offsets must have one number"):
        evolve(SQUARED, offsets=[0, 1])
    with pytest.raises(MismatchError, match="offsets must be one or more numbers"):
        evolve(SQUARED, offsets=[2**50])
    with pytest.raises(InvalidError, match="clip must be above zero"):
        evolve(SQUARED, clip=0)
    with pytest.raises(MismatchError, match="between 1 and 2\\^51 grid steps"):
        NUMBER >> evolve(SQUARED, clip=Fraction(1, 2**11))
    with pytest.raises(MismatchError, match="at least 2 columns"):
        rows_of([(0, 1)]) >> SQUARED


def far_scores(exponent: int) -> tuple[Space, ScaleGradients]:
    """Rows with scores up to a power of two, and a unit that multiplies them by 2^40."""
    space = pc.matrix(3, bounds=[(0, 2**exponent)] * 3, grid=Fraction(2) ** (exponent - 52))
    domain: Any = space.domain
    return Space(evolve(domain, nan=False), space.metric), evolve(MANY, factors=[2**40], clip=2 ** (exponent - 2))


def test_scores_that_a_factor_makes_infinite_are_refused() -> None:
    """Two infinite predictors have no difference: a row with them would raise an error."""
    for exponent in (401, 1000):
        rows, unit = far_scores(exponent)
        with pytest.raises(MismatchError, match="scores and a target of at most 2\\^400: scale the columns first"):
            rows >> unit
    rows, unit = far_scores(400)
    assert (rows >> unit)([[0, 2.0**400, 2.0**400], [0, 2.0**400, 0]]).shape == (2, 1)
