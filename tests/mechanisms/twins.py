"""A base for broken twins of mechanisms: the right one with one method replaced."""

from typing import Any

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core.space import Space


@frozen
class TwinOf(Measurement):
    """Behaves like another mechanism; a twin overrides what it gets wrong."""

    right: Measurement

    def accept(self, space: Space) -> None:
        self.right.accept(space)

    def release(self, value: Any, space: Space) -> Any:
        return self.right.release(value, space)

    def loss(self, d_in: Any, space: Space) -> Loss:
        return self.right.loss(d_in, space)
