"""Ranges: what is known of the values of an expression while its column is inferred.

A ``Range`` says what a ``Column`` says, with three freedoms that a column does not need: both bounds may be one number,
an expression that is always null has no value at all, and bounds are always there (of the kind if no others are known).
"""

import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import Any, final

from attrs import evolve, frozen

from privet.core import to_float_down, to_float_up
from privet.tables.columns import (
    FIRST_DAY,
    FIRST_TIMESTAMP,
    LARGEST,
    LAST_DAY,
    LAST_TIMESTAMP,
    LONGEST_TEXT,
    NUMBERS,
    ORDERED,
    SMALLEST,
    Column,
    Kind,
)

EPOCH_DAY, EPOCH = date(1970, 1, 1), datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps are naive, in UTC
MICROSECOND = timedelta(microseconds=1)
DAY = 86_400_000_000  # in microseconds
LARGEST_REAL = Fraction(sys.float_info.max)
OVERFLOW = LARGEST_REAL + Fraction(2) ** 970  # from here on, round to nearest gives infinity
_SLACK = Fraction(1, 2**44)  # 256 units in the last place: mathematical libraries stay far below
_TINY = Fraction(1, 2**1060)  # and this much near zero, where relative errors mean nothing
_WIDEST = 2**53  # wider bounds come from a type and not from knowledge: noise for them would hide every sum
_NARROW = Fraction(1, 2**30)  # reals this close together are one number and the errors of a library
MOST_CATEGORIES = 1_000  # above this many, categories are no longer followed through functions


LIMITS: dict[Kind, tuple[Fraction, Fraction]] = {
    "integer": (Fraction(SMALLEST), Fraction(LARGEST)),
    "real": (-LARGEST_REAL, LARGEST_REAL),
    "date": (Fraction(FIRST_DAY), Fraction(LAST_DAY)),
    "timestamp": (Fraction(FIRST_TIMESTAMP), Fraction(LAST_TIMESTAMP)),
}
NOTHING = Fraction(0)  # the bounds of kinds that have none


@final
@frozen(kw_only=True)
class Range:
    """What every value of an expression is.

    Args:
        kind: The kind of the values.
        low: No value is below it (numbers; days or microseconds since 1970-01-01).
        high: No value is above it.
        categories: The values that may occur; empty if every value is null; None where any may.
        nullable: Whether values may be null.
        whole: Whether reals are whole numbers: then a divisor that is not zero is at least one.
        length: No text has more characters (code points).
    """

    kind: Kind
    low: Fraction = NOTHING
    high: Fraction = NOTHING
    categories: tuple[Any, ...] | None = None
    nullable: bool = True
    whole: bool = False
    length: int = 0

    @property
    def never(self) -> bool:
        """Whether every value is null."""
        return self.categories == ()

    @property
    def single(self) -> bool:
        """Whether there is one value, or every value is null."""
        return self.never or (self.categories is not None and len(self.categories) == 1 and not self.nullable)

    def column(self) -> Column:
        """Give what is known as a column."""
        categories = self.categories if self.kind in ("integer", "text", "boolean") else None
        return Column(
            kind=self.kind,
            bounds=self._bounds(),
            categories=categories or None,
            nullable=self.nullable or self.never,
            length=self.length if self.kind == "text" else None,
        )

    def _bounds(self) -> tuple[Fraction, Fraction] | None:
        if self.kind not in ORDERED or self.never or (self.low, self.high) == LIMITS[self.kind]:
            return None
        if self.kind in NUMBERS and self.high - self.low > _WIDEST:
            return None
        narrow = max(abs(self.low), abs(self.high)) * _NARROW if self.kind == "real" else 0
        if self.high - self.low > narrow:
            return self.low, self.high
        # the bounds of a column differ, so a constant gets room for one step, on the side where there is room
        step = Fraction(1)
        return (
            (self.low, self.high + step) if self.high + step <= LIMITS[self.kind][1] else (self.low - step, self.high)
        )


def ordinal(value: Any) -> Fraction:
    """Give the place of a value in the order of its kind."""
    if isinstance(value, datetime):
        return Fraction((value - EPOCH) // MICROSECOND)
    return Fraction((value - EPOCH_DAY).days if isinstance(value, date) else value)


def anything(kind: Kind, *, nullable: bool = True) -> Range:
    """Any value of a kind; of texts those of the largest length."""
    low, high = LIMITS.get(kind, (NOTHING, NOTHING))
    return Range(kind=kind, low=low, high=high, nullable=nullable, length=LONGEST_TEXT if kind == "text" else 0)


def texts(length: int, *, nullable: bool) -> Range:
    """Any text of up to so many characters."""
    return Range(kind="text", nullable=nullable, length=length)


def truth(*, nullable: bool) -> Range:
    """True or false."""
    return Range(kind="boolean", categories=(False, True), nullable=nullable)


def truth_of(*ranges: Range) -> Range:
    """True or false; null where one of the arguments is."""
    return truth(nullable=any(known.nullable for known in ranges))


def within(kind: Kind, low: Fraction | int, high: Fraction | int, *, nullable: bool) -> Range:
    """The values between two bounds, which are moved to those of the kind: what lies beyond is null."""
    least, most = LIMITS[kind]
    low, high = (min(max(Fraction(end), least), most) for end in (low, high))
    return Range(kind=kind, low=low, high=high, nullable=nullable)


def only(kind: Kind, values: Sequence[Any]) -> Range:
    """These values and no others."""
    present = tuple(dict.fromkeys(value for value in values if value is not None))
    known = Range(kind=kind, categories=present, nullable=len(present) == 0 or None in values)
    if present and kind in ORDERED:
        places = [ordinal(value) for value in present]
        known = evolve(known, low=min(places), high=max(places))
    if kind == "text":
        known = evolve(known, length=max(map(len, present), default=0))
    # only these kinds have categories; of others the bounds are kept
    return known if not present or kind in ("integer", "text", "boolean") else evolve(known, categories=None)


def of_column(column: Column) -> Range:
    """What is known of the values of a column."""
    known = anything(column.kind, nullable=column.nullable)
    if column.bounds is not None:
        low, high = column.bounds
        if column.kind == "real":  # a value moved to the bound is the float next to it, on either side
            low, high = real_below(low), real_above(high)
        else:
            low, high = Fraction(floor(low)), Fraction(ceil(high))
        known = within(column.kind, low, high, nullable=column.nullable)
    if column.categories is None:
        return evolve(known, length=column.length or 0)
    listed = only(column.kind, column.categories)
    return evolve(listed, nullable=column.nullable)


def hull(ranges: Iterable[Range], *, nullable: bool) -> Range:
    """The smallest range that holds all of these, which are of one kind."""
    every = list(ranges)
    some = [known for known in every if not known.never]
    if not some:
        return evolve(every[0], categories=(), nullable=True)
    categories: tuple[Any, ...] | None = None
    if all(known.categories is not None for known in some):
        categories = tuple(dict.fromkeys(value for known in some for value in known.categories or ()))
        categories = categories if len(categories) <= MOST_CATEGORIES else None
    low, high = min(known.low for known in some), max(known.high for known in some)
    return Range(
        kind=some[0].kind,
        low=low,
        high=high,
        categories=categories,
        nullable=nullable,
        whole=all(known.whole for known in some),
        length=max(known.length for known in some),
    )


def rounded(value: Fraction) -> Fraction:
    """Round to the nearest double, as the engine does; beyond the doubles the value is returned as it is.

    Rounding is monotone, so the rounded bounds of exact results are bounds of the rounded results.
    """
    return value if abs(value) >= OVERFLOW else Fraction(float(value))


def overflows(low: Fraction, high: Fraction) -> bool:
    """Whether some double between two exact bounds would be infinite."""
    return low <= -OVERFLOW or high >= OVERFLOW


def outward(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Widen bounds by what a mathematical library may err."""
    low -= abs(low) * _SLACK + _TINY
    high += abs(high) * _SLACK + _TINY
    return real_below(low), real_above(high)


def real_below(value: Fraction) -> Fraction:
    """Give the largest double that is not above a number; the lowest of all where there is none."""
    return Fraction(to_float_down(max(value, -LARGEST_REAL)))


def real_above(value: Fraction) -> Fraction:
    """Give the smallest double that is not below a number; the highest of all where there is none."""
    return Fraction(to_float_up(min(value, LARGEST_REAL)))


def finite(value: float) -> float | None:
    """Give null for NaN and infinities."""
    return value if isfinite(value) else None
