"""Messages name the parameter, what was expected and what came."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.noise.drawing.parameters import count, integer, number, positive, probability


def test_numbers_are_read_exactly() -> None:
    assert number("x", 0.1) == Fraction(1, 10)
    assert positive("x", np.float64(2.5)) == Fraction(5, 2)
    assert probability("x", 1) == 1
    assert count("x", np.int32(4)) == 4
    assert integer("x", -4) == -4


def test_messages() -> None:
    with pytest.raises(InvalidError, match=r"^f\.scale must be above zero, got 0\.$"):
        positive("f.scale", 0)
    with pytest.raises(NotExactError, match=r"^f\.scale: expected a number .* got str\.$"):
        number("f.scale", "1")
    with pytest.raises(InvalidError, match=r"^f\.p must lie between 0 and 1, got 1\.5\.$"):
        probability("f.p", 1.5)
    with pytest.raises(WrongTypeError, match=r"^f\.size must be a whole number, got str\.$"):
        count("f.size", "3")
    with pytest.raises(WrongTypeError, match=r"^f\.size must be a whole number, got a boolean\.$"):
        count("f.size", True)
