"""Student's t noise, rounded to whole numbers: any degrees of freedom, whole or not."""

from fractions import Fraction
from typing import Any, overload

from numpy.typing import NDArray

from privet.noise.drawing import Entropy, Magnitude, current, draw_rounded, one_or_many, positive


@overload
def student_t(degrees: object, scale: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def student_t(degrees: object, scale: object, size: int, *, entropy: Entropy | None = None) -> NDArray[Any]: ...
def student_t(
    degrees: object, scale: object, size: int | None = None, *, entropy: Entropy | None = None
) -> int | NDArray[Any]:
    """Draw whole numbers nearest to ``scale Z``, where Z has Student's t distribution.

    Z is a real number; the sampler draws as many of its digits as the rounding needs.

    Args:
        degrees: Degrees of freedom, above zero; the tail decays like ``z^-degrees``.
        scale: Spread, above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        A Python int, or an array of Python ints: a draw may not fit in 64 bits.

    Proof: docs/noise/student_t.md.

    >>> type(student_t(3, 10))
    <class 'int'>
    """
    law = student_magnitude(degrees)
    spread = positive("student_t.scale", scale)
    source = entropy or current()
    return one_or_many("student_t.size", size, lambda: draw_rounded(law, spread, source), object)


def student_magnitude(degrees: object) -> Magnitude:
    """Return the law of |Z|."""
    freedom = positive("student_t.degrees", degrees)
    return Magnitude(Fraction(2), 1 / freedom, freedom)
