"""Reading and checking parameters: one message form for the whole package.

``Clamp.bounds: lower must be below upper, got lower=5, upper=3.``

A unit declares a field as ``field(converter=number, validator=positive)``. A converter does not know the name of its
field. When it cannot read a value, it passes an ``UnreadableValue`` on; the validator knows the name and raises.
"""

import math
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from numbers import Integral
from types import UnionType
from typing import Any, TypeVar

import numpy as np
from attrs import Attribute

from privet.core.exact import exact, exact_data, to_float_up
from privet.errors import InvalidError, NotExactError, PrivetError, WrongTypeError

Pair = tuple[Fraction, Fraction]
Validator = Callable[[Any, "Attribute[Any]", Any], None]
_PRINTED = 1000  # digits
_QUOTED = 200  # characters of a text
_LARGEST_FLOAT = Fraction(sys.float_info.max)


def read_number(label: str, value: object) -> Fraction:
    """Read a number that a person typed; the error names the parameter."""
    try:
        return exact(value)
    except NotExactError as error:
        raise NotExactError(f"{label}: {error}") from None


def read_whole(label: str, value: object) -> int:
    """Read a whole number; refuse fractions and booleans."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise WrongTypeError(f"{label} must be a whole number, got {type(value).__name__}.")
    return int(value)


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


def read_share(label: str, value: object) -> Fraction:
    """Read a number strictly between zero and one, such as a probability of failure or a level of confidence."""
    share = read_number(label, value)
    require(0 < share < 1, label, "between zero and one", share)
    return share


def read_positive(label: str, value: object) -> Fraction:
    """Read a number above zero."""
    amount = read_number(label, value)
    require(amount > 0, label, "above zero", amount)
    return amount


def read_amount(label: str, value: object) -> Fraction:
    """Read a number of zero or more."""
    amount = read_number(label, value)
    require(amount >= 0, label, "zero or more", amount)
    return amount


def read_count(label: str, value: object, *, least: int = 0) -> int:
    """Read a whole number of ``least`` (zero, one or two) or more."""
    count = read_whole(label, value)
    require(count >= least, label, f"{('zero', 'one', 'two')[least]} or more", count)
    return count


def read_bounds(label: str, value: object) -> Pair:
    """Read a pair (lower, upper) with lower below upper."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise WrongTypeError(f"{label} must be a pair (lower, upper), got {type(value).__name__}.")
    lower, upper = (read_number(f"{label}[{position}]", end) for position, end in enumerate(value))
    if lower >= upper:
        raise InvalidError(f"{label}: lower must be below upper, got lower={short(lower)}, upper={short(upper)}.")
    return lower, upper


def read_grid(label: str, value: object) -> Fraction:
    """Read a number that may be a float power of two (``2**-32``), which keeps its exact value, not its decimal."""
    if isinstance(value, float | np.floating) and math.frexp(value)[0] == 0.5:
        return exact_data(value)
    return read_number(label, value)


def read_step(label: str, value: object) -> Fraction:
    """Read a grid step above zero."""
    step = read_grid(label, value)
    require(step > 0, label, "above zero", step)
    return step


class UnreadableValue:
    """A value that a converter could not read, passed on to the validator, which knows the name of the field."""

    read: Callable[[str, object], object]  # raises the error, given that name
    value: object = None


class _UnreadableNumber(UnreadableValue, Fraction):
    read = staticmethod(read_number)


class _UnreadableWhole(UnreadableValue, int):
    read = staticmethod(read_whole)


class _UnreadablePair(UnreadableValue, tuple[Fraction, Fraction]):
    read = staticmethod(read_bounds)


Unreadable = TypeVar("Unreadable", bound=UnreadableValue)


def _holding(unreadable: Unreadable, value: object) -> Unreadable:
    unreadable.value = value
    return unreadable


def number(value: object) -> Fraction:
    """Convert a field to a ``Fraction``."""
    try:
        return exact(value)
    except NotExactError:
        return _holding(_UnreadableNumber(), value)


def whole(value: object) -> int:
    """Convert a field to an ``int``."""
    try:
        return read_whole("", value)
    except PrivetError:
        return _holding(_UnreadableWhole(), value)


def bounds(value: object) -> Pair:
    """Convert a field to a pair (lower, upper)."""
    try:
        return read_bounds("", value)
    except PrivetError:
        return _holding(_UnreadablePair((Fraction(0), Fraction(0))), value)


def optional_grid(value: object) -> Fraction | None:
    """Convert a field to a grid step, or None."""
    if value is None:
        return None
    try:
        return read_grid("", value)
    except NotExactError:
        return number(value)


def readable(instance: object, attribute: "Attribute[Any]", value: object) -> None:
    """Refuse a value that the converter could not read."""
    if isinstance(value, UnreadableValue):
        value.read(f"{type(instance).__name__}.{attribute.name}", value.value)


def must_be(
    holds: Callable[[Any], bool],
    description: str,
    error: type[PrivetError] = InvalidError,
    show: Callable[[object], str] | None = None,
) -> Validator:
    """Make a validator that refuses unreadable values and those without a property.

    Args:
        holds: Whether a value has the property.
        description: The property in words: they follow "must be".
        error: What is raised.
        show: How the message writes the value; by default as a person would type it.
    """

    def check(instance: object, attribute: "Attribute[Any]", value: object) -> None:
        """Refuse an unreadable value, and one without the property."""
        readable(instance, attribute, value)
        if not holds(value):
            label, got = f"{type(instance).__name__}.{attribute.name}", (show or short)(value)
            raise error(f"{label} must be {description}, got {got}.")

    return check


positive = must_be(lambda value: value > 0, "above zero")
not_negative = must_be(lambda value: value >= 0, "zero or more")
probability = must_be(lambda value: 0 <= value <= 1, "between zero and one")
proper_share = must_be(lambda value: 0 < value < 1, "above zero and below one")
"""Validators of numbers; each also refuses what its converter could not read."""


def at_most(largest: int) -> Validator:
    """Refuse values above a limit."""
    return must_be(lambda value: value <= largest, f"at most {largest}")


def one_of(*choices: object) -> Validator:
    """Refuse values other than the listed ones."""
    return must_be(lambda value: is_among(value, choices), f"one of {', '.join(map(repr, choices))}")


def is_among(value: object, choices: Iterable[object]) -> bool:
    """Say whether a parameter is one of several choices; an array is none, whatever its comparisons answer.

    >>> is_among("left", ("inner", "left")), is_among(np.array([1, 2]), ("inner", "left"))
    (True, False)
    """
    return any(isinstance(value, type(choice)) and bool(value == choice) for choice in choices)


def is_a(kinds: type | UnionType, description: str) -> Validator:
    """Refuse values of other types."""
    return must_be(lambda value: isinstance(value, kinds), description, WrongTypeError, type_name)


def function_of(arguments: str) -> Validator:
    """Refuse values that are not functions; the message names the arguments."""
    return must_be(callable, f"a function of {arguments}", WrongTypeError, type_name)


def type_name(value: object) -> str:
    """Name the type of a value, which a message may show where it must not show the value."""
    return type(value).__name__


def short(value: object) -> str:
    """Write a parameter as a person would type it.

    >>> short((Fraction(1, 10), Fraction(3), Fraction(1, 3)))
    '(0.1, 3, 1/3)'
    >>> short((Fraction(-(10**400)), Fraction(1, 3**700)))
    '(about -10^400, about 10^-334)'
    """
    if isinstance(value, tuple):
        return "(" + ", ".join(map(short, value)) + ")"
    if isinstance(value, int | Fraction) and _digits(value) > _PRINTED:  # Python refuses to print very long integers
        return _power(value)
    if isinstance(value, str) and len(value) > _QUOTED:
        return f"{value[:_QUOTED]!r}..."
    if not isinstance(value, Fraction):
        return repr(value)
    if value.denominator == 1 and abs(value) < 10**24:
        return str(value.numerator)
    near = float(value) if abs(value) < 10**300 else to_float_up(value)
    if math.isfinite(near) and exact(near) == value:
        return repr(near)
    fraction = str(value)
    if len(fraction) <= 24:
        return fraction
    return _power(value) if near == 0 or abs(value) > _LARGEST_FLOAT else f"about {near:.6g}"


def _power(value: int | Fraction) -> str:
    """Write a number that no float is near to as a power of ten."""
    return f"about {'-' if value < 0 else ''}10^{_digits(value.numerator) - _digits(value.denominator)}"


def _digits(value: int | Fraction) -> int:
    """Return the approximate number of decimal digits of the numerator or denominator, whichever is longer."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return math.floor(bits * math.log10(2))
