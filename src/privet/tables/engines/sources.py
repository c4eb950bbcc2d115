"""Sources in memory: what is not Arrow yet becomes Arrow, by types and never by a look at the values.

Columns without a machine type (lists, pandas objects) are read one value at a time by the same total functions as the
vectors of :mod:`privet.core.rows`. In columns of Arrow, what would stop an engine in the middle of a query becomes
null, value by value.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, final

import numpy as np
import pyarrow as pa
from attrs import field, frozen

from privet.core import quietly
from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.engines.arrow_arrays import is_list, list_array, text_array
from privet.tables.engines.python_values import ObjectTable, utf8

Given = ParamSpec("Given")
_REFUSED = ("PeriodDtype", "IntervalDtype")  # of pandas; durations and complex numbers are types of numpy
_CONVERSIONS = {  # types of polars that no column of a codebook holds
    "Duration": "a duration to a number of seconds by dt.total_seconds()",
    "Time": "a time of day to the hours of it by dt.hour()",
    "Binary": "bytes to the text that they write",
    "Object": "objects to a type of their own",
    **dict.fromkeys(
        ("List", "Array"), "a list to a row for each item by explode(), or declare most_items=10 and unnest it"
    ),
    "Struct": "a struct to a column for each of its fields by unnest()",
}
_WIDEST_DECIMAL = 16  # bytes; engines refuse wider ones by their type


@final
@frozen
class NamedRows:
    """A list of rows, and the names of their positions.

    Args:
        rows: Tuples or lists of values; or dictionaries, which have names of their own.
        names: What the first value of a tuple is called, and so on.
    """

    rows: list[Any] = field(repr=False)
    names: tuple[str, ...] = ()


def _without_warnings(read: Callable[Given, ObjectTable]) -> Callable[Given, ObjectTable]:
    """Silence what Python and numpy warn of while values are read: it may depend on a value, as infinity // 1 does."""

    @wraps(read)
    def silent(*arguments: Given.args, **named: Given.kwargs) -> ObjectTable:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(*arguments, **named)

    return silent


@_without_warnings
def from_rows(rows: Sequence[Any], columns: Mapping[str, Column], names: tuple[str, ...] = ()) -> ObjectTable:
    """Read a list of rows; what a row lacks is null there, and so is all of a row that has no names.

    Each row is read alone: another row, or how long it is, changes nothing.
    """
    plain = [_by_name(row, names) for row in rows]
    return ObjectTable.of({}, {name: (_values(plain, name), known) for name, known in columns.items()})


def _values(rows: Sequence[dict[str, Any]], name: str) -> list[Any]:
    """Give one value of each row; null where a key raises when it is compared. Both ways give the same for a row."""
    values = quietly(lambda: [dict.get(row, name) for row in rows])
    return [quietly(dict.get, row, name) for row in rows] if values is None else values


def _by_name(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    kind = type(row)  # not what a row says of its class: that may raise
    if issubclass(kind, dict):
        return row  # type: ignore[no-any-return]
    if issubclass(kind, tuple):
        return dict(zip(names, tuple.__iter__(row), strict=False))
    if issubclass(kind, list):
        return dict(zip(names, list.__iter__(row), strict=False))
    return {}


@_without_warnings
def from_pandas(label: str, frame: Any, columns: Mapping[str, Column]) -> ObjectTable:
    """Read a pandas frame column by column."""
    check_present(label, [str(name) for name in frame.columns if isinstance(name, str)], columns)
    arrays = {name: _series(f"{label}.{name}", frame[name], known) for name, known in columns.items()}
    typed = {name: array for name, array in arrays.items() if array is not None}
    objects = {name: (list(frame[name].astype(object)), columns[name]) for name in columns if name not in typed}
    return ObjectTable.of(typed, objects)


def _series(label: str, series: Any, known: Column) -> Any | None:
    """Read a column that has a type; None for one of Python objects."""
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
            return text_array([quietly(utf8, value) for value in series])
    return None


def check_polars(label: str, dtype: Any, known: Column) -> None:
    """Refuse a type of polars whose values are none of a codebook; the schema is public."""
    family = dtype.base_type().__name__  # not the type itself: an Enum lists values
    if known.item is not None and family in ("List", "Array"):
        if dtype.inner.base_type().__name__ not in ("List", "Array", "Struct"):  # of those the engine's type tells
            check_polars(f"an item of {label}", dtype.inner, known.item)
    elif family in _CONVERSIONS:
        raise InvalidError(
            f"{label} is {family} in the frame, which cannot be read as {known.kind}; convert it first, such as "
            f"{_CONVERSIONS[family]}."
        )


def check_present(label: str, names: Sequence[str], columns: Mapping[str, Column]) -> None:
    """Refuse a source that lacks a column, or names one twice; the schema is public."""
    for name in columns:
        if name not in names:
            raise InvalidError(f"{label} has no column {name!r}; it has {', '.join(map(repr, names)) or 'none'}.")
        if names.count(name) > 1:
            raise InvalidError(f"{label} has {names.count(name)} columns named {name!r}; rename all but one.")


def cleaned(batch: Any, names: Sequence[str]) -> Any:
    """Choose columns of an Arrow batch and mend what would stop an engine in the middle of a query.

    A moment with a zone is its clock in UTC. Text that is not UTF-8 is null, and so are a decimal of more digits than
    its type has and a code that its dictionary lacks, also within dictionaries and runs: whether there is any decides
    which way is taken, and both ways give the same for every row.
    """
    return pa.RecordBatch.from_arrays([_mended(batch.column(name)) for name in names], names=list(names))


def cleaned_type(kind: Any) -> Any:
    """Give the type that a column has once it is cleaned."""
    if pa.types.is_run_end_encoded(kind):
        return cleaned_type(pa.dictionary(pa.int64(), kind.value_type))
    if pa.types.is_dictionary(kind):
        inner = cleaned_type(kind.value_type)
        return inner if pa.types.is_dictionary(inner) else pa.dictionary(kind.index_type, inner, kind.ordered)
    if is_list(kind):
        inner = cleaned_type(kind.value_type)
        return pa.large_list(inner.value_type if pa.types.is_dictionary(inner) else inner)
    zoned = pa.types.is_timestamp(kind) and kind.tz is not None
    return pa.timestamp(kind.unit) if zoned else kind


def _mended(values: Any) -> Any:
    kind = values.type
    if isinstance(kind, pa.BaseExtensionType):
        return _mended_extension(values)
    if pa.types.is_run_end_encoded(kind):
        return _mended_dictionary(_runs_as_dictionary(values))
    if pa.types.is_dictionary(kind):
        return _mended_dictionary(values)
    if is_list(kind):
        lengths = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        items = _mended(values.flatten())
        if pa.types.is_dictionary(items.type):  # an engine fails on a batch in which all such lists are empty
            items = items.dictionary_decode()
        return list_array(items, lengths, _is_valid(values))
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return values.view(pa.timestamp(kind.unit))
    if pa.types.is_decimal(kind):
        return _within_precision(values)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _mended_texts(values)
    return values


def _mended_extension(values: Any) -> Any:
    """Mend what an extension type, such as JSON, stores; one whose storage would change its type stays as it is."""
    kind, storage = values.type, values.storage
    if cleaned_type(kind.storage_type) != kind.storage_type:
        return values
    mended = _mended(storage)
    return values if mended is storage else pa.ExtensionArray.from_storage(kind, mended)


def _mended_texts(values: Any) -> Any:
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        items = values.cast(pa.binary_view() if pa.types.is_string_view(values.type) else pa.large_binary()).to_pylist()
        return pa.array([_decoded(item) for item in items], type=values.type)
    return values


def _decoded(item: bytes | None) -> str | None:
    try:
        return None if item is None else item.decode()
    except UnicodeDecodeError:
        return None


def _within_precision(values: Any) -> Any:
    """Make decimals null that have more digits than their type: an engine would cut their bits, or stop."""
    width, given = values.type.byte_width, _is_valid(values)
    if width > _WIDEST_DECIMAL or not len(values):
        return values
    words, word = max(width // 8, 1), min(width, 8)
    bits = np.frombuffer(values.buffers()[1], dtype=f"<i{word}", count=(values.offset + len(values)) * words)
    numbers = bits.reshape(-1, words)[values.offset :]
    known = given & _is_below(numbers, 10**values.type.precision)
    if np.array_equal(known, given):
        return values
    held = np.where(known[:, None], numbers, 0).astype(bits.dtype).tobytes()
    validity = pa.array(known).buffers()[1]  # truth values are bits, as validity is
    return pa.Array.from_buffers(values.type, len(values), [validity, pa.py_buffer(held)])


def _is_below(numbers: Any, end: int) -> Any:
    """Tell which numbers lie between minus and plus the end; those of two words are compared by the higher one first.

    Arrow's own check does not see that the lowest number of all is too low.
    """
    high, most, least = numbers[:, -1], end - 1, 1 - end
    if numbers.shape[1] == 1:
        return (high <= most) & (high >= least)
    low = numbers[:, 0].astype(np.uint64)
    below = (high < most >> 64) | ((high == most >> 64) & (low <= np.uint64(most % 2**64)))
    return below & ((high > least >> 64) | ((high == least >> 64) & (low >= np.uint64(least % 2**64))))


def _mended_dictionary(values: Any) -> Any:
    """Mend the entries, and make codes null that stand for none: what lies behind them in memory is not theirs.

    Entries that are codes of another dictionary are replaced by what they stand for, since no engine reads them.
    """
    held, codes = values.dictionary, _whole_numbers(values.indices)
    entries, given = _mended(held), _is_valid(values.indices)
    known = given & (codes >= 0) & (codes < len(entries))
    known[known] = _is_valid(entries)[codes[known]]
    nested = pa.types.is_dictionary(entries.type)
    if entries is held and not nested and np.array_equal(known, given):
        return values
    present = _whole_numbers(entries.indices)[codes[known]] if nested else codes[known]
    mended = np.zeros(len(codes), dtype=present.dtype)
    mended[known] = present
    plain, ordered = (entries.dictionary, entries.type.ordered) if nested else (entries, values.type.ordered)
    return pa.DictionaryArray.from_arrays(pa.array(mended, mask=~known), plain, ordered=ordered)


def _runs_as_dictionary(values: Any) -> Any:
    """Write runs of equal values as a dictionary, one entry a run; Arrow itself decodes few types of them."""
    places = np.arange(values.offset, values.offset + len(values))
    codes = np.searchsorted(_whole_numbers(values.run_ends), places, side="right")
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int64()), values.values, safe=False)


def _whole_numbers(values: Any) -> Any:
    """Give the numbers of an array as they lie in memory; those of nulls mean nothing."""
    kind = values.type.to_pandas_dtype()
    if len(values) == 0:
        return np.zeros(0, dtype=kind)
    return np.frombuffer(values.buffers()[1], dtype=kind, count=values.offset + len(values))[values.offset :]


def _is_valid(values: Any) -> Any:
    return values.is_valid().to_numpy(zero_copy_only=False)
