"""A private upper bound of the size of a column."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Space, number, positive, proper_share, read_number, short, vector
from privet.errors import InvalidError
from privet.mechanisms.tails import laplace_reaches, largest_scale
from privet.noise import discrete_laplace
from privet.noise.drawing import smallest_within
from privet.transforms import column
from privet.transforms.count import Count


@final
@frozen(kw_only=True)
class SizeUpperBound(Measurement):
    """Bound the number of rows from above.

    Releases ``max(0, n + Z + margin)`` with discrete Laplace noise ``Z`` and the smallest margin with
    ``P(Z < -margin) <= beta``.

    Args:
        scale: Spread of the noise, in rows, above zero.
        beta: The probability that the bound may fail, between zero and one.

    Guarantee: ``epsilon = d_in / scale``; zero where the size is public.
    Proof: docs/mechanisms/size_upper_bound.md.

    >>> unit = SizeUpperBound(scale=1, beta=1e-6)
    >>> unit.margin, unit.map(1).epsilon()
    (13, Fraction(1, 1))
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    beta: Fraction = field(converter=number, validator=proper_share, repr=short)

    def default(self) -> Space:
        """Any column."""
        return vector(float)

    def accept(self, space: Space) -> None:
        """Any column."""
        column(self, space)

    def release(self, value: Any, space: Space) -> int:
        """Count, add noise and the margin."""
        return max(len(value) + discrete_laplace(self.scale) + self.margin, 0)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of a noisy count."""
        return LaplaceLoss(distance=Count().stability(d_in, space), scale=self.scale, step=1)

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The distance between bound and size, on either side, that is exceeded with probability at most beta."""
        margin = self.margin

        def holds(k: int) -> bool:
            # below the size by more than k: Z < -k - margin; above it by more than k: Z > k - margin
            below = laplace_reaches(self.scale, k + margin + 1)
            return below + laplace_reaches(self.scale, k - margin + 1) <= beta

        return Fraction(smallest_within(holds, margin))

    @property
    def margin(self) -> int:
        """The number that is added so that the bound holds."""
        return _margin(self.scale, self.beta)

    @staticmethod
    def scale_for(*, margin: int, beta: object) -> Fraction:
        """The largest scale, to 40 bits, whose margin is at most this one.

        >>> scale = SizeUpperBound.scale_for(margin=30, beta=1e-6)
        >>> SizeUpperBound(scale=scale, beta=1e-6).margin
        30
        """
        share = read_number("scale_for.beta", beta)
        if not 0 < share < Fraction(1, 2):
            raise InvalidError(f"scale_for.beta must be above zero and below one half, got {short(share)}.")
        # one side beyond the margin is half of both
        return largest_scale("scale_for", margin, 2 * share, 1)


@lru_cache(maxsize=256)
def _margin(scale: Fraction, beta: Fraction) -> int:
    return smallest_within(lambda k: laplace_reaches(scale, k + 1) <= beta, 0)
