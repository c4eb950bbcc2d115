"""Loss distributions on a grid: from above, which decide, and from below, which show the slack.

From above, the probability of each cell moves to both ends of the cell, so that P and Q keep their totals; every mass
is then rounded up. Masses are not negative, so a relative error stays one under convolution and an upper bound stays an
upper bound. From below, outcomes are merged. Proofs: docs/accounting/pairs/distribution.md.

A thousand different parts need a fine grid, on which discrete noise has a mass at one point of thirty: an ``AtomGrid``
keeps only those points. Proofs: docs/accounting/pairs/atom_grid.md.
"""

import math
from typing import final

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from privet.accounting.numerics import EXP_ERROR, UNIT, Floats, exp, expm1, geometric
from privet.accounting.pairs.pair import LARGEST, AtomPair, Cells, Pair

Places = NDArray[np.intp]
_TINY = 2.0**-1000  # what underflow may have taken from a mass
_FINER = 2  # the grid has this many points for each loss, at least
_SPLIT = 2.0**-43  # the error of how a mass is split, roundings of the loss apart
_CLOSE = 2.0**-20  # losses this close to a point of the grid, in steps, are taken to lie on it
_FEW = 4  # this many merged outcomes may be joined with their neighbours ...
_JOINED = 2**12  # ... each with at most this many of them
_LITTLE = 0.02  # ... if they lie this much of a step below their place


@final
@frozen(eq=False)
class Distribution:
    """Masses of P on losses of a grid, each an upper bound (or each a lower bound).

    Args:
        step: The step of the grid.
        first: The index of the first mass.
        masses: Masses at ``(first + i) step + offset``.
        infinite: The mass at infinite loss.
        slip: How much larger (from below: how much smaller) every loss may be.
        offset: Where the grid lies; zero from above.
        places: Where most points of the grid have no mass: the points that have one, some of them perhaps twice; then
            the masses are at ``(first + places[i]) step + offset``.
    """

    step: float
    first: int
    masses: Floats
    infinite: float
    slip: float
    offset: float = 0.0
    places: Places | None = None

    def losses(self) -> Floats:
        """The losses of the masses."""
        return self._points() * self.step + self.offset

    def _points(self) -> Floats:
        places = np.arange(len(self.masses)) if self.places is None else self.places
        return (self.first + places).astype(np.float64)

    def farthest(self) -> float:
        """The largest distance of a place from zero, offset apart."""
        length = len(self.masses) if self.places is None else int(self.places.max(initial=0)) + 1
        return max(abs(self.first), abs(self.first + length)) * self.step

    def tilted(self, tilt: float) -> Floats:
        """The masses times e^(tilt loss), offset apart; the relative error is that of ``geometric``."""
        if self.places is None:
            return self.masses * geometric(tilt * self.step, len(self.masses), self.first)
        return self.masses * exp(self._points() * (tilt * self.step))


def halves(pair: Pair, step: float, tail: float, offset: float = 0.0) -> "Halves":
    """Read a pair in cells of half a step, from which both bounds are made."""
    low, high = pair.span(tail)
    first, last = math.floor(max(low, -LARGEST) / step) - 1, math.ceil(min(high, LARGEST) / step) + 1
    edges: Floats = np.arange(2 * first - 1, 2 * last + 2, dtype=np.float64) * (step / 2) + offset
    cells = pair.cells(edges)
    slip = cells.slip + 4 * UNIT * (float(np.abs(edges).max()) + abs(offset))
    return Halves(step, first, evolve(cells, slip=slip), offset)


def offset_for(pair: Pair, step: float) -> float:
    """Give where the grid must lie so that the largest loss is on it: merged outcomes then keep it."""
    top = pair.ends()[1]
    return top - math.floor(top / step + 2.0**-20) * step


@final
@frozen(eq=False)
class Halves:
    """Probabilities in cells between the points of a grid and the points half-way.

    Args:
        step: The step of the grid.
        first: The index of the first grid point; the first edge lies half a step below.
        cells: The probabilities.
        offset: Where the grid lies.
    """

    step: float
    first: int
    cells: Cells
    offset: float = 0.0

    def above(self) -> Distribution:
        """Split each cell between grid points onto its ends, rounding every mass up."""
        cells, step = self.cells, self.step
        p, q = _pairs_of(cells.p[2:-2]), _pairs_of(cells.q[2:-2])
        count = len(p)
        lift = geometric(step, count, self.first)  # e^loss at the lower end of each cell
        upper = np.minimum(np.maximum((p - q * lift) / -math.expm1(-step), 0.0), p)
        # p, q and e^loss are off by their relative errors, q also by the slip; the difference is divided by the step
        lifted = 3 * EXP_ERROR + UNIT * (16 + 4 * step * (abs(self.first) + count))
        off = (2 * cells.error + 2 * cells.slip + lifted) / step * (1 + step)
        masses = np.full(count + 1, _TINY)
        masses[:-1] += p - upper + off * p
        masses[1:] += upper + off * p
        grow = 1 + cells.error + 8 * UNIT
        masses[0] += float(cells.p[:2].sum()) * grow
        return Distribution(
            step=step,
            first=self.first,
            masses=masses * (1 + cells.growth + 8 * UNIT),
            infinite=(float(cells.p[-2:].sum()) + cells.only_p) * grow * (1 + cells.growth) + cells.beyond + _TINY,
            slip=cells.slip + cells.shift,
        )

    def below(self) -> Distribution:
        """Merge what lies around each grid point; the loss of the merged outcome is that of the masses."""
        cells, step = self.cells, self.step
        p, q = _pairs_of(cells.p[1:-1]), _pairs_of(cells.q[1:-1])
        known = (p > 1e-250) & (q > 1e-250)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(known, np.log(p / q), 0.0) - (self.first + np.arange(len(p))) * step - self.offset
        rounding = 8 * UNIT * (step * (abs(self.first) + len(p)) + abs(self.offset))
        moved -= 2 * cells.error + 2.0**-45 + rounding
        masses = np.where(known, p, 0.0)
        lowest = _lowest(moved[known], step)
        grid: Floats = (self.first + np.arange(len(p), dtype=np.float64)) * step + self.offset + lowest
        sure = 1 - (2 * cells.error + 2.0**-38 + rounding)
        for index in np.flatnonzero(known & (moved < lowest)):
            _merge(p, q, masses, grid, int(index), sure, float(moved[index] - lowest) / step)
        return Distribution(
            step=step,
            first=self.first,
            masses=masses * max(1 - cells.error - cells.growth - 2 * _JOINED * UNIT, 0.0),
            # the outcomes that were left out may have no mass at all
            infinite=cells.only_p * (1 - cells.error - cells.growth) - cells.beyond * (1 + 2.0**-40),
            slip=cells.shift + cells.blur,
            offset=self.offset + lowest,
        )


def _lowest(moved: Floats, step: float) -> float:
    """Give how far the grid moves down so that no outcome lies below its place, or only a few that are joined.

    A few may lie far below, as one with a probability of its own does.
    """
    lowest = float(moved.min(initial=0.0))
    few = lowest < -_LITTLE * step and len(moved) > _FEW
    return min(float(np.partition(moved, _FEW)[_FEW]), 0.0) if few else lowest


def _merge(p: Floats, q: Floats, masses: Floats, grid: Floats, index: int, sure: float, short: float) -> None:
    """Join an outcome whose loss lies below its place with the next ones until it does not.

    Where that does not help it moves down a place, or is left out where its loss is more than a step ``short``.
    """
    if masses[index] == 0:
        return
    # the masses of P and Q of the first outcomes together, up to the next gap
    gaps = np.flatnonzero(masses[index : index + _JOINED] == 0)
    end = index + (int(gaps[0]) if len(gaps) else min(_JOINED, len(p) - index))
    total_p, total_q = np.cumsum(p[index:end]), np.cumsum(q[index:end])
    enough = np.flatnonzero(total_p * sure >= total_q * np.exp(grid[index:end]))
    if len(enough) == 0:
        if index and short >= -1:
            masses[index - 1] += masses[index]
        masses[index] = 0
        return
    last = index + int(enough[0])
    masses[index:last] = 0
    masses[last] = total_p[int(enough[0])]


def _pairs_of(values: Floats) -> Floats:
    return values[0::2] + values[1::2]


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
        """Split each mass onto both ends of its cell, so that P and Q keep their totals; round every mass up."""
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
        return Distribution(
            step=step,
            first=first,
            masses=ends * grow + _TINY,
            infinite=(float(pair.masses[self.end :].sum()) + pair.only_p) * grow + pair.beyond + _TINY,
            slip=slip,
            places=np.concatenate([places, places + 1]),
        )

    def below(self) -> Distribution:
        """Move each mass down to a grid that lies where this takes least; round every mass down."""
        pair, step = self.pair, self.step
        losses, masses = self._kept()
        lowered = losses - (pair.slip + 16 * UNIT * (float(np.abs(losses).max()) + step))
        offset = (_best_phase(lowered / step, masses) - _CLOSE) * step
        points = np.floor((lowered - offset) / step)
        first = int(points[0])
        return Distribution(
            step=step,
            first=first,
            masses=masses * max(1 - pair.error - 8 * UNIT, 0.0),
            infinite=pair.only_p * (1 - pair.error) - pair.beyond * (1 + 2.0**-40),
            slip=pair.blur,
            offset=offset,
            places=(points - first).astype(np.intp),
        )

    def _kept(self) -> tuple[Floats, Floats]:
        return self.pair.losses[self.start : self.end], self.pair.masses[self.start : self.end]


def scatter(pair: Pair, step: float, tail: float) -> AtomGrid | None:
    """Keep the losses of a pair except the rarest; None if it has too many, or if the grid is not much finer."""
    atoms = pair.atoms()
    if atoms is None:
        return None
    low, high = atoms.span(tail)
    start = int(np.searchsorted(atoms.losses, max(low, -LARGEST), side="left"))
    end = int(np.searchsorted(atoms.losses, min(high, LARGEST), side="right"))
    fine = start < end and (high - low) / step >= _FINER * (end - start - 1)
    return AtomGrid(atoms, step, start, end) if fine else None


def _best_phase(losses: Floats, masses: Floats) -> float:
    """Give where between whole numbers a grid lies best: where moving down to it costs least on average."""
    phases = losses - np.floor(losses)
    order = np.argsort(phases)
    sorted_phases, sorted_masses = phases[order], masses[order]
    # with the grid at a phase, each mass moves by its phase minus this one, plus one where that is negative
    below = np.cumsum(sorted_masses) - sorted_masses
    cost = below - float(sorted_masses.sum()) * sorted_phases
    return float(sorted_phases[int(np.argmin(cost))])
