"""Counting different values."""

from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import AbsoluteDistance, Array, ScalarDomain, Space, VectorDomain
from privet.transforms import column, records_changed, seen


@final
@frozen(kw_only=True)
class CountDistinct(Transformation):
    """Count the different values of a column; nulls and NaN do not count.

    Guarantee: ``d_out = d_in``, for a public size ``ceil(d_in / 2)``; never more than the number of possible values.
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
        """Count; zero and minus zero are the same value."""
        known = seen(value)
        return len(set(known.tolist())) if known.dtype == object else len(np.unique(known))

    def stability(self, d_in: int, space: Space) -> int:
        """A row adds or removes at most one value; a replacement may do both, which changes the count by one."""
        rows = records_changed(space, d_in)
        most = _possible_values(column(self, space))
        return rows if most is None else min(rows, most)


def _possible_values(domain: VectorDomain) -> int | None:
    """Return the number of values that a column may hold, or None if there are too many to matter."""
    if domain.categories is not None:
        return len(domain.categories)
    if domain.kind is int and domain.bounds is not None:
        return int(domain.bounds[1] - domain.bounds[0]) + 1
    return 2 if domain.kind is bool else None
