"""Reading the parameters of samplers, with messages that name them."""

import operator
from fractions import Fraction
from typing import SupportsIndex, cast

import numpy as np

from privet.core.exact import exact
from privet.errors import InvalidError, NotExactError, WrongTypeError


def number(name: str, value: object) -> Fraction:
    """Read an exact number; a float means its shortest decimal."""
    if type(value) is Fraction:  # most calls come from mechanisms, whose parameters are fractions already
        return value
    try:
        return exact(value)
    except NotExactError as error:
        raise NotExactError(f"{name}: {error}") from None


def positive(name: str, value: object) -> Fraction:
    """Read a number above zero.

    >>> positive("discrete_laplace.scale", -1)
    Traceback (most recent call last):
    privet.errors.InvalidError: discrete_laplace.scale must be above zero, got -1.
    """
    result = number(name, value)
    if result <= 0:
        raise InvalidError(f"{name} must be above zero, got {value}.")
    return result


def probability(name: str, value: object) -> Fraction:
    """Read a number between 0 and 1."""
    result = number(name, value)
    if not 0 <= result <= 1:
        raise InvalidError(f"{name} must lie between 0 and 1, got {value}.")
    return result


def count(name: str, value: object) -> int:
    """Read a whole number, zero or more.

    >>> count("shuffle.population", 2.5)
    Traceback (most recent call last):
    privet.errors.WrongTypeError: shuffle.population must be a whole number, got float.
    """
    result = integer(name, value)
    if result < 0:
        raise InvalidError(f"{name} must be zero or more, got {value}.")
    return result


def integer(name: str, value: object) -> int:
    """Read a whole number of either sign."""
    if isinstance(value, bool | np.bool_):
        raise WrongTypeError(f"{name} must be a whole number, got a boolean.")
    try:
        return operator.index(cast("SupportsIndex", value))
    except TypeError:
        raise WrongTypeError(f"{name} must be a whole number, got {type(value).__name__}.") from None
