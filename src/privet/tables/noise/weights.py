"""Weights that a caller gives by name: exact numbers above zero, relative to each other."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from privet.core import read_number, short
from privet.errors import InvalidError, WrongTypeError

Weights = Mapping[str, object]


def read_weights(
    parameter: str, names: Iterable[str], weights: Weights | None, *, each: str = "aggregate of the query"
) -> dict[str, Fraction]:
    """Read the weight of every name; a name without a weight counts as one.

    Args:
        parameter: The parameter that holds the weights, for messages.
        names: What may have a weight, in order.
        weights: Numbers above zero by name; None for equal weights.
        each: What a name stands for, for messages.

    >>> read_weights("query.weights", ["n", "x"], {"x": 0.5})
    {'n': Fraction(1, 1), 'x': Fraction(1, 2)}
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise WrongTypeError(f"{parameter} must be numbers by name, got {type(weights).__name__}.")
    known, given = tuple(names), dict(weights or {})
    unknown = sorted(set(given) - set(known), key=repr)
    if unknown:
        raise InvalidError(f"{parameter} names {unknown[0]!r}, which is no {each}.")
    found = {name: read_number(f"{parameter}[{name!r}]", given.get(name, 1)) for name in known}
    for name, weight in found.items():
        if weight <= 0:
            raise InvalidError(f"{parameter}[{name!r}] must be above zero, got {short(weight)}.")
    return found
