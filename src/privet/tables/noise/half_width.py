"""Half-widths to expect of the intervals of a release, from a plan and public guesses alone.

Floats that decide accuracy only: no privacy depends on them.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core import number_text, read_number, saturated, short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise

_MOST_EXPECTED = 2**63
_SPANS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))
_SECONDS = {"date": 86_400.0, "timestamp": 1e-6}  # of one unit of the numbers of dates and timestamps


@final
@frozen(kw_only=True)
class HalfWidth:
    """What to expect of the intervals of one column of a release.

    Args:
        least: The smallest half-width of its outputs; NaN where values have no interval.
        most: The largest.
        per_rows: Whether it depends on how many rows a group has, and nobody said how many.
        spans: Whether the half-width is a span of time, in seconds.
    """

    least: float = math.nan
    most: float = math.nan
    per_rows: bool = False
    spans: bool = False

    @property
    def text(self) -> str:
        """The half-width as a person reads it."""
        if self.per_rows:
            return "needs group_size=..."
        if math.isnan(self.most):
            return "no interval"
        ends = (self.least, self.most) if self.least < self.most * (1 - 1e-3) else (self.most,)
        size, unit = 1.0, ""
        if self.spans:
            size, name = next((each for each in _SPANS if self.most >= each[0]), _SPANS[-1])
            unit = f" {name}"
        return " to ".join(number_text(end / size, 4) for end in ends) + unit

    def relative(self, typical: object) -> str:
        """The half-width as a share of a typical value, in percent."""
        size = abs(saturated(read_number("describe.typical", typical)))
        if self.per_rows or math.isnan(self.most):
            return ""
        return f"{number_text(100 * self.most / size, 3)} %" if size else "unbounded"


def half_width(aggregate: Aggregate, noise: Noise, level: Fraction, rows: Fraction | None = None) -> HalfWidth:
    """Give the half-width of the interval of a typical group.

    Args:
        aggregate: A bound aggregate.
        noise: The noise of its numbers.
        level: The level of the interval.
        rows: About how many rows a group has; needed where the width depends on it.

    >>> from privet.tables.aggregates.count import count
    >>> half_width(count(), Noise(kind="laplace", scale=10, grid=1), Fraction(95, 100)).text
    '30'
    """
    seconds = _SECONDS.get(aggregate.moments or "", 1.0)
    if not aggregate.numeric and aggregate.moments is None:
        return HalfWidth()
    size = Fraction(0) if rows is None else rows
    numbers = aggregate.typical(size)
    if numbers is None and not _is_linear(aggregate):  # an aggregate of a user's own that foresees nothing
        error = math.nan if rows is None else aggregate.expected(noise, rows).error
        wide = error * saturated(noise.half_width(level)) / (noise.deviation or 1.0)
        return HalfWidth(least=wide, most=wide, per_rows=rows is None)
    if numbers is None:
        numbers = np.zeros((1, aggregate.measured().length), dtype=np.int64)
    elif rows is None:
        return HalfWidth(per_rows=True)
    with np.errstate(all="ignore"):
        low, high = aggregate.interval(numbers, noise, level)
        widths = (high.astype(np.float64) - low.astype(np.float64)) / 2 * seconds
    return HalfWidth(least=float(widths.min()), most=float(widths.max()), spans=aggregate.moments is not None)


def _is_linear(aggregate: Aggregate) -> bool:
    """Say whether the width of an interval is that of the noise, whatever the numbers."""
    return type(aggregate).interval is Aggregate.interval or type(aggregate).typical is not Aggregate.typical


def read_group_size(where: str, group_size: object) -> Fraction | None:
    """Read about how many rows a group has.

    Args:
        where: The call, for messages.
        group_size: The number; None where nobody knows.
    """
    if group_size is None:
        return None
    count = read_number(f"{where}.group_size", group_size)
    if count <= 0:
        raise InvalidError(f"{where}.group_size must be above zero, got {short(count)}.")
    if count > _MOST_EXPECTED:
        raise InvalidError(f"{where}.group_size must be at most 2^63, got {short(count)}.")
    return count


def read_typical(names: Mapping[str, Any], typical: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Refuse typical values of columns that a query does not have."""
    known = typical or {}
    unknown = sorted(set(known) - set(names))
    if unknown:
        raise InvalidError(f"describe.typical names {unknown[0]!r}, which is no aggregate of the query.")
    return known
