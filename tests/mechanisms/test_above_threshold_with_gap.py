"""Above threshold with the free gap."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import precision
from privet.core.grid_domains import NumbersDomain
from privet.core.metric import VectorDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, UnavailableError
from privet.mechanisms.comparisons import answer_of
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain
from tests.laws import Case, Twin, masses
from tests.mechanisms.comparing import first_gap
from tests.mechanisms.twins import TwinOf

GENERAL = Space(StreamDomain(), StreamDistance())
UNIT = pc.AboveThresholdWithGap(threshold=-4, scale=1)
LONG = 8
BEFORE, RISEN, MIXED = [0] * LONG, [1] * (LONG - 1) + [0], [1] * (LONG - 1) + [-1]


def exactly(value: Any, space: Space) -> masses.Masses:
    return first_gap([int(step) for step in value], -4, Fraction(1), 60, 12)


CASES = [
    Case(
        name="above threshold with gap, a vector",
        chain=pc.numbers(LONG) >> UNIT,
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
        return pc.PureLoss(d_in.linf)


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
        chain=pc.numbers(LONG) >> unit,
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
        plain, gap = pc.AboveThreshold(threshold=0, scale=3), pc.AboveThresholdWithGap(threshold=0, scale=3)
        assert (space >> plain).map(1) == (space >> gap).map(1)


def test_the_loss_comes_close_to_the_claim() -> None:
    with precision(256):
        p, q = (exactly(rows, GENERAL).inside for rows in (BEFORE, MIXED))
        ratio = float((p[LONG - 1, 0] / q[LONG - 1, 0]).log())
    assert 1.99 < ratio <= 2


def test_a_stream_tells_the_gap_once() -> None:
    queryable = (GENERAL >> pc.AboveThresholdWithGap(threshold=1000, scale=1))([0, 11_000, 0])
    assert queryable.ask("first") is None
    assert abs(queryable.ask("second") - 10_000) < 200
    with pytest.raises(UnavailableError, match="answers no more questions"):
        queryable.ask("third")


def test_a_gap_is_written_in_the_units_of_the_data() -> None:
    position, gap = (pc.numbers(2, float, grid=0.25) >> pc.AboveThresholdWithGap(threshold=0, scale=0.25))([-99, 50])
    assert position == 1
    assert type(gap) is float
    assert gap * 4 == round(gap * 4)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="AboveThresholdWithGap reads a stream"):
        pc.scalar(int) >> UNIT
    with pytest.raises(InvalidError, match="AboveThresholdWithGap.scale must be above zero, got -1."):
        pc.AboveThresholdWithGap(threshold=0, scale=-1)


def test_a_gap_inside_a_question_ends_it_too() -> None:
    answers = {"outer": 0, "inner": 10**6}

    def start() -> Any:
        def answer(question: str) -> int:
            if question == "outer":
                state("inner")
            return answers[question]

        return answer

    queryable = (GENERAL >> pc.AboveThresholdWithGap(threshold=1000, scale=1))(Stream(start))
    state = queryable._answer
    assert queryable.ask("outer") is None
    with pytest.raises(UnavailableError, match="answers no more questions"):
        queryable.ask("inner")


def test_comparisons_are_as_right_as_the_margin_says() -> None:
    unit = pc.AboveThresholdWithGap(threshold=0, scale=2)
    margin = unit.margin(0.2, questions=5, grid=Fraction(1, 2))
    quantiles = [discrete_laplace_quantile(4, 0.1), discrete_laplace_quantile(2 * 4, 0.02)]
    assert margin == Fraction(sum(quantiles), 2)
    chain = pc.numbers(1) >> pc.AboveThresholdWithGap(threshold=0, scale=2)
    far = int(unit.margin(0.01, questions=1)) + 1
    above, below = ([chain([at])[0] == 0 for _ in range(300)] for at in (far, -far))
    assert sum(above) > 280
    assert sum(below) < 20


def test_the_scale_for_a_margin_is_the_largest() -> None:
    scale = pc.AboveThresholdWithGap.scale_for(60, 0.01, questions=10, grid=Fraction(1, 4))

    def margin(at: Fraction) -> Fraction:
        return pc.AboveThresholdWithGap(threshold=0, scale=at).margin(0.01, questions=10, grid=0.25)

    assert margin(scale) <= 60 < margin(scale * (1 + Fraction(1, 2**30)))
    assert (
        pc.AboveThresholdWithGap(threshold=0, scale=pc.AboveThresholdWithGap.scale_for(0, 0.01, questions=3)).margin(
            0.01, questions=3
        )
        == 0
    )


@pytest.mark.parametrize(
    ("beta", "questions", "grid", "message"),
    [
        (0, 1, 1, "margin.beta must be between zero and one, got 0."),
        (0.5, 0, 1, "margin.questions must be one or more, got 0."),
        (0.5, 1, 0, "margin.grid must be"),
    ],
)
def test_a_margin_needs_sound_parameters(beta: Any, questions: int, grid: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        pc.AboveThresholdWithGap(threshold=0, scale=1).margin(beta, questions=questions, grid=grid)
    with pytest.raises(InvalidError, match="scale_for.margin must be zero or more, got -1."):
        pc.AboveThresholdWithGap.scale_for(-1, 0.5, questions=1)


def test_a_gap_beyond_the_floats_is_infinite() -> None:
    space = Space(NumbersDomain(length=1, kind=float, grid=Fraction(2) ** 1000), VectorDistance())
    assert answer_of(space, 2**1000) == math.inf
