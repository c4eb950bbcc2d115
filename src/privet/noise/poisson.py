"""Poisson counts."""

from fractions import Fraction
from typing import Any, overload

import numpy as np
from attrs import frozen
from flint import arb
from numpy.typing import NDArray

from privet.core.exact import ball
from privet.noise.entropy import Entropy, current
from privet.noise.parameters import count, positive
from privet.noise.walk import walked


@overload
def poisson(mean: Any, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def poisson(mean: Any, size: int, *, entropy: Entropy | None = None) -> NDArray[np.int64]: ...
def poisson(mean: Any, size: int | None = None, *, entropy: Entropy | None = None) -> int | NDArray[np.int64]:
    """Draw whole numbers k >= 0 with ``P(K = k) = exp(-mean) mean^k / k!``, exactly.

    The time grows with what is drawn.

    Args:
        mean: Above zero.
        size: How many to draw; None for one Python int.
        entropy: Where the randomness comes from; by default the operating system's stream.

    Proof: docs/noise/poisson.md.

    >>> poisson(3) >= 0
    True
    """
    law = PoissonLaw(positive("poisson.mean", mean))
    source = entropy or current()
    if size is None:
        return walked(law, source)
    return np.array([walked(law, source) for _ in range(count("poisson.size", size))], dtype=np.int64)


@frozen
class PoissonLaw:
    """The distribution on 0, 1, ..., as a walk needs it."""

    mean: Fraction
    least: int = 0

    def first(self) -> arb:
        """Enclose ``P(K = 0)``."""
        return (-ball(self.mean)).exp()

    def ratio(self, k: int) -> Fraction:
        """Return ``P(K = k + 1) / P(K = k)``."""
        return self.mean / (k + 1)
