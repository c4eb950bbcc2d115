"""Truncated Laplace noise: an error that never exceeds a public radius, for a small delta."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen
from flint import arb

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.truncated_laplace import TruncatedLaplaceLoss
from privet.core import Parts, Space, directed, number, positive, read_number, short
from privet.errors import InvalidError
from privet.mechanisms.additive import AdditiveMechanism, grid_of, noisy, size_of
from privet.noise import bernoulli_exp, discrete_laplace, uniform_below
from privet.noise.drawing import smallest_within


@final
@frozen(kw_only=True)
class TruncatedLaplace(AdditiveMechanism):
    """Add two-sided geometric noise that never exceeds a radius.

    Releases ``x + Z`` where ``P(Z = z)`` is proportional to ``exp(-|z| / scale)`` for ``|z| <= radius`` on the grid of
    ``x``, and zero beyond.

    Args:
        scale: Spread of the noise in the units of the data, above zero.
        radius: The largest error, above zero; it is rounded down to the grid.

    Guarantee: ``epsilon = d_in / scale`` with ``delta = P(Z < d_in - radius)``, and the exact curve for one number.
    Proof: docs/mechanisms/truncated_laplace.md.

    >>> loss = TruncatedLaplace(scale=2, radius=20).map(1)
    >>> loss.epsilon(1e-4) <= 0.5, loss.epsilon(1e-6)
    (True, inf)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    radius: Fraction = field(converter=number, validator=positive, repr=short)

    def release(self, value: Any, space: Space) -> Any:
        """Add whole steps of noise."""
        step, size = grid_of(space), size_of(space)
        scale, radius = self.scale / step, self._steps(step)
        if size is None:
            return noisy(value, _draw(scale, radius), space)
        dtype = np.int64 if radius < 2**62 else object
        return noisy(value, np.array([_draw(scale, radius) for _ in range(size)], dtype=dtype), space)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """For outputs that both inputs can give, the ratio is that of Laplace noise; the others are delta."""
        step = grid_of(space)
        if isinstance(d_in, Parts) and d_in.l0 > 1:
            one = self._one(min(d_in.l1, d_in.linf), step)
            return ApproximateLoss(d_in.l1 / self.scale, min(d_in.l0 * one.slack(), Fraction(1)))
        return self._one(min(d_in.l1, d_in.linf) if isinstance(d_in, Parts) else d_in, step)

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The smallest number of steps that the noise exceeds with probability at most beta."""
        step = grid_of(space)
        scale, radius = self.scale / step, self._steps(step)
        return smallest_within(lambda k: k >= radius or _outside(scale, radius, k) <= beta, radius) * step

    @staticmethod
    def radius_for(*, scale: object, d_in: Any, delta: object, grid: object = 1) -> Fraction:
        """The smallest radius at which ``epsilon = d_in / scale`` holds with this delta.

        >>> TruncatedLaplace.radius_for(scale=2, d_in=1, delta=1e-6)
        Fraction(25, 1)
        """
        width, step = read_number("radius_for.scale", scale), read_number("radius_for.grid", grid)
        distance, allowed = read_number("radius_for.d_in", d_in), read_number("radius_for.delta", delta)
        if width <= 0 or step <= 0 or distance < 0 or not 0 < allowed < 1:
            raise InvalidError("radius_for needs a scale and grid above zero, d_in of zero or more and 0 < delta < 1.")

        def holds(radius: int) -> bool:
            loss = TruncatedLaplaceLoss(distance=distance / step, scale=width / step, radius=radius)
            return loss.slack() <= allowed

        return max(smallest_within(holds, 0), 1) * step

    def _one(self, distance: Fraction, step: Fraction) -> TruncatedLaplaceLoss:
        return TruncatedLaplaceLoss(
            distance=Fraction(distance) / step, scale=self.scale / step, radius=self._steps(step)
        )

    def _steps(self, step: Fraction) -> int:
        return math.floor(self.radius / step)


def _draw(scale: Fraction, radius: int) -> int:
    """Draw by rejection, from the proposal that is accepted more often; this does not depend on the data."""
    while True:
        if radius > scale:
            proposal = discrete_laplace(scale)
            if abs(proposal) <= radius:
                return proposal
        else:
            proposal = uniform_below(2 * radius + 1) - radius
            if bernoulli_exp(abs(proposal) / scale):
                return proposal


def _outside(scale: Fraction, radius: int, k: int) -> Fraction:
    """An upper bound of P(|Z| > k) for k below the radius."""

    def value(rate: arb) -> arb:
        beyond = ((radius + 1) * rate).exp()
        return 2 * (((k + 1) * rate).exp() - beyond) / (1 + rate.exp() - 2 * beyond)

    return directed(value, -1 / scale, toward="up")
