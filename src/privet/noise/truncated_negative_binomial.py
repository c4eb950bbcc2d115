"""Truncated negative binomial counts: a random number of repetitions, at least one."""

from fractions import Fraction
from typing import overload

import numpy as np
from attrs import frozen
from flint import arb
from numpy.typing import NDArray

from privet.core.exact import ball
from privet.errors import InvalidError
from privet.noise.drawing import Entropy, current, draw_by_walking, number, one_or_many


@overload
def truncated_negative_binomial(
    shape: object, success: object, size: None = None, *, entropy: Entropy | None = None
) -> int: ...
@overload
def truncated_negative_binomial(
    shape: object, success: object, size: int, *, entropy: Entropy | None = None
) -> NDArray[np.int64]: ...
def truncated_negative_binomial(
    shape: object, success: object, size: int | None = None, *, entropy: Entropy | None = None
) -> int | NDArray[np.int64]:
    """Draw whole numbers k >= 1 from the law of a negative binomial count given that it is not zero, exactly.

    ``P(K = k + 1) / P(K = k) = (1 - success) (k + shape) / (k + 1)``. Shape 1 is the geometric law, shape 0 the
    logarithmic law. The time is proportional to the value drawn.

    Args:
        shape: Above -1.
        success: Above zero and below one.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/truncated_negative_binomial.md.

    >>> truncated_negative_binomial(1, 0.5) >= 1
    True
    """
    law = NegativeBinomialLaw(
        number("truncated_negative_binomial.shape", shape), number("truncated_negative_binomial.success", success)
    )
    if law.shape <= -1:
        raise InvalidError(f"truncated_negative_binomial.shape must be above -1, got {shape}.")
    if not 0 < law.success < 1:
        raise InvalidError(f"truncated_negative_binomial.success must lie strictly between 0 and 1, got {success}.")
    source = entropy or current()
    return one_or_many("truncated_negative_binomial.size", size, lambda: draw_by_walking(law, source), np.int64)


@frozen
class NegativeBinomialLaw:
    """The distribution on 1, 2, ..., in the form that a walk needs."""

    shape: Fraction
    success: Fraction
    least: int = 1

    def first(self) -> arb:
        """Enclose ``P(K = 1)``: shape (1 - success) / (success^-shape - 1), or (1 - success) / ln(1 / success)."""
        log = ball(self.success).log()
        if self.shape == 0:
            return -ball(1 - self.success) / log
        return ball(self.shape * (1 - self.success)) / (-ball(self.shape) * log).expm1()

    def ratio(self, k: int) -> Fraction:
        """Return ``P(K = k + 1) / P(K = k)``."""
        return (1 - self.success) * (k + self.shape) / (k + 1)
