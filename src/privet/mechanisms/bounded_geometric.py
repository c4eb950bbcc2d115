"""The geometric mechanism with bounds: discrete Laplace noise on numbers that stay within public limits."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.core import Pair, Parts, Space, bounds, number, positive, readable, short
from privet.errors import MismatchError
from privet.mechanisms.additive import AdditiveMechanism, accept_numbers, grid_of, noisy, size_of
from privet.mechanisms.tails import largest_scale
from privet.noise import discrete_laplace, discrete_laplace_quantile


@final
@frozen(kw_only=True)
class BoundedGeometric(AdditiveMechanism):
    """Add two-sided geometric noise to a number within bounds, and keep the result within them.

    Clamps ``x``, adds ``Z`` with ``P(Z = z)`` proportional to ``exp(-|z| / scale)`` on the grid of ``x``, and clamps
    again: a number that would fall outside is moved to the nearer bound.

    Args:
        scale: Spread of the noise in the units of the data, above zero.
        bounds: Where numbers and releases lie, (lower, upper).

    Guarantee: ``epsilon = min(d_in, upper - lower) / scale``, where a vector's ``d_in`` is its l1 distance.
    Proof: docs/mechanisms/bounded_geometric.md.

    >>> BoundedGeometric(scale=2, bounds=(0, 100)).map(1).epsilon()
    Fraction(1, 2)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    bounds: Pair = field(converter=bounds, validator=readable, repr=short)

    def accept(self, space: Space) -> None:
        """Numbers on a grid with a point inside the bounds."""
        accept_numbers(self, space)
        lowest, highest = self._ends(space)
        if lowest > highest:
            raise MismatchError(f"BoundedGeometric.bounds hold no point of the grid {short(grid_of(space))}.")

    def release(self, value: Any, space: Space) -> Any:
        """Clamp, add whole steps of noise, clamp."""
        lowest, highest = self._ends(space)
        noise: Any = discrete_laplace(self.scale / grid_of(space), size=size_of(space))
        if isinstance(value, np.ndarray):  # as Python integers: bounds and numbers may leave 64 bits
            inside = np.array([min(max(int(item), lowest), highest) for item in value.tolist()], dtype=object)
            moved = inside + noise.astype(object)
            kept = np.array([min(max(item, lowest), highest) for item in moved.tolist()], dtype=object)
            return noisy(kept, np.zeros(len(kept), dtype=object), space)
        return noisy(min(max(min(max(value, lowest), highest) + noise, lowest), highest), 0, space)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the noise: clamping before is stable, clamping after is post-processing."""
        step = grid_of(space)
        lowest, highest = self._ends(space)
        width = (highest - lowest) * step
        if not isinstance(d_in, Parts):
            return LaplaceLoss(distance=min(d_in, width), scale=self.scale, step=step)
        if d_in.l0 <= 1:
            return LaplaceLoss(distance=min(d_in.l1, d_in.linf, width), scale=self.scale, step=step)
        return PureLoss(min(d_in.l1, d_in.l0 * width) / self.scale)

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The error relative to the clamped number: that of the noise, or the width of the bounds if it is smaller."""
        step = grid_of(space)
        lowest, highest = self._ends(space)
        return min(discrete_laplace_quantile(self.scale / step, beta), highest - lowest) * step

    @staticmethod
    def scale_for(*, accuracy: object, beta: object, grid: object = 1) -> Fraction:
        """The largest scale whose noise exceeds ``accuracy`` with probability at most ``beta``.

        >>> scale = BoundedGeometric.scale_for(accuracy=30, beta=0.05)
        >>> round(float(scale), 3)
        10.185
        """
        return largest_scale("BoundedGeometric.scale_for", accuracy, beta, grid)

    def _ends(self, space: Space) -> tuple[int, int]:
        step = grid_of(space)
        return math.ceil(self.bounds[0] / step), math.floor(self.bounds[1] / step)
