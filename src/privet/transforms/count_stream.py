"""Count streams: count the records of a data set under one condition after another."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Space, VectorDomain, frozen_copy, read_number, saturated
from privet.errors import WrongTypeError
from privet.transforms import column, missing, present, records_changed, replaced
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain


@final
@frozen(kw_only=True)
class CountStream(Transformation):
    """Turn a column into a stream of counts of the rows that meet a condition.

    A query is a pair (lower, upper), which means lower <= value < upper (None for no limit), or a set of values.
    Missing values meet no condition.

    Guarantee: no count falls when a row is added: ``d_out = d_in`` under ``MonotonicStreamDistance``; if the size is
    public, ``d_out = ceil(d_in / 2)`` under ``StreamDistance``.
    Proof: docs/transforms/count_stream.md.

    >>> from privet.core.space import vector
    >>> ages = (vector(int) >> CountStream())([20, 35, 70, None])
    >>> ages.ask((18, 65)), ages.ask({70, 71}), ages.ask((None, None))
    (2, 1, 3)
    """

    def output(self, space: Space) -> Space:
        """Streams of whole numbers."""
        column(self, space)
        return Space(
            StreamDomain(kind=int), MonotonicStreamDistance() if replaced(space, 0) is None else StreamDistance()
        )

    def apply(self, value: Array, space: Space) -> Stream:
        """Keep a copy of the column, and count from it."""
        domain = column(self, space)
        copy = frozen_copy(value)
        values, known = present(copy)[0], ~missing(copy)

        def answer(query: object) -> int:
            return int((known & _matches(values, query, domain)).sum())

        return Stream(lambda: answer)

    def stability(self, d_in: int, space: Space) -> int:
        """An added row raises a count by at most one; a replaced row changes it by at most one."""
        return records_changed(space, d_in)


def _matches(values: Array, query: object, domain: VectorDomain) -> Array:
    """Mark the rows that meet a condition; refuse a wrong condition without looking at the rows."""
    if isinstance(query, set | frozenset):
        members = frozenset(query)  # a plain frozenset: methods of a subclass would see the rows
        if any(type(item) is not domain.kind for item in members):
            raise WrongTypeError(f"a query must be a set of {domain.kind.__name__}, the kind of the column.")
        return np.fromiter((item in members for item in values.tolist()), dtype=bool, count=len(values))
    if not isinstance(query, tuple) or len(query) != 2 or domain.kind not in (int, float):
        raise WrongTypeError("a query must be a set of values or, for numbers, a pair (lower, upper).")
    matches = np.ones(len(values), dtype=bool)
    for end, sign in zip(query, (1, -1), strict=True):
        if end is not None:
            matches &= _at_least(values, read_number("CountStream.query", end), domain) == (sign > 0)
    return matches


def _at_least(values: Array, end: Fraction, domain: VectorDomain) -> Array:
    """Compare exactly: numpy would round a large integer to a float."""
    if domain.kind is int:
        whole = -(-end.numerator // end.denominator)
        return values >= min(max(whole, -(2**63)), 2**63 - 1) if whole < 2**63 else np.zeros(len(values), dtype=bool)
    near = saturated(end)
    above = Fraction(near) < end if math.isfinite(near) else near < 0
    return values > near if above else values >= near
