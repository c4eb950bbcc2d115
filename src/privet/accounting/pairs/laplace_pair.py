"""The dominating pair of Laplace noise, continuous or discrete, kept within a radius or not."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.numerics import UNIT, Floats, exp, expm1
from privet.accounting.pairs.pair import LARGEST, AtomPair, Cells, Pair, nothing_private
from privet.core import to_float_up

_ERROR = 2.0**-44  # of a product of two exponentials, apart from the rounding of their arguments
_STEPS = 2**40  # floats do not distinguish more
_LEAST = 2.0**-500  # smaller distances would underflow
_LISTED = 2**10  # up to this many steps, every loss is listed


@final
@frozen(eq=False)
class LaplacePair(Pair):
    """Two Laplace laws, a distance apart.

    Args:
        epsilon: The distance in scales, above zero: the largest loss.
        steps: The distance in steps of the grid; zero for continuous noise.
        blur: How much smaller losses may be, as the numbers above were rounded up.
    """

    epsilon: float
    steps: int
    blur: float = 0.0

    def cells(self, edges: Floats) -> Cells:
        """Half of each law lies beyond the other's centre, with the largest loss; between, the loss is linear."""
        ends, width, share, slip = self._positions(edges)
        next_step = math.exp(-self.epsilon / self.steps) if self.steps else 1.0  # Q falls from a step to the next
        # positions are in scales from the centre of Q; both laws are exponentials between the centres
        p = share * exp(ends[1:] - self.epsilon) * -expm1(-width)
        q = share * next_step * exp(-ends[:-1]) * -expm1(-width)
        edge = share * float(np.exp(-self.epsilon))
        low, high = np.searchsorted(edges, [-self.epsilon, self.epsilon])
        first, last = self._outside(ends, share, next_step)
        p, q = np.concatenate([first[:1], p, last[:1]]), np.concatenate([first[1:], q, last[1:]])
        for cell, of_p, of_q in ((low, edge, share), (high, share, edge)):
            p[cell] += of_p
            q[cell] += of_q
        return Cells(p, q, 0.0, 0.0, _ERROR + 8 * UNIT * self.epsilon, slip, blur=self.blur)

    def _positions(self, edges: Floats) -> tuple[Floats, Floats, float, float]:
        """Give edges as positions between the centres, their distances, the weight of half a law, and the slip."""
        across = np.clip((edges + self.epsilon) / 2, 0.0, self.epsilon)
        if self.steps == 0:
            return across, np.diff(across), 0.5, 4 * UNIT * self.epsilon
        unit = self.epsilon / self.steps
        # whole steps at or below an edge; the centre of P itself belongs to its half
        whole = np.clip(np.floor(across / unit * (1 + 4 * UNIT)), 0, self.steps - 1)
        # a difference of positions would lose the digits that whole steps keep
        return whole * unit, np.diff(whole) * unit, 1 / (1 + math.exp(-unit)), 32 * UNIT * self.epsilon

    def _outside(self, ends: Floats, share: float, next_step: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """The part between the centres below the first edge, and that above the last edge."""
        unit = self.epsilon / self.steps if self.steps else 1.0
        last = float(self.steps - 1) if self.steps else self.epsilon

        def between(low: float, high: float) -> tuple[float, float]:
            weight = share * -math.expm1(-(high - low) * unit)
            return weight * math.exp(high * unit - self.epsilon), weight * next_step * math.exp(-low * unit)

        low, high = (round(float(end) / unit) if self.steps else float(end) for end in (ends[0], ends[-1]))
        return between(0.0, low), between(high, last)

    def ends(self) -> tuple[float, float]:
        """Half of each law has the largest loss."""
        return -self.epsilon, self.epsilon

    def atoms(self) -> AtomPair | None:
        """Both halves and the numbers between the centres, where they are few."""
        if not 0 < self.steps <= _LISTED:
            return None
        unit = self.epsilon / self.steps
        across = np.arange(self.steps + 1, dtype=np.float64)
        masses = exp(across * unit - self.epsilon) / (1 + math.exp(-unit))
        masses[1:-1] *= -math.expm1(-unit)
        return AtomPair(
            losses=2 * across * unit - self.epsilon,
            masses=masses,
            only_p=0.0,
            only_q=0.0,
            error=_ERROR + 8 * UNIT * self.epsilon,
            slip=32 * UNIT * self.epsilon,
            apart=self.spacing(),
            blur=self.blur,
        )

    def spacing(self) -> float:
        """Between neighbouring numbers of the grid, or between the two halves."""
        return 2 * self.epsilon / max(self.steps, 1)

    def span(self, tail: float) -> tuple[float, float]:
        """No loss is larger."""
        return max(-self.epsilon, -LARGEST), min(self.epsilon, LARGEST)


def laplace_pair(distance: Fraction, scale: Fraction, steps: int) -> Pair:
    """Give the pair of two Laplace laws; ``steps`` is the distance in steps of the grid, zero where there is none."""
    cost, blur = distance / scale, 4 * UNIT
    if steps > _STEPS:  # round the number of steps up, and merge them in groups: both dominate
        each = -(-steps // _STEPS)
        cost, steps = cost * (-(-steps // each) * each) / steps, -(-steps // each)
        blur = 6.0 / steps  # of epsilon: losses differ by six of the larger steps at most
    epsilon = max(to_float_up(cost), _LEAST)  # a larger distance in scales dominates
    return LaplacePair(epsilon, steps, blur * epsilon + _LEAST) if epsilon <= LARGEST else nothing_private()
