"""Amounts of privacy loss as a person reads them, rounded in a stated direction."""

import math
from fractions import Fraction

from privet.core.display import number_text

_DIGITS = 6
_LEAST, _MOST = Fraction(1, 10**300), 10**300  # between these, a fraction is a float
_SMALL = Fraction(1, 1000)  # below it, a probability is written with a power of ten


def amount_text(value: Fraction | float, *, up: bool = True) -> str:
    """Write an amount with up to six digits, rounded up, or down for what is left.

    >>> amount_text(Fraction(1, 3)), amount_text(Fraction(1, 3), up=False), amount_text(Fraction(1, 2))
    ('0.333334', '0.333333', '0.5')
    """
    return number_text(_rounded(value, up=up))


def probability_text(value: Fraction | float, *, up: bool = True) -> str:
    """Write a probability such as delta, with a power of ten where it is small.

    >>> [probability_text(Fraction(1, value)) for value in (20, 10**6, 3 * 10**9)]
    ['0.05', '1e-6', '3.33334e-10']
    """
    near = _rounded(value, up=up)
    if not isinstance(near, Fraction) or near == 0 or near >= _SMALL:
        return number_text(near)
    power = -1
    while near < Fraction(10) ** power:
        power -= 1
    return f"{number_text(near / Fraction(10) ** power)}e{power}"


def _rounded(value: Fraction | float, *, up: bool) -> Fraction | float:
    infinite = isinstance(value, float) and not math.isfinite(value)  # a fraction may be too large for a float
    exact = None if infinite else Fraction(value)
    if exact is None or exact.denominator == 1 or not _LEAST < abs(exact) < _MOST:
        return value if exact is None else exact
    step = Fraction(10) ** (math.floor(math.log10(abs(float(exact)))) + 1 - _DIGITS)
    steps = exact / step
    return (math.ceil(steps) if up else math.floor(steps)) * step
