"""Bounds from noisy counts of bands."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.mechanisms.bounds_by_bands import whole_bounds
from privet.noise import discrete_laplace
from privet.transforms.log_bands import LogBands
from tests.laws import Case, Twin, masses
from tests.mechanisms.comparing import reaches
from tests.mechanisms.twins import TwinOf

SMALL = pc.BoundsByBands(scale=1, beta=0.5, exponents=(0, 1))  # bands ..., [-2, -1], (-1, 1), [1, 2), [2, ...
EDGES = [-4.0, -2.0, -1.0, 1.0, 2.0, 4.0]


def exactly(value: Any, space: Space) -> masses.Masses:
    bands: Any = LogBands(exponents=(0, 1)).apply(value, space)
    counts = [int((bands.compressed() == band).sum()) for band in range(-2, 3)]
    full = [reaches(Fraction(1), SMALL.threshold - count) for count in counts]
    inside: dict[Any, arb] = {}
    for low in range(5):
        for high in range(low, 5):
            mass = full[low] * (full[high] if high > low else 1)
            for empty in [*range(low), *range(high + 1, 5)]:
                mass *= 1 - full[empty]
            inside[EDGES[low], EDGES[high + 1]] = mass
    nothing = arb(1)
    for chance in full:
        nothing *= 1 - chance
    inside[EDGES[0], EDGES[-1]] += nothing
    return masses.Masses(inside, arb(0))


CASES = [
    Case(
        name="bounds by bands",
        chain=pc.vector(float) >> SMALL,
        pairs=[
            ([1.5] * 3, [1.5] * 4),
            ([], [-1.5]),
            ([0.0], [math.inf]),
            ([math.nan, None, 0.5], [0.5]),
            ([-3.0, 3.0], [1.0]),
        ],
        masses=exactly,
        sample=6_000,
        input=[1.5, 1.0, 0.0, -0.5, math.nan, -1e300],
    ),
    Case(
        name="bounds by bands of whole numbers",
        chain=pc.vector(int) >> SMALL,
        pairs=[([1] * 3, [1] * 4), ([], [-1]), ([0], [2**63 - 1]), ([None, 0], [0])],
        masses=exactly,
        sample=3_000,
        input=[1, 1, 0, -(2**63)],
    ),
]


@frozen
class OneBandOnly(TwinOf):
    """Charges a half: a row is taken to count in half of the bands."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in) / 2)


@frozen
class LeftEdges(TwinOf):
    """Gives the edges nearer to zero, as the book does: rows at 9 lead to a bound of 8."""

    def release(self, value: Any, space: Space) -> Any:
        low, high = self.right.release(value, space)
        return (low / 2 if low < 0 else low), (high / 2 if high > 0 else high)


@frozen
class SeenBandsOnly(TwinOf):
    """Draws noise for the bands that hold a row."""

    def release(self, value: Any, space: Space) -> Any:
        for _ in set(value.compressed().tolist()):
            discrete_laplace(1)
        return self.right.release(value, space)


@frozen
class LogOfZero(TwinOf):
    """Raises for a zero."""

    def release(self, value: Any, space: Space) -> Any:
        for item in value.compressed().tolist():
            math.log2(abs(item)) if not math.isnan(item) else None
        return self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.vector(float) >> unit,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=6_000,
        input=CASES[0].input,
    )


TWINS = [
    Twin(law="loss", case=broken("half a band charged", OneBandOnly(SMALL))),
    Twin(law="samples", case=broken("edges a factor two too small", LeftEdges(SMALL))),
    Twin(law="parity", case=broken("noise for the bands that are seen", SeenBandsOnly(SMALL))),
    Twin(law="parity", case=broken("the logarithm of zero", LogOfZero(SMALL))),
]


@pytest.mark.parametrize(
    ("rows", "bounds"),
    [
        ([-9.0] * 300 + [9.0] * 300, (-16.0, 16.0)),
        ([8.0] * 300, (8.0, 16.0)),
        ([-8.0] * 300 + [0.0] * 300, (-16.0, 2.0**-32)),
        ([0.0] * 300, (-(2.0**-32), 2.0**-32)),
        ([math.inf] * 300, (2.0**64, 2.0**65)),
        ([3.0] * 300 + [1e15], (2.0, 4.0)),
        ([], (-(2.0**65), 2.0**65)),
    ],
)
def test_bounds_hold_the_full_bands(rows: list[float], bounds: tuple[float, float]) -> None:
    assert (pc.vector(float) >> pc.BoundsByBands(scale=1, beta=1e-9))(rows) == bounds


def test_columns_of_whole_numbers() -> None:
    chain = pc.vector(int) >> pc.BoundsByBands(scale=1, beta=1e-9)
    assert chain(np.array([2**63 - 1, -(2**63)] * 200)) == (-(2**63), 2**63 - 1)
    assert (chain >> (lambda pair: pc.vector(int) >> pc.Clamp(bounds=pair)))([5] * 300).output.domain.bounds == (4, 8)


def test_the_threshold_is_the_smallest() -> None:
    unit = pc.BoundsByBands(scale=3, beta=0.001)
    bands, ratio = 2 * 97 + 1, math.exp(-1 / 3)
    chance = [1 - (1 - ratio**bar / (1 + ratio)) ** bands for bar in (unit.threshold - 1, unit.threshold)]
    assert chance[0] > 0.001 >= chance[1]


def test_the_loss_of_rows_and_of_replacements() -> None:
    assert (pc.vector(float) >> SMALL).map(3).epsilon() == 3
    assert (pc.vector(float, size=9) >> SMALL).map(2).epsilon() == 2


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="BoundsByBands.beta must be above zero and below one, got 1."):
        pc.BoundsByBands(scale=1, beta=1)
    with pytest.raises(InvalidError, match="must be low below high"):
        pc.BoundsByBands(scale=1, exponents=(3, 3))
    with pytest.raises(InvalidError, match="must end at 1022 at most, got 1024."):
        pc.BoundsByBands(scale=1, exponents=(3, 1024))
    with pytest.raises(WrongTypeError, match="must be a pair"):
        pc.BoundsByBands(scale=1, exponents=3)
    with pytest.raises(MismatchError, match="reads numbers, got a column of str"):
        pc.vector(str) >> SMALL


@pytest.mark.parametrize(
    ("rows", "exponents", "bounds"),
    [
        ([0] * 300, (-32, 64), (-1, 1)),
        ([], (-32, 64), (-(2**63), 2**63 - 1)),
        ([2**63 - 1] * 300, (-3, 62), (2**62, 2**63 - 1)),
        ([-(2**63)] * 300, (70, 71), (-(2**63), 2**63 - 1)),
        ([1] * 300, (-3, -2), (0, 1)),
        ([-7] * 300, (0, 10), (-8, -4)),
    ],
)
def test_whole_numbers_have_whole_bounds(rows: Any, exponents: Any, bounds: tuple[int, int]) -> None:
    found = (pc.vector(int) >> pc.BoundsByBands(scale=1, beta=1e-9, exponents=exponents))(rows)
    assert found == bounds
    assert list(map(type, found)) == [int, int]
    pc.vector(int) >> pc.Clamp(bounds=found)


def test_bounds_beyond_the_whole_numbers_still_rise() -> None:
    assert whole_bounds(Fraction(2) ** 75, Fraction(2) ** 76) == (2**63 - 2, 2**63 - 1)
    assert whole_bounds(-(Fraction(2) ** 76), -(Fraction(2) ** 75)) == (-(2**63), -(2**63) + 1)
