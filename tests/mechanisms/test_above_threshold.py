"""Above threshold."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import precision
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, UnavailableError
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain
from tests.laws import Case, Twin, check_loss, masses
from tests.laws.loss import divergence
from tests.mechanisms.comparing import first_above
from tests.mechanisms.twins import TwinOf

GENERAL = Space(StreamDomain(), StreamDistance())
MONOTONIC = Space(StreamDomain(), MonotonicStreamDistance())
UNIT = pc.AboveThreshold(threshold=-4, scale=1)
LONG = 10
BEFORE, RISEN, MIXED = [0] * LONG, [1] * (LONG - 1) + [0], [1] * (LONG - 1) + [-1]


def exactly(value: Any, space: Space) -> masses.Masses:
    fresh = value.again() if hasattr(value, "again") else None
    steps = value.tolist() if fresh is None else [fresh.ask(at) for at in range(LONG)]
    return first_above([int(step) for step in steps], -4, Fraction(1), Fraction(2), 120)


def heard(queryable: Any) -> int:
    """Ask until True; every distinguishable outcome is the position of it."""
    return next((at for at in range(LONG) if queryable.ask(at)), LONG)


CASES = [
    Case(
        name="above threshold, a vector",
        chain=pc.numbers(LONG) >> UNIT,
        pairs=[(BEFORE, MIXED), (BEFORE, RISEN), (RISEN, MIXED), (BEFORE, [2] * LONG)],
        masses=exactly,
        tight="epsilon",
        sample=6_000,
        input=[-6, -5, -4, -9, -2, -30, 0, 1, -4, -4],
    ),
    Case(name="above threshold, a stream", chain=GENERAL >> UNIT, input=[3, 4, 5]),
]


@frozen
class MonotonicForOne(TwinOf):
    """Charges d / scale for monotonic streams, as the book does."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in.linf if isinstance(d_in, Parts) else d_in))


@frozen
class AlwaysMonotonic(TwinOf):
    """Charges the monotonic loss for answers that move both ways."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(3, 2) * d_in.linf)


@frozen
class SameNoise(TwinOf):
    """Gives the answers the threshold's noise, half of what is claimed for them."""

    def release(self, value: Any, space: Space) -> Any:
        bar = -4 + discrete_laplace(1)
        noisy = [int(answer) + discrete_laplace(1) >= bar for answer in value]
        return noisy.index(True) if True in noisy else len(noisy)


@frozen
class StopsDrawing(TwinOf):
    """Draws noise up to the first answer above: the time tells an exact comparison."""

    def release(self, value: Any, space: Space) -> Any:
        if max(value) > 0:
            discrete_laplace(1)
        return self.right.release(value, space)


def broken(name: str, unit: Any, pairs: Any) -> Case:
    return Case(
        name=name, chain=pc.numbers(LONG) >> unit, pairs=pairs, masses=exactly, sample=6_000, input=CASES[0].input
    )


TWINS = [
    Twin(law="loss", case=broken("d / scale for monotonic answers", MonotonicForOne(UNIT), [(BEFORE, RISEN)])),
    Twin(law="loss", case=broken("the monotonic loss for all", AlwaysMonotonic(UNIT), [(BEFORE, MIXED)])),
    Twin(law="samples", case=broken("answers with too little noise", SameNoise(UNIT), [(BEFORE, MIXED)])),
    Twin(law="parity", case=broken("noise up to the first answer above", StopsDrawing(UNIT), [(BEFORE, RISEN)])),
]


@pytest.mark.parametrize(("space", "after"), [(GENERAL, MIXED), (MONOTONIC, RISEN)], ids=["general", "monotonic"])
def test_the_exact_loss_of_a_stream_is_the_claimed_one(space: Space, after: list[int]) -> None:
    check_loss(
        Case(name="stream", chain=space >> UNIT >> heard, pairs=[(BEFORE, after)], masses=exactly, tight="epsilon")
    )


def test_the_loss_of_the_issue() -> None:
    unit = pc.AboveThreshold(threshold=10, scale=4)
    assert (GENERAL >> unit).map(1).epsilon() == Fraction(1, 2)
    assert (MONOTONIC >> unit).map(1).epsilon() == Fraction(3, 8)
    assert (MONOTONIC >> unit).map(0).epsilon() == 0


def test_a_vector_pays_for_what_moves_apart() -> None:
    chain = pc.numbers(3) >> pc.AboveThreshold(threshold=10, scale=2)
    assert chain.map(Parts(l0=1, l1=1, l2_squared=1, linf=1)).epsilon() == Fraction(3, 4)
    assert chain.map(Parts(l0=3, l1=3, l2_squared=3, linf=1)).epsilon() == 1


def test_twenty_queries_lose_three_halves() -> None:
    with precision(256):
        p, q = (first_above(rows, 0, Fraction(1), Fraction(2), 200) for rows in ([0] * 20, [1] * 19 + [0]))
        assert divergence(p, q, Fraction(1)) > 0, "d / scale is exceeded"
        ratio = float((p.inside[19] / q.inside[19]).log())
    assert 1.4999 < ratio <= 1.5


def test_it_says_true_once_and_then_refuses() -> None:
    queryable = (GENERAL >> pc.AboveThreshold(threshold=1000, scale=1))([0, 10**6, 10**6])
    assert queryable.ask("first") is False
    assert queryable.ask("second") is True
    with pytest.raises(UnavailableError, match="answers no more questions"):
        queryable.ask("third")


def test_the_grid_of_the_answers_is_that_of_the_noise() -> None:
    space = Space(StreamDomain(kind=float, grid=Fraction(1, 8)), StreamDistance())
    queryable = (space >> pc.AboveThreshold(threshold=0.3, scale=Fraction(1, 8)))([-100.0, 100.0])
    assert [queryable.ask(0), queryable.ask(1)] == [False, True]


def test_counts_of_a_column_are_asked_one_by_one() -> None:
    chain = pc.vector(int) >> pc.CountStream() >> pc.AboveThreshold(threshold=200, scale=3)
    assert chain.map(1).epsilon() == Fraction(1, 2)
    queryable = chain([20] * 10 + [70] * 1000)
    assert [queryable.ask((0, 30)), queryable.ask((30, 60)), queryable.ask((60, None))] == [False, False, True]
    sized = pc.vector(int, size=9) >> pc.CountStream() >> pc.AboveThreshold(threshold=200, scale=4)
    assert sized.map(2).epsilon() == Fraction(1, 2)


def test_none_above_is_the_length() -> None:
    assert (pc.numbers(3) >> pc.AboveThreshold(threshold=10**9, scale=1))([1, 2, 3]) == 3
    assert (pc.numbers(0) >> pc.AboveThreshold(threshold=0, scale=1))([]) == 0


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(MismatchError, match="reads a stream of answers or a vector of numbers, got VectorDomain"):
        pc.vector(int) >> UNIT
    with pytest.raises(InvalidError, match="AboveThreshold.scale must be above zero, got 0."):
        pc.AboveThreshold(threshold=0, scale=0)
    with pytest.raises(NotExactError, match="AboveThreshold.threshold"):
        pc.AboveThreshold(threshold=float("nan"), scale=1)


def test_a_true_inside_a_question_ends_it_too() -> None:
    answers = {"outer": 0, "inner": 10**6}

    def start() -> Any:
        def answer(question: str) -> int:
            if question == "outer":
                state("inner")
            return answers[question]

        return answer

    queryable = (GENERAL >> pc.AboveThreshold(threshold=1000, scale=1))(Stream(start))
    state = queryable._answer
    assert queryable.ask("outer") is False
    with pytest.raises(UnavailableError, match="answers no more questions"):
        queryable.ask("inner")


def test_comparisons_are_as_right_as_the_margin_says() -> None:
    unit = pc.AboveThreshold(threshold=0, scale=2)
    margin = unit.margin(0.2, questions=5, grid=Fraction(1, 2))
    quantiles = [discrete_laplace_quantile(4, 0.1), discrete_laplace_quantile(2 * 4, 0.02)]
    assert margin == Fraction(sum(quantiles), 2)
    chain = pc.numbers(1) >> pc.AboveThreshold(threshold=0, scale=2)
    far = int(unit.margin(0.01, questions=1)) + 1
    above, below = ([chain([at]) == 0 for _ in range(300)] for at in (far, -far))
    assert sum(above) > 280
    assert sum(below) < 20


def test_the_scale_for_a_margin_is_the_largest() -> None:
    scale = pc.AboveThreshold.scale_for(60, 0.01, questions=10, grid=Fraction(1, 4))

    def margin(at: Fraction) -> Fraction:
        return pc.AboveThreshold(threshold=0, scale=at).margin(0.01, questions=10, grid=0.25)

    assert margin(scale) <= 60 < margin(scale * (1 + Fraction(1, 2**30)))
    assert (
        pc.AboveThreshold(threshold=0, scale=pc.AboveThreshold.scale_for(0, 0.01, questions=3)).margin(
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
        pc.AboveThreshold(threshold=0, scale=1).margin(beta, questions=questions, grid=grid)
    with pytest.raises(InvalidError, match="scale_for.margin must be zero or more, got -1."):
        pc.AboveThreshold.scale_for(-1, 0.5, questions=1)
