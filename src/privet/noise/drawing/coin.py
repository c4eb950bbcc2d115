"""Coins whose probability is a real number known by certified bounds."""

import numpy as np
from numpy.typing import NDArray

from privet.noise.drawing.batches import gather
from privet.noise.drawing.lazy import Bounds, LazyUniform
from privet.noise.drawing.parameters import count
from privet.noise.entropy import Entropy


def toss(label: str, bounds: Bounds, size: int | None, entropy: Entropy) -> bool | NDArray[np.bool_]:
    """Toss one coin if ``size`` is None, or that many: decide U < p with as many bits of U as necessary."""
    if size is None:
        return LazyUniform(entropy).below(bounds)
    return flips(bounds, count(label, size), entropy)


def flips(bounds: Bounds, size: int, entropy: Entropy) -> NDArray[np.bool_]:
    """Toss many coins: 16 bits decide nearly all of them."""
    lo, hi = bounds(16)

    def propose(n: int) -> NDArray[np.bool_]:
        heads = entropy.words(n, np.uint16).astype(np.int32)  # wide enough for a bound of 2^16
        result = heads < lo
        for i in np.flatnonzero((heads >= lo) & (heads < hi)):
            result[i] = LazyUniform(entropy, int(heads[i]), 16).below(bounds)
        return result

    return gather(size, propose, np.bool_)
