"""The common part of the samplers with polynomial tails: a lazily refined real, rounded exactly to a whole number.

Both laws have a density proportional to (1 + factor |z|^power)^-(1/power + tail/power), so that w / (1 + w), where
w = factor |z|^power, has a beta distribution: the distribution function is an incomplete beta function, which
python-flint encloses. Proof: docs/noise/generalised_cauchy.md.
"""

import math
from fractions import Fraction
from typing import final

from attrs import frozen
from flint import arb, ctx

from privet.core.exact import ball, precision
from privet.noise.drawing.lazy import LazyUniform, certified_bounds, invert, near
from privet.noise.entropy import Entropy

_WORK = 96  # bits of precision for guesses, which affect only the running time
_STEPS = 60  # at most so many iterations of the search for a guess, which converges quadratically
_WORD = 64
_MOST = 1024


@final
@frozen
class Magnitude:
    """The law of |Z| for a density proportional to (1 + factor |z|^power)^-((1 + tail) / power).

    Args:
        power: The exponent of |z|: gamma, or 2 for Student's t.
        factor: The factor of |z|^power: 1, or 1 / degrees.
        tail: The rate of decay of the tail, P(|Z| > z) ~ z^-tail: gamma - 1, or the degrees.
    """

    power: Fraction
    factor: Fraction
    tail: Fraction

    def below(self, z: arb) -> tuple[arb, arb]:
        """Enclose P(|Z| <= z) and P(|Z| > z) for z above zero, the smaller of them to full relative precision."""
        centre, end = ball(1 / self.power), ball(self.tail / self.power)
        w = ball(self.factor) * (z.log() * ball(self.power)).exp()
        if w < 1:
            inside = (w / (1 + w)).beta_lower(centre, end, 1)
            return inside, 1 - inside
        outside = (1 / (1 + w)).beta_lower(end, centre, 1)
        return 1 - outside, outside

    def near(self, inside: arb, outside: arb) -> arb:
        """Return a z with P(|Z| <= z) near ``inside`` and P(|Z| > z) near ``outside``, without an error bound.

        We use Newton's method on the log odds as a function of ln z, which is almost linear at both ends.
        """
        centre, end = ball(1 / self.power), ball(self.tail / self.power)
        beta = (centre.lgamma() + end.lgamma() - (centre + end).lgamma()).exp()
        target = (inside / outside).log().mid()
        # the density of ln|Z| is 2 f(z) z = power / beta w^(1/power) (1 + w)^-((1 + tail) / power)
        scale = ball(self.factor).log() / ball(self.power)
        start = (
            (inside * beta / ball(self.power)).log() if target < 0 else -(outside * beta * end).log() / ball(self.tail)
        )
        s = (start - scale).mid()
        for _ in range(_STEPS):
            lower, upper = self.below(s.exp())
            w = (ball(self.power) * (s + scale)).exp()
            slope = ball(self.power) / beta * (s + scale - (centre + end) * (1 + w).log()).exp() / (lower * upper)
            step = ((target - (lower / upper).log()) / slope).mid()
            if not step.is_finite():
                break
            s = (s + step.max(arb(-64)).min(arb(64))).mid()
            if abs(step) < arb((1, 12 - ctx.prec)):
                break
        return s.exp()

    def quantile(self, level: Fraction) -> float:
        """Return the z that |Z| exceeds with probability ``1 - level``, as a float: for reports and for choices."""
        with precision(_WORK):
            return float(self.near(ball(level), ball(1 - level)).mid())

    def first_bits(self, scale: Fraction) -> int:
        """Return how many bits of the uniform decide nearly every draw: the same number for every scale below 2^128.

        A scale may be private, and with 64-bit data and a small alpha it may be far above 2^64.
        """
        wide = max(math.floor(scale).bit_length() - 2 * _WORD, 0)
        usual = min(_WORD * math.ceil((96 + _WORD + 40 * (1 + 1 / self.tail)) / _WORD), _MOST)
        return usual + _WORD * math.ceil(wide / _WORD)


@final
@frozen
class RoundedMagnitude:
    """The law of the whole number nearest to ``scale |Z|``."""

    magnitude: Magnitude
    scale: Fraction

    def bounds(self, k: int, bits: int) -> tuple[int, int]:
        """Enclose P(scale |Z| < k + 1/2); that is P(X <= k), since ties have probability zero."""
        edge = Fraction(2 * k + 1, 2) / self.scale
        return certified_bounds(lambda: self.magnitude.below(ball(edge))[0], bits)


def draw_rounded(magnitude: Magnitude, scale: Fraction, source: Entropy) -> int:
    """Draw the whole number nearest to ``scale Z``, exactly."""
    bits = magnitude.first_bits(scale)
    sign = 1 - 2 * source.bits(1)
    uniform = LazyUniform(source, source.bits(bits), bits)
    with precision(max(_WORK, math.floor(scale).bit_length() + _WORD)):
        inside = arb(2 * uniform.value + 1) * arb((1, -bits - 1))
        outside = arb(2 * ((1 << bits) - uniform.value) - 1) * arb((1, -bits - 1))
        guess = near(magnitude.near(inside, outside) * ball(scale) + arb(0.5))
    return sign * invert(RoundedMagnitude(magnitude, scale), uniform, guess)
