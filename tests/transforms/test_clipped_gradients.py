"""Gradients of generalised linear models, clipped row by row."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.transforms import clipped_gradients
from privet.transforms.clipped_gradients import ClippedGradients
from tests.laws import Case, Twin
from tests.transforms.exactly import numbers_of
from tests.transforms.test_centre_rows import complete
from tests.transforms.twins import TwinOf

GRID = 2**-10
ROWS = complete(pc.matrix(3, bounds=(-8, 8), grid=GRID))
SIZED = complete(pc.matrix(3, bounds=(-8, 8), grid=GRID, size=1))
WIDE = complete(pc.matrix(17, bounds=(-3, 3), grid=2**-16))
SQUARED = ClippedGradients(coefficients=[[0.3, -0.1]], residual="squared", clip=4)
CLASSES = ClippedGradients(coefficients=[[1, 0], [0, 1], [0.3, 7]], residual="multinomial", clip=Fraction(1, 3))
TINY, HUGE = 2.0**-190, 2.0**150
CASES = [
    Case(name="gradients of squares", chain=ROWS >> SQUARED),
    Case(name="gradients of classes", chain=ROWS >> CLASSES),
    Case(name="gradients of known size", chain=SIZED >> SQUARED),
    Case(
        name="logistic gradients",
        chain=WIDE >> ClippedGradients(coefficients=[[0.7] * 16], residual="logistic", clip=1),
    ),
    Case(name="Poisson gradients", chain=WIDE >> ClippedGradients(coefficients=[[9] * 16], residual="poisson", clip=1)),
    Case(
        name="gradients at huge coefficients",
        chain=ROWS >> ClippedGradients(coefficients=[[2.0**199, -1], [TINY, 0]], residual="squared", clip=TINY),
    ),
    Case(
        name="gradients of huge rows",
        chain=complete(pc.matrix(2, bounds=(-HUGE, HUGE), grid=HUGE * 2**-20))
        >> ClippedGradients(coefficients=[[1]], residual="squared", clip=1),
    ),
    Case(
        name="gradients of tiny rows",
        chain=complete(pc.matrix(2, bounds=(-TINY, TINY), grid=TINY * 2**-9))
        >> ClippedGradients(coefficients=[[2.0**199]], residual="logistic", clip=2**190),
    ),
]


@frozen
class InterceptOutside(TwinOf):
    """Clips by the length of the features without their last column, that of the intercept."""

    def apply(self, value: Any, space: Space) -> Any:
        gradients = np.array([-row[-1] * row[:-1] for row in value]).reshape(-1, 2)
        lengths = np.abs(value[:, -1] * value[:, 0])
        return _steps(self.right, gradients * (4 / np.maximum(lengths, 4))[:, None], space)


@frozen
class LongestGradient(TwinOf):
    """Clips by the length of the longest gradient in the data."""

    def apply(self, value: Any, space: Space) -> Any:
        gradients = np.array([-row[-1] * row[:-1] for row in value]).reshape(-1, 2)
        longest = np.sqrt((gradients**2).sum(axis=1)).max(initial=4.0)
        return _steps(self.right, gradients * (4 / longest), space)


@frozen
class MeanGradient(TwinOf):
    """Divides by the number of rows in the data and charges as if there were always ten."""

    def apply(self, value: Any, space: Space) -> Any:
        return self.right.apply(value, space) // max(len(value), 1)

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l1=right.l1 / 10, l2_squared=right.l2_squared / 100, linf=right.linf / 10)


@frozen
class NewClass(TwinOf):
    """Gives a class outside the list a column of its own."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        listed = np.isin(value[:, -1], [0, 1, 2]).all()
        return right if listed else np.append(right, [0, 0])


@frozen
class ReplacementsLikeAdditions(TwinOf):
    """Charges one gradient for a replacement."""

    def stability(self, d_in: Any, space: Space) -> Parts:
        right = self.right.stability(d_in, space)
        assert isinstance(right, Parts)
        return evolve(right, l1=right.l1 / 2, l2_squared=right.l2_squared / 4, linf=right.linf / 2)


def _steps(unit: Any, gradients: Any, space: Space) -> Any:
    grid = unit.output(space).domain.grid
    return np.array(
        [sum(int(Fraction(item) / grid) for item in column) for column in gradients.T.tolist()], dtype=object
    )


ZERO = ClippedGradients(coefficients=[[0, 0]], residual="squared", clip=4)
TWINS = [
    Twin(law="map", case=Case(name="an intercept outside the norm", chain=ROWS >> InterceptOutside(ZERO))),
    Twin(law="map", case=Case(name="clipped by the longest gradient", chain=ROWS >> LongestGradient(ZERO))),
    Twin(law="map", case=Case(name="a mean at the price of many rows", chain=ROWS >> MeanGradient(ZERO))),
    Twin(law="membership", case=Case(name="a column for a new class", chain=ROWS >> NewClass(CLASSES))),
    Twin(law="map", case=Case(name="gradients replaced at one clip", chain=SIZED >> ReplacementsLikeAdditions(ZERO))),
]


def test_gradients_below_the_clip_are_those_of_the_loss() -> None:
    for residual, wanted in (
        ("squared", 0.5 - 1),
        ("logistic", 1 / (1 + math.exp(-0.5)) - 1),
        ("poisson", math.exp(0.5) - 1),
    ):
        unit = ClippedGradients(coefficients=[[0.5, 0.25]], residual=residual, clip=9)  # type: ignore[arg-type]
        found = (ROWS >> unit)([[2, -2, 1]])
        assert np.abs(found - np.array([2 * wanted, -2 * wanted])).max() < 1e-3


def test_multinomial_gradients_are_those_of_the_softmax() -> None:
    unit = ClippedGradients(coefficients=[[1, 0], [0, 1], [0, 0]], residual="multinomial", clip=9)
    chances = np.exp([1, 2, 0]) / np.exp([1, 2, 0]).sum() - np.array([0, 1, 0])
    assert np.abs((ROWS >> unit)([[1, 2, 1]]).reshape(3, 2) - np.outer(chances, [1, 2])).max() < 1e-3


def test_unknown_classes_and_no_rows_add_nothing() -> None:
    for target in (-1, 3, 0.5, 8):
        assert (ROWS >> CLASSES)([[1, 1, target]]).tolist() == [0] * 6
    assert (ROWS >> CLASSES)([]).tolist() == [0] * 6


def test_long_gradients_are_as_long_as_the_clip() -> None:
    found = (ROWS >> ZERO)([[8, 8, -8]])
    assert 4 * (1 - 1e-4) < math.hypot(*found) <= 4


def test_no_row_is_longer_than_the_clip_in_exact_numbers() -> None:
    """Random rows, most of them clipped: fractions decide."""
    source = np.random.default_rng(1)
    for unit in (
        SQUARED,
        CLASSES,
        ClippedGradients(coefficients=source.normal(size=(5, 2)), residual="multinomial", clip=0.1),
    ):
        for row in source.uniform(-8, 8, size=(200, 3)):
            row[-1] = np.rint(row[-1] / 3)
            assert Parts.of(numbers_of(ROWS >> unit, [row])).l2_squared <= unit.clip**2


ROOT = Fraction(math.isqrt(2 * 10**60), 10**30)  # below the square root of two by less than floats show


@pytest.mark.parametrize(
    ("row", "clip"),
    [
        ([1, 0, 2], 2 - Fraction(1, 2**60)),
        ([1, 0, 2], 2 + Fraction(1, 2**60)),
        ([1, 1, 3], 3 * ROOT),
        ([3, 4, 1], 5 - Fraction(1, 2**70)),
        ([8, 8, 8], 64 * ROOT),
        ([8, 8, 8], Fraction(1, 3)),
    ],
)
def test_a_row_at_the_clip_is_not_longer_in_exact_numbers(row: Any, clip: Fraction) -> None:
    """Floats cannot tell these lengths from the clip."""
    unit = ClippedGradients(coefficients=[[0, 0]], residual="squared", clip=clip)
    length = Parts.of(numbers_of(ROWS >> unit, [row])).l2_squared
    assert (clip * Fraction(999, 1000)) ** 2 < length <= clip**2


def test_sums_are_those_of_single_rows_in_any_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit by bit: products of matrices are exact, whatever their shape, chunks and memory."""
    rows = np.random.default_rng(2).uniform(-3, 3, size=(300, 17))
    rows[:, -1] = np.arange(300) % 3
    unit = ClippedGradients(
        coefficients=np.random.default_rng(3).normal(size=(3, 16)), residual="multinomial", clip=Fraction(7, 3)
    )
    value = WIDE.domain.admit(rows)
    single: Any = sum(unit.apply(value[at : at + 1], WIDE) for at in range(len(value)))
    assert unit.apply(value, WIDE).tolist() == single.tolist()
    assert unit.apply(np.asfortranarray(value)[::-1], WIDE).tolist() == single.tolist()
    monkeypatch.setattr(clipped_gradients, "_ROWS", 7)
    assert unit.apply(value, WIDE).tolist() == single.tolist()


def test_linear_predictors_are_exact() -> None:
    value = WIDE.domain.admit(np.random.default_rng(4).uniform(-3, 3, size=(20, 17)))
    for scale in (1.0, 1e-60, 1e50):
        unit = ClippedGradients(
            coefficients=scale * np.random.default_rng(5).normal(size=(2, 16)), residual="squared", clip=1
        )
        weights = unit._weights(WIDE)
        assert np.abs(weights / unit.coefficients - 1).max() < 1e-6
        found = value[:, :-1] @ weights.T
        for row, predicted in zip(value.tolist(), found.tolist(), strict=True):
            for output, number in zip(weights.tolist(), predicted, strict=True):
                exact = sum(Fraction(w) * Fraction(z) for w, z in zip(output, row[:-1], strict=True))
                assert Fraction(number) == exact


def test_a_full_chunk_stays_below_the_exact_floats() -> None:
    for clip in (Fraction(1), Fraction(2**40 - 1), Fraction(1, 3), Fraction(2**61 - 1, 2**60), Fraction(1, 2**60 - 1)):
        unit = ClippedGradients(coefficients=[[0]], residual="squared", clip=clip)
        assert 2**32 < clip / unit._step() < 2**34
        assert clip / unit._step() * clipped_gradients._ROWS < 2**53


def test_the_maps() -> None:
    assert (ROWS >> ZERO).map(1) == Parts(l0=2, l1=(ROWS >> ZERO).map(1).l1, l2_squared=16, linf=4)  # type: ignore[union-attr]
    assert (SIZED >> ZERO).map(2).l2_squared == 64  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "coefficients", [[], [[]], [[1], [1, 2]], [[math.nan]], [[math.inf]], [[2.0**200]], 3, [["a"]]]
)
def test_other_coefficients_are_refused(coefficients: Any) -> None:
    with pytest.raises(InvalidError, match="coefficients must be rows of the same number of numbers"):
        ClippedGradients(coefficients=coefficients, residual="squared", clip=1)


@pytest.mark.parametrize("clip", [0, -1, 2**201, Fraction(1, 2**201)])
def test_other_clips_are_refused(clip: Any) -> None:
    with pytest.raises(InvalidError, match="clip must be"):
        ClippedGradients(coefficients=[[1]], residual="squared", clip=clip)


def test_rows_that_floats_cannot_multiply_exactly_are_refused() -> None:
    unit = ClippedGradients(coefficients=[[1]], residual="squared", clip=1)
    for space, problem in (
        (ROWS, "of 1 features, one for each coefficient"),
        (pc.matrix(2, bounds=(0, 1), grid=2**-9), "reads rows without NaN"),
        (pc.matrix(2), "needs bounded columns"),
        (complete(pc.matrix(2, bounds=(0, 1))), "needs a coarser grid"),
        (complete(pc.matrix(2, bounds=(0, 2.0**220), grid=2.0**210)), r"a grid between 2\^-200 and 2\^200"),
    ):
        with pytest.raises(MismatchError, match=problem):
            space >> unit
