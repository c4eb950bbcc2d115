"""Propose, test, release."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from flint import arb

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.mechanisms.tails import laplace_reaches
from privet.noise import discrete_laplace
from tests.laws import Case, Twin, masses
from tests.laws.drawn import arrays_in
from tests.mechanisms.comparing import reaches
from tests.mechanisms.twins import TwinOf


def lead(column: Any) -> int:
    """Positive less negative numbers."""
    values = column.compressed()
    return int((values > 0).sum() - (values < 0).sum())


def to_a_tie(column: Any) -> int:
    """How many rows must change before one more could change the majority; a tie counts as positive."""
    ahead = lead(column)
    return max(ahead if ahead >= 0 else -ahead - 1, 0)


def majority(column: Any) -> str:
    return "positive" if lead(column) >= 0 else "negative"


UNIT = pc.ProposeTestRelease(distance=to_a_tie, answer=majority, scale=2, threshold=4)


def exactly(value: Any, space: Space) -> masses.Masses:
    told = reaches(Fraction(2), 4 - to_a_tie(value))
    return masses.Masses({(majority(value),): told, (): 1 - told}, arb(0))


def noisily(value: Any, space: Space) -> masses.Masses:
    """A count with noise, released where it is large; one record moves it by one everywhere."""
    passed = reaches(Fraction(2), 12 - len(value))
    answers = masses.laplace(Fraction(1), len(value), 60)
    inside: dict[Any, arb] = {(answer,): passed * mass for answer, mass in answers.inside.items()}
    return masses.Masses({**inside, (): 1 - passed}, answers.outside)


NOISY = pc.ProposeTestRelease(
    distance=len,
    answer=len,
    scale=2,
    threshold=12,
    proposed=1,
    noise=pc.Laplace(scale=1),
)
CASES = [
    Case(
        name="propose, test, release: a majority",
        chain=pc.vector(int) >> UNIT,
        pairs=[
            ([], [-1]),
            ([1], [-1]),
            ([1, 1, -1], [1, -1]),
            ([1, 1, None], [1, 1, 1, 1]),
            ([-1, -1], [1]),
            ([-1], [-1, 1, 1, 1]),
        ],
        masses=exactly,
        sample=6_000,
        input=[1, 2, 3, None, -5],
    ),
    Case(
        name="propose, test, release: a count with noise",
        chain=pc.vector(int) >> NOISY,
        pairs=[([1] * 8, [1] * 9), ([], [1, 2]), ([1] * 13, [1] * 15), ([1] * 20, [1] * 21)],
        masses=noisily,
        sample=6_000,
        input=[1, 2, 3] * 4,
    ),
]


@frozen
class NoDelta(TwinOf):
    """Charges the test only: the answer is taken for stable."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(Fraction(d_in) / 2)


@frozen
class OneRecord(TwinOf):
    """Takes the delta of one record whatever the distance."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ApproximateLoss(Fraction(d_in) / 2, laplace_reaches(Fraction(2), 4))


@frozen
class ForgetsAnswer(TwinOf):
    """Charges the test and forgets the noisy answer."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ApproximateLoss(Fraction(d_in) / 2, laplace_reaches(Fraction(2), 12 - (d_in - 1)))


@frozen
class ExactTest(TwinOf):
    """Tests without noise."""

    def release(self, value: Any, space: Space) -> Any:
        return (majority(value),) if to_a_tie(value) >= 4 else ()


@frozen
class NoiseIfReleased(TwinOf):
    """Draws more where the exact distance is large."""

    def release(self, value: Any, space: Space) -> Any:
        if to_a_tie(value) > 1:
            discrete_laplace(1)
        return self.right.release(value, space)


def broken(case: Case, name: str, unit: Any) -> Case:
    return evolve(case, name=name, chain=pc.vector(int) >> unit, tight="no")


TWINS = [
    Twin(law="loss", case=broken(CASES[0], "no delta for the unstable", NoDelta(UNIT))),
    Twin(law="loss", case=broken(CASES[0], "the delta of one record", OneRecord(UNIT))),
    Twin(law="loss", case=broken(CASES[1], "the answer's noise not charged", ForgetsAnswer(NOISY))),
    Twin(law="samples", case=broken(CASES[0], "a test without noise", ExactTest(UNIT))),
    Twin(law="parity", case=broken(CASES[0], "noise where it is released", NoiseIfReleased(UNIT))),
]


def test_everything_is_charged_whatever_the_outcome() -> None:
    loss = (pc.vector(int) >> NOISY).map(2)
    assert loss.pure().cost == Fraction(2, 2) + 2
    assert loss.pure().delta == laplace_reaches(Fraction(2), 12 - 1)
    sized = (pc.vector(int, size=4) >> NOISY).map(2)
    assert sized.pure().cost == Fraction(1, 2) + 1, "two in symmetric distance are one replacement"
    assert (pc.vector(int) >> NOISY).map(0).epsilon() == 0


def test_the_threshold_for_a_delta_is_the_smallest() -> None:
    bar = pc.ProposeTestRelease.threshold_for(scale=3, delta=1e-5, d_in=2)
    deltas = [(pc.vector(int) >> evolve(UNIT, scale=3, threshold=at)).map(2).pure().delta for at in (bar - 1, bar)]
    assert deltas[0] > Fraction(1, 10**5) >= deltas[1]


def fails(column: Any) -> int:
    if len(column) > 1:
        raise ValueError("a secret")
    return 10**6


def test_a_function_that_fails_tells_nothing() -> None:
    unit = evolve(UNIT, distance=fails, threshold=1000)
    assert (pc.vector(int) >> unit)([1, 2, 3]) == ()
    assert (pc.vector(int) >> unit)([1]) == ("positive",)
    odd = evolve(NOISY, distance=lambda column: 10**6, answer=lambda column: "text", threshold=1000)
    assert type((pc.vector(int) >> odd)([1])[0]) is int
    assert (pc.vector(int) >> evolve(UNIT, distance=lambda column: 1e9, threshold=1000))([1]) == ()


def test_reals_are_rounded_to_their_grid() -> None:
    unit = evolve(NOISY, distance=lambda column: 10**6, answer=lambda column: 0.3, grid=Fraction(1, 4))
    (released,) = (pc.vector(int) >> unit)([1])
    assert type(released) is float
    assert released * 4 == round(released * 4)
    half = evolve(unit, proposed=Fraction(1, 10))
    assert (pc.vector(int) >> half).map(1).pure().cost == Fraction(1, 2) + Fraction(1, 4), "a step of the grid"


def test_wrong_parameters_are_refused() -> None:
    junk: Any = 3
    with pytest.raises(WrongTypeError, match="ProposeTestRelease.distance must be a function of the column, got int."):
        evolve(UNIT, distance=junk)
    with pytest.raises(InvalidError, match="noise is needed where proposed=1"):
        evolve(UNIT, proposed=1)
    with pytest.raises(WrongTypeError, match="noise must be Laplace"):
        evolve(UNIT, noise=junk)
    with pytest.raises(MismatchError, match="reads a column of records"):
        pc.scalar(int) >> UNIT
    with pytest.raises(InvalidError, match="threshold_for.scale must be above zero"):
        pc.ProposeTestRelease.threshold_for(scale=0, delta=0.1)


@pytest.mark.parametrize(
    ("far", "released"),
    [
        (np.int64(10**6), True),
        (np.uint8(200), True),
        (np.timedelta64(10**6, "s"), False),
        (True, False),
        (None, False),
        (np.float64(1e6), False),
        (-(10**6), False),
    ],
)
def test_a_distance_is_a_whole_number_of_any_class(far: Any, released: bool) -> None:
    unit = evolve(UNIT, distance=lambda column: far, threshold=100)
    assert bool((pc.vector(int) >> unit)([1])) is released


def writes(column: Any) -> int:
    column[:] = column.max(initial=0)
    return 0


def sorts(column: Any) -> int:
    np.ma.getdata(column).sort()
    column.flags.writeable = True
    column[...] = 3
    return 0


@pytest.mark.parametrize("function", [writes, sorts])
@pytest.mark.parametrize("nullable", [True, False])
@pytest.mark.parametrize("size", [3, 50])
def test_a_function_cannot_write_into_the_data_that_are_kept(function: Any, nullable: bool, size: int) -> None:
    space = pc.vector(int, bounds=(0, 1000), nullable=nullable)
    exact = pc.Sum() >> pc.Laplace(scale=Fraction(1, 1000))
    test = pc.ProposeTestRelease(distance=function, answer=function, scale=1, threshold=30)
    data = np.array([0] * (size - 1) + [1000])
    much = pv.budget(epsilon=10**8, delta=0.1)
    queryable = (space >> pc.FilterCompositor(budget=much, d_in=1))(data)
    queryable.ask(test)
    assert queryable.ask(exact) == 1000
    (space >> test)(data)
    assert data.tolist() == [0] * (size - 1) + [1000]


def test_both_functions_see_the_rows_in_order_and_nothing_else() -> None:
    seen: list[Any] = []
    wide = np.ma.MaskedArray([9, 5, 77, 3, -1, 77], mask=[False, False, True, False, False, True])
    unit = evolve(UNIT, distance=seen.append, answer=seen.append)
    (pc.vector(int) >> unit)(wide[::-1])
    for column in seen:
        assert column.tolist() == [-1, 3, 5, 9, None, None]
        assert 77 not in column.data
        assert not column.flags.writeable
        assert column.base is None or len(column.base) == 6
    assert seen[0] is not seen[1]
    (pc.vector(float, nullable=False) >> unit)([2.0, math.nan, -0.0])
    assert repr(seen[-1].tolist()) == "[0.0, 2.0, nan]"
    (pc.vector(str) >> unit)(["b", None, "a"])
    assert seen[-1].tolist() == ["a", "b", None]
    (pc.vector(int, size=3, ordered=True) >> unit)([3, 1, 2])
    assert seen[-1].tolist() == [3, 1, 2]


def test_an_answer_holds_on_to_no_data() -> None:
    far = evolve(UNIT, distance=lambda _: 10**6, threshold=100)
    (found,) = (pc.vector(int) >> evolve(far, answer=lambda column: {"least": [column[:1]]}))([4, 2, 3])
    assert found["least"][0].tolist() == [2]
    assert all(array.size == 1 for array in arrays_in(found["least"][0]))
    (hidden,) = (pc.vector(int) >> evolve(far, answer=lambda column: np.ma.masked_greater(column, 2)))([4, 2, 3])
    assert hidden.data.tolist() == [2, 0, 0]


@pytest.mark.parametrize("answer", [sys.exit, lambda _: [[1], [1, 2]], lambda _: {1, 2}, lambda _: np.zeros((2, 2))])
def test_no_answer_escapes(answer: Any) -> None:
    for unit in (UNIT, NOISY):
        assert type((pc.vector(int) >> evolve(unit, distance=answer))([1, 2])) is tuple
        assert len((pc.vector(int) >> evolve(unit, distance=lambda _: 10**6, answer=answer, threshold=9))([1, 2])) == 1


def test_an_interrupt_passes() -> None:
    def interrupted(column: Any) -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        (pc.vector(int) >> evolve(UNIT, distance=interrupted))([1])
