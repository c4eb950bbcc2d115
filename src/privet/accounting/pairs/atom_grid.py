"""Loss distributions of finitely many losses on a much finer grid: only the points that have a mass are kept.

A thousand different parts need a fine grid, on which discrete noise has a mass at one point of thirty. From above, each
loss moves to both ends of its cell; from below, it moves down to the grid. Proofs: docs/accounting/pairs/atom_grid.md.
"""

from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.numerics import UNIT, Floats, expm1
from privet.accounting.pairs.distribution import Distribution, Places
from privet.accounting.pairs.pair import LARGEST, AtomPair

_FINER = 2  # the grid has this many points for each loss, at least
_SPLIT = 2.0**-43  # the error of how a mass is split, roundings of the loss apart
_TINY = 2.0**-1000  # what underflow may have taken from a mass
_CLOSE = 2.0**-20  # losses this close to a point of the grid, in steps, are taken to lie on it


@final
@frozen(eq=False)
class AtomGrid:
    """Losses, and the grid on which they are to lie.

    Args:
        pair: The losses with their masses.
        step: The step of the grid.
        start: The first loss that is kept; those before have next to no probability.
        end: One after the last loss that is kept.
    """

    pair: AtomPair
    step: float
    start: int
    end: int

    def above(self) -> Distribution:
        """Split each mass onto both ends of its cell, as the losses ask for; round every mass up."""
        pair, step = self.pair, self.step
        losses, masses = self._kept()
        reach = float(np.abs(losses).max()) + step
        cells = np.floor(losses / step)
        share = expm1(np.clip(cells * step - losses, -step, 0.0)) / expm1(np.array([-step]))
        slip = pair.slip + 4 * UNIT * reach
        off = (slip + 4 * UNIT * reach) / step * (1 + step) + _SPLIT
        ends = np.concatenate([masses * (1 - share + off), masses * (share + off)])
        first = int(cells[0])
        places = (cells - first).astype(np.intp)
        grow = 1 + pair.error + (len(pair.masses) + 8) * UNIT
        ends[len(masses)] += float(pair.masses[: self.start].sum())  # what lies below the first loss moves above it
        infinite = (float(pair.masses[self.end :].sum()) + pair.only_p) * grow + pair.beyond + _TINY
        both: Places = np.concatenate([places, places + 1])
        return Distribution(step, first, ends * grow + _TINY, infinite, slip, places=both)

    def below(self) -> Distribution:
        """Move each mass down to a grid that lies where this takes least; round every mass down."""
        pair, step = self.pair, self.step
        losses, masses = self._kept()
        reach = float(np.abs(losses).max()) + step
        lowered = losses - (pair.slip + 16 * UNIT * reach)
        offset = (_best_phase(lowered / step, masses) - _CLOSE) * step
        points = np.floor((lowered - offset) / step)
        first = int(points[0])
        infinite = pair.only_p * (1 - pair.error) - pair.beyond * (1 + 2.0**-40)
        sure = masses * max(1 - pair.error - 8 * UNIT, 0.0)
        return Distribution(step, first, sure, infinite, pair.blur, offset, (points - first).astype(np.intp))

    def _kept(self) -> tuple[Floats, Floats]:
        return self.pair.losses[self.start : self.end], self.pair.masses[self.start : self.end]


def scatter(pair: AtomPair, step: float, tail: float) -> AtomGrid | None:
    """Keep the losses of a pair but for the rarest; None where the grid is not much finer than they are."""
    low, high = pair.span(tail)
    start = int(np.searchsorted(pair.losses, max(low, -LARGEST), side="left"))
    end = int(np.searchsorted(pair.losses, min(high, LARGEST), side="right"))
    if start == end or (high - low) / step < _FINER * (end - start - 1):
        return None
    return AtomGrid(pair, step, start, end)


def _best_phase(losses: Floats, masses: Floats) -> float:
    """Give where between whole numbers a grid lies best: where moving down to it costs least on average."""
    phases = losses - np.floor(losses)
    order = np.argsort(phases)
    sorted_phases, sorted_masses = phases[order], masses[order]
    # with the grid at a phase, each mass moves by its phase minus this one, plus one where that is negative
    below = np.cumsum(sorted_masses) - sorted_masses
    cost = below - float(sorted_masses.sum()) * sorted_phases
    return float(sorted_phases[int(np.argmin(cost))])
