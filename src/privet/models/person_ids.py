"""Ids of persons as texts: equal ids have one text, and no id changes how another is read."""

import math
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from privet.core import quietly, read_items

_DECIMAL = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})", re.ASCII)
_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 6 * 10**10, "h": 36 * 10**11, "D": 864 * 10**11}
_LONGEST = 400  # digits of a number; a longer one is nobody's


def read_ids(persons: Any) -> list[str | None]:
    """Read a column of ids; a missing one, and one that cannot be read, is None and belongs to nobody.

    Numbers that are equal are one id, whatever their type, and so are a number and its decimal text: ``0.5`` and
    ``"0.50"``. A time is one id at any precision and in any zone, and a date is its midnight. Tuples, durations, bytes,
    members of an Enum and UUIDs are ids too; an object of another class is read as missing.

    Args:
        persons: A list, an array, or a column of a pandas or polars frame.

    >>> import numpy as np
    >>> read_ids([1, 1.0, True, np.int64(1), "1.0", None, float("nan"), "b"])
    ['1', '1', '1', '1', '1', None, None, 'b']
    """
    array = read_items(persons)
    items = [array[at] for at in range(len(array))] if array.dtype.kind == "M" else array.tolist()
    return [quietly(_text, item) for item in items]


def _text(item: Any) -> str | None:
    if isinstance(item, str):
        plain = str.__str__(item)  # not a method of a subclass
        return _number(Fraction(plain)) if _DECIMAL.fullmatch(plain) else plain
    if isinstance(item, timedelta | np.timedelta64):
        return _duration(item)
    if isinstance(item, complex | np.complexfloating) and item.imag == 0:
        return _number(item.real)
    if isinstance(item, bool | int | float | Decimal | Rational | np.floating | np.integer | np.bool_):
        return _number(item)
    if isinstance(item, date | np.datetime64):
        return _time(item)
    if isinstance(item, tuple):
        return _several(tuple.__iter__(item))
    if isinstance(item, frozenset):
        return _several(sorted(frozenset.__iter__(item), key=_text))  # type: ignore[arg-type]
    if isinstance(item, bytes):
        return bytes.__repr__(item)
    if isinstance(item, Enum) or type(item).__name__ in ("UUID", "Period"):
        return None if item != item else str(item)
    return None  # two of them may be equal and have different texts


def _several(items: Any) -> str | None:
    """Write the items of a tuple; two tuples have one text where their items have."""
    texts = [_text(item) for item in items]
    return None if None in texts else f"({', '.join(map(repr, texts))})"


def _duration(item: Any) -> str | None:
    """Write a duration in nanoseconds."""
    if isinstance(item, np.timedelta64):
        unit, count = np.datetime_data(item.dtype)
        known = not np.isnat(item) and unit in _NANOSECONDS  # months and years have no length
        return f"{int(item.astype(np.int64)) * count * _NANOSECONDS[unit]} ns" if known else None
    fine = 1000 * (item // timedelta(microseconds=1)) + int(getattr(item, "nanoseconds", 0)) % 1000
    return f"{fine} ns"


def _time(item: Any) -> str | None:
    """Write a date or a time with all its digits; those of a date and of its midnight are the same."""
    if isinstance(item, np.datetime64):
        if np.isnat(item):
            return None
        whole = item.astype("M8[s]")
        fine = item - whole if np.datetime_data(item.dtype)[0] in ("ms", "us", "ns") else np.timedelta64(0, "ns")
        return f"{whole}.{int(fine.astype('m8[ns]').astype(np.int64)):09d}"
    if item != item:  # pandas.NaT
        return None
    if not isinstance(item, datetime):
        return f"{item.isoformat()}T00:00:00.000000000"
    zone = "" if item.utcoffset() is None else "Z"
    if zone:  # one instant is one id in all zones; of an hour that a clock shows twice, the first
        item = (item if hasattr(item, "nanosecond") else item.replace(fold=0)).astimezone(UTC)
    fine = 1000 * item.microsecond + int(getattr(item, "nanosecond", 0))
    return f"{item.replace(microsecond=0, tzinfo=None).isoformat()[:19]}.{fine:09d}{zone}"


def _number(item: Any) -> str | None:
    if isinstance(item, np.generic):
        return _number(item.item() if item.dtype.itemsize <= 8 else float(item))
    if isinstance(item, Decimal) and item.is_finite() and abs(item.adjusted()) > _LONGEST:
        return None
    if isinstance(item, float | Decimal) and not math.isfinite(item):
        return None if math.isnan(item) else f"{float(item)}"
    exact = Fraction(item)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > 4 * _LONGEST:
        return None
    return f"{exact}"
