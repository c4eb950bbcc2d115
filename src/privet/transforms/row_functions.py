"""A user's function made total: called once for each row, with that row and nothing else."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from attrs import Attribute

from privet.core.frames import Records
from privet.errors import WrongType
from privet.transforms.columns import present


def named(function: Any) -> str:
    """Write a function as its name."""
    return str(getattr(function, "__name__", type(function).__name__))


def is_function(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        label = f"{type(instance).__name__}.{attribute.name}"
        raise WrongType(f"{label} must be a function of one row, got {type(value).__name__}.")


def answers(function: Callable[[Any], Any], value: Any, read: Callable[[Any], Any]) -> list[Any]:
    """Ask a function about each row, and read its answer; where either fails, the answer is None."""
    with warnings.catch_warnings():  # a warning would tell of the row that caused it
        warnings.simplefilter("ignore")
        return [_answer(function, row, read) for row in plain_rows(value)]


def _answer(function: Callable[[Any], Any], row: Any, read: Callable[[Any], Any]) -> Any:
    try:
        return read(function(row))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - whatever a row makes a function raise, sys.exit too, must not be seen
        return None


def plain_rows(value: Any) -> Iterator[Any]:
    """Give the rows as plain values: numbers, text or None of a column, tuples of a matrix, dicts of records.

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
