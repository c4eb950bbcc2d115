"""Caps and bounds that were estimated before the release that uses them."""

from typing import Any, Protocol, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array, short
from privet.tables.columns import CapOrBounds
from privet.tables.noise.plan import NoisePlan


class CountsRelease(Protocol):
    """The release of counts behind an estimate: the part of ``Release`` that an estimate reads."""

    @property
    def plan(self) -> NoisePlan:
        """The noise of the counts."""

    @property
    def numbers(self) -> tuple[Array, ...]:
        """The noisy counts as they were drawn."""

    @property
    def loss(self) -> Loss:
        """The privacy loss of the counts."""

    def values(self, name: str) -> Array:
        """The counts of a column of the release."""

    def encode(self) -> dict[str, Any]:
        """The release as plain values."""


@final
@frozen(kw_only=True)
class Estimated:
    """The estimate of one cap or of the bounds of one column. It is public: the privacy loss was paid.

    Args:
        name: The cap or the column.
        value: The cap, or the pair (lower, upper).
        histogram: The release of the noisy counts that the value follows from.
    """

    name: str
    value: CapOrBounds
    histogram: CountsRelease = field(repr=False)

    @property
    def loss(self) -> Loss:
        """The privacy loss of the estimate."""
        return self.histogram.loss

    @property
    def line(self) -> str:
        """One line for the reader."""
        noise = self.histogram.plan.planned[0].noise
        exactly = noise.kind == "laplace"
        cost = f"epsilon {short(self.loss.epsilon())}" if exactly else f"rho {float(self.loss.rho()):.4g}"
        return f"estimated first: {self.name} {short(self.value)}, at a cost of {cost}"
