"""A private upper bound of S, and the intervals that it buys.

The noise of an imputed total is scaled to S. S is private, so an interval must be paid for. Between neighbours ln S
moves by at most beta, so Laplace noise can release ln S.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import field, frozen
from flint import arb

from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.planning.smooth import SmoothLaw
from privet.chains.measurement import Measurement
from privet.core import (
    Space,
    ball,
    ends,
    exact_data,
    exp_up,
    number,
    positive,
    precision,
    read_number,
    short,
    to_float_down,
    to_float_up,
    whole,
)
from privet.errors import InvalidError, MismatchError
from privet.imputation.influence import Number
from privet.mechanisms.smooth_noise import SmoothNoise
from privet.noise import discrete_laplace, discrete_laplace_quantile
from privet.transforms.smooth_pairs import SmoothDistance, SmoothDomain

_SHARES = tuple(Fraction(1, parts) for parts in (2, 3, 5, 10, 20, 50))
_LARGEST = 10**6  # the largest exponent of a bound that is reported


@final
@frozen(kw_only=True)
class ReleasedBound:
    """A released, noisy logarithm of S. Everything here is public.

    Args:
        steps: The released whole number of steps.
        step: The size of a step of ln S.
        scale: The spread of the noise, in steps.
    """

    steps: int
    step: Fraction = field(repr=short)
    scale: Fraction = field(repr=short)

    def upper(self, miss: Number) -> Fraction:
        """Give a number that S exceeds with probability at most ``miss``.

        >>> ReleasedBound(steps=0, step=Fraction(1, 100), scale=Fraction(10)).upper(0.05) > 1
        True
        """
        share = read_number("upper.miss", miss)
        if not 0 < share < 1:
            raise InvalidError(f"upper.miss must be between zero and one, got {short(share)}.")
        # ln S lies below the end of its step, and the noise below -k with half of P(|Z| > k)
        reach = 0 if share >= Fraction(1, 2) else discrete_laplace_quantile(self.scale, 2 * share)
        return exp_up(min(max((self.steps + reach + 1) * self.step, Fraction(-_LARGEST)), Fraction(_LARGEST)))

    def interval(
        self, release: int | float, noise: SmoothNoise, *, grid: Number = 1, level: Number = Fraction(95, 100)
    ) -> tuple[float, float]:
        """Give an interval around a noisy total that holds the exact one with probability ``level`` or more.

        The probability of a miss is divided between the bound of S and the noise. The division that makes the interval
        short depends on public numbers alone.

        Args:
            release: The total, released by ``noise`` with the same S.
            noise: The mechanism.
            grid: The grid step to which the total was rounded.
            level: The probability.
        """
        hold, step = read_number("interval.level", level), read_number("interval.grid", grid)
        if not 0 < hold < 1:
            raise InvalidError(f"interval.level must be between zero and one, got {short(hold)}.")
        share = min(_SHARES, key=lambda part: self._width(part * (1 - hold), (1 - part) * (1 - hold), noise))
        width = self._width(share * (1 - hold), (1 - share) * (1 - hold), noise) + step / 2
        if not math.isfinite(release):  # the noise was too large for a float
            return -math.inf, math.inf
        centre = exact_data(release)
        # a real release was rounded to a float
        loose = width + Fraction(math.ulp(float(release))) if isinstance(release, float) else width
        return to_float_down(centre - loose), to_float_up(centre + loose)

    def _width(self, miss_bound: Fraction, miss_noise: Fraction, noise: SmoothNoise) -> Fraction:
        return self.upper(miss_bound) * certain_half_width(noise.law, miss_noise) / noise.alpha


@final
@frozen(kw_only=True)
class BoundRelease(Measurement):
    """Release the logarithm of a smooth bound S with Laplace noise.

    Args:
        epsilon: The privacy loss for one neighbour step, above zero.
        fineness: The number of steps in a factor of e^beta.

    Guarantee: ``d_in epsilon``.
    Proof: docs/imputation/bound_release.md.

    >>> from privet.transforms.smooth_pairs import smooth
    >>> chain = smooth(int, beta=0.5) >> BoundRelease(epsilon=0.1)
    >>> chain.map(1).epsilon()
    Fraction(1, 10)
    """

    epsilon: Fraction = field(converter=number, validator=positive, repr=short)
    fineness: int = field(default=1024, converter=whole, validator=positive)

    @property
    def scale(self) -> Fraction:
        """The spread of the noise, in steps."""
        return self.fineness / self.epsilon

    def accept(self, space: Space) -> None:
        """Pairs of an answer and its bound."""
        _pairs(space)

    def release(self, value: tuple[int | float, Fraction], space: Space) -> ReleasedBound:
        """Count the whole steps of ln S, and add noise."""
        step = _pairs(space).beta / self.fineness
        return ReleasedBound(
            steps=log_steps(value[1], step) + discrete_laplace(self.scale), step=step, scale=self.scale
        )

    def loss(self, d_in: int, space: Space) -> Loss:
        """A neighbour step moves ln S by at most beta, and so its whole steps by at most those in beta."""
        return LaplaceLoss(distance=d_in * self.fineness, scale=self.scale, step=1)


def log_steps(bound: Fraction, step: Fraction) -> int:
    """Give the largest whole number n with ``n step <= ln bound``, certified.

    >>> log_steps(Fraction(100), Fraction(1, 10))
    46
    """
    if bound == 1:
        return 0
    bits = 128
    while True:  # ln of a fraction other than one is transcendental, so the floor is decided at some precision
        with precision(bits):
            low, high = ends(ball(bound).log() / ball(step))
        if math.floor(low) == math.floor(high):
            return math.floor(low)
        bits *= 2


@lru_cache(maxsize=1024)
def certain_half_width(law: SmoothLaw, miss: Fraction) -> Fraction:
    """Give a z with certified ``P(|Z| > z) <= miss``, near the smallest."""
    near = Fraction(max(law.half_width(1 - miss), 2.0**-60))
    while True:
        near *= 1 + Fraction(1, 2**20)
        with precision(192):
            outside: arb = law.magnitude().below(ball(near))[1]
            if outside.is_finite() and ends(outside)[1] <= miss:
                return near


def _pairs(space: Space) -> SmoothDomain:
    if not isinstance(space.domain, SmoothDomain) or not isinstance(space.metric, SmoothDistance):
        raise MismatchError(
            f"BoundRelease reads an answer with its smooth bound, got {type(space.domain).__name__}: "
            "put ImputedTotal(...) before it, or start from pc.smooth(...)."
        )
    return space.domain
