"""The sparse vector technique, composed from above-threshold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.forms import PureForm
from privet.accounting.losses.loss import Loss
from privet.combinators.measure_conversion import MeasureConversion
from privet.combinators.sparse_vector_technique import SparseVectorTechnique
from privet.core.exact import precision
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, UnavailableError
from privet.noise import discrete_laplace
from privet.transforms.stream_space import MonotonicStreamDistance, StreamDistance, StreamDomain
from tests.laws import Case, Twin, check_loss, check_parity, check_samples, check_twin_samples
from tests.laws.masses import Masses
from tests.mechanisms.comparing import first_above
from tests.mechanisms.twins import TwinOf

LONG, THRESHOLD, COUNT = 6, -2, 2
UNIT = SparseVectorTechnique(threshold=THRESHOLD, scale=1, count=COUNT)
GENERAL, MONOTONIC = Space(StreamDomain(), StreamDistance()), Space(StreamDomain(), MonotonicStreamDistance())
BEFORE, RISEN, MIXED = [0] * LONG, [1, 1, 0, 1, 1, 0], [1, 1, -1, 1, 1, -1]


def exactly(value: Any, space: Space) -> Masses:
    """Round by round, each with a threshold of its own."""
    steps = [int(step) for step in value.tolist()]
    rounds = {start: first_above(steps[start:], THRESHOLD, Fraction(1), Fraction(2), 100) for start in range(LONG)}
    found: dict[tuple[int, ...], arb] = {(): arb(1)}
    for _ in range(COUNT):
        after: dict[tuple[int, ...], arb] = {}
        for places, mass in found.items():
            start = places[-1] + 1 if places else 0
            if start >= LONG:
                after[places] = after.get(places, arb(0)) + mass
                continue
            for at, chance in rounds[start].inside.items():
                outcome = (*places, start + at)
                after[outcome] = after.get(outcome, arb(0)) + mass * chance
        found = after
    signs: dict[tuple[bool, ...], arb] = {}
    for places, mass in found.items():
        outcome = tuple(at in places for at in range(LONG))
        signs[outcome] = signs.get(outcome, arb(0)) + mass
    return Masses(signs, rounds[0].outside * COUNT)


def case(name: str, unit: Any) -> Case:
    return Case(
        name=name,
        chain=pc.numbers(LONG) >> unit >> (lambda release: tuple(release.tolist())),
        pairs=[(BEFORE, MIXED), (BEFORE, RISEN), (RISEN, MIXED)],
        masses=exactly,
        sample=10_000,
        input=[-2] * LONG,
    )


# the loss law reads the pure form of the sum, which is exact: test_the_loss_is_a_sum_of_equal_ones has the rest
CASES = [case("a vector", MeasureConversion(measurement=pc.numbers(LONG) >> UNIT, to=PureForm()))]


@frozen
class OneForAll(TwinOf):
    """Charges one above-threshold for all of them."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.AboveThreshold(threshold=THRESHOLD, scale=1).loss(d_in, space)


@frozen
class SharedThreshold(TwinOf):
    """Draws one threshold for all rounds: that is another mechanism, with another loss."""

    def release(self, value: Any, space: Space) -> Any:
        bar = THRESHOLD + discrete_laplace(1)
        above = np.array([int(x) + discrete_laplace(2) >= bar for x in value])
        return above & (np.cumsum(above) <= COUNT)


@frozen
class StopsDrawing(TwinOf):
    """Draws no noise after the last True: the time reveals where it was."""

    def release(self, value: Any, space: Space) -> Any:
        found = self.right.release(value, space)
        if found.sum() == COUNT:
            discrete_laplace(1)
        return found


TWINS = [
    Twin(law="loss", case=case("one round charged", OneForAll(UNIT))),
    Twin(law="samples", case=case("one threshold for all rounds", SharedThreshold(UNIT))),
    Twin(law="parity", case=case("no noise after the end", StopsDrawing(UNIT))),
]
LAWS = {"loss": check_loss, "samples": check_samples, "parity": check_parity}


@pytest.mark.parametrize("law", LAWS)
def test_the_laws_hold(law: str) -> None:
    LAWS[law](CASES[0])


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.case.name)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    with pytest.raises(AssertionError, match=f"^{twin.law} law"):
        {**LAWS, "samples": check_twin_samples}[twin.law](twin.case)


def test_the_loss_is_a_sum_of_equal_ones() -> None:
    unit = SparseVectorTechnique(threshold=0, scale=4, count=7)
    one = pc.AboveThreshold(threshold=0, scale=4)
    for space in (GENERAL, MONOTONIC):
        assert (space >> unit).map(1) == (space >> one).map(1) * 7
    assert (GENERAL >> unit).map(1).epsilon() == Fraction(7, 2)
    assert (GENERAL >> unit).map(1).rho() == 7 * (GENERAL >> one).map(1).rho() < 7 * pc.PureLoss(0.5).rho()


def test_a_stream_is_answered_until_the_last_true() -> None:
    chain = GENERAL >> SparseVectorTechnique(threshold=1000, scale=1, count=2)
    queryable = chain([0, 10**6, 0, 10**6, 10**6])
    assert [queryable.ask("next") for _ in range(4)] == [False, True, False, True]
    with pytest.raises(UnavailableError, match="has reported its 2 answers above and answers no more"):
        queryable.ask("next")


def test_a_stream_gives_the_same_law_as_a_vector() -> None:
    """The chance that the first is above, in 3,000 trials, within 6 standard deviations."""
    with precision(128):
        above = float(first_above([-2], THRESHOLD, Fraction(1), Fraction(2), 100).inside[0])
    chain = GENERAL >> UNIT
    seen = sum(chain([-2]).ask(0) for _ in range(3000))
    assert abs(seen - 3000 * above) < 6 * 28


def test_thresholds_are_drawn_anew() -> None:
    """With a wide threshold, two Trues in a row are nearly independent: a shared one would make them alike."""
    unit = SparseVectorTechnique(threshold=0, scale=1000, count=10)
    chain = pc.numbers(10) >> unit
    alike = sum(int(chain([0] * 10)[:2].sum()) != 1 for _ in range(500))
    assert 150 < alike < 420


def test_comparisons_are_right_up_to_the_margin() -> None:
    unit = SparseVectorTechnique(threshold=0, scale=2, count=3)
    far = int(unit.margin(0.01, questions=6)) + 1
    chain = pc.numbers(6) >> unit
    right = [chain([far, -far, far, -far, far, -far]).tolist() == [True, False] * 3 for _ in range(200)]
    assert sum(right) > 180


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MismatchError, match="SparseVectorTechnique reads a stream of answers"):
        pc.vector(int) >> UNIT
    with pytest.raises(InvalidError, match="SparseVectorTechnique.count must be above zero, got 0."):
        SparseVectorTechnique(threshold=0, scale=1, count=0)
    with pytest.raises(InvalidError, match="margin.beta must be between zero and one, got 0."):
        UNIT.margin(0, questions=1)
    with pytest.raises(InvalidError, match="margin.questions must be one or more, got 0."):
        UNIT.margin(0.5, questions=0)
    with pytest.raises(InvalidError, match="margin.grid must be above zero"):
        UNIT.margin(0.5, questions=1, grid=0)
