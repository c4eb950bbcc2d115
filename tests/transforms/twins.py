"""A base for broken twins: the right unit with one method replaced."""

from typing import Any

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core.metric import Distance
from privet.core.space import Space


@frozen
class TwinOf(Transformation):
    """Behaves like another transformation; a twin overrides what it gets wrong."""

    right: Transformation

    def output(self, space: Space) -> Space:
        return self.right.output(space)

    def apply(self, value: Any, space: Space) -> Any:
        return self.right.apply(value, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return self.right.stability(d_in, space)
