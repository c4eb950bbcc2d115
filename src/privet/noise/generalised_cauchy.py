"""Generalised Cauchy noise, rounded to whole numbers: polynomial tails."""

from fractions import Fraction
from typing import Any, overload

from numpy.typing import NDArray

from privet.errors import InvalidError
from privet.noise.drawing import Entropy, Magnitude, current, draw_rounded, number, one_or_many, positive


@overload
def generalised_cauchy(gamma: object, scale: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def generalised_cauchy(gamma: object, scale: object, size: int, *, entropy: Entropy | None = None) -> NDArray[Any]: ...
def generalised_cauchy(
    gamma: object, scale: object, size: int | None = None, *, entropy: Entropy | None = None
) -> int | NDArray[Any]:
    """Draw whole numbers nearest to ``scale Z``, where Z has a density proportional to ``1 / (1 + |z|^gamma)``.

    Z is a real number; the sampler draws as many of its digits as the rounding needs.

    Args:
        gamma: The rate of decay of the density, above one; 2 is the Cauchy distribution.
        scale: Spread, above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        A Python int, or an array of Python ints: a draw may not fit in 64 bits.

    Proof: docs/noise/generalised_cauchy.md.

    >>> type(generalised_cauchy(2, 10))
    <class 'int'>
    """
    law = cauchy_magnitude(gamma)
    spread = positive("generalised_cauchy.scale", scale)
    source = entropy or current()
    return one_or_many("generalised_cauchy.size", size, lambda: draw_rounded(law, spread, source), object)


def cauchy_magnitude(gamma: object) -> Magnitude:
    """Return the law of |Z|."""
    shape = number("generalised_cauchy.gamma", gamma)
    if shape <= 1:
        raise InvalidError(f"generalised_cauchy.gamma must be above one, got {gamma}: the density has no finite mass.")
    return Magnitude(shape, Fraction(1), shape - 1)
