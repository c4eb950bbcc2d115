"""Reading data once, at the edge: any one-dimensional column becomes a numpy array; unreadable values become null.

Reading is *total* and works *row by row*: the result for one value never depends on other values, and no value raises
an exception. Only the shape of the container is checked (not a column, or two dimensions). Nulls form a mask; NaN stays
a value. Columns of the right machine type are not copied, since units never write to their input.
"""

import math
import sys
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

import numpy as np

from privet.core.quiet import quietly
from privet.errors import WrongTypeError

Array = np.ndarray[Any, np.dtype[Any]]
INT_MIN, INT_MAX = -(2**63), 2**63 - 1
DTYPES: dict[type, type] = {int: np.int64, float: np.float64, bool: np.bool_, str: object}
MACHINE_TYPES = frozenset(
    name
    for bits in (8, 16, 32, 64)
    for name in (f"Int{bits}", f"UInt{bits}", f"int{bits}", f"uint{bits}", f"Float{bits}")
) | {"Boolean", "bool", "halffloat", "float", "double"}
_ARROW_TIMES = ("timestamp[", "date32[", "date64[", "time32[", "time64[", "duration[")
_SECONDS = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799  # of the years 1 to 9999
BLANKS: dict[type, Any] = {int: 0, float: 0.0, bool: False, str: ""}


def read_rows(data: object, kind: type) -> tuple[Array, Array | None]:
    """Read a column as (values, null mask or None).

    Args:
        data: A list, tuple, numpy array (masked or not), pandas or polars series, or Arrow array.
        kind: ``int``, ``float``, ``bool`` or ``str``.
    """
    values, null = _contents(data)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise WrongTypeError(f"the data must be one column, got an array of {values.ndim} dimensions.")
    fast = _fast_list(values, kind) if isinstance(values, list) else _fast_array(values, kind)
    if fast is None:
        return _merge(*_one_by_one(values, kind), null)
    return _merge(*fast, null)


def read_identifiers(data: object) -> tuple[Array, Array | None]:
    """Read a column of identifiers as 64-bit integers; anything else becomes null.

    ``read_rows`` rounds, which would merge all persons whose identifiers lie near the same whole number.

    Args:
        data: A column, as for ``read_rows``.
    """
    values, null = read_rows(data, int)
    raw, _ = _contents(data)
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "iub":
        return _merge(values, _outside(raw), null)
    if isinstance(raw, np.ndarray) and raw.dtype.kind == "f" and raw.dtype.itemsize <= 8:
        real = raw.astype(np.float64)
        whole = (real == np.rint(real)) & (real >= -(2.0**63)) & (real < 2.0**63)
        return _merge(values, ~whole, null)
    in_range = values.min(initial=0) > INT_MIN and values.max(initial=0) < INT_MAX
    if in_range and isinstance(raw, list) and types_of(raw) <= {int}:
        return values, null
    is_whole = np.array([quietly(_is_whole, item) is True for item in raw], dtype=bool)
    return _merge(values, ~is_whole, null)


def read_items(data: object) -> Array:
    """Read a column as its items: an array, masked where they are null; a list gives objects, each as it is.

    Args:
        data: A column, as for ``read_rows``.

    >>> read_items([1, "a", None]).tolist()
    [1, 'a', None]
    """
    values, null = _contents(data)
    if isinstance(values, list):
        items = np.empty(len(values), dtype=object)
        for at, item in enumerate(values):  # one by one: numpy would look into an item that is a list
            items[at] = item
        values = items
    if values.dtype.kind == "M":
        values = values.astype("M8[us]")  # nanoseconds have no items but whole numbers
    return values if null is None else np.ma.MaskedArray(values, mask=null)


def _outside(values: Array) -> Array:
    """Mark the integers that do not fit in 64 signed bits."""
    if values.dtype.kind == "u" and values.dtype.itemsize == 8:
        return values > INT_MAX
    return np.zeros(len(values), dtype=bool)


def _contents(data: object) -> tuple[Any, Array | None]:
    """Split a container into plain values and a null mask."""
    if isinstance(data, np.ndarray):
        if type(data) is not np.ndarray and isinstance(data, np.ma.MaskedArray):  # numpy.ma is slow to load
            mask = np.ma.getmaskarray(data)
            return data.data, mask if mask.any() else None
        return np.asarray(data), None  # a subclass could override methods
    if isinstance(data, list | tuple):
        return list(data), None
    libraries = {"pandas": _from_pandas, "polars": _from_polars, "pyarrow": _from_arrow}
    library = type(data).__module__.partition(".")[0]
    if library in libraries:
        return libraries[library](data)
    raise WrongTypeError(
        "the data must be a list, tuple, numpy array, pandas or polars series or Arrow array, "
        f"got {type(data).__name__}."
    )


def _from_pandas(data: Any) -> tuple[Any, Array | None]:
    if data.ndim != 1:
        raise WrongTypeError(f"the data must be one column, got a {type(data).__name__}; choose a column of it.")
    if isinstance(data.dtype, np.dtype):
        return data.to_numpy(), None
    if not hasattr(data, "iloc"):  # an index, a categorical or another array of pandas
        data = sys.modules["pandas"].Series(data)
    null = np.asarray(data.isna(), dtype=bool)
    missing = null if null.any() else None
    times = str(data.dtype).startswith(_ARROW_TIMES)  # of these, astype(object) reads some differently than iloc
    whole = (lambda: list(data)) if times else (lambda: list(data.astype(object)))
    return _each_item(whole, len(data), data.iloc.__getitem__), missing


def _from_polars(data: Any) -> tuple[Any, Array | None]:
    """Choose the conversion by the type of the column, never by its values: one null must not change other rows."""
    if len(data.shape) != 1:
        raise WrongTypeError(f"the data must be one column, got a {type(data).__name__}; choose a column of it.")
    if str(data.dtype) in MACHINE_TYPES:
        return data.fill_null(value=False if str(data.dtype) == "Boolean" else 0).to_numpy(), data.is_null().to_numpy()
    if str(data.dtype).startswith("Datetime"):
        return _times_of_polars(data), None
    if str(data.dtype) == "Date":
        return _dates_of_polars(data), None
    if data.dtype.is_nested():  # lists and structs are no values of a column, whatever they hold
        return [None] * len(data), None
    return _each_item(data.to_list, len(data), data.__getitem__), None


def _times_of_polars(data: Any) -> list[Any]:
    """Read the times that Python can hold; asked for any other, polars would write to the standard error."""
    ticks, second = data.to_physical(), _SECONDS[data.dtype.time_unit]
    margin = 0 if data.dtype.time_zone is None else 86_400  # a zone may move a time out of its year
    first = max((_FIRST_SECOND + margin) * second, INT_MIN)
    last = min((_LAST_SECOND - margin + 1) * second - 1, INT_MAX)
    return _inside_of_polars(data, (ticks >= first) & (ticks <= last))


def _dates_of_polars(data: Any) -> list[Any]:
    """Read the dates that Python can hold, for the same reason."""
    days = data.to_physical()
    return _inside_of_polars(data, (days >= _FIRST_SECOND // 86_400) & (days <= _LAST_SECOND // 86_400))


def _inside_of_polars(data: Any, known: Any) -> list[Any]:
    """Read the items that are known to lie in the calendar; all others are None."""
    inside = known.fill_null(value=False)
    items = iter(data.filter(inside).to_list())
    return [next(items) if there else None for there in inside.to_list()]


def _each_item(whole: Callable[[], list[Any]], count: int, one: Callable[[int], Any]) -> list[Any]:
    """Convert a column at once, or if a value prevents that item by item; an item that cannot be converted is None.

    Args:
        whole: Gives all items.
        count: How many there are.
        one: Gives the item at a place.
    """
    try:
        return whole()
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - a date beyond the calendar of Python, a text that is no UTF-8
        return [quietly(one, at) for at in range(count)]


def _from_arrow(data: Any) -> tuple[Any, Array | None]:
    kind = str(getattr(data, "type", ""))
    if not kind:
        raise WrongTypeError(f"the data must be one column, got a {type(data).__name__}; choose a column of it.")
    if kind in MACHINE_TYPES:
        plain = data.fill_null(False if kind == "bool" else 0)
        return np.asarray(plain.to_numpy(zero_copy_only=False)), np.asarray(
            data.is_null().to_numpy(zero_copy_only=False)
        )
    return _each_item(data.to_pylist, len(data), lambda at: data[at].as_py()), None


def _merge(values: Array, null: Array | None, outer: Array | None) -> tuple[Array, Array | None]:
    if outer is None:
        return values, null
    return values, outer if null is None else outer | null


def types_of(values: list[Any]) -> set[type]:
    """Give the types of values; ``object`` alone where the class of a class raises instead of being hashed.

    Args:
        values: Any objects.

    >>> types_of([1, 2]) == {int}
    True
    """
    found = quietly(lambda: set(map(type, values)))
    return {object} if found is None else found


def _fast_list(values: list[Any], kind: type) -> tuple[Array, Array | None] | None:
    """Convert a list whose values all have the right type; return None if each value must be read by itself."""
    types = types_of(values)
    if types <= {kind} and kind in (float, bool):
        return np.array(values, dtype=DTYPES[kind]), None
    if types <= {int} and kind is int:
        try:
            return np.array(values, dtype=np.int64), None
        except OverflowError:
            return None
    return None


def _fast_array(values: Array, kind: type) -> tuple[Array, Array | None] | None:
    """Convert an array of a machine type; return None if each value must be read by itself."""
    code = values.dtype.kind
    if kind is int and code in "iub":
        if code == "u" and values.dtype.itemsize == 8:
            values = np.minimum(values.astype(np.uint64, copy=False), np.uint64(INT_MAX))
        return values.astype(np.int64, copy=False), None
    if kind is int and code == "f" and values.dtype.itemsize <= 8:
        return _whole_floats(values.astype(np.float64))
    if kind is float and code in "iubf" and values.dtype.itemsize <= 8:
        return values.astype(np.float64, copy=False), None
    if kind is bool and code == "b":
        return values, None
    return None


def _whole_floats(values: Array) -> tuple[Array, Array | None]:
    """Round floats to whole numbers, half to even; NaN becomes null, and values beyond int64 saturate."""
    null = np.isnan(values)
    rounded = np.rint(np.where(null, 0.0, values))
    high, low = rounded >= 2.0**63, rounded < -(2.0**63)
    out = np.where(high | low, 0.0, rounded).astype(np.int64)
    out[high], out[low] = INT_MAX, INT_MIN
    return out, null if null.any() else None


def _one_by_one(values: list[Any] | Array, kind: type) -> tuple[Array, Array | None]:
    read = READERS[kind]
    out: Array = np.empty(len(values), dtype=DTYPES[kind])
    null = np.zeros(len(values), dtype=bool)
    for position, value in enumerate(values):
        item = quietly(read, value)
        null[position] = item is None
        out[position] = BLANKS[kind] if item is None else item
    return out, null if null.any() else None


def _read_int(value: object) -> int | None:
    if isinstance(value, np.timedelta64):  # numpy calls it an integer
        return None
    if isinstance(value, np.longdouble) and np.isfinite(value):  # a float64 would merge neighbouring whole numbers
        value = Fraction(*value.as_integer_ratio())
    if isinstance(value, bool | np.bool_ | Integral):
        return min(max(int(value), INT_MIN), INT_MAX)
    if isinstance(value, float | np.floating | Decimal):
        number = value if isinstance(value, Decimal) else float(value)
        if number.is_nan() if isinstance(number, Decimal) else math.isnan(number):
            return None
        if not -(2**63) <= number < 2**63:  # before any conversion: Decimal("1e999999999") must not become an integer
            return INT_MAX if number > 0 else INT_MIN
        whole = int(number.to_integral_value(ROUND_HALF_EVEN)) if isinstance(number, Decimal) else round(number)
        return min(max(whole, INT_MIN), INT_MAX)
    if isinstance(value, Rational):
        return min(max(round(Fraction(int(value.numerator), int(value.denominator))), INT_MIN), INT_MAX)
    return None


def _is_whole(value: object) -> bool:
    """Return whether a value is exactly a whole number that fits in 64 bits."""
    if isinstance(value, np.timedelta64):
        return False
    if isinstance(value, bool | np.bool_ | Integral):
        return INT_MIN <= int(value) <= INT_MAX
    if isinstance(value, Decimal):  # this comparison is exact whatever the precision of the decimal context
        return INT_MIN <= value <= INT_MAX and value == value.to_integral_value()
    if isinstance(value, float | np.floating):
        numerator, denominator = value.as_integer_ratio()  # raises for NaN and infinities
        return int(denominator) == 1 and INT_MIN <= int(numerator) <= INT_MAX
    if isinstance(value, Rational):
        fraction = Fraction(int(value.numerator), int(value.denominator))
        return fraction.denominator == 1 and INT_MIN <= fraction <= INT_MAX
    return False


def _read_float(value: object) -> float | None:
    if isinstance(value, np.timedelta64):
        return None
    if isinstance(value, bool | np.bool_ | Integral):
        return saturated(Fraction(int(value)))
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, Decimal):
        return float(value) if not value.is_snan() else math.nan
    if isinstance(value, Rational):
        return saturated(Fraction(int(value.numerator), int(value.denominator)))
    return None


def _read_bool(value: object) -> bool | None:
    return bool(value) if isinstance(value, bool | np.bool_) else None


def _read_str(value: object) -> str | None:
    return str.__str__(value) if isinstance(value, str) else None  # not a method of a subclass


READERS: dict[type, Callable[[Any], Any]] = {int: _read_int, float: _read_float, bool: _read_bool, str: _read_str}


def saturated(value: Fraction) -> float:
    """Return the nearest float, or an infinity of the same sign; never raise an overflow error."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
