"""The Laplace mechanism on integers and on a public grid."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.core import Parts, Space, number, positive, short, sqrt_up
from privet.mechanisms.additive import AdditiveMechanism, grid_of, noisy, size_of, widest_scale
from privet.noise import discrete_laplace, discrete_laplace_quantile


@final
@frozen(kw_only=True)
class Laplace(AdditiveMechanism):
    """Add two-sided geometric noise to a number, or to each of several.

    Releases ``x + Z`` where ``P(Z = z)`` is proportional to ``exp(-|z| / scale)`` on the grid of ``x``.

    Args:
        scale: Spread of the noise in the units of the data, above zero. Twice the scale, half the loss.

    Guarantee: ``epsilon = d_in / scale``, where a vector's ``d_in`` is its l1 distance. The delta curve is exact for
        one number; for a vector it is that of the worst move.
    Proof: docs/mechanisms/laplace.md.

    >>> Laplace(scale=2).map(1).epsilon()
    Fraction(1, 2)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)

    @classmethod
    def for_accuracy(cls, accuracy: object, beta: object, grid: object = 1) -> "Laplace":
        """Make the mechanism with the most noise that exceeds ``accuracy`` with probability at most ``beta``.

        Its loss, ``chain.map(d_in)``, is the smallest that allows this accuracy.

        Args:
            accuracy: The half-width in the units of the data.
            beta: The probability that the noise exceeds it.
            grid: The step of the data: 1 for whole numbers.
        """
        return cls(scale=widest_scale(discrete_laplace_quantile, accuracy, beta, grid))

    def release(self, value: Any, space: Space) -> Any:
        """Add whole steps of noise."""
        return noisy(value, discrete_laplace(self.scale / grid_of(space), size=size_of(space)), space)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The probability ratio at z is exp((|z - d| - |z|) / scale)."""
        step = grid_of(space)
        if not isinstance(d_in, Parts):
            return LaplaceLoss(distance=d_in, scale=self.scale, step=step)
        if d_in.l0 <= 1:
            return LaplaceLoss(distance=min(d_in.l1, d_in.linf), scale=self.scale, step=step)
        # the worst is to move as few numbers as possible, each as far as possible
        most = max(math.floor(min(d_in.linf, d_in.l1, sqrt_up(d_in.l2_squared)) / step), 1)
        times, rest = divmod(min(math.floor(d_in.l1 / step), d_in.l0 * most), most)
        far = LaplaceLoss(distance=most * step, scale=self.scale, step=step)
        return far * times + LaplaceLoss(distance=rest * step, scale=self.scale, step=step) if rest else far * times

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The smallest number of steps that the noise exceeds with probability at most beta."""
        step = grid_of(space)
        return discrete_laplace_quantile(self.scale / step, beta) * step
