"""Hypergeometric counts: the number of good items in a sample without replacement."""

from typing import overload

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from privet.errors import InvalidError, UnavailableError
from privet.noise.drawing import (
    SMALL,
    Entropy,
    LazyUniform,
    count,
    current,
    gather,
    invert,
    one_or_many,
    ratio_bounds,
    table_of,
)
from privet.noise.sampling import simple_sample

_TABLE = 1 << 15  # up to this many possible counts, their distribution is summed
_LARGEST_SAMPLE = 1 << 24  # up to this many draws, the sample itself is drawn


@overload
def hypergeometric(good: int, bad: int, draws: int, size: None = None, *, entropy: Entropy | None = None) -> int: ...
@overload
def hypergeometric(
    good: int, bad: int, draws: int, size: int, *, entropy: Entropy | None = None
) -> NDArray[np.int64]: ...
def hypergeometric(
    good: int, bad: int, draws: int, size: int | None = None, *, entropy: Entropy | None = None
) -> int | NDArray[np.int64]:
    """Draw the number of good items among ``draws`` items drawn without replacement from ``good + bad``, exactly.

    Args:
        good: The number of good items.
        bad: The number of bad items.
        draws: The number of items drawn.
        size: How many counts to draw; None for one Python int.
        entropy: The source of randomness; by default the stream of the operating system.

    Proof: docs/noise/hypergeometric.md.

    >>> hypergeometric(3, 0, 2)
    2
    """
    good, bad = count("hypergeometric.good", good), count("hypergeometric.bad", bad)
    draws = count("hypergeometric.draws", draws)
    if draws > good + bad:
        raise InvalidError(f"hypergeometric.draws must be at most good + bad = {good + bad}, got {draws}.")
    if good + bad >= 1 << 63:
        raise InvalidError(f"hypergeometric.good + bad must be below 2^63, got {good + bad}.")
    source = entropy or current()
    law = _law(good, bad, draws)
    if size is not None and law.last < _TABLE and count("hypergeometric.size", size) >= SMALL:
        shared = table_of(law)
        return gather(size, lambda n: law.first + shared.draw(n, source))
    return one_or_many("hypergeometric.size", size, lambda: _draw_one(law, source), np.int64)


@frozen
class HypergeometricLaw:
    """The count minus its smallest value ``first``, on 0 .. last."""

    good: int
    bad: int
    draws: int
    first: int
    last: int

    def ratio(self, k: int) -> tuple[int, int]:
        """Return ``P(X = k + 1) / P(X = k)``."""
        x = self.first + k
        return (self.good - x) * (self.draws - x), (x + 1) * (self.bad - self.draws + x + 1)

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Bracket ``P(X - first <= k)``."""
        return ratio_bounds(self, k, bits)


def _law(good: int, bad: int, draws: int) -> HypergeometricLaw:
    first = max(0, draws - bad)
    return HypergeometricLaw(good, bad, draws, first, min(good, draws) - first)


def _draw_one(law: HypergeometricLaw, entropy: Entropy) -> int:
    if law.last < _TABLE:
        mean = law.good * law.draws // max(law.good + law.bad, 1)
        return law.first + invert(law, LazyUniform(entropy), mean - law.first)
    # Drawing d and marking g is the same as drawing g and marking d, so the smaller of the two is drawn.
    few, marked = sorted((law.good, law.draws))
    if few > _LARGEST_SAMPLE:
        raise UnavailableError(
            f"hypergeometric needs good or draws of at most {_LARGEST_SAMPLE}, got {law.good} and {law.draws}."
        )
    return int(np.count_nonzero(simple_sample(law.good + law.bad, few, entropy=entropy) < marked))
