"""Reading and checking parameters: one message form for the whole package.

``Clamp.bounds: lower must be below upper, got lower=5, upper=3.``

A field of a unit is written ``field(converter=number, validator=positive)``. A converter does not know the name of its
field, so one that cannot read a value hands an ``Unread`` to the validator, which does, and which raises.
"""

import math
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from attrs import Attribute

from privet.core.exact import exact, exact_data, to_float_up
from privet.errors import InvalidError, NotExactError, PrivetError, WrongTypeError

Pair = tuple[Fraction, Fraction]
_PRINTED = 1000  # digits


def read_number(label: str, value: Any) -> Fraction:
    """Read a typed number, or say what is wrong with the parameter of this name."""
    try:
        return exact(value)
    except NotExactError as error:
        raise NotExactError(f"{label}: {error}") from None


def read_whole(label: str, value: Any) -> int:
    """Read a whole number; fractions and booleans are refused."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise WrongTypeError(f"{label} must be a whole number, got {type(value).__name__}.")
    return int(value)


def read_bounds(label: str, value: Any) -> Pair:
    """Read a pair (lower, upper) with lower below upper."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise WrongTypeError(f"{label} must be a pair (lower, upper), got {type(value).__name__}.")
    lower, upper = (read_number(f"{label}[{position}]", end) for position, end in enumerate(value))
    if lower >= upper:
        raise InvalidError(f"{label}: lower must be below upper, got lower={short(lower)}, upper={short(upper)}.")
    return lower, upper


def read_grid(label: str, value: Any) -> Fraction:
    """Read the step of a grid: a float that is a power of two means itself (``2**-32``), not its decimal."""
    if isinstance(value, float | np.floating) and math.frexp(value)[0] == 0.5:
        return exact_data(value)
    return read_number(label, value)


class Unread:
    """A value that could not be read, on its way to the validator that knows its name."""

    value: Any = None


class _UnreadNumber(Unread, Fraction):
    pass


class _UnreadWhole(Unread, int):
    pass


class _UnreadPair(Unread, tuple[Fraction, Fraction]):
    pass


def number(value: Any) -> Fraction:
    """Convert a field to a ``Fraction``."""
    try:
        return exact(value)
    except NotExactError:
        unread = _UnreadNumber()
        unread.value = value
        return unread


def whole(value: Any) -> int:
    """Convert a field to an ``int``."""
    try:
        return read_whole("", value)
    except PrivetError:
        unread = _UnreadWhole()
        unread.value = value
        return unread


def bounds(value: Any) -> Pair:
    """Convert a field to a pair (lower, upper)."""
    try:
        return read_bounds("", value)
    except PrivetError:
        unread = _UnreadPair((Fraction(0), Fraction(0)))
        unread.value = value
        return unread


def optional_grid(value: Any) -> Fraction | None:
    """Convert a field to the step of a grid, or None."""
    if value is None:
        return None
    try:
        return read_grid("", value)
    except NotExactError:
        return number(value)


def readable(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse what the converter could not read."""
    if not isinstance(value, Unread):
        return
    label = f"{type(instance).__name__}.{attribute.name}"
    if isinstance(value, _UnreadPair):
        read_bounds(label, value.value)
    elif isinstance(value, _UnreadWhole):
        read_whole(label, value.value)
    else:
        read_number(label, value.value)


def positive(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse zero and negative values."""
    readable(instance, attribute, value)
    if value <= 0:
        raise InvalidError(f"{type(instance).__name__}.{attribute.name} must be above zero, got {short(value)}.")


def not_negative(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse negative values."""
    readable(instance, attribute, value)
    if value < 0:
        raise InvalidError(f"{type(instance).__name__}.{attribute.name} must be zero or more, got {short(value)}.")


def probability(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse what is not between zero and one."""
    readable(instance, attribute, value)
    if not 0 <= value <= 1:
        raise InvalidError(
            f"{type(instance).__name__}.{attribute.name} must be between zero and one, got {short(value)}."
        )


def short(value: Any) -> str:
    """Write a parameter as a person would type it.

    >>> short((Fraction(1, 10), Fraction(3), Fraction(1, 3)))
    '(0.1, 3, 1/3)'
    """
    if isinstance(value, tuple):
        return "(" + ", ".join(map(short, value)) + ")"
    if (
        isinstance(value, int | Fraction) and _digits(value) > _PRINTED
    ):  # which Python refuses to write from some size on
        return f"about {'-' if value < 0 else ''}10^{_digits(value.numerator) - _digits(value.denominator)}"
    if not isinstance(value, Fraction):
        return repr(value)
    if value.denominator == 1 and abs(value) < 10**24:
        return str(value.numerator)
    near = float(value) if abs(value) < 10**300 else to_float_up(value)
    if math.isfinite(near) and exact(near) == value:
        return repr(near)
    written = str(value)
    return written if len(written) <= 24 else f"about {near:.6g}"


def _digits(value: int | Fraction) -> int:
    """Give about how many decimal digits the longer part of a fraction has."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return math.floor(bits * math.log10(2))
