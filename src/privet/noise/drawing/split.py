"""Large scales: a coarse part from a certified table, fine bits, and an exact acceptance.

To draw x >= 0 with weight f(x), write x = m high + low with m = 2^shift. Propose high with weight f(m high) and low
uniform below m, and accept with probability f(m high + low) / f(m high) = exp(-gamma(high, low)). For nearly all
proposals 16 bits suffice; a float filter with a proved error decides most others, and ball arithmetic the rest.
Proof: docs/noise/index.md.
"""

from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from privet.core.exact import ball, precision
from privet.noise.drawing.batches import random_bits
from privet.noise.drawing.exp_filter import ERROR, LIMIT, exp_minus
from privet.noise.drawing.lazy import GUARD, Cumulative, LazyUniform, outward
from privet.noise.drawing.table import DrawTable, table_of
from privet.noise.entropy import Entropy

LARGEST_COARSE = 1 << 15


class Decay(Protocol):
    """The weights f of a one-sided distribution, split into a coarse and a fine part."""

    @property
    def shift(self) -> int:
        """The number of fine bits."""

    @property
    def coarse(self) -> Cumulative:
        """The distribution with weights f(m high)."""

    def gamma(self, high: int, low: int) -> Fraction:
        """Return -ln(f(m high + low) / f(m high)) exactly; it grows with low."""

    def approximate(self, high: NDArray[np.int64], low: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return gamma with a relative error below 2^-50."""


@frozen(eq=False)
class Split:
    """A sampler of x >= 0 with weights f(x)."""

    decay: Decay
    table: DrawTable
    sure: NDArray[np.uint16]
    """For each high part a 16-bit number; below it every fine part is accepted. Zero beyond the table."""

    def propose(self, n: int, entropy: Entropy) -> NDArray[np.int64]:
        """Make n proposals and return those accepted."""
        coarse = self.table.draw(n, entropy)
        if coarse.max(initial=0) >= LARGEST_COARSE:
            # this has probability below e^-1000 at every scale for which this class is used
            raise OverflowError("a draw does not fit 64 bits.")
        fine = random_bits(n, self.decay.shift, entropy)
        heads = entropy.words(n, np.uint16)
        accepted = heads < self.sure.take(coarse, mode="clip")
        open_ = np.flatnonzero(~accepted)
        accepted[open_] = self._decide(coarse[open_], fine[open_], heads[open_], entropy)
        coarse <<= self.decay.shift
        coarse |= fine
        return coarse[accepted]

    def _decide(
        self, coarse: NDArray[np.int64], fine: NDArray[np.int64], heads: NDArray[np.uint16], entropy: Entropy
    ) -> NDArray[np.bool_]:
        rest = entropy.words(heads.size, np.uint64) >> np.uint64(16)
        words = (heads.astype(np.uint64) << np.uint64(48)) | rest
        gamma = self.decay.approximate(coarse, fine)
        gap = exp_minus(np.minimum(gamma, LIMIT)) - words.astype(np.float64) * 2.0**-64
        accepted = gap > 0
        for i in np.flatnonzero((np.abs(gap) <= ERROR) | (gamma > LIMIT)):
            exponent = self.decay.gamma(int(coarse[i]), int(fine[i]))
            accepted[i] = LazyUniform(entropy, int(words[i]), 64).below(partial(exp_bounds, exponent))
        return accepted


def exp_bounds(rate: Fraction, bits: int) -> tuple[int, int]:
    """Bracket exp(-rate) between multiples of 2^-bits."""
    with precision(bits + GUARD):
        return outward((-ball(rate)).exp(), bits)


def split_of(decay: Decay) -> Split:
    """Prepare a sampler. The table of the coarse part takes most of the time and is cached."""
    coarse = table_of(decay.coarse)
    last = (1 << decay.shift) - 1
    largest = [decay.gamma(h, last) for h in range(coarse.low.size)]
    sure = {gamma: min(exp_bounds(gamma, 16)[0], 2**16 - 1) for gamma in set(largest)}
    return Split(decay, coarse, np.array([sure[gamma] for gamma in largest] + [0], np.uint16))
