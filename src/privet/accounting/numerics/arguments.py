"""How the arguments of a loss are read: an epsilon, a probability, a Rényi order; and how others are refused."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from attrs import Attribute

from privet.core import read_number, read_whole, readable, short
from privet.errors import InvalidError, WrongTypeError

_WORDS = {0: "zero", 1: "one"}
Validator = Callable[[Any, "Attribute[Any]", Any], None]


def require(holds: bool, label: str, rule: str, value: object) -> None:  # noqa: FBT001 - a claim, as of assert
    """Refuse a value that breaks its rule.

    >>> require(3 > 1, "Loss.order", "above one", 3)
    """
    if not holds:
        raise InvalidError(f"{label} must be {rule}, got {short(value)}.")


def require_type(holds: bool, label: str, rule: str, value: object) -> None:  # noqa: FBT001 - as above
    """Refuse a value of the wrong type; the message names the type and not the value."""
    if not holds:
        raise WrongTypeError(f"{label} must be {rule}, got {type(value).__name__}.")


def within(rule: str, holds: Callable[[Any], bool]) -> Validator:
    """Give a validator that refuses values which a converter could not read or which break a rule."""

    def check(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
        """Refuse what breaks the rule."""
        readable(instance, attribute, value)
        require(holds(value), f"{type(instance).__name__}.{attribute.name}", rule, value)

    return check


above_one = within("above one", lambda value: value > 1)
share = within("above zero and at most one", lambda value: 0 < value <= 1)
inner_share = within("above zero and below one", lambda value: 0 < value < 1)


def read_epsilon(value: object) -> Fraction:
    """Read an epsilon of zero or more."""
    epsilon = read_number("Loss.epsilon", value)
    require(epsilon >= 0, "Loss.epsilon", "zero or more", epsilon)
    return epsilon


def read_probability(name: str, value: object) -> Fraction:
    """Read a probability, such as a delta."""
    label = f"Loss.{name}"
    probability = read_number(label, value)
    require(0 <= probability <= 1, label, "between zero and one", probability)
    return probability


def read_order(value: object) -> Fraction:
    """Read a Rényi order above one."""
    order = read_number("Loss.order", value)
    require(order > 1, "Loss.order", "above one", order)
    return order


def read_count(label: str, value: object, least: int = 0) -> int:
    """Read a whole number of at least so much."""
    count = read_whole(label, value)
    require(count >= least, label, f"{_WORDS.get(least, least)} or more", count)
    return count


def read_pairs(label: str, rule: str, value: Any) -> list[tuple[Any, Any]]:
    """Read a tuple or list of pairs."""
    require_type(isinstance(value, tuple | list), label, rule, value)
    for pair in value:
        require_type(isinstance(pair, tuple | list) and len(pair) == 2, label, rule, pair)
    return [(first, second) for first, second in value]
