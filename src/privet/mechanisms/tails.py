"""Certified tails of integer noise on one side, and the scale that an accuracy allows."""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from privet.core import read_number, read_share, short
from privet.errors import InvalidError
from privet.noise import discrete_gaussian_tail, discrete_laplace_tail

Tail = Callable[[Any, int], tuple[Fraction, Fraction]]
_BITS = 40  # of an inverse: it is certified at its end, so more would only be finer


def _reaches(tail: Tail, scale: Fraction, k: int) -> Fraction:
    if k >= 1:
        return tail(scale, k - 1)[1] / 2
    return 1 - tail(scale, -k)[0] / 2  # what is below k is as likely as what is above -k


laplace_reaches = partial(_reaches, discrete_laplace_tail)
gaussian_reaches = partial(_reaches, discrete_gaussian_tail)
"""For a scale and a whole number k of any sign, an upper bound of ``P(Z >= k)``."""


def largest_scale(
    unit: str, accuracy: object, beta: object, grid: object, tail: Tail = discrete_laplace_tail
) -> Fraction:
    """The largest scale, to 40 bits, whose noise exceeds ``accuracy`` with probability at most ``beta``.

    Args:
        unit: The unit, for messages.
        accuracy: The error, in the units of the data; at least one step of the grid.
        beta: The probability, between zero and one.
        grid: The step of the numbers.
        tail: Encloses ``P(|Z| > k)``, which grows with the scale.
    """
    error, share = read_number(f"{unit}.accuracy", accuracy), read_share(f"{unit}.beta", beta)
    step = read_number(f"{unit}.grid", grid)
    if step <= 0 or error < step:
        raise InvalidError(f"{unit}.accuracy must be at least one step of the grid, got {short(error)}.")
    k = math.floor(error / step)

    def fits(scale: Fraction) -> bool:
        return tail(scale, k)[1] <= share

    low = high = Fraction(k)
    while not fits(low):
        low /= 2
    while fits(high):
        high *= 2
    while high - low > high / 2**_BITS:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low * step
