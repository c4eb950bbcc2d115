"""How the arguments of a loss are read: an epsilon, a probability, a Rényi order; and how others are refused."""

from fractions import Fraction
from typing import Any

from privet.core import must_be, read_amount, read_number, require, require_type, short

above_one = must_be(lambda value: value > 1, "above one")
share = must_be(lambda value: 0 < value <= 1, "above zero and at most one")


def read_epsilon(value: object) -> Fraction:
    """Read an epsilon of zero or more."""
    return read_amount("Loss.epsilon", value)


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


def read_outcome(name: str, value: object, step: Fraction) -> Fraction:
    """Read an outcome of noise: a number, on a grid a multiple of its step (zero for no grid)."""
    label = f"{name}.at"
    outcome = read_number(label, value)
    require(not step or (outcome / step).denominator == 1, label, f"a multiple of the step {short(step)}", outcome)
    return outcome


def read_pairs(label: str, rule: str, value: Any) -> list[tuple[Any, Any]]:
    """Read a tuple or list of pairs."""
    require_type(isinstance(value, tuple | list), label, rule, value)
    for pair in value:
        require_type(isinstance(pair, tuple | list) and len(pair) == 2, label, rule, pair)
    return [(first, second) for first, second in value]
