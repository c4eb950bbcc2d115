"""Report noisy max with Gumbel noise."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import MismatchError
from privet.noise import entropy as door
from tests.laws import Case, Twin
from tests.mechanisms.scores import exponential, scores
from tests.mechanisms.twins import TwinOf
from tests.noise.doubles import ScriptedEntropy

FOUR = scores(4)
INPUT = (3, 4, 0, 4)
CASES = [
    Case(
        name="gumbel max",
        chain=FOUR >> pc.GumbelMax(scale=2),
        pairs=[([-40, 0, -40, -40], [-38, 0, -40, -40]), ([0, 0, 0, 0], [2, 0, 0, 0]), ([0, 1, 2, 3], [2, 3, 2, 5])],
        masses=exponential(2),
        tight="epsilon",
        sample=3_000,
        input=INPUT,
    ),
    Case(
        name="gumbel max in thirds",
        chain=scores(2, Fraction(1, 3)) >> pc.GumbelMax(scale=Fraction(1, 5)),
        pairs=[([0, 0], [Fraction(1, 3), 0])],
        masses=exponential(Fraction(1, 5)),
        sample=2_000,
        input=[0, Fraction(1, 3)],
    ),
]


@frozen
class Reflected(TwinOf):
    """Adds the reflected noise, ln(-ln U)."""

    def release(self, value: Any, space: Space) -> int:
        noisy = [int(item) + 2 * math.log(-math.log((1 + pv.noise.uniform_below(2**50)) / 2**51)) for item in value]
        return noisy.index(max(noisy))


@frozen
class Monotonic(TwinOf):
    """Charges half, at the caller's word that the scores are monotonic."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 4)


TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="reflected Gumbel noise",
            chain=FOUR >> Reflected(pc.GumbelMax(scale=2)),
            masses=exponential(2),
            sample=3_000,
            input=[6, 0, 0, 0],
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="gumbel max at half its cost",
            chain=FOUR >> Monotonic(pc.GumbelMax(scale=2)),
            masses=exponential(2),
            pairs=CASES[0].pairs,
        ),
    ),
]


@pytest.mark.parametrize("word", [bytes(8), b"\xff" * 8, b"\x55" * 8])
def test_equal_and_extreme_first_bits_are_refined(word: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """All noise starts with the same 64 bits, at the ends of the unit interval too: more are drawn."""
    source = ScriptedEntropy(word * 4)
    monkeypatch.setattr(door, "_shared", source)
    assert (FOUR >> pc.GumbelMax(scale=1))([0, 0, 0, 0]) in range(4)
    assert source.exhausted


def test_a_clear_winner_is_found() -> None:
    assert (FOUR >> pc.GumbelMax(scale=Fraction(1, 10**30)))([2**63 - 1, -(2**63), 0, 1]) == 0


def test_the_shortfall_is_that_of_the_exponential_mechanism() -> None:
    assert pc.GumbelMax(scale=2).shortfall(0.1, candidates=5) == pc.Exponential(temperature=2).shortfall(
        0.1, candidates=5
    )


def test_what_is_no_score_is_refused() -> None:
    with pytest.raises(MismatchError, match="GumbelMax selects by scores"):
        pc.numbers(3) >> pc.GumbelMax(scale=1)
