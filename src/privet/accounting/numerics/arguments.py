"""How the arguments of a loss are read: an epsilon, a probability, a Rényi order."""

from fractions import Fraction
from typing import Any

from privet.core import read_number
from privet.errors import InvalidError


def read_epsilon(value: Any) -> Fraction:
    """Read an epsilon of zero or more."""
    epsilon = read_number("Loss.epsilon", value)
    if epsilon < 0:
        raise InvalidError(f"Loss.epsilon must be zero or more, got {epsilon}.")
    return epsilon


def read_probability(name: str, value: Any) -> Fraction:
    """Read a probability, such as a delta."""
    share = read_number(f"Loss.{name}", value)
    if not 0 <= share <= 1:
        raise InvalidError(f"Loss.{name} must be between zero and one, got {share}.")
    return share


def read_order(value: Any) -> Fraction:
    """Read a Rényi order above one."""
    order = read_number("Loss.order", value)
    if order <= 1:
        raise InvalidError(f"Loss.order must be above one, got {order}.")
    return order
