"""What the columns of a public table are, from its types and its values: it is public, so all may be read."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from math import isfinite, nextafter
from numbers import Integral, Real
from typing import Any

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import CodebookColumn, column
from privet.tables.codebook.source_schema import frame_columns
from privet.tables.columns import DEFAULT_LENGTH, LONGEST_TEXT, Kind

_MOST_CATEGORIES = 1_000
_GIVE = "give columns={{{0!r}: pv.column(...), ...}}"


def infer_columns(source: Any, on: Sequence[str]) -> dict[str, CodebookColumn]:
    """Describe a public table: kinds, bounds of numbers, dates and timestamps, categories of texts.

    Args:
        source: A list of dictionaries, an Arrow table, a pandas or polars frame.
        on: The columns to match, of which the kind alone is needed.

    >>> floors = [{"ward": "a", "floor": 1}, {"ward": "b", "floor": 4}]
    >>> {name: each.column.bounds for name, each in infer_columns(floors, ["ward"]).items()}
    {'ward': None, 'floor': (Fraction(1, 1), Fraction(4, 1))}
    """
    described = {}
    for name, (kind, values) in _columns(source).items():
        known = [value for value in values if not _is_missing(value)]
        settled = _kind(name, known) if kind is None else kind
        described[name] = column(settled) if name in on else column(settled, **_facts(settled, known))
    return described


def _is_missing(value: Any) -> bool:
    """Tell nulls, NaN and NaT; an array is none of them, and has no kind."""
    try:
        return value is None or not bool(value == value)
    except (TypeError, ValueError):
        return False


def _columns(source: Any) -> dict[str, tuple[Kind | None, list[Any]]]:
    """Give kinds and values of the columns; None for a kind that the values must tell."""
    if isinstance(source, list | tuple):
        rows = [row for row in source if isinstance(row, Mapping)]
        if len(rows) < len(source) or not rows:
            raise WrongTypeError("join_public.source must be a frame, or a list of one dictionary or more.")
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: (None, [row.get(name) for row in rows]) for name in names}
    kinds = frame_columns(source)
    for name, kind, note in kinds:
        if kind is None and note:
            raise InvalidError(f"join_public: {name!r} is {note}, which has no kind here; leave it out of the table.")
    return {name: (kind, _values(source[name])) for name, kind, _ in kinds}


def _values(series: Any) -> list[Any]:
    """Give the values of a column; what pandas calls missing is None."""
    if hasattr(series, "to_pylist"):
        return list(series.to_pylist())
    if hasattr(series, "isna"):
        return [None if null else value for value, null in zip(series.tolist(), series.isna(), strict=True)]
    return list(series.to_list())


def _kind(name: str, values: Sequence[Any]) -> Kind:
    """Tell the kind of values that have no machine type."""
    kinds = {_kind_of(value) for value in values}
    if kinds == {"integer", "real"}:
        return "real"
    if len(kinds) != 1 or None in kinds:
        what = "has no values" if not kinds else "has values of several kinds"
        raise InvalidError(f"join_public: {name!r} {what}; {_GIVE.format(name)}.")
    (kind,) = kinds
    return kind  # type: ignore[return-value] # None was refused


def _kind_of(value: object) -> Kind | None:
    tests: tuple[tuple[Any, Kind], ...] = (
        (bool, "boolean"),
        (Integral, "integer"),
        (Real, "real"),
        (str, "text"),
        (datetime, "timestamp"),
        (date, "date"),
    )
    return next((kind for test, kind in tests if isinstance(value, test)), None)


def _facts(kind: Kind, values: Sequence[Any]) -> dict[str, Any]:
    """Give bounds or categories; nothing where there are no values."""
    if not values or kind == "boolean":
        return {}
    if kind == "text":
        texts, longest = dict.fromkeys(values), max(map(len, values))
        if len(texts) <= _MOST_CATEGORIES and longest <= DEFAULT_LENGTH:
            return {"categories": tuple(texts)}
        return {"length": min(max(longest, DEFAULT_LENGTH), LONGEST_TEXT)}
    finite = [value for value in map(_plain, values) if not isinstance(value, float) or isfinite(value)]
    if not finite:
        return {}
    low, high = min(finite), max(finite)
    return {"bounds": (low, high) if low < high else _around(kind, low)}


def _plain(value: Any) -> Any:
    """Give what bounds are read from: floats for decimals, timestamps of Python for those of pandas."""
    if hasattr(value, "to_pydatetime"):
        return value.to_pydatetime(warn=False)
    return value if isinstance(value, int | date) else float(value)


def _around(kind: Kind, value: Any) -> tuple[Any, Any]:
    """Give bounds of a single value: bounds need two ends."""
    if kind == "real":
        return value, max(value + 1, nextafter(value, float("inf")))
    if isinstance(value, date):
        early = value.year < date.max.year
        other = value.replace(year=value.year + (1 if early else -1), day=min(value.day, 28))
        return (value, other) if early else (other, value)
    return (value, value + 1) if value < 2**62 else (value - 1, value)
