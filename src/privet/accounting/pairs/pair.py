"""Dominating pairs: two distributions that are at least as far apart as the releases of any two neighbours.

A pair (P, Q) dominates where P(S) - c Q(S) is at most its largest value on the pair, for every c >= 0. Pairs compose:
the product of the pairs of several releases dominates the releases together, also where queries are adaptive (Zhu, Dong
and Wang 2022, theorem 10). A pair matters only through its loss ln(dP/dQ), so a pair here answers how likely each cell
of losses is. Proofs: docs/accounting/pairs/pair.md.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.accounting.numerics import EXP_ERROR, UNIT, Floats, exp, expm1
from privet.core import to_float_down, to_float_up

LARGEST = 600.0  # losses beyond are counted as infinite, or as this much below zero
_EDGE = 650.0  # edges may lie a little beyond
_LEAST_RANGE, _RANGE_ERROR = 2.0**-500, 2.0**-42  # smaller ranges would underflow
_RARE = 2.0**-60  # the probability below which a grid is not laid through the largest loss


@final
@frozen(eq=False)
class Cells:
    """How likely losses are: at most the first edge, between edges, above the last edge, infinite.

    Args:
        p: Probabilities under P of each cell, one more than there are edges.
        q: Probabilities under Q.
        only_p: The probability under P of outcomes that Q never gives.
        only_q: The probability under Q of outcomes that P never gives.
        error: The relative error of each of these numbers.
        slip: How far the loss of an outcome may lie outside its cell.
        growth: By how much, relatively, every divergence may be larger than that of these cells ...
        shift: ... read at an epsilon that is this much smaller.
        blur: How much smaller losses may be where outcomes are coarser than these cells.
        beyond: The probability, at most and under either law, of outcomes of which nothing is known.
    """

    p: Floats
    q: Floats
    only_p: float
    only_q: float
    error: float
    slip: float
    growth: float = 0.0
    shift: float = 0.0
    blur: float = 0.0
    beyond: float = 0.0

    def reverse(self) -> "Cells":
        """Turn the axis around; a loss on an edge may change its cell, which is a slip of nothing."""
        return evolve(self, p=self.q[::-1], q=self.p[::-1], only_p=self.only_q, only_q=self.only_p)


class Pair(ABC):
    """A dominating pair for one direction between neighbours."""

    @abstractmethod
    def cells(self, edges: Floats) -> Cells:
        """Give the probabilities of the cells between rising, finite edges."""

    @abstractmethod
    def span(self, tail: float) -> tuple[float, float]:
        """Give losses (low, high) with probability below ``tail`` under Q of less and under P of more, roughly."""

    def reverse(self) -> "Pair":
        """Give (Q, P)."""
        return ReversedPair(self)

    def spacing(self) -> float:
        """Give s where every loss of positive probability is a multiple of s / 2; zero where there is none."""
        return 0.0

    def ends(self) -> tuple[float, float]:
        """Give the smallest and the largest loss where these have probabilities of their own; else zeros."""
        return 0.0, 0.0

    def atoms(self) -> "AtomPair | None":
        """Give the same pair as a list of losses with their masses, where it has finitely many."""
        return None


@final
@frozen(eq=False)
class ReversedPair(Pair):
    """The pair (Q, P) of a pair (P, Q).

    Args:
        base: The pair.
    """

    base: Pair

    def cells(self, edges: Floats) -> Cells:
        """Turn the axis around."""
        return self.base.cells(-edges[::-1]).reverse()

    def span(self, tail: float) -> tuple[float, float]:
        """Turn the axis around."""
        low, high = self.base.span(tail)
        return -high, -low

    def ends(self) -> tuple[float, float]:
        """Turn the axis around."""
        low, high = self.base.ends()
        return -high, -low

    def reverse(self) -> Pair:
        """Give the pair itself."""
        return self.base


@final
@frozen(eq=False)
class MixedPair(Pair):
    """The pair ((1 - rate) Q + rate P, Q): a record that is present with some probability only.

    Args:
        base: The pair where the record is present.
        rate: The probability.
    """

    base: Pair
    rate: Fraction

    def cells(self, edges: Floats) -> Cells:
        """Look up the losses inside: e^outer = 1 - rate + rate e^inner."""
        rate = to_float_up(self.rate)  # a larger rate dominates
        tilts = exp(np.minimum(edges, _EDGE))
        rise = tilts - (1 - rate)
        start = int(np.argmax(rise > 0)) if rise[-1] > 0 else len(edges)  # no loss lies below ln(1 - rate)
        inner = np.log(np.maximum(rise[start:], 1e-300)) - math.log(rate) if start < len(edges) else np.array([-_EDGE])
        inner = np.maximum.accumulate(np.clip(inner, -_EDGE, _EDGE))  # proposals, checked below
        cells = self.base.cells(inner)
        none = np.zeros(start)
        p, q = np.concatenate([none, cells.p]), np.concatenate([none, cells.q])
        if start == len(edges):
            p, q = np.append(none, p[-2:].sum()), np.append(none, q[-2:].sum())
        off = np.abs(((1 - rate) + rate * exp(inner[: len(edges) - start])) / tilts[start:] - 1)
        # a loss inside that slips by s moves the loss outside by at most s
        slip = cells.slip + 2 * float(off.max(initial=0.0)) + 4 * (EXP_ERROR + 4 * UNIT)
        mixed = (1 - rate) * q + rate * p
        error, only_q = cells.error + 6 * UNIT, cells.only_q
        if rate < 1:  # what P never gives has the smallest loss now, ln(1 - rate), in the cell where losses begin
            q[start] += only_q
            mixed[start] += (1 - rate) * only_q
            only_q = 0.0
        return evolve(cells, p=mixed, q=q, only_p=rate * cells.only_p, only_q=only_q, error=error, slip=slip)

    def span(self, tail: float) -> tuple[float, float]:
        """The losses that the ends inside turn into."""
        low, high = self.base.span(tail)
        if to_float_up(self.rate) < 1 and self.base.cells(np.zeros(1)).only_q > 0:
            low = -math.inf  # what P never gives is seen at ln(1 - rate)
        return self._outer(low), self._outer(high)

    def ends(self) -> tuple[float, float]:
        """The losses that the ends inside turn into."""
        low, high = self.base.ends()
        return self._outer(low), self._outer(high)

    def _outer(self, loss: float) -> float:
        rate = to_float_up(self.rate)
        return math.log1p(rate * math.expm1(min(loss, LARGEST))) if rate < 1 else loss


@final
@frozen(eq=False)
class AtomPair(Pair):
    """A pair with finitely many losses.

    Args:
        losses: Rising losses; P gives each with its mass, Q with mass e^-loss.
        masses: The masses under P of these losses.
        only_p: The mass of P at infinite loss.
        only_q: The mass of Q that P never gives.
        error: The relative error of the masses.
        slip: How far a loss may be from its float.
        apart: Half of this divides every loss, or zero.
        beyond: The probability, at most and under either law, of outcomes that were left out.
        other: The masses under Q, where they are known without the losses.
        blur: How much smaller losses may be.
    """

    losses: Floats
    masses: Floats
    only_p: float
    only_q: float
    error: float
    slip: float
    apart: float = 0.0
    beyond: float = 0.0
    other: Floats | None = None
    blur: float = 0.0

    @cached_property
    def _under_q(self) -> Floats:
        return self.masses * exp(-np.clip(self.losses, -LARGEST, LARGEST)) if self.other is None else self.other

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        return np.cumsum(self._under_q), np.cumsum(self.masses[::-1])

    @staticmethod
    def of_one() -> "AtomPair":
        """Give the pair of a law with itself."""
        return AtomPair(np.array([0.0]), np.array([1.0]), 0.0, 0.0, 0.0, 0.0)

    def delta(self, epsilon: Fraction) -> Fraction:
        """Give delta at an epsilon, rounded up."""
        at = to_float_down(min(epsilon, Fraction(2 * LARGEST)))
        beyond = self.losses + (self.slip - at) + 4 * UNIT * (1 + abs(at))
        beyond = beyond[beyond > 0]
        masses = self.masses[len(self.losses) - len(beyond) :]
        total = float((masses * (1 - exp(-np.minimum(beyond, LARGEST)))).sum())
        finite = Fraction(total + (float(masses.sum()) * 2 * EXP_ERROR)) * (
            1 + Fraction(self.error + (len(masses) + 8) * UNIT)
        )
        return min(finite + Fraction(self.only_p) + Fraction(self.beyond), Fraction(1))

    def cells(self, edges: Floats) -> Cells:
        """Sort the atoms into the cells; most may lie beyond the edges, where they are added up at once."""
        start, end = (int(place) for place in np.searchsorted(self.losses, [edges[0], edges[-1]], side="right"))
        where = np.searchsorted(edges, self.losses[start:end], side="left")

        def added_up(masses: Floats) -> Floats:
            total: Floats = np.bincount(where, masses[start:end], len(edges) + 1).astype(np.float64, copy=False)
            total[0] += masses[:start].sum()
            total[-1] += masses[end:].sum()
            return total

        most = max(int(np.bincount(where, minlength=1).max()), start, len(self.losses) - end)
        return Cells(
            p=added_up(self.masses),
            q=added_up(self._under_q),
            only_p=self.only_p,
            only_q=self.only_q,
            error=self.error + 2 * EXP_ERROR + (most + 4) * UNIT + self.slip,
            slip=self.slip,
            blur=self.blur,
            beyond=self.beyond,
        )

    def span(self, tail: float) -> tuple[float, float]:
        """The smallest and the largest loss, without the rarest at both ends."""
        from_below, from_above = self._sums
        low, high = int(np.searchsorted(from_below, tail)), int(np.searchsorted(from_above, tail))
        last = len(self.losses) - 1
        return float(self.losses[min(low, last)]), float(self.losses[max(last - high, min(low, last))])

    def spacing(self) -> float:
        """As stated."""
        return self.apart

    def ends(self) -> tuple[float, float]:
        """The smallest and the largest loss, where they are not next to impossible."""
        low = float(self.losses[0]) if self._under_q[0] > _RARE else 0.0
        return low, float(self.losses[-1]) if self.masses[-1] > _RARE else 0.0

    def atoms(self) -> "AtomPair":
        """The pair itself."""
        return self


def response_pair(cost: Fraction, slack: Fraction) -> Pair:
    """Give the pair that dominates every (cost, slack) point: randomised response outside an event.

    Kairouz, Oh and Viswanath 2015.
    """
    epsilon, kept = to_float_up(cost), float(1 - slack)  # a larger cost dominates
    if epsilon > LARGEST:
        return nothing_private()
    down = float(np.exp(-epsilon))
    high = kept / (1 + down)
    return AtomPair(
        losses=np.array([-epsilon, epsilon] if epsilon > 0 else [0.0]),
        masses=np.array([high * down, high] if epsilon > 0 else [kept]),
        only_p=to_float_up(slack),
        only_q=to_float_up(slack),
        error=2.0**-48 + 4 * UNIT * epsilon,  # with the rounding of the cost
        slip=UNIT + 4 * UNIT * epsilon,
        apart=2 * epsilon,
    )


def nothing_private() -> Pair:
    """Give the pair of two laws that have no outcome in common."""
    return AtomPair(np.array([0.0]), np.array([0.0]), 1.0, 1.0, UNIT, 0.0)


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
        ends = np.concatenate([[-self.eta], np.clip(edges, -self.eta, self.eta), [self.eta]])
        growth = expm1(np.diff(ends) / 2) / -math.expm1(-self.eta)
        return Cells(
            p=exp((ends[:-1] - self.eta) / 2) * growth,
            q=exp((-ends[1:] - self.eta) / 2) * growth,
            only_p=0.0,
            only_q=0.0,
            error=_RANGE_ERROR,
            slip=4 * UNIT * (1 + self.eta),
        )

    def span(self, tail: float) -> tuple[float, float]:
        """No loss is larger."""
        return -self.eta, self.eta


def range_pair(cost: Fraction) -> Pair:
    """Give the pair that dominates everything of this range."""
    eta = to_float_up(cost)  # a larger range dominates
    if eta > LARGEST:
        return nothing_private()
    return RangePair(max(eta, _LEAST_RANGE)) if eta > 0 else AtomPair.of_one()
