"""Several quantiles by a tree."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.multiple_quantiles import levels
from tests.laws import Case, Twin, masses
from tests.mechanisms.scores import present, quantile_weights
from tests.mechanisms.twins import TwinOf

FOUR = pc.vector(int, bounds=(0, 4))
QUARTILES = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
TREE = pc.MultipleQuantiles(alphas=QUARTILES, temperature=2)


def as_tuple(release: Any) -> Any:
    return tuple(release.tolist())


def tree(alphas: Any, temperature: Any, points: Any) -> Any:
    """The joint distribution of the quantiles, by walking all outcomes of the tree."""

    def walk(rows: list[Any], inside: list[Any], wanted: Any, low: Any, high: Any) -> dict[tuple[Any, ...], arb]:
        if not wanted:
            return {(): arb(1)}
        middle = len(wanted) // 2
        share = (wanted[middle] - low) / (high - low)
        found: dict[tuple[Any, ...], arb] = {}
        for point, mass in quantile_weights(rows, inside, share, temperature).items():
            left = walk(
                [r for r in rows if r < point], [p for p in inside if p <= point], wanted[:middle], low, wanted[middle]
            )
            right = walk(
                [r for r in rows if r > point],
                [p for p in inside if p >= point],
                wanted[middle + 1 :],
                wanted[middle],
                high,
            )
            for before, first in left.items():
                for after, second in right.items():
                    found[(*before, point, *after)] = mass * first * second
        return found

    def at(value: Any, space: Space) -> masses.Masses:
        return masses.Masses(walk(present(value), list(points), list(alphas), Fraction(0), Fraction(1)), arb(0))

    return at


SKEW = [Fraction(1, 10), Fraction(9, 10)]
CASES = [
    Case(
        name="quartiles",
        chain=FOUR >> TREE >> as_tuple,
        pairs=[([0, 1, 2, 3], [0, 1, 2, 3, 4]), ([2] * 6, [2] * 6 + [0]), ([], [None]), ([1, 1], [3, 3])],
        masses=tree(QUARTILES, 2, range(5)),
        sample=1_500,
        input=[0, 0, 1, 2, 4, 4, 4],
    ),
    Case(
        name="two quantiles of reals",
        chain=pc.vector(float, bounds=(0, 1), grid=Fraction(1, 4))
        >> pc.MultipleQuantiles(alphas=SKEW, temperature=1)
        >> as_tuple,
        pairs=[([0.25] * 9, [0.25] * 9 + [0.0]), ([0.5] * 9, [0.5] * 9 + [1.0]), ([], [float("nan")])],
        masses=tree(SKEW, 1, [0.0, 0.25, 0.5, 0.75, 1.0]),
        sample=1_500,
        input=[0.1, 0.3, 0.6],
    ),
    Case(
        name="the least and the largest",
        chain=FOUR >> pc.MultipleQuantiles(alphas=[0, 1], temperature=1) >> as_tuple,
        pairs=[([0, 1, 2, 3], [0, 1, 2, 3, 4]), ([2] * 6, [2] * 6 + [0]), ([2] * 6, [2] * 6 + [4])],
        masses=tree([Fraction(0), Fraction(1)], 1, range(5)),
    ),
    Case(
        name="quartiles of known size",
        chain=pc.vector(int, bounds=(0, 4), size=4) >> TREE >> as_tuple,
        pairs=[([0, 0, 4, 4], [0, 4, 4, 4]), ([0, 2, 2, 4], [4, 2, 2, 4]), ([1, 1, 2, 3], [3, 1, 2, 3])],
        masses=tree(QUARTILES, 2, range(5)),
    ),
]


@frozen
class WithoutTheMiddle(TwinOf):
    """Leaves the middle value out of the result."""

    def release(self, value: Any, space: Space) -> Any:
        return np.delete(self.right.release(value, space), 1)


@frozen
class OneLevelCounted(TwinOf):
    """Charges for one level of the tree too few, as if its middle were found at the next."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


@frozen
class EndsKept(TwinOf):
    """Charges a replacement as one row, although it can leave one half and enter the other."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(1, 2))


ALL_TWO: dict[str, Any] = {"masses": tree(QUARTILES, 2, range(5))}
TWINS = [
    Twin(
        law="samples",
        case=Case(
            name="quantiles without the middle",
            chain=FOUR >> WithoutTheMiddle(TREE) >> as_tuple,
            sample=500,
            input=[2] * 100,
            **ALL_TWO,
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="a level of the tree not counted",
            chain=FOUR >> OneLevelCounted(pc.MultipleQuantiles(alphas=QUARTILES, temperature=2)) >> as_tuple,
            pairs=[([2] * 8, [2] * 8 + [0]), ([1] * 12, [1] * 12 + [0]), ([3, 1] * 6, [3, 1] * 6 + [0])],
            **ALL_TWO,
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="a replacement charged as a row",
            chain=pc.vector(int, bounds=(0, 4), size=8) >> EndsKept(TREE) >> as_tuple,
            pairs=[
                ([0, 0, 0, 0, 4, 4, 4, 4], [0, 0, 0, 4, 4, 4, 4, 4]),
                ([1, 1, 1, 1, 3, 3, 3, 3], [1, 1, 1, 4, 3, 3, 3, 3]),
            ],
            **ALL_TWO,
        ),
    ),
]


@pytest.mark.parametrize(("count", "depth"), [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (15, 4), (16, 5)])
def test_the_tree_is_as_deep_as_it_must_be(count: int, depth: int) -> None:
    alphas = tuple(Fraction(at, count + 1) for at in range(1, count + 1))
    found = levels(alphas)
    assert len(found) == depth
    assert sum(map(len, found)) == count


def test_even_shares_cost_what_medians_cost() -> None:
    """Seven even quantiles are three levels of medians; a fourth level would cost 2 in place of 3/2."""
    eighths = pc.MultipleQuantiles(alphas=[Fraction(at, 8) for at in range(1, 8)], temperature=2)
    loss = (pc.vector(int, bounds=(0, 9)) >> eighths).map(1)
    assert loss.epsilon() == Fraction(3, 2)
    assert loss.rho() == 3 * Fraction(pc.BoundedRangeLoss(0.5).rho())


def test_quantiles_rise_and_are_found() -> None:
    rows = np.arange(100_000) / 100_000
    chain = pc.vector(float, bounds=(0, 1)) >> pc.MultipleQuantiles(alphas=[0.1, 0.2, 0.5, 0.7, 0.9], temperature=1)
    found = chain(rows)
    assert found.shape == (5,)
    assert np.all(np.diff(found) >= 0)
    assert np.abs(found - [0.1, 0.2, 0.5, 0.7, 0.9]).max() < 0.001


def test_a_replacement_may_touch_two_parts() -> None:
    sized = (pc.vector(int, bounds=(0, 4), size=4) >> TREE).map(2)
    assert sized.epsilon() == 2
    assert (FOUR >> TREE).map(1).epsilon() == 1


def test_alphas_must_be_shares() -> None:
    with pytest.raises(InvalidError, match="MultipleQuantiles.alphas must be between zero and one"):
        pc.MultipleQuantiles(alphas=[0.5, 2], temperature=1)
    with pytest.raises(InvalidError, match=r"MultipleQuantiles.alphas must rise, got 0\.5 before 0\.5\."):
        pc.MultipleQuantiles(alphas=[0.5, 0.5], temperature=1)
    with pytest.raises(MismatchError, match="MultipleQuantiles needs bounded input"):
        pc.vector(float) >> TREE


def test_the_least_and_the_largest_cost_half() -> None:
    assert levels((Fraction(0), Fraction(1))) == [[1], [1]]
    unit = pc.MultipleQuantiles(alphas=[0, 1], temperature=1)
    assert (pc.vector(int, bounds=(0, 9)) >> unit).map(1).epsilon() == 2
