"""Sources in memory: what is not Arrow yet becomes Arrow, by types and never by a look at the values.

Columns without a machine type (lists, pandas objects) are read one value at a time by the same total functions as the
vectors of :mod:`privet.core.rows`.
"""

import operator
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from privet.core import read_rows
from privet.errors import InvalidError
from privet.tables.columns import Column, Kind, format_pattern

_PLAIN: dict[str, tuple[type, Any]] = {
    "integer": (int, pa.int64()),
    "real": (float, pa.float64()),
    "boolean": (bool, pa.bool_()),
}
_REFUSED = ("PeriodDtype", "IntervalDtype")  # of pandas; durations and complex numbers are types of numpy
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def arrow_column(values: Sequence[Any], kind: Kind, *, exact: bool = False, written: str | None = None) -> Any:
    """Read Python values as an Arrow array of the column's kind; what cannot be read is null.

    Args:
        values: Anything.
        kind: What to read them as.
        exact: Whether a number with a fraction is null in an integer column, instead of rounded.
        written: How texts write dates and timestamps; by default as ISO 8601 does.
    """
    if written is not None:
        values = [_quietly(_parsed, (value, written)) if isinstance(value, str) else value for value in values]
    if exact:
        values = [value if _quietly(_has_no_fraction, value) else None for value in values]
    if kind in _PLAIN:
        wanted, arrow = _PLAIN[kind]
        numbers, null = read_rows(list(values), wanted)
        return pa.array(numbers, type=arrow, mask=null)
    read = {"text": _text, "date": _days, "timestamp": _microseconds}[kind]
    types = {"text": pa.string(), "date": pa.int32(), "timestamp": pa.int64()}
    items = pa.array([_quietly(read, value) for value in values], type=types[kind])
    return items if kind == "text" else items.cast(pa.date32() if kind == "date" else pa.timestamp("us"))


def _quietly(read: Any, value: Any) -> Any:
    try:
        return read(value)
    except Exception:  # noqa: BLE001 - a value of somebody else's class may raise anything
        return None


def _parsed(given: tuple[str, str]) -> datetime | None:
    value, written = given
    if re.fullmatch(format_pattern(written), value, flags=re.ASCII | re.DOTALL) is None:
        return None
    return datetime.strptime(value, written).replace(tzinfo=UTC)


def _has_no_fraction(value: Any) -> bool:
    return not isinstance(value, float | np.floating | Decimal | Fraction) or value == value // 1


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    plain = str.__str__(value)
    plain.encode("utf-8")  # half of a surrogate pair is no text
    return plain


def _moment(value: Any) -> datetime | None:
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").astype(object)
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return None


def _days(value: Any) -> int | None:
    found = _moment(value)
    return None if found is None else operator.index((found - _EPOCH).days)  # that of pandas.NaT is no number


def _microseconds(value: Any) -> int | None:
    found = _moment(value)
    if found is None:
        return None
    passed = found - _EPOCH
    return operator.index((passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds)


def from_rows(rows: Sequence[Any], columns: Mapping[str, Column]) -> Any:
    """Read a list of dictionaries; a key that a row lacks is null there."""
    plain = [row if isinstance(row, dict) else {} for row in rows]
    return pa.table(
        {
            name: arrow_column([row.get(name) for row in plain], known.kind, exact=known.exact, written=known.format)
            for name, known in columns.items()
        }
    )


def from_pandas(label: str, frame: Any, columns: Mapping[str, Column]) -> Any:
    """Read a pandas frame column by column."""
    check_present(label, [str(name) for name in frame.columns if isinstance(name, str)], columns)
    return pa.table({name: _series(f"{label}.{name}", frame[name], known) for name, known in columns.items()})


def _series(label: str, series: Any, known: Column) -> Any:
    dtype = series.dtype
    name = type(dtype).__name__
    if name in _REFUSED or (isinstance(dtype, np.dtype) and dtype.kind in "mc"):
        raise InvalidError(
            f"{label} is {dtype} in the frame, which cannot be read as {known.kind}; convert it first, such as a "
            "duration to a number of seconds or a period to its first day."
        )
    machine = isinstance(dtype, np.dtype) and dtype.kind in "iufbM" and dtype.itemsize <= 8
    if machine or name in ("ArrowDtype", "DatetimeTZDtype", "Int64Dtype", "Float64Dtype", "BooleanDtype"):
        return pa.array(series, from_pandas=True)
    if name == "StringDtype":
        try:
            return pa.array(series, type=pa.large_string(), from_pandas=True)
        except UnicodeEncodeError:  # half of a surrogate pair is null, and every other row the same on both ways
            return pa.array([_quietly(_text, value) for value in series], type=pa.large_string())
    return arrow_column(list(series.astype(object)), known.kind, exact=known.exact, written=known.format)


def check_present(label: str, names: Sequence[str], columns: Mapping[str, Column]) -> None:
    """Refuse a source that lacks a column, or names one twice; the schema is public."""
    for name in columns:
        if name not in names:
            raise InvalidError(f"{label} has no column {name!r}; it has {', '.join(map(repr, names)) or 'none'}.")
        if names.count(name) > 1:
            raise InvalidError(f"{label} has {names.count(name)} columns named {name!r}; rename all but one.")
