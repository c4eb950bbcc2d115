"""The laws that users run over their own units notice every named mistake, and pass right units."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError

RIGHT: list[Any] = [
    pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum(),
    pc.vector(float, size=3) >> pc.Clamp(bounds=(-1, 0.1)) >> pc.Variance(),
    pc.vector(int, size=3, ordered=True) >> pc.Clamp(bounds=(0, 10)),
    pc.vector(int, bounds=(0, None)) >> pc.Count(),
    pc.vector(str, categories=["a", "b"]) >> pc.CountBy(categories=["a", "b"]),
    pc.matrix(2, bounds=[(0, 1), (-3, 4)]) >> pc.VectorSum(),
    pc.records(a=int, b=pc.vector(float, bounds=(0, 1))) >> pc.Select(columns="b") >> pc.Sum(),
    pc.vector(int, size=0) >> pc.Count(),
]


@pytest.mark.parametrize("chain", RIGHT, ids=repr)
def test_right_units_pass(chain: Any) -> None:
    pc.check_map(chain)


@frozen
class Own(pc.Transformation):
    """A sum of whole numbers, with one method replaced."""

    function: Callable[[Any], Any]
    allowed: Callable[[Any], Any] = lambda d_in: Fraction(10 * d_in)

    def output(self, space: Space) -> Space:
        return pc.scalar(int)

    def apply(self, value: Any, space: Space) -> Any:
        return self.function(value)

    def stability(self, d_in: Any, space: Space) -> Any:
        return self.allowed(d_in)


def total(value: Any) -> int:
    return int(np.ma.filled(value, 0).sum())


def sorts(value: Any) -> int:
    value.sort()
    return total(value)


CALLS = [0]


def counts_calls(value: Any) -> int:
    CALLS[0] += 1
    return CALLS[0]


WRONG = {
    "a map that is too small": (Own(total, lambda d_in: Fraction(9 * d_in)), "came out 10 apart, and the map allows 9"),
    "a map that is not zero at zero": (Own(total, lambda d_in: Fraction(10 * d_in + 1)), "distance zero must be zero"),
    "a unit that raises": (Own(lambda value: int(value.sum())), "raised MaskError .*: a unit must take all data"),
    "a unit that exits": (Own(lambda value: int(1 / len(value))), "raised ZeroDivisionError"),
    "a float": (Own(lambda value: float(total(value))), r"of type float does not lie in scalar\(int\)"),
    "a unit that writes": (Own(sorts), "raised ValueError"),
    "a unit that remembers": (Own(counts_calls), "the same data gave two results"),
    "an order that shows": (Own(lambda value: total(value[:1])), "came out"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_units_are_caught(name: str) -> None:
    unit, message = WRONG[name]
    with pytest.raises(AssertionError, match=message):
        pc.check_map(pc.vector(int, bounds=(0, 10)) >> unit)


def test_a_failure_shows_the_made_up_data() -> None:
    with pytest.raises(AssertionError) as error:
        pc.check_map(pc.vector(int, bounds=(0, 10)) >> Own(total, lambda d_in: Fraction(9 * d_in)))
    assert error.value.__notes__[0].startswith("the data were x = [")


def test_rows_that_one_unit_treats_in_a_special_way() -> None:
    odd = Own(lambda value: 50 * int((np.ma.filled(value, 0) == 6).sum()))
    chain = pc.vector(int, bounds=(0, 10)) >> odd
    pc.check_map(chain)
    with pytest.raises(AssertionError, match="came out 50 apart"):
        pc.check_map(chain, rows=[6])


def test_data_sets_of_other_spaces() -> None:
    chain = pc.numbers(2) >> pc.Scale(factor=[[1, 1], [1, -1]])
    pc.check_map(chain, data=[[0, 0], [1, 5], [-3, 10**30]])
    with pytest.raises(MismatchError, match=r"pass data=\[...\]"):
        pc.check_map(chain)
    with pytest.raises(MismatchError, match="no made-up data"):
        pc.check_map((pc.matrix(2) >> pc.ClampNorm(radius=1)).output >> pc.VectorSum())


def test_what_cannot_be_checked_is_refused() -> None:
    with pytest.raises(WrongTypeError, match="check_map.chain must be a placed transformation, got Sum"):
        pc.check_map(pc.Sum())  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="toss no coins"):
        pc.check_map(pc.vector(int) >> pc.PoissonSample(rate=0.5))
    with pytest.raises(WrongTypeError, match="check_loss.chain must be a placed measurement"):
        pc.check_loss(pc.vector(int) >> pc.Count(), dict, [])  # type: ignore[arg-type]


def truthful(share: Fraction) -> Callable[[Any], Any]:
    return lambda bit: {bit: share, not bit: 1 - share}


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(3, 4), Fraction(99, 100)])
def test_a_right_loss_passes_and_a_smaller_one_does_not(share: Fraction) -> None:
    space = pc.choice([False, True])
    pc.check_loss(space >> pc.RandomizedResponse(truth=share), truthful(share), [(False, True), (True, True)])
    if share > Fraction(1, 2):
        with pytest.raises(AssertionError, match=r"delta\(.*\) is claimed to be .* and is at least"):
            pc.check_loss(
                space >> pc.RandomizedResponse(truth=share - Fraction(1, 100)), truthful(share), [(False, True)]
            )


def test_the_loss_is_that_of_the_distance() -> None:
    """Counts of one and three rows, cut to 0..2 after noise that is a coin: two rows apart, so twice the loss."""

    def masses(rows: list[int]) -> dict[Any, Fraction]:
        return {len(rows): Fraction(1)}

    with pytest.raises(AssertionError, match="is at least 1"):
        pc.check_loss(pc.vector(int) >> pc.Count() >> pc.Laplace(scale=1), masses, [([1], [1, 2, 3])])


@pytest.mark.parametrize("wrong", [{0: Fraction(1, 2)}, {0: Fraction(3, 2), 1: Fraction(-1, 2)}])
def test_masses_add_up_to_one(wrong: Any) -> None:
    with pytest.raises(InvalidError, match="add up to one"):
        pc.check_loss(pc.choice([0, 1]) >> pc.RandomizedResponse(truth=0.75), lambda _: wrong, [(0, 1)])


def test_errors_of_the_package_are_not_mistaken_for_findings() -> None:
    assert not issubclass(AssertionError, PrivetError)
