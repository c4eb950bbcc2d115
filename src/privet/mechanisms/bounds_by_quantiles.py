"""Private bounds of a column: two outer quantiles."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Bounds, Space, bounds, must_be, number, positive, short
from privet.mechanisms.multiple_quantiles import MultipleQuantiles
from privet.mechanisms.pieces import written
from privet.transforms import bounded_column, ends_in_steps


@final
@frozen(kw_only=True)
class BoundsByQuantiles(Measurement):
    """Find bounds for clamping: a low and a high quantile, within wide public bounds.

    Releases a pair (lower, upper) of points of the column's grid, lower below upper, ready for ``Clamp``.

    Args:
        shares: The shares of rows below the lower and below the upper bound, such as (0.05, 0.95).
        temperature: In rows, above zero. Twice the temperature, half the loss.

    Guarantee: that of ``MultipleQuantiles`` with these two shares.
    Proof: docs/mechanisms/bounds_by_quantiles.md.

    >>> from privet.core.space import vector
    >>> wide = vector(float, bounds=(0, 1_000_000), grid=1)
    >>> lower, upper = (wide >> BoundsByQuantiles(shares=(0.05, 0.95), temperature=10))([20.0, 30.0] * 500)
    >>> lower < upper
    True
    """

    shares: Bounds = field(
        converter=bounds,
        validator=must_be(lambda pair: 0 <= pair[0] < pair[1] <= 1, "between zero and one"),
        repr=short,
    )
    temperature: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A bounded column of numbers."""
        bounded_column(self, space)

    def release(self, value: Array, space: Space) -> tuple[int | float, int | float]:
        """Release both quantiles; if they are the same point, take the next point of the grid as well."""
        domain, bounds = bounded_column(self, space)
        lowest, highest = ends_in_steps(bounds, domain.step)
        quantiles = self._quantiles().steps(value, space)
        lower, upper = quantiles[0], quantiles[-1]
        if lower == upper:
            lower, upper = (lower, upper + 1) if upper < highest else (max(lower - 1, lowest), upper)
        return written(lower, domain), written(upper, domain)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the two quantiles; the rest is post-processing."""
        return self._quantiles().loss(d_in, space)

    def _quantiles(self) -> MultipleQuantiles:
        return MultipleQuantiles(alphas=self.shares, temperature=self.temperature)
