"""Exact numbers: fractions in, fractions out, and irrational values rounded in a stated direction.

Every privacy guarantee is computed with ``Fraction``. A number that a person *types* (a scale, a bound, an epsilon)
means its shortest decimal, so ``0.1`` is one tenth; a number in the *data* means its binary value. Irrational functions
come from ball arithmetic (python-flint) and are rounded up or down, never to nearest.
"""

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Integral, Rational
from typing import Any, Literal

import numpy as np
from flint import arb, ctx, fmpq, fmpz

from privet.errors import NotExactError

INFINITY = math.inf
type_names = "int, float, Fraction, Decimal or a numpy number"

_RELATIVE_BITS = 80  # precision of every directed result: more than any report prints, and cheap to compute
_FLOOR_EXPONENT = -(2**16)  # below 2^-65536 a positive value is rounded to 0 or to that power
_CEILING_EXPONENT = 2**24  # above this an exact fraction would take megabytes


class _Precision:
    """The lock around the precision of python-flint, a setting of the whole process."""

    lock = threading.RLock()


def _forked() -> None:
    # at the fork another thread may have held the lock or changed the precision
    _Precision.lock = threading.RLock()
    ctx.prec = _DEFAULT_PRECISION


_DEFAULT_PRECISION = int(ctx.prec)
if hasattr(os, "register_at_fork"):  # absent where there is no fork
    os.register_at_fork(after_in_child=_forked)


def exact(value: object) -> Fraction:
    """Read a number that a person typed: floats mean their shortest decimal.

    Raises:
        NotExactError: for NaN, infinities, booleans, strings and anything that is not a number.

    >>> exact(0.1)
    Fraction(1, 10)
    """
    number = _plain(value)
    if isinstance(number, float | np.floating):
        return Fraction(repr(float(number)) if isinstance(number, float) else str(number))
    return Fraction(number)


def exact_data(value: object) -> Fraction:
    """Read a number in the data: floats mean their binary value.

    >>> exact_data(0.1) == Fraction(1, 10)
    False
    """
    number = _plain(value)
    return Fraction(*number.as_integer_ratio()) if isinstance(number, np.floating) else Fraction(number)


def _plain(value: object) -> "int | float | Fraction | Decimal | np.floating[Any]":
    if isinstance(value, bool | np.bool_):
        raise NotExactError(f"expected a number ({type_names}), got a boolean.")
    if isinstance(value, np.timedelta64):  # numpy calls it an integer
        raise NotExactError(f"expected a number ({type_names}), got timedelta64.")
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float | np.floating | Decimal):
        if not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
            raise NotExactError(f"expected a finite number, got {value}.")
        return value
    raise NotExactError(f"expected a number ({type_names}), got {type(value).__name__}.")


def to_float_up(value: Fraction) -> float:
    """Return the smallest float that is not below ``value``."""
    near = _nearest(value)
    return near if near == INFINITY or Fraction(near) >= value else math.nextafter(near, INFINITY)


def to_float_down(value: Fraction) -> float:
    """Return the largest float that is not above ``value``."""
    return 0.0 - to_float_up(-value)  # a plain negation would turn zero into -0.0


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        # rounding -huge up gives the largest finite negative float, rounding +huge up gives infinity
        return INFINITY if value > 0 else -np.finfo(np.float64).max.item()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` of precision. Balls are valid at any precision; more bits only make them narrower.

    The precision of python-flint is a setting of the whole process, so a lock keeps threads apart.
    """
    with _Precision.lock:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def ball(value: Fraction | int) -> arb:
    """Enclose a fraction at the current precision."""
    return arb(fmpq(value.numerator, value.denominator))


def ends(enclosure: arb) -> tuple[Fraction, Fraction]:
    """Return both ends of a finite ball as exact fractions."""
    return _dyadic(enclosure.lower()), _dyadic(enclosure.upper())


def _dyadic(point: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in point.man_exp())
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    return Fraction(mantissa, 1 << -exponent)


def directed(function: Callable[[arb], arb], value: Fraction | int, *, toward: Literal["up", "down"]) -> Fraction:
    """Apply a ball function and round the result outward in one direction, to about 24 digits.

    The precision doubles until the ball is narrow.
    """
    bits = 2 * _RELATIVE_BITS
    while True:
        with precision(bits):
            enclosure = function(ball(value))
            if enclosure.is_finite() and enclosure.rel_accuracy_bits() >= _RELATIVE_BITS:
                return _round_end(enclosure, toward)
            if enclosure.is_exact() and enclosure.is_zero():
                return Fraction(0)
        if bits > 2**20:
            raise NotExactError("the value cannot be enclosed at a million bits.")
        bits *= 2


def _round_end(enclosure: arb, toward: Literal["up", "down"]) -> Fraction:
    point = enclosure.upper() if toward == "up" else enclosure.lower()
    mantissa, exponent = point.man_exp()
    size = int(exponent) + int(fmpz(mantissa).bit_length())
    if size > _CEILING_EXPONENT:
        raise NotExactError("the value is too large to be written as a fraction.")
    if size < _FLOOR_EXPONENT:
        tiny = Fraction(1, 1 << -_FLOOR_EXPONENT)
        outward = (int(mantissa) > 0) == (toward == "up")
        return (tiny if int(mantissa) > 0 else -tiny) if outward else Fraction(0)
    return _dyadic(point)


exp_up = partial(directed, arb.exp, toward="up")
exp_down = partial(directed, arb.exp, toward="down")
log_up = partial(directed, arb.log, toward="up")
log_down = partial(directed, arb.log, toward="down")
expm1_up = partial(directed, arb.expm1, toward="up")
expm1_down = partial(directed, arb.expm1, toward="down")
log1p_up = partial(directed, arb.log1p, toward="up")
log1p_down = partial(directed, arb.log1p, toward="down")
"""Upper and lower bounds of ``e**x``, ``ln(x)``, ``e**x - 1`` and ``ln(1 + x)``."""


def _sqrt(value: Fraction | int, *, toward: Literal["up", "down"]) -> Fraction:
    if value < 0:
        raise NotExactError(f"the square root needs a value of zero or more, got {value}.")
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else directed(arb.sqrt, value, toward=toward)


sqrt_up = partial(_sqrt, toward="up")
sqrt_down = partial(_sqrt, toward="down")
"""Upper and lower bounds of the square root; exact for squares of fractions."""
