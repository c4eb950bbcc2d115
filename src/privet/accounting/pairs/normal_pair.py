"""The dominating pair of Gaussian noise: two normal laws, or two discrete ones."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.numerics import SMALLEST_EXPONENT, UNIT, Floats, exp, mass_error, normal_masses, normal_tail_up
from privet.accounting.pairs.pair import LARGEST, AtomPair, Cells, Pair, nothing_private
from privet.core import sqrt_up, to_float_up

_FAR = 37.0  # standard deviations; beyond, probabilities are below 1e-300
_WIDE = 30.0  # further apart, nothing is promised
_BEYOND = 2.0**-900  # the probability beyond
_LEFT = 2.0**-850  # the probability that discrete noise lies beyond 35 deviations, or has a loss below -600
_ENUMERATED = 2**13  # up to this many steps, the standard deviation of discrete noise is walked step by step


@final
@frozen(eq=False)
class NormalPair(Pair):
    """A normal law of mean ``mu`` and one of mean zero, both of variance one.

    Args:
        mu: How far apart they are, in standard deviations; above zero.
        coarse: A relative error of every probability, where the noise is on a fine grid instead.
        beyond: The probability for which that does not hold.
        blur: How much the loss changes between neighbouring points of that grid.
    """

    mu: float
    coarse: float = 0.0
    beyond: float = _BEYOND
    blur: float = 0.0

    def cells(self, edges: Floats) -> Cells:
        """Integrate both densities: the loss at x is mu x - mu^2 / 2."""
        with np.errstate(over="ignore"):  # a tiny mu sends edges to infinity, and back to the end
            x = np.clip(edges / self.mu + self.mu / 2, self.mu - _FAR, _FAR)
        return Cells(
            p=self._with_tails(x, self.mu),
            q=self._with_tails(x, 0.0),
            only_p=0.0,
            only_q=0.0,
            error=mass_error(max(abs(float(x[0])), abs(float(x[-1]))) + self.mu, float(np.diff(x).max(initial=0.0))),
            slip=4 * UNIT * (float(np.abs(edges).max()) + self.mu**2),  # an edge is off by a few roundings of x
            growth=self.coarse,
            shift=2.1 * self.coarse,
            blur=self.blur,
            beyond=self.beyond,
        )

    def _with_tails(self, x: Floats, mean: float) -> Floats:
        return np.concatenate([[_tail(mean - float(x[0]))], normal_masses(x, mean), [_tail(float(x[-1]) - mean)]])

    def span(self, tail: float) -> tuple[float, float]:
        """Go as far as a tail of the normal law allows."""
        far = min(math.sqrt(max(-2 * math.log(tail), 1.0)), _FAR - 1)
        low = max(-far, self.mu - _FAR + 0.5) * self.mu - self.mu**2 / 2
        high = min(self.mu + far, _FAR - 0.5) * self.mu - self.mu**2 / 2
        return max(low, -LARGEST), min(high, LARGEST)


def _tail(z: float) -> float:
    """Give the probability above z of a normal law, rounded up."""
    return to_float_up(normal_tail_up(Fraction(z)))


def normal_pair(squared: Fraction) -> Pair:
    """Give the pair of normal laws that are a squared distance apart, in variances."""
    mu = to_float_up(sqrt_up(squared))  # a larger distance dominates
    if mu == 0:
        return AtomPair.of_one()
    return NormalPair(mu, blur=_rounded(mu)) if mu < _WIDE else nothing_private()


def _rounded(mu: float) -> float:
    """Give by how much losses may be smaller as mu was rounded up: mu²/2 + mu z, with z up to 40."""
    return 8 * UNIT * mu * (mu + 40)


def is_fine(variance: Fraction) -> bool:
    """Tell whether noise of this variance, in squared steps, is close to a normal law."""
    return variance > _ENUMERATED**2


def discrete_normal_pair(distance: int, variance: Fraction) -> Pair:
    """Give the pair of two discrete Gaussians on the whole numbers, a number of steps apart; not for fine noise."""
    if distance == 0:
        return AtomPair.of_one()
    if distance**2 >= variance * int(_WIDE) ** 2:
        return nothing_private()
    reach = math.ceil(_FAR * math.sqrt(variance) * 0.95) + 1
    k = np.arange(-reach, distance + reach + 1, dtype=np.float64)
    weights = exp(-(np.arange(reach + distance + 1, dtype=np.float64) ** 2) / float(2 * variance))
    p = np.concatenate([weights[:0:-1], weights[: reach + 1]])  # around the distance ...
    q = np.concatenate([weights[reach:0:-1], weights])  # ... and around zero
    total = float(p.sum())  # in pairs: off by less than 64 roundings
    losses = k * float(2 * distance / (2 * variance)) - float(Fraction(distance**2) / (2 * variance))
    start, end = np.searchsorted(losses, [-LARGEST, LARGEST])
    kept = slice(int(start), int(end))
    return AtomPair(
        losses=losses[kept],
        masses=p[kept] / total,
        only_p=0.0,
        only_q=0.0,
        error=(3 * 690 + 256) * UNIT,  # an exponent of up to 690 has three roundings
        slip=4 * UNIT * (float(np.abs(losses).max()) + float(Fraction(distance**2) / (2 * variance))),
        apart=float(distance / variance),
        # losses above the largest count as infinite, which from below must not: there they are left out
        beyond=float(p[int(end) :].sum() / total) + _LEFT,
        # further out, exponents were raised: there the losses say what Q has
        other=q[kept] / total if (reach + distance) ** 2 < -2 * variance * int(SMALLEST_EXPONENT) else None,
    )


def fine_normal_pair(squared: Fraction, variance: Fraction, coordinates: int) -> Pair:
    """Give the pair of normal laws for discrete noise on a grid much finer than its deviation.

    Args:
        squared: The squared distance, in variances.
        variance: The variance, in squared steps; its root is above 2^13.
        coordinates: In how many coordinates the inputs may differ.
    """
    mu = to_float_up(sqrt_up(squared))
    # z deviations from a centre the weights of a whole number and of the unit interval around it are within a factor
    # e^((z^2 + 1) / (20 variance)); what lies within 24 of one centre lies within 24 + mu of the other
    exponent = to_float_up(coordinates / variance) * ((24 + mu) ** 2 + 1) / 20
    if mu >= _WIDE or exponent > 1:
        return nothing_private()
    return NormalPair(
        mu=mu,
        coarse=math.expm1(exponent) * (1 + 2.0**-40),
        beyond=min(coordinates, 2**400) * 2.0**-410,  # of more than 24 deviations from both, under either law
        blur=mu * math.sqrt(to_float_up(coordinates / variance)) * (1 + 2.0**-40) + _rounded(mu),
    )


def fused(terms: Sequence[tuple[Pair, int]]) -> tuple[tuple[Pair, int], ...]:
    """Put all pairs of normal laws together into one: squared distances add up."""
    normal = [(pair, times) for pair, times in terms if isinstance(pair, NormalPair)]
    if sum(times for _, times in normal) < 2:
        return tuple(terms)
    mu = to_float_up(sqrt_up(sum((Fraction(pair.mu) ** 2 * times for pair, times in normal), Fraction(0))))
    coarse = math.expm1(min(sum(math.log1p(pair.coarse) * times for pair, times in normal), 2.0))
    others = ((pair, times) for pair, times in terms if not isinstance(pair, NormalPair))
    if mu >= _WIDE or coarse >= 2:
        return (*others, (nothing_private(), 1))
    together = NormalPair(
        mu=mu,
        coarse=coarse * (1 + 2.0**-40),
        beyond=min(sum(pair.beyond * times for pair, times in normal), 1.0) * (1 + 2.0**-40),
        blur=sum(pair.blur * times for pair, times in normal) * (1 + 2.0**-40) + _rounded(mu),
    )
    return (*others, (together, 1))
