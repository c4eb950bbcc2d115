"""Above threshold with the free gap."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet as pv
from privet.core.loss import Loss
from privet.core.space import Space
from privet.errors import Invalid, Mismatch, Unavailable
from privet.noise import discrete_laplace
from privet.transforms.stream_space import MonotonicStreamDistance, StreamDistance, StreamDomain
from tests.laws import Case, Twin, masses
from tests.mechanisms.comparing import first_gap
from tests.mechanisms.twins import TwinOf

GENERAL = Space(StreamDomain(), StreamDistance())
UNIT = pv.AboveThresholdWithGap(threshold=-4, scale=1)
LONG = 8
BEFORE, RISEN, MIXED = [0] * LONG, [1] * (LONG - 1) + [0], [1] * (LONG - 1) + [-1]


def exactly(value: Any, space: Space) -> masses.Masses:
    return first_gap([int(step) for step in value], -4, Fraction(1), 60, 12)


CASES = [
    Case(
        name="above threshold with gap, a vector",
        chain=pv.numbers(LONG) >> UNIT,
        pairs=[(BEFORE, MIXED), (BEFORE, RISEN), (RISEN, MIXED)],
        masses=exactly,
        sample=6_000,
        input=[-6, -5, -4, -9, -2, -30, 0, 1],
    ),
    Case(name="above threshold with gap, a stream", chain=GENERAL >> UNIT, input=[3, 4, 5]),
]


@frozen
class HalfTheLoss(TwinOf):
    """Charges for the threshold only."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pv.PureLoss(d_in.linf)


@frozen
class GapToExactThreshold(TwinOf):
    """Tells the noisy answer less the threshold without its noise: the threshold's noise is then known in part."""

    def release(self, value: Any, space: Space) -> Any:
        bar = -4 + discrete_laplace(1)
        for position, answer in enumerate(value.tolist()):
            noisy = answer + discrete_laplace(2)
            if noisy >= bar:
                return position, noisy + 4
        return len(value), 0


@frozen
class IntegerOrNone(TwinOf):
    """Gives another type where the exact answers are low."""

    def release(self, value: Any, space: Space) -> Any:
        return None if max(value) < 1 else self.right.release(value, space)


def broken(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pv.numbers(LONG) >> unit,
        pairs=CASES[0].pairs,
        masses=exactly,
        sample=6_000,
        input=CASES[0].input,
    )


TWINS = [
    Twin(law="loss", case=broken("the gap's answer not charged", HalfTheLoss(UNIT))),
    Twin(law="samples", case=broken("the gap to the exact threshold", GapToExactThreshold(UNIT))),
    Twin(law="parity", case=broken("None where nothing is above", IntegerOrNone(UNIT))),
]


def test_the_gap_costs_nothing() -> None:
    for space in (GENERAL, Space(StreamDomain(), MonotonicStreamDistance())):
        plain, gap = pv.AboveThreshold(threshold=0, scale=3), pv.AboveThresholdWithGap(threshold=0, scale=3)
        assert (space >> plain).map(1) == (space >> gap).map(1)


def test_the_loss_comes_close_to_the_claim() -> None:
    with pv.core.exact.precision(256):
        p, q = (exactly(rows, GENERAL).inside for rows in (BEFORE, MIXED))
        ratio = float((p[LONG - 1, 0] / q[LONG - 1, 0]).log())
    assert 1.99 < ratio <= 2


def test_a_stream_tells_the_gap_once() -> None:
    queryable = (GENERAL >> pv.AboveThresholdWithGap(threshold=1000, scale=1))([0, 11_000, 0])
    assert queryable.ask("first") is None
    assert abs(queryable.ask("second") - 10_000) < 200
    with pytest.raises(Unavailable, match="answers no more questions"):
        queryable.ask("third")


def test_a_gap_is_written_in_the_units_of_the_data() -> None:
    position, gap = (pv.numbers(2, float, grid=0.25) >> pv.AboveThresholdWithGap(threshold=0, scale=0.25))([-99, 50])
    assert position == 1
    assert type(gap) is float
    assert gap * 4 == round(gap * 4)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(Mismatch, match="AboveThresholdWithGap reads a stream"):
        pv.scalar(int) >> UNIT
    with pytest.raises(Invalid, match="AboveThresholdWithGap.scale must be above zero, got -1."):
        pv.AboveThresholdWithGap(threshold=0, scale=-1)
