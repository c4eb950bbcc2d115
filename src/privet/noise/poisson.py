"""Poisson counts."""

from fractions import Fraction
from typing import overload

import numpy as np
from attrs import frozen
from flint import arb
from numpy.typing import NDArray

from privet.core.exact import ball
from privet.noise.drawing import Entropy, current, draw_by_walking, one_or_many, positive


@overload
def poisson(mean: object, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def poisson(mean: object, size: int, *, entropy: Entropy | None = None) -> NDArray[np.int64]: ...
def poisson(mean: object, size: int | None = None, *, entropy: Entropy | None = None) -> int | NDArray[np.int64]:
    """Draw whole numbers k >= 0 with ``P(K = k) = exp(-mean) mean^k / k!``, exactly.

    The time is proportional to the value drawn.

    Args:
        mean: Above zero.
        size: How many to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/poisson.md.

    >>> poisson(3) >= 0
    True
    """
    law = PoissonLaw(positive("poisson.mean", mean))
    source = entropy or current()
    return one_or_many("poisson.size", size, lambda: draw_by_walking(law, source), np.int64)


@frozen
class PoissonLaw:
    """The distribution on 0, 1, ..., in the form that a walk needs."""

    mean: Fraction
    least: int = 0

    def first(self) -> arb:
        """Enclose ``P(K = 0)``."""
        return (-ball(self.mean)).exp()

    def ratio(self, k: int) -> Fraction:
        """Return ``P(K = k + 1) / P(K = k)``."""
        return self.mean / (k + 1)
