"""A user's function made total: called with rows, or with a copy of a column, and nothing else."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import Attribute

from privet.core.frames import Records
from privet.core.rows import Array
from privet.errors import WrongTypeError
from privet.transforms.columns import present


def named(function: Any) -> str:
    """Write a function as its name."""
    return str(getattr(function, "__name__", type(function).__name__))


def is_function(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        label = f"{type(instance).__name__}.{attribute.name}"
        raise WrongTypeError(f"{label} must be a function of one row, got {type(value).__name__}.")


def answers(function: Callable[[Any], Any], value: Any, read: Callable[[Any], Any]) -> list[Any]:
    """Ask a function about each row, and read its answer; where either fails, the answer is None."""
    with warnings.catch_warnings():  # a warning would tell of the row that caused it
        warnings.simplefilter("ignore")
        return [_answer(function, row, read) for row in plain_rows(value)]


def _answer(function: Callable[[Any], Any], row: Any, read: Callable[[Any], Any]) -> Any:
    # as quietly does, without its calls: there are as many as rows
    try:
        return read(function(row))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever a row makes a function raise, sys.exit too, must not be seen
        return None


def plain_rows(value: Any) -> Iterator[Any]:
    """Return the rows as plain values: numbers, text or None of a column, tuples of a matrix, dicts of records.

    Values that every metric takes for the same look the same: there is one zero and one NaN.
    """
    if isinstance(value, Records):
        names = list(value.columns)
        cells = zip(*map(plain_rows, value.columns.values()), strict=True)
        return (dict(zip(names, row, strict=True)) for row in cells)
    values, null = present(value)
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), math.nan, values + 0.0)  # -0.0 + 0.0 is 0.0
    if values.ndim == 2:
        return map(tuple, values.tolist())
    if null is None:
        return iter(values.tolist())
    return (None if gone else item for item, gone in zip(values.tolist(), null.tolist(), strict=True))


def copied(value: Any) -> Any:
    """Copy a table for a user's function: what it writes, and what lies under a mask or beside a view, stays apart.

    Values that every metric takes for the same look the same. A masked value is blank.
    """
    if isinstance(value, Records):
        return {name: copied(column) for name, column in value.columns.items()}
    values, null = present(value)
    values = np.where(np.isnan(values), math.nan, values + 0.0) if values.dtype.kind == "f" else values.copy()
    if not isinstance(value, np.ma.MaskedArray):
        return values
    mask = np.zeros(len(values), dtype=bool) if null is None else null.copy()
    values[mask] = "" if values.dtype == object else np.zeros(1, dtype=values.dtype)[0]
    return np.ma.MaskedArray(values, mask=mask)


def sorted_copy(value: Array) -> Array:
    """Copy a column in rising order, NaN and then nulls last, so that its order says nothing."""
    found = copied(value)
    plain, null = present(found)
    mask = np.zeros(len(plain), dtype=bool) if null is None else null
    keys = np.unique(plain, return_inverse=True)[1] if plain.dtype == object else plain
    order = np.lexsort((keys, mask))
    ordered: Array = found[order]
    return ordered


def detached(answer: Any) -> Any:
    """Copy the arrays in an answer that will be released: a view holds on to the column it was cut from.

    What is masked becomes blank. Lists, tuples and dicts are searched, other objects are left as they are.
    """
    if isinstance(answer, np.ndarray):
        found: Any = np.array(np.ma.getdata(answer), subok=False)
        if found.dtype == object:
            flat = [detached(item) for item in found.reshape(-1).tolist()]
            found = np.empty(len(flat), dtype=object)
            found[:] = flat
            found = found.reshape(answer.shape)
        if not isinstance(answer, np.ma.MaskedArray):
            return found
        mask = np.ma.getmaskarray(answer).copy()
        found[mask] = np.zeros(1, dtype=found.dtype)[0]
        return np.ma.MaskedArray(found, mask=mask)
    if type(answer) in (list, tuple):
        return type(answer)(map(detached, answer))
    if type(answer) is dict:
        return {detached(key): detached(item) for key, item in answer.items()}
    return answer
