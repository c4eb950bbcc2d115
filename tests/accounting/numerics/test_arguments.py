"""How arguments are read, and how they are refused."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import field, frozen

from privet.accounting.numerics import lower_hull, read_pairs, share
from privet.core import must_be, number, read_count, require, require_type
from privet.errors import InvalidError, NotExactError, WrongTypeError


def test_a_rule_that_holds_passes() -> None:
    require(True, "Noise.scale", "above zero", 1)
    require_type(True, "Noise.scale", "a number", 1)


def test_a_broken_rule_names_the_parameter_the_rule_and_the_value() -> None:
    with pytest.raises(InvalidError, match=r"^Noise\.scale must be above zero, got 0\.5\.$"):
        require(False, "Noise.scale", "above zero", Fraction(1, 2))
    with pytest.raises(WrongTypeError, match=r"^Noise\.scale must be a number, got str\.$"):
        require_type(False, "Noise.scale", "a number", "a secret")


@frozen
class Sample:
    """Two fields with rules."""

    rate: Fraction = field(converter=number, validator=share)
    size: Fraction = field(default=Fraction(2), converter=number, validator=must_be(lambda size: size % 2 == 0, "even"))


def test_a_validator_refuses_what_breaks_its_rule() -> None:
    assert Sample(1).rate == 1
    for rate in (0, -1, Fraction(3, 2)):
        with pytest.raises(InvalidError, match=r"Sample\.rate must be above zero and at most one"):
            Sample(rate)
    with pytest.raises(InvalidError, match=r"Sample\.size must be even, got 3\."):
        Sample(1, 3)


def test_a_validator_refuses_what_is_no_number_before_it_looks_at_the_rule() -> None:
    with pytest.raises(NotExactError, match=r"Sample\.rate"):
        Sample("half")


@pytest.mark.parametrize(("least", "words"), [(0, "zero or more"), (1, "one or more"), (2, "two or more")])
def test_a_count_has_a_least_value(least: int, words: str) -> None:
    assert read_count("rounds", least, least=least) == least
    with pytest.raises(InvalidError, match=f"^rounds must be {words}, got {least - 1}.$"):
        read_count("rounds", least - 1, least=least)
    with pytest.raises(WrongTypeError, match="rounds must be a whole number"):
        read_count("rounds", 1.5, least=least)


def test_pairs_are_read_from_tuples_and_lists() -> None:
    assert read_pairs("points", "pairs", [(1, 2), [3, 4]]) == [(1, 2), (3, 4)]
    wrong: list[Any] = [3, "ab", [(1, 2, 3)], [1], {1: 2}]
    for value in wrong:
        with pytest.raises(WrongTypeError, match="points must be pairs, got"):
            read_pairs("points", "pairs", value)


def test_a_hull_has_only_corners() -> None:
    points = [(Fraction(x), Fraction(y)) for x, y in ((0, 2), (1, 1), (2, 0), (3, 1), (4, 0))]
    assert lower_hull(points) == [points[0], points[2], points[4]]
    assert lower_hull(points[:1]) == points[:1]
