"""What the tests of streams share."""

from typing import Any

from attrs import frozen

from privet.core.space import Space
from privet.transforms.stream_space import Stream
from tests.transforms.twins import TwinOf


@frozen
class Probed(TwinOf):
    """The same unit; its streams carry queries, so that their metric can measure them."""

    queries: tuple[Any, ...]

    def apply(self, value: Any, space: Space) -> Stream:
        source = self.right.apply(value, space)
        return Stream(lambda: source.again().ask, self.queries)
