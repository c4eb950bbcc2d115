"""Private bounds from two quantiles."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin, masses
from tests.mechanisms.test_multiple_quantiles import tree
from tests.mechanisms.twins import TwinOf

FOUR = pc.vector(int, bounds=(0, 4))
SHARES = (Fraction(1, 10), Fraction(9, 10))
OUTER = pc.BoundsByQuantiles(shares=SHARES, temperature=1)


def widened(value: Any, space: Space) -> masses.Masses:
    """The two quantiles, made different where they are not."""
    found: dict[Any, arb] = {}
    for (lower, upper), mass in tree(SHARES, 1, range(5))(value, space).inside.items():
        pair = (lower, upper) if lower < upper else (lower, upper + 1) if upper < 4 else (3, 4)
        found[pair] = found.get(pair, arb(0)) + mass
    return masses.Masses(found, arb(0))


CASES = [
    Case(
        name="bounds by quantiles",
        chain=FOUR >> OUTER,
        pairs=[([2] * 9, [2] * 9 + [0]), ([1, 2, 3], [2, 3]), ([], [None])],
        masses=widened,
        sample=2_000,
        input=[1, 1, 2, 3, 4],
    ),
]


@frozen
class OneLevel(TwinOf):
    """Charges for one quantile, as if both came from one selection."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


@frozen
class RaisesWhenEqual(TwinOf):
    """Refuses bounds that are one point, which tells that the data are concentrated."""

    def release(self, value: Any, space: Space) -> Any:
        if len(set(value.tolist())) == 1:
            raise ValueError("the bounds are equal")
        return self.right.release(value, space)


TWINS = [
    Twin(
        law="loss",
        case=Case(
            name="two quantiles for one",
            chain=FOUR >> OneLevel(OUTER),
            pairs=[([2] * 9, [2] * 9 + [0])],
            masses=widened,
        ),
    ),
    Twin(law="parity", case=Case(name="equal bounds raise", chain=FOUR >> RaisesWhenEqual(OUTER))),
]


def test_bounds_hold_the_bulk_of_the_rows() -> None:
    chain = pc.vector(float, bounds=(0, 10**6), grid=1) >> pc.BoundsByQuantiles(shares=(0.05, 0.95), temperature=2)
    lower, upper = chain([float(row) for row in range(1000, 3000)])
    assert 1000 <= lower < 1300
    assert 2700 < upper <= 3000


@pytest.mark.parametrize("row", [0, 2, 4])
def test_the_bounds_are_never_equal(row: int) -> None:
    lower, upper = (FOUR >> OUTER)([row] * 1000)
    assert lower < upper
    assert row in (lower, upper)


def test_the_bounds_can_be_clamped_to() -> None:
    released = (FOUR >> OUTER)([1, 2, 3])
    assert (pc.vector(int) >> pc.Clamp(bounds=released)).map(1) == 1


def test_shares_must_be_shares() -> None:
    with pytest.raises(InvalidError, match="BoundsByQuantiles.shares must be between zero and one"):
        pc.BoundsByQuantiles(shares=(0.5, 2), temperature=1)
    with pytest.raises(MismatchError, match="BoundsByQuantiles needs bounded input"):
        pc.vector(float) >> OUTER
