"""The sparse vector technique."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import precision
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, UnavailableError
from privet.mechanisms.comparisons import moves
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain
from tests.laws import Case, Twin, masses
from tests.mechanisms.comparing import signs
from tests.mechanisms.twins import TwinOf

GENERAL, MONOTONIC = (Space(StreamDomain(), metric()) for metric in (StreamDistance, MonotonicStreamDistance))
UNIT = pc.SparseVector(threshold=0, scale=2, count=2)
BEFORE, RISEN, MIXED = [0] * 7, [1] * 5 + [0, 0], [1] * 5 + [-1, -1]


def exactly(query_scale: int) -> Any:
    def at(value: Any, space: Space) -> masses.Masses:
        return signs([int(step) for step in value], 0, Fraction(2), Fraction(query_scale), 2, 100)

    return at


def as_tuple(release: Any) -> tuple[bool, ...]:
    return tuple(release.tolist())


CASES = [
    Case(
        name="sparse vector, two of seven",
        chain=pc.numbers(7) >> UNIT >> as_tuple,
        pairs=[(BEFORE, MIXED), (BEFORE, RISEN), (RISEN, MIXED)],
        masses=exactly(8),
        sample=6_000,
        input=[0, 3, -2, 1, 5, 0, 1],
    ),
    Case(name="sparse vector, a stream", chain=GENERAL >> UNIT, input=[3, 4, 5]),
]


@frozen
class ForgetsCount(TwinOf):
    """Gives answers the noise of a single True, and claims the loss of the right noise."""

    def release(self, value: Any, space: Space) -> Any:
        bar = discrete_laplace(2)
        above = np.array([int(answer) + discrete_laplace(4) >= bar for answer in value])
        return above & (np.cumsum(above) <= 2)


@frozen
class ThresholdOnly(TwinOf):
    """Charges for the threshold, not for the answers above."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(moves(d_in, space)[0] / 2)


@frozen
class StopsShort(TwinOf):
    """Ends the array at the last True: its length is an exact answer."""

    def release(self, value: Any, space: Space) -> Any:
        return self.right.release(value, space)[: 1 + int(max(value) > 0)]


def broken(name: str, unit: Any, after: Any = as_tuple) -> Case:
    chain = pc.numbers(7) >> unit
    return Case(
        name=name,
        chain=chain >> after if after else chain,
        pairs=CASES[0].pairs,
        masses=exactly(8),
        sample=6_000,
        input=CASES[0].input,
    )


TWINS = [
    Twin(law="samples", case=broken("noise that forgets the count", ForgetsCount(UNIT))),
    Twin(law="loss", case=broken("answers above not charged", ThresholdOnly(UNIT))),
    Twin(law="parity", case=broken("an array that ends early", StopsShort(UNIT), after=None)),
]


def test_the_loss_does_not_depend_on_the_count() -> None:
    for count in (1, 2, 50):
        unit = pc.SparseVector(threshold=0, scale=4, count=count)
        assert (GENERAL >> unit).map(1).epsilon() == Fraction(1, 2)
        assert (MONOTONIC >> unit).map(1).epsilon() == Fraction(3, 8)


def test_the_exact_loss_nears_the_claim() -> None:
    with precision(128):
        found = [
            signs([x] * 15 + [y] * 2, -9, Fraction(1), Fraction(4), 2, 60).inside[(False,) * 15 + (True, True)]
            for x, y in ((0, 0), (1, -1), (1, 0))
        ]
        general, monotonic = (float((found[0] / other).log()) for other in found[1:])
    assert 1.95 < general <= 2
    assert 1.45 < monotonic <= 1.5


def test_one_above_is_above_threshold() -> None:
    one, plain = pc.SparseVector(threshold=3, scale=2, count=1), pc.AboveThreshold(threshold=3, scale=2)
    assert (GENERAL >> one).map(2) == (GENERAL >> plain).map(2)
    assert one.query_scale == 4


def test_a_stream_refuses_after_the_last_true() -> None:
    queryable = (GENERAL >> pc.SparseVector(threshold=1000, scale=1, count=2))([10**6, 0, 10**6, 10**6])
    assert [queryable.ask(None) for _ in range(3)] == [True, False, True]
    with pytest.raises(UnavailableError, match="has reported its 2 answers above"):
        queryable.ask(None)


def test_a_vector_is_false_after_the_last_true() -> None:
    released = (pc.numbers(5) >> pc.SparseVector(threshold=1000, scale=1, count=2))([10**6, 0, 10**6, 10**6, 10**6])
    assert released.tolist() == [True, False, True, False, False]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidError, match="SparseVector.count must be above zero, got 0."):
        pc.SparseVector(threshold=0, scale=1, count=0)
    with pytest.raises(MismatchError, match="SparseVector reads a stream"):
        pc.vector(int) >> UNIT


def test_a_true_inside_a_question_ends_it_too() -> None:
    answers = {"outer": 10**6, "inner": 10**6}

    def start() -> Any:
        def answer(question: str) -> int:
            if question == "outer":
                state("inner")
            return answers[question]

        return answer

    queryable = (GENERAL >> pc.SparseVector(threshold=1000, scale=1, count=1))(Stream(start))
    state = queryable._answer
    assert queryable.ask("outer") is True
    with pytest.raises(UnavailableError, match="answers no more questions"):
        queryable.ask("inner")


def test_comparisons_are_as_right_as_the_margin_says() -> None:
    unit = pc.SparseVector(threshold=0, scale=2, count=3)
    margin = unit.margin(0.2, questions=5, grid=Fraction(1, 2))
    quantiles = [discrete_laplace_quantile(4, 0.1), discrete_laplace_quantile(6 * 4, 0.02)]
    assert margin == Fraction(sum(quantiles), 2)
    chain = pc.numbers(1) >> pc.SparseVector(threshold=0, scale=2, count=3)
    far = int(unit.margin(0.01, questions=1)) + 1
    above, below = ([bool(chain([at])[0]) for _ in range(300)] for at in (far, -far))
    assert sum(above) > 280
    assert sum(below) < 20


def test_the_scale_for_a_margin_is_the_largest() -> None:
    scale = pc.SparseVector.scale_for(60, 0.01, questions=10, count=3, grid=Fraction(1, 4))

    def margin(at: Fraction) -> Fraction:
        return pc.SparseVector(threshold=0, scale=at, count=3).margin(0.01, questions=10, grid=0.25)

    assert margin(scale) <= 60 < margin(scale * (1 + Fraction(1, 2**30)))
    assert (
        pc.SparseVector(threshold=0, scale=pc.SparseVector.scale_for(0, 0.01, questions=3, count=3), count=3).margin(
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
        pc.SparseVector(threshold=0, scale=1, count=3).margin(beta, questions=questions, grid=grid)
    with pytest.raises(InvalidError, match="scale_for.margin must be zero or more, got -1."):
        pc.SparseVector.scale_for(-1, 0.5, questions=1, count=3)
