"""Count streams: one data set, asked for the number of records of one kind after the other."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core.checks import read_number
from privet.core.domain import VectorDomain
from privet.core.frames import kept
from privet.core.rows import Array, saturated
from privet.core.space import Space
from privet.errors import WrongTypeError
from privet.transforms.columns import column, present, replaced
from privet.transforms.stream_space import MonotonicStreamDistance, Stream, StreamDistance, StreamDomain


@final
@frozen(kw_only=True)
class CountStream(Transformation):
    """Turn a column into a stream of counts of the rows that meet a condition.

    A question is a pair (lower, upper), met from lower up to but not including upper (None where there is no end), or
    a set of values, met by each of them. Missing values meet no condition.

    Guarantee: no count falls when a row is added: ``d_out = d_in`` under ``MonotonicStreamDistance``; where the size is
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
        """Keep the column, and count from it."""
        domain = column(self, space)
        values, null = present(kept(value))
        seen = np.ones(len(values), dtype=bool) if null is None else ~null

        def answer(question: Any) -> int:
            return int((seen & _met(values, question, domain)).sum())

        return Stream(lambda: answer)

    def stability(self, d_in: int, space: Space) -> int:
        """An added row raises a count by one at most; a replaced one moves it by one at most."""
        swaps = replaced(space, d_in)
        return d_in if swaps is None else swaps


def _met(values: Array, question: Any, domain: VectorDomain) -> Array:
    """Tell which rows meet a condition; what is wrong with a condition is said without looking at the rows."""
    if isinstance(question, set | frozenset):
        wanted = frozenset(question)  # a plain one: the methods of a subclass would see the rows
        if any(type(item) is not domain.kind for item in wanted):
            raise WrongTypeError(f"a question must be a set of {domain.kind.__name__}, as the column is.")
        return np.fromiter((item in wanted for item in values.tolist()), dtype=bool, count=len(values))
    if not isinstance(question, tuple) or len(question) != 2 or domain.kind not in (int, float):
        raise WrongTypeError("a question must be a set of values or, for numbers, a pair (lower, upper).")
    met = ~np.isnan(values)
    for end, sign in zip(question, (1, -1), strict=True):
        if end is not None:
            met &= _at_least(values, read_number("CountStream.question", end), domain) == (sign > 0)
    return met & ~np.isnan(values)


def _at_least(values: Array, end: Fraction, domain: VectorDomain) -> Array:
    """Compare exactly: numpy would round a large integer to a float."""
    if domain.kind is int:
        whole = -(-end.numerator // end.denominator)
        return values >= min(max(whole, -(2**63)), 2**63 - 1) if whole < 2**63 else np.zeros(len(values), dtype=bool)
    near = saturated(end)
    above = Fraction(near) < end if math.isfinite(near) else near < 0
    return values > near if above else values >= near
