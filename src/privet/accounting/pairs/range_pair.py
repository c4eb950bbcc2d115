"""The dominating pair of bounded range."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.numerics import UNIT, Floats, exp, expm1
from privet.accounting.pairs.pair import LARGEST, AtomPair, Cells, Pair, nothing_private
from privet.core import to_float_up

_ERROR = 2.0**-42
_LEAST = 2.0**-500  # smaller ranges would underflow


@final
@frozen(eq=False)
class RangePair(Pair):
    """Two laws whose losses lie between -eta and eta with P(loss > x) = (e^eta - e^((eta + x)/2)) / (e^eta - 1).

    Args:
        eta: The range, above zero.
    """

    eta: float

    def cells(self, edges: Floats) -> Cells:
        """Differences of exponentials."""
        inside = np.clip(edges, -self.eta, self.eta)
        ends = np.concatenate([[-self.eta], inside, [self.eta]])
        growth = expm1(np.diff(ends) / 2) / -math.expm1(-self.eta)
        p = exp((ends[:-1] - self.eta) / 2) * growth
        q = exp((-ends[1:] - self.eta) / 2) * growth
        return Cells(p, q, 0.0, 0.0, _ERROR, 4 * UNIT * (1 + self.eta))

    def span(self, tail: float) -> tuple[float, float]:
        """No loss is larger."""
        return -self.eta, self.eta


def range_pair(cost: Fraction) -> Pair:
    """Give the pair that dominates everything of this range."""
    eta = to_float_up(cost)  # a larger range dominates
    if eta > LARGEST:
        return nothing_private()
    return RangePair(max(eta, _LEAST)) if eta > 0 else AtomPair.of_one()
