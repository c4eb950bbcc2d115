"""The exponential mechanism."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball, ends, exp_down, precision
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.selection import _above, gaps_of, select
from privet.noise import uniform_below
from tests.laws import Case, Twin
from tests.mechanisms.scores import exponential, scores
from tests.mechanisms.twins import TwinOf

FIVE = scores(5)
UP = ([0, 0, 0, 0, 0], [2, 0, 0, 0, 0])
CASES = [
    Case(
        name="exponential",
        chain=FIVE >> pc.Exponential(temperature=2),
        # many candidates far below: the sum of weights hardly moves, so that the claim is nearly met
        pairs=[([-40, 0, -40, -40, -40], [-38, 0, -40, -40, -40]), UP, ([0, 1, 2, 3, 4], [2, 3, 2, 5, 4])],
        masses=exponential(2),
        tight="epsilon",
        sample=3_000,
        input=[3, 4, 0, 4, 2],
    ),
    Case(
        name="exponential, all scores equal",
        chain=FIVE >> pc.Exponential(temperature=1),
        pairs=[([7, 7, 7, 7, 7], [9, 9, 9, 9, 9])],
        masses=exponential(1),
        sample=3_000,
        input=[10**30] * 5,
    ),
    Case(
        name="exponential, scores in thirds",
        chain=scores(3, Fraction(1, 3)) >> pc.Exponential(temperature=Fraction(1, 2)),
        pairs=[([0, 0, 0], [Fraction(1, 3), 0, Fraction(-1, 3)])],
        masses=exponential(Fraction(1, 2)),
        sample=3_000,
        input=[0, Fraction(1, 3), 1],
    ),
    Case(
        name="exponential, one candidate",
        chain=scores(1) >> pc.Exponential(temperature=1),
        pairs=[([0], [5])],
        masses=exponential(1),
        sample=100,
        input=[3],
    ),
]


@frozen
class Multiplied(TwinOf):
    """Multiplies by the temperature where it should divide."""

    def release(self, value: Any, space: Space) -> int:
        return select(gaps_of(value), Fraction(2))


@frozen
class FirstOfTheBest(TwinOf):
    """Breaks ties by position: a draw of one of the best becomes the first of them."""

    def release(self, value: Any, space: Space) -> int:
        chosen = self.right.release(value, space)
        return int(np.flatnonzero(value == value[chosen])[0])


@frozen
class HalfCost(TwinOf):
    """Charges half, as if the caller had said that the scores are monotonic."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 4)


@frozen
class RhoOfASixteenth(TwinOf):
    """Takes a smaller constant in Hoeffding's lemma."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ConcentratedLoss(Fraction(d_in) ** 2 / 4 / 16)


@frozen
class MaximumNotTakenOff(TwinOf):
    """Computes float weights without subtracting the largest score: they overflow, or are all zero."""

    def release(self, value: Any, space: Space) -> int:
        total = sum(math.exp(int(item)) for item in value)
        return 0 if total == 0 else self.right.release(value, space)


PAIRED: dict[str, Any] = {"masses": exponential(2), "pairs": CASES[0].pairs}
TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="exp(score * temperature)",
            chain=FIVE >> Multiplied(pc.Exponential(temperature=2)),
            masses=exponential(2),
            sample=3_000,
            input=[3, 4, 0, 4, 2],
        ),
    ),
    Twin(
        law="samples",
        case=Case(
            name="ties broken by position",
            chain=FIVE >> FirstOfTheBest(pc.Exponential(temperature=2)),
            masses=exponential(2),
            sample=3_000,
            input=[3, 4, 0, 4, 2],
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="monotonic at the caller's word", chain=FIVE >> HalfCost(pc.Exponential(temperature=2)), **PAIRED
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="rho a sixteenth of the square",
            chain=scores(2) >> RhoOfASixteenth(pc.Exponential(temperature=2)),
            masses=exponential(2),
            pairs=[([0, 0], [1, 0])],
        ),
    ),
    Twin(
        law="parity",
        case=Case(
            name="largest score not taken off",
            chain=FIVE >> MaximumNotTakenOff(pc.Exponential(temperature=2)),
            input=[0, 0, 0, 0, 0],
        ),
    ),
]


@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 200), min_size=1, max_size=30),
    st.lists(st.integers(1, 2**64 - 1), min_size=31, max_size=31),
    st.fractions(Fraction(1, 10**6), 300),
)
def test_the_weights_of_a_proposal_are_above_and_close(gaps: list[int], counts: list[int], rate: Fraction) -> None:
    """The bound that the proof relies on: never below, and above by at most 2^-28 and one unit."""
    column = np.array([0, *gaps], dtype=np.uint64)
    often = np.array(counts[: len(column)], dtype=np.uint64)
    found, shift = _above(column, rate, often)
    with precision(200):
        for gap, count, weight in zip(column.tolist(), often.tolist(), found.tolist(), strict=True):
            low, high = ends((-ball(min(gap * rate, Fraction(1000)))).exp() * count)
            scale = Fraction(2) ** shift
            assert high * scale <= weight <= low * scale * (1 + Fraction(1, 2**28)) + 1


def test_gaps_do_not_wrap() -> None:
    assert gaps_of(np.array([2**63 - 1, -(2**63)])).tolist() == [0, 2**64 - 1]
    assert gaps_of(np.array([10**30, -(10**30)], dtype=object)).tolist() == [0, 2 * 10**30]


@pytest.mark.parametrize("temperature", [Fraction(1, 10**400), Fraction(10**400), 1])
@pytest.mark.parametrize("values", [[0, 2**63 - 1, -(2**63)], [0, 10**400, -(10**400)]])
def test_any_temperature_and_any_score_give_a_candidate(temperature: Any, values: list[int]) -> None:
    assert (scores(3) >> pc.Exponential(temperature=temperature))(values) in (0, 1, 2)


def test_a_clear_winner_among_a_thousand_is_found() -> None:
    place = uniform_below(1000)
    column = np.zeros(1000, dtype=np.int64)
    column[place] = 100
    assert (scores(1000) >> pc.Exponential(temperature=1))(column) == place


def test_the_shortfall_is_rarely_exceeded() -> None:
    """With all others at the same distance just beyond it, the bound is nearly met."""
    allowed = pc.Exponential(temperature=3).shortfall(0.1, candidates=51)
    missed = 50 * exp_down(-allowed / 3)
    assert missed / (1 + missed) <= Fraction(1, 10)
    assert missed > Fraction(99, 1000)
    assert pc.Exponential(temperature=3).shortfall(0.1, candidates=1) == 0


def test_what_is_no_score_is_refused() -> None:
    with pytest.raises(MismatchError, match="put scores such as ModeScores"):
        pc.numbers(3) >> pc.Exponential(temperature=1)
    with pytest.raises(MismatchError, match="at least one candidate"):
        scores(0) >> pc.Exponential(temperature=1)
    with pytest.raises(InvalidError, match=r"Exponential.temperature must be above zero, got 0\."):
        pc.Exponential(temperature=0)


@pytest.mark.parametrize("unit", [pc.Exponential, pc.GumbelMax, pc.PermuteAndFlip])
def test_a_selection_is_made_for_its_shortfall(unit: Any) -> None:
    made = unit.for_shortfall(10, 0.01, 51)
    assert made.shortfall(0.01, candidates=51) == 10
    spread = made.temperature if isinstance(made, pc.Exponential) else made.scale
    assert float(spread) == pytest.approx(10 / math.log(50 / 0.01), rel=1e-12)
    for wanted, message in [
        ((10, 0.01, 1), "for_shortfall.candidates must be two or more, got 1: one alone never falls short."),
        ((0, 0.01, 5), "for_shortfall.shortfall must be above zero, got 0."),
        ((1, 1, 5), "for_shortfall.beta must be between zero and one, got 1."),
    ]:
        with pytest.raises(InvalidError, match=message):
            unit.for_shortfall(*wanted)
    with pytest.raises(InvalidError, match=r"candidates must be one or more, got 0\."):
        made.shortfall(0.01, candidates=0)
