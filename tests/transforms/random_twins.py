"""A base for broken twins of transformations that toss coins."""

from typing import Any

from attrs import frozen

from privet.chains.transformation import RandomTransformation
from privet.core.metric import Distance
from privet.core.space import Space


@frozen
class RandomTwinOf(RandomTransformation):
    """Behaves like another randomised transformation; a twin overrides what it gets wrong."""

    right: RandomTransformation

    def output(self, space: Space) -> Space:
        return self.right.output(space)

    def coins(self, rows: int, space: Space) -> Any:
        return self.right.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return self.right.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return self.right.stability(d_in, space)
