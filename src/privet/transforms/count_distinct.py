"""Counting different values."""

from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core.domain import ScalarDomain, VectorDomain
from privet.core.metric import AbsoluteDistance
from privet.core.rows import Array
from privet.core.space import Space
from privet.transforms.columns import column, present, replaced


@final
@frozen(kw_only=True)
class CountDistinct(Transformation):
    """Count how many different values a column holds; nulls and NaN are no values.

    Guarantee: ``d_out = d_in``, for a public size ``ceil(d_in / 2)``; never more than the values that there are.
    Proof: docs/transforms/count_distinct.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> CountDistinct())(["a", "b", "a", None])
    2
    """

    def output(self, space: Space) -> Space:
        """One whole number."""
        column(self, space)
        return Space(ScalarDomain(kind=int), AbsoluteDistance())

    def apply(self, value: Array, space: Space) -> int:
        """Count; zero and minus zero are one value."""
        values, null = present(value)
        seen = values if null is None else values[~null]
        if seen.dtype == object:
            return len(set(seen.tolist()))
        if seen.dtype.kind == "f":
            seen = seen[~np.isnan(seen)]
        return len(np.unique(seen))

    def stability(self, d_in: int, space: Space) -> int:
        """A row brings or takes at most one value; a replacement may do both, which moves the count by one at most."""
        swaps = replaced(space, d_in)
        moved = d_in if swaps is None else swaps
        most = _possible(column(self, space))
        return moved if most is None else min(moved, most)


def _possible(domain: VectorDomain) -> int | None:
    """Count the values that a column may hold, or None where there are too many to matter."""
    if domain.categories is not None:
        return len(domain.categories)
    if domain.kind is int and domain.bounds is not None:
        return int(domain.bounds[1] - domain.bounds[0]) + 1
    return 2 if domain.kind is bool else None
