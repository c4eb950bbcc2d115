"""Composition of loss distributions by a tilted Fourier transform, with every error counted.

Masses are multiplied by e^(tilt loss), which puts the part of the composed distribution that decides at its centre;
without it a delta of 1e-12 would drown in the rounding of the transform.

Proofs: docs/accounting/composition/fourier.md.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.composition.spectrum import Factor, multiply, rounding_of
from privet.accounting.numerics import UNIT, Floats, exp
from privet.accounting.pairs.distribution import Distribution
from privet.core import exp_down, exp_up, log_down, log_up, to_float_down, to_float_up

_LARGEST_SIZE = 2**23
_FAR = 300.0  # exponents beyond are not computed
_STEEP = 640.0  # the largest tilt times loss
_TINY = 2.0**-1000  # what underflow may have taken
_HUGE = Fraction(2**40)  # an epsilon
CUT = 19.0  # minus the logarithm of the weight at the top of the window, about
Terms = Sequence[tuple[Distribution, int]]


@final
@frozen(eq=False)
class Composed:
    """A composed loss distribution in a window, by its sums from above.

    With m the mass at a loss, up to the errors, ``beyond[i]`` is the sum of m and ``decayed[i]`` that of
    m e^(reference - loss) over all losses from ``losses[i]`` on, both divided by ``factor``.

    Args:
        losses: The losses of the window.
        step: The step between them.
        beyond: Sums of masses.
        decayed: Sums of masses under the other law, relative to the reference.
        reference: A loss in the window.
        factor: What sums are multiplied with, rounded outward.
        tilt: The tilt.
        error: A bound of the Euclidean norm of the error of the tilted masses.
        rate: A rate for Markov's inequality, for tilted losses far above the window; zero from above.
        moment: The logarithm of the tilted mean of e^(rate loss), rounded up.
        growth: The relative error of all masses together.
        infinite: The mass at infinite loss.
        slip: How far losses may be from those of the grid.
    """

    losses: Floats
    step: float
    beyond: Floats
    decayed: Floats
    reference: float
    factor: Fraction
    tilt: float
    error: float
    rate: float
    moment: float
    growth: float
    infinite: Fraction
    slip: float

    def delta_above(self, epsilon: Fraction) -> Fraction:
        """Give an upper bound of delta at an epsilon."""
        at = to_float_down(min(epsilon, _HUGE)) - self.slip * (1 + 4 * UNIT) - 1e-15
        at -= 4 * UNIT * abs(at)
        if at < self.losses[0] or self._too_far_below(at):
            return Fraction(1)  # what lies between epsilon and the window would be missing
        total, slack = self._sums(at)
        # mass that wraps around only adds; the mass above the window is at most all of it, at the weight there
        top = max(float(self.losses[-1]), at)
        slack += self._weight(top) * min(max(top - at, 1 / self.tilt) * (1 + 2.0**-40), 1.0)  # 1 - e^-x is at most x
        finite = Fraction(max(total + slack, 0.0) + _TINY) * self.factor * (1 + Fraction(self.growth))
        return min(finite + self.infinite, Fraction(1))

    def delta_below(self, epsilon: Fraction) -> Fraction:
        """Give a lower bound of delta at an epsilon."""
        surely = max(self.infinite, Fraction(0))
        at = to_float_up(min(epsilon, _HUGE)) + self.slip * (1 + 4 * UNIT) + 1e-15
        at += 4 * UNIT * abs(at)
        if self._too_far_below(at) or epsilon > _HUGE:
            return surely
        total, slack = self._sums(at)
        # what wraps around from above lies a window's length above epsilon, and no weight exceeds 1 / (1 + tilt)
        length = len(self.losses) * self.step * (1 - 4 * UNIT)
        wrapped = math.exp(min(self.moment - self.rate * (at + length), 0.0)) / (1 + self.tilt)
        slack += wrapped * self._weight(at) * (1 + 2.0**-40) + _TINY
        # what wraps around from below has moved up by that length, which divides its weight
        around = exp_up(-Fraction(self.tilt) * Fraction(length)) * (1 + Fraction(self.growth))
        finite = Fraction(max(total - slack, 0.0)) * self.factor * (1 - Fraction(self.growth)) - around
        return max(min(finite + self.infinite, Fraction(1)), surely)

    def _too_far_below(self, at: float) -> bool:
        return (self.tilt + 1) * (self.reference - at) > _FAR

    def _weight(self, loss: float) -> float:
        """Give what a tilted mass is multiplied with at a loss, relative to the reference."""
        return math.exp(-self.tilt * (loss - self.reference))

    def _sums(self, at: float) -> tuple[float, float]:
        """Give the sum of masses times 1 - e^(at - loss) over the losses beyond, and its error."""
        start = int(np.searchsorted(self.losses, at, side="right"))
        if start == len(self.losses):
            return 0.0, 0.0
        above = float(self.beyond[start])
        if at - self.reference > 2 * _FAR:  # too far above: nothing is known of the sum but its ends
            return above / 2, above * (0.5 + 2.0**-20) + self.error * self._weight(at) / self._narrow()
        total = above - float(self.decayed[start]) * math.exp(at - self.reference)
        slack = self.error * self._weight(at) / self._narrow() + above * UNIT * 4 * (len(self.losses) + 1024)
        return total, slack * (1 + 2.0**-40)

    def _narrow(self) -> float:
        """Give one over the Euclidean norm of the weights from a loss on, relative to the first, or a little less.

        e^(-tilt x) (1 - e^-x) is at most e^(-tilt x), and at most e^(-tilt x / 2) 2 / (e tilt).
        """
        plain = math.sqrt(-math.expm1(-2 * self.tilt * self.step))
        return max(plain, 1.35 * self.tilt * math.sqrt(-math.expm1(-self.tilt * self.step)))

    def solve(self, delta: float) -> float:
        """Give about the epsilon at which delta is reached; it is to be certified."""
        losses = self.losses
        if self.factor == 0:
            return float(losses[0])
        curve = self.beyond - self.decayed * np.exp(np.minimum(losses - self.reference, _FAR))
        limit = to_float_up(Fraction(max(delta - float(self.infinite), 1e-300)) / self.factor)
        missed = np.flatnonzero(curve > limit)
        index = min(int(missed[-1]) + 1, len(losses) - 1) if len(missed) else 0
        if index == 0 or abs(losses[index] - self.reference) > _FAR:
            return float(losses[index])
        # between two points of the grid delta is linear in e^epsilon
        high, low = math.exp(losses[index] - self.reference), math.exp(losses[index - 1] - self.reference)
        slope = float(self.decayed[index])
        target = (float(self.beyond[index]) - limit) / slope if slope > 0 else high
        return self.reference + math.log(min(max(target, low, 1e-300), high))


def compose(terms: Terms, tilt: float, window: tuple[float, float], rate: float | None) -> Composed:
    """Compose distributions on one grid, each with its multiplicity.

    Args:
        terms: Distributions with multiplicities, all above or all below.
        tilt: The tilt, above zero.
        window: Losses between which the tilted composition mostly lies.
        rate: None from above. From below, the rate of Markov's inequality for losses far above the window.
    """
    upper = rate is None
    step = terms[0][0].step
    farthest = max(term.farthest() for term, _ in terms)
    tilt = min(tilt, _STEEP / farthest)  # what would overflow is not tilted that much
    offset = math.fsum(times * term.offset for term, times in terms)
    first = math.floor((window[0] - offset) / step) - 1
    size = _size(math.ceil((window[1] - offset) / step) + 2 - first)
    tilted, scale = _tilt_all(terms, tilt, log_up if upper else log_down)
    growth = 0.0
    for term, times in terms:
        rounds = len(term.masses) // size + 1 if term.places is None else len(term.masses)
        growth += times * (2.0**-44 + UNIT * (4 * tilt * farthest + 16 + rounds))
    product = multiply([Factor(lifted, times, term.places) for lifted, term, times in tilted], size)
    base = sum(times * term.first for term, times in terms)
    masses = np.roll(np.fft.irfft(product.spectrum, size), -((first - base) % size))
    error = (product.error + product.smallest * rounding_of(size)) * math.exp(min(product.excess, 600.0))
    losses: Floats = first * step + offset + np.arange(size, dtype=np.float64) * step
    low, top = float(losses[0]), float(losses[-1])
    reference = min(max(window[1] - CUT / tilt, low), top)  # where plans place the answer
    growth += UNIT * 8 * tilt * (abs(low) + abs(top) + abs(offset))
    # rounding errors may be negative; true masses are not
    untilted = np.maximum(masses, 0.0) * exp(np.minimum(-tilt * (losses - reference), _FAR))
    slip = math.fsum(times * term.slip for term, times in terms) * (1 + 4 * UNIT)
    centre = scale - Fraction(tilt) * Fraction(reference)
    return Composed(
        losses=losses,
        step=step,
        beyond=np.cumsum(untilted[::-1])[::-1],
        decayed=np.cumsum((untilted * exp(np.minimum(reference - losses, _FAR)))[::-1])[::-1],
        reference=reference,
        factor=exp_up(centre) if upper else exp_down(centre),
        tilt=tilt,
        error=error * 1.01,
        rate=rate or 0.0,
        moment=0.0 if rate is None else _moment(tilted, rate),
        growth=math.expm1(min(growth, 600.0)) * 1.01 + 2.0**-40,
        infinite=_infinite(terms, 1 if upper else -1),
        slip=slip + UNIT * 8 * (abs(low) + abs(top) + abs(offset)),
    )


def _tilt_all(
    terms: Terms, tilt: float, log: Callable[[Fraction], Fraction]
) -> tuple[list[tuple[Floats, Distribution, int]], Fraction]:
    """Give the tilted masses of each term, scaled to one in all, and the logarithm of all scales together."""
    tilted: list[tuple[Floats, Distribution, int]] = []
    scale = Fraction(0)
    for term, times in terms:
        lifted = term.tilted(tilt)
        total = float(lifted.sum()) or 1.0  # from below there may be nothing
        scale += times * (log(Fraction(total)) + Fraction(tilt) * Fraction(term.offset))
        tilted.append((lifted / total, term, times))
    return tilted, scale


def _size(count: int) -> int:
    size = 1 << max(count - 1, 63).bit_length()
    return min(size * 3 // 4 if size * 3 // 4 >= count else size, _LARGEST_SIZE)


def _moment(tilted: list[tuple[Floats, Distribution, int]], rate: float) -> float:
    """Give the logarithm of the mean of e^(rate loss) of the tilted sum, rounded up by far more than its roundings."""
    exponent, count = 0.0, 0
    for masses, term, times in tilted:
        losses = term.losses()
        if rate * float(np.abs(losses).max()) > 690:
            return math.inf
        mean = float((masses * np.exp(rate * losses)).sum())
        if mean == 0:
            return -math.inf
        exponent += times * math.log(mean)
        count += times
    return exponent + 1e-9 * (1 + count)


def _infinite(terms: Terms, toward: int) -> Fraction:
    """Give the probability that any of the releases has infinite loss: one minus the product of the others."""
    spared = sum(times * math.log1p(-min(term.infinite, 1 - 2.0**-50)) for term, times in terms)
    infinite = Fraction(-math.expm1(min(spared, 600.0)))
    return min(infinite + abs(infinite) * Fraction(toward, 2**40), Fraction(1))
