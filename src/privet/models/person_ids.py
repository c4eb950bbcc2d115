"""Ids of persons as texts: ids have one text if and only if they are equal, and no id changes how another is read.

If two persons had one text, they would share a cap. Whoever left would change which rows of the other one count, and
that is more than the cap says.
"""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from privet.core import Array, quietly, read_items
from privet.errors import WrongTypeError

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,399}", re.ASCII)  # as a number is written, and no other way
_LONGEST = 400  # digits of a number; a longer one is nobody's
_SECOND = 10**18  # attoseconds
_UNITS = {
    "as": 1,
    "fs": 10**3,
    "ps": 10**6,
    "ns": 10**9,
    "us": 10**12,
    "ms": 10**15,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3_600 * _SECOND,
    "D": 86_400 * _SECOND,
    "W": 604_800 * _SECOND,
}
_COARSE = ("Y", "M", "W", "D", "h", "m")


def read_ids(persons: Any) -> list[str | None]:
    """Read a column of ids; a missing one, and one that cannot be read, is None and belongs to nobody.

    Numbers that are equal are one id, whatever their type, and so is the text of a whole number: ``7``, ``7.0`` and
    ``"7"``, but not ``"007"``. A time is one id at any precision and in any zone, and a date is its midnight. Tuples,
    durations, bytes, members of an Enum and UUIDs are ids too; an object of another class is read as missing.

    Args:
        persons: A list, an array, or a column of a pandas or polars frame.

    >>> import numpy as np
    >>> read_ids([1, 1.0, True, np.int64(1), "1", None, float("nan"), "b", "01"])
    ['1', '1', '1', '1', '1', None, None, 'text b', 'text 01']
    """
    column = _one_column(persons)
    times = _times(column)
    if times is not None:
        return times
    array = read_items(column)
    items = [array[at] for at in range(len(array))] if array.dtype.kind == "M" else array.tolist()
    return [quietly(_text, _only(item)) for item in items]


def _only(item: Any) -> Any:
    """Return the cell of a row that has no other, as a list of rows has it; anything else as it is."""
    return item[0] if type(item) is list and len(item) == 1 else item


def _one_column(persons: Any) -> Any:
    """Return a column as it is, and the column of a table that has no other; refuse larger tables."""
    shape: tuple[int, ...] = getattr(persons, "shape", ())
    if isinstance(persons, range):
        return list(persons)
    if len(shape) < 2:
        return persons
    if len(shape) > 2 or shape[1] != 1:
        raise WrongTypeError('persons must be one column with one id for each row, such as frame["visitor_id"].')
    return persons[:, 0] if isinstance(persons, np.ndarray) else persons[persons.columns[0]]


def _times(column: Any) -> list[str | None] | None:
    """Read a column whose type is for times at the precision of the type; None for any other column.

    Python has microseconds, and ids may differ by nanoseconds.
    """
    dtype = getattr(column, "dtype", None)
    if str(dtype).startswith(("Datetime(", "Duration(")):  # of polars
        return [None if tick is None else f"ticks {tick}" for tick in column.to_physical().to_list()]
    if not isinstance(dtype, np.dtype) or dtype.kind not in "mM":
        return None
    ticks: Array = np.asarray(column if isinstance(column, np.ndarray) else column.to_numpy())
    mask = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else np.zeros(len(ticks), dtype=bool)
    return [None if hidden else quietly(_text, tick) for tick, hidden in zip(ticks, mask.tolist(), strict=True)]


def _text(item: Any) -> str | None:
    """Write an id; each kind of id begins with a word of its own, but for numbers."""
    if isinstance(item, str):
        plain = str.__str__(item)  # not a method of a subclass
        return plain if _WHOLE.fullmatch(plain) else f"text {plain}"
    if isinstance(item, timedelta | np.timedelta64):
        return _duration(item)
    if isinstance(item, complex | np.complexfloating) and item.imag == 0:
        return _number(item.real)
    if isinstance(item, bool | int | float | Decimal | Rational | np.floating | np.integer | np.bool_):
        return _number(item)
    if isinstance(item, date | np.datetime64):
        return _time(item)
    if isinstance(item, tuple):
        return _several("tuple", [_text(each) for each in tuple.__iter__(item)])
    if isinstance(item, frozenset):
        return _several("set", [_text(each) for each in frozenset.__iter__(item)])
    if isinstance(item, bytes):
        return f"bytes {bytes.__repr__(item)}"
    return _other(item)


def _other(item: Any) -> str | None:
    """Write a member of an Enum, a UUID or a period of pandas; other objects may be equal and have different texts."""
    if isinstance(item, Enum):
        return f"member {id(type(item))} {item._name_}"  # two classes may have one name
    kinds = {(each.__module__.partition(".")[0], each.__name__) for each in type(item).__mro__}
    if ("uuid", "UUID") in kinds:
        return f"uuid {int(item.int)}"
    if ("pandas", "Period") in kinds and item == item:
        return f"period {item.freqstr} {item.ordinal}"
    return None


def _several(kind: str, texts: list[str | None]) -> str | None:
    """Write the items of a tuple or of a set, each behind its length; one that is nobody's makes the whole nobody's."""
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    ordered = sorted(known) if kind == "set" else known
    return f"{kind} {''.join(f'{len(text)}:{text}' for text in ordered)}"


def _duration(item: Any) -> str | None:
    """Write a duration in attoseconds."""
    if isinstance(item, np.timedelta64):
        unit, count = np.datetime_data(item.dtype)
        known = not np.isnat(item) and unit in _UNITS  # months and years have no length
        return f"duration {int(item.astype(np.int64)) * count * _UNITS[unit]}" if known else None
    if item != item:  # pandas.NaT
        return None
    fine = 1_000 * (item // timedelta(microseconds=1)) + int(getattr(item, "nanoseconds", 0)) % 1_000
    return f"duration {fine * _UNITS['ns']}"


def _time(item: Any) -> str | None:
    """Write a date or a time with all its digits; those of a date and of its midnight are the same."""
    if isinstance(item, np.datetime64):
        return None if np.isnat(item) else _time_of_numpy(item)
    if item != item:  # pandas.NaT
        return None
    if not isinstance(item, datetime):
        return _time_text(f"{item.isoformat()}T00:00:00", 0)
    zone = "" if item.utcoffset() is None else "Z"
    if zone:  # one instant is one id in all zones; of an hour that a clock shows twice, the first
        item = (item if hasattr(item, "nanosecond") else item.replace(fold=0)).astimezone(UTC)
    fine = 1_000 * item.microsecond + int(getattr(item, "nanosecond", 0))
    finer = {"nanosecond": 0} if hasattr(item, "nanosecond") else {}
    whole = item.replace(microsecond=0, tzinfo=None, **finer)
    return _time_text(whole.isoformat(), fine * _UNITS["ns"]) + zone


def _time_of_numpy(item: Any) -> str | None:
    unit, count = np.datetime_data(item.dtype)
    if unit in _COARSE:
        whole = item.astype("M8[s]")
        return _time_text(str(whole), 0) if whole.astype(item.dtype) == item else None  # a far year does not fit
    seconds, fine = divmod(int(item.astype(np.int64)) * count * _UNITS[unit], _SECOND)
    return _time_text(str(np.datetime64(seconds, "s")), fine)


def _time_text(whole: str, fine: int) -> str:
    return f"time {whole}.{fine:018d}"


def _number(item: Any) -> str | None:
    if isinstance(item, np.generic):
        return _number(item.item() if item.dtype.itemsize <= 8 else _long(item))
    if isinstance(item, Decimal) and item.is_finite() and abs(item.adjusted()) > _LONGEST:
        return None
    if isinstance(item, float | Decimal) and item != item:
        return None
    if isinstance(item, float | Decimal) and item in (float("inf"), float("-inf")):
        return f"{float(item)}"
    exact = Fraction(item)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > 4 * _LONGEST:
        return None
    return f"{exact}"


def _long(item: Any) -> Any:
    """Return a long float exactly: a float of Python would merge neighbours."""
    return Fraction(*item.as_integer_ratio()) if np.isfinite(item) else float(item)
