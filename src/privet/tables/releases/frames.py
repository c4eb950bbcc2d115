"""Releases as Arrow tables, data frames, CSV and rows in long form; types follow from the plan."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np

from privet.core import Array
from privet.errors import UnavailableError
from privet.tables.releases.released_column import MOMENTS, PARTS, ReleasedColumn

Columns = Sequence[ReleasedColumn]
Table = Mapping[str, Sequence[Any]]
LONG = ("output", "bin", "value", "error", "low", "high")
_MOST_WHOLE = 2.0**63 - 1024  # the largest double within 64 bits
_ARRAYS = {"date": "datetime64[D]", "timestamp": "datetime64[us]", "integer": "int64", "boolean": "bool"}
_QUOTED = frozenset(',"\r\n')


def load(call: str, module: str, extra: str) -> Any:
    """Import an optional package, or say how to install it.

    Args:
        call: What needs it.
        module: What to import.
        extra: The extra of Privet that brings the package; both have the same name, except for ``plot``.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        package = module.partition(".")[0]
        raise UnavailableError(f"{call} needs {package}: pip install 'privet[{extra}]'.") from None


def arrow_table(columns: Columns, table: Table) -> Any:
    """Make an Arrow table; the type of each column is that of its kind.

    Args:
        columns: What the columns are.
        table: The values of the columns and of their parts.
    """
    import pyarrow as pa

    kinds = {
        "integer": pa.int64(),
        "real": pa.float64(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
    }
    types: dict[str, Any] = {}
    for column in columns:
        moment = kinds[column.kind] if column.kind in MOMENTS else None
        beside = (pa.duration("us"), moment, moment) if moment else (pa.float64(),) * 3
        own = zip(PARTS, beside, strict=True)
        types |= {f"{column.name}{part}": kind for part, kind in own if part in column.parts}
    types |= {column.name: kinds.get(column.kind, pa.string()) for column in columns}
    mixed = {column.name for column in columns if column.kind == "mixed"}
    return pa.table(
        {name: pa.array(_fitting(values, types[name], name in mixed), types[name]) for name, values in table.items()}
    )


def _fitting(values: Sequence[Any], kind: Any, mixed: bool) -> Sequence[Any]:  # noqa: FBT001
    """Make values fit their type, so that no value decides whether a release can be written."""
    if mixed:
        return [value if value is None else str(value) for value in values]
    if str(kind) == "double":
        return [float(value) if isinstance(value, Fraction) else value for value in values]
    return _clipped(values) if str(kind) == "int64" else values


def _clipped(values: Sequence[Any]) -> Sequence[Any]:
    """Move whole numbers beyond 64 bits, which are floats, to the nearest of 64 bits."""
    if not any(isinstance(value, float) for value in values):
        return values
    return [value if value is None else int(min(max(value, -_MOST_WHOLE), _MOST_WHOLE)) for value in values]


def pandas_frame(columns: Columns, table: Table) -> Any:
    """Make a pandas data frame; where nulls may stand among whole numbers or booleans, the column holds objects."""
    pd = load("to_pandas", "pandas", "pandas")
    frame = arrow_table(columns, table).to_pandas()
    for column in columns:
        if column.has_nulls and column.kind in ("integer", "boolean"):
            frame[column.name] = pd.Series(list(table[column.name]), dtype=object)
    return frame


def polars_frame(columns: Columns, table: Table) -> Any:
    """Make a polars data frame."""
    return load("to_polars", "polars", "polars").from_arrow(arrow_table(columns, table))


def csv_text(table: Table) -> str:
    """Write columns as CSV: a line of names, then one line for each row; each line ends with a line feed.

    Null and NaN are empty, an empty text is ``""``, dates are ISO texts, and spans of time are seconds.

    >>> csv_text({"ward": ["a, b", None], "n": [3, 4.5]}).splitlines()
    ['ward,n', '"a, b",3', ',4.5']
    """
    lines = [list(table), *zip(*table.values(), strict=True)]
    return "".join(f"{','.join(map(_csv_cell, line)) or _csv_cell('')}\n" for line in lines)


def _csv_cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, timedelta):
        return repr(value.total_seconds())
    text = value.isoformat() if isinstance(value, date | datetime) else str(value)
    if text and _QUOTED.isdisjoint(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


def long_table(columns: Columns, table: Table) -> dict[str, list[Any]]:
    """Write one row for each value: its keys, its aggregate, its bin, the value, its error and the ends.

    A key that has the name of another column gets ``_key`` behind its own.

    Args:
        columns: What the columns are.
        table: The values of the columns and of their parts.
    """
    keys = [column for column in columns if column.is_key]
    values = [column for column in columns if not column.is_key]
    count = len(next(iter(table.values()), ()))
    long: dict[str, list[Any]] = {
        name: [value for value in table[key.name] for _ in values]
        for key, name in zip(keys, _free_names([key.name for key in keys]), strict=True)
    }
    long["output"] = [column.output for column in values] * count
    long["bin"] = [column.label for column in values] * count
    for name, part in zip(LONG[2:], ("", *PARTS), strict=True):
        parts = [_part(column, part, table, count) for column in values]
        long[name] = [each[at] for at in range(count) for each in parts]
    return long


def _part(column: ReleasedColumn, part: str, table: Table, count: int) -> Sequence[Any]:
    return table[f"{column.name}{part}"] if not part or part in column.parts else [math.nan] * count


def _free_names(names: Iterable[str]) -> list[str]:
    taken = [*names]
    free: list[str] = []
    for name in taken:
        new = name
        while new in LONG or (new != name and new in taken):
            new += "_key"
        free.append(new)
    return free


def column_array(columns: Columns, name: str, values: Any) -> Array:
    """Give a column, or a part of one, as an array whose type follows from its kind; texts and nulls are objects.

    Args:
        columns: What the columns are.
        name: The name of a column or of a part.
        values: Its values, if they are no array yet.
    """
    if isinstance(values, np.ndarray):
        return values
    own = next((column for column in columns if column.name == name), None)
    of_part = next((column for column in columns for part in column.parts if f"{column.name}{part}" == name), None)
    column = own or of_part
    kind = "mixed" if column is None else column.kind
    if own is None and kind not in MOMENTS:
        kind = "real"
    if kind in MOMENTS:
        span = own is None and name.endswith(PARTS[0])
        return np.array(values, dtype="timedelta64[us]" if span else _ARRAYS[kind])
    if kind == "real":
        return np.array([math.nan if value is None else float(value) for value in values], dtype=np.float64)
    if kind in ("integer", "boolean") and column is not None and not column.has_nulls:
        return np.array(_clipped(values) if kind == "integer" else values, dtype=_ARRAYS[kind])
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def rows_of(table: Table) -> Iterable[dict[str, Any]]:
    """Give one dictionary for each row."""
    names = list(table)
    return (dict(zip(names, values, strict=True)) for values in zip(*table.values(), strict=True))
