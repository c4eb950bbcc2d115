"""What the types of columns say: a column of texts or of dates has no numbers for bounds to hold."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from privet.core import short
from privet.errors import InvalidError
from privet.models.features import Categorical, Features, Numeric

# The beginnings of the names that pandas, polars and Arrow give their types.
_TEXTS = ("string", "large_string", "utf8", "enum", "categor", "dictionary<values=string")
_DATES = ("date", "time", "duration", "period")  # "time" begins "timestamp" and "timedelta" too
_NUMBERS = ("int", "uint", "float", "double", "decimal")
NUMBERS = "numbers"
_ADVICE = {
    "texts": "give its list in categories=, or leave the column out",
    "dates or times": "turn it into a number first, such as the days since a date, or leave the column out",
}
_ARRAY = (
    "an array has one type for all columns, so pass a frame or a list of rows, or turn the array into numbers with "
    "X.astype(float)"
)


def kind_of(dtype: Any) -> str | None:
    """Name what a column holds if its type says so, and None for any other type.

    The type belongs to the table and not to a row. A column of objects may hold anything, so it has no kind.

    >>> kind_of("string"), kind_of("datetime64[us]"), kind_of("object"), kind_of("int64"), kind_of(np.dtype("U3"))
    ('texts', 'dates or times', None, None, 'texts')
    """
    if isinstance(dtype, np.dtype) and dtype.kind in "US":
        return "texts"
    inner = getattr(getattr(dtype, "categories", None), "dtype", None)
    if getattr(inner, "kind", "O") in "iufb":  # categories that are numbers, of numpy, pandas or Arrow
        return None
    name = str(dtype).lower()
    if name == "str" or name.startswith(_TEXTS):
        return "texts"
    if name.startswith(_DATES):
        return "dates or times"
    return NUMBERS if is_stated(dtype) and name.startswith(_NUMBERS) else None


def is_stated(dtype: Any) -> bool:
    """Return whether a type is one of polars or Arrow; numpy and pandas infer theirs from the rows.

    A refusal by a type that was inferred would depend on a single row: one text makes a column of numbers one of texts.

    >>> is_stated("int64[pyarrow]"), is_stated(np.dtype("int64"))
    (True, False)
    """
    return type(dtype).__module__.startswith("polars") or "pyarrow" in str(dtype)


def refuse_texts(label: str, features: Features, kinds: tuple[str | None, ...]) -> None:
    """Refuse bounds for a column whose type holds no numbers: every value would be read as missing.

    Args:
        label: The estimator, for messages.
        features: What is public of the columns.
        kinds: The kind of each column; nothing where there are no types.
    """
    for name, kind in _without_numbers(features, kinds):
        advice = _ARRAY if features.names is None and kind == "texts" else _ADVICE[kind]
        raise InvalidError(
            f"{label}.bounds must be for columns of numbers, and the type of column {name!r} is for {kind}: {advice}."
        )
    _refuse_other_lists(label, features, kinds)


def _refuse_other_lists(label: str, features: Features, kinds: tuple[str | None, ...]) -> None:
    for at, (item, kind) in enumerate(zip(features.columns, kinds, strict=False)):
        if isinstance(item, Categorical):
            refuse_other_list(f"{label}.categories", f"column {_name(features, at)!r}", item.values, kind)


def refuse_texts_later(label: str, features: Features, kinds: tuple[str | None, ...]) -> None:
    """Refuse to predict or transform a column of numbers whose type now holds none.

    Args:
        label: The estimator, for messages.
        features: What is public of the columns.
        kinds: The kind of each column; nothing where there are no types.
    """
    for name, kind in _without_numbers(features, kinds):
        raise InvalidError(
            f"{label}: column {name!r} of X has numbers in the fit, and its type is for {kind} here: turn it into "
            "numbers, or all of them are read as missing."
        )


def refuse_other_list(label: str, name: str, values: Sequence[Any], kind: str | None) -> None:
    """Refuse a list of texts for a column whose type was stated to be for numbers: no row is in it.

    Args:
        label: The estimator and its parameter, for messages.
        name: The column, for messages.
        values: The list.
        kind: What the column holds, or None where nothing is known.
    """
    if kind == NUMBERS and all(isinstance(value, str) for value in values):
        raise InvalidError(
            f"{label} has {short(values[0])}, and the type of {name} is for numbers: no row would be in the list. "
            "Write the values without quotes, as the data have them."
        )


def _without_numbers(features: Features, kinds: tuple[str | None, ...]) -> Iterator[tuple[str | int, str]]:
    for at, (item, kind) in enumerate(zip(features.columns, kinds, strict=False)):
        if isinstance(item, Numeric) and kind not in (None, NUMBERS):
            yield _name(features, at), kind


def _name(features: Features, at: int) -> str | int:
    return features.names[at] if features.names is not None else at
