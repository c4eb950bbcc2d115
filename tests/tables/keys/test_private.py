"""How a release finds its groups."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError


def test_a_quarter_is_for_the_keys_unless_it_is_said() -> None:
    assert pv.private(delta=1e-7).share == Fraction(1, 4)
    assert pv.private(delta=1e-7, share=0.1).share == Fraction(1, 10)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "private needs delta=..., the probability that a key shows which one person alone has"),
        ({"delta": "1e-7"}, "private.delta: expected a number"),
        ({"delta": 0}, "private.delta must be above zero and below one, got 0"),
        ({"delta": 2}, "private.delta must be above zero and below one, got 2"),
        ({"delta": 0.1, "share": 1}, "private.share must be above zero and below one, got 1"),
    ],
)
def test_shares_lie_between_zero_and_one(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        pv.private(**given)
