"""Counting rows."""

from collections.abc import Sized
from typing import final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, ScalarDomain, Space, vector
from privet.transforms import replaced, table


@final
@frozen(kw_only=True)
class Count(Transformation):
    """Count the rows of a column, a matrix or records, nulls included.

    Guarantee: ``d_out = d_in``; zero if the size is public.
    Proof: docs/transforms/count.md.

    >>> Count().map(3)
    3
    """

    def default(self) -> Space:
        """Any column; a matrix or records work as well."""
        return vector(float)

    def output(self, space: Space) -> Space:
        """One whole number."""
        table(self, space)
        return Space(ScalarDomain(kind=int), AbsoluteDistance())

    def apply(self, value: Sized, space: Space) -> int:
        """Count."""
        return len(value)

    def stability(self, d_in: int, space: Space) -> int:
        """An added or removed row changes the count by one, a replaced row not at all."""
        return d_in if replaced(space, d_in) is None else 0
