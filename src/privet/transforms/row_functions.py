"""Users' functions made total: called with rows, or with a copy of a column, and with nothing else."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import UnionType
from typing import Any

import numpy as np

from privet.core import Array, Records, Space, Validator, function_of, must_be, type_name, vector
from privet.errors import WrongTypeError
from privet.transforms.columns import present


def function_name(function: object) -> str:
    """Return the name of a function."""
    return str(getattr(function, "__name__", type(function).__name__))


is_function = function_of("one row")


def column_space(value: object) -> Any:
    """Convert a kind such as ``int`` to the space of such columns; leave other values to the validator."""
    return vector(value) if isinstance(value, type) and value in (int, float, bool, str) else value


def results_in(kinds: type | UnionType, description: str) -> list[Validator]:
    """Refuse anything but a space of results of these kinds, which must have no size of its own."""
    return [
        must_be(
            lambda to: isinstance(to, Space) and isinstance(to.domain, kinds), description, WrongTypeError, type_name
        ),
        must_be(
            lambda to: to.domain.size is None, "a space with no size of its own: there is one result for each call"
        ),
    ]


def answers(function: Callable[[Any], Any], value: Records | Array, read: Callable[[Any], Any]) -> list[Any]:
    """Call a function on each row, and read its answer; if either fails, the answer is None."""
    return answers_of(function, plain_rows(value), read)


def answers_of(function: Callable[[Any], Any], given: Iterable[Any], read: Callable[[Any], Any]) -> list[Any]:
    """Call a function on each of several arguments, and read its answer; if either fails, the answer is None."""
    with warnings.catch_warnings():  # a warning would reveal the row that caused it
        warnings.simplefilter("ignore")
        return [answer(function, each, read) for each in given]


def answer(function: Callable[[Any], Any], row: object, read: Callable[[Any], Any]) -> Any:
    """Call a function with one argument, and read its answer; if either fails, the answer is None."""
    # the body of quietly, without a further call for each row
    try:
        return read(function(row))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - no exception that depends on a row may be visible, sys.exit included
        return None


def plain_rows(value: Records | Array) -> Iterator[Any]:
    """Return the rows as plain values: numbers, text or None of a column, tuples of a matrix, dicts of records.

    Values that are equal for every metric look equal: there is one zero and one NaN.
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
    return (None if is_null else item for item, is_null in zip(values.tolist(), null.tolist(), strict=True))


def copied(value: Records | Array) -> Any:
    """Copy a table for a user's function, which can then neither write to the data nor see masked or adjacent values.

    Values that are equal for every metric look equal. A masked value is blank.
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
    """Copy a column in increasing order, NaN and then nulls last, so that its order reveals nothing."""
    copy = copied(value)
    plain, null = present(copy)
    mask = np.zeros(len(plain), dtype=bool) if null is None else null
    keys = np.unique(plain, return_inverse=True)[1] if plain.dtype == object else plain
    order = np.lexsort((keys, mask))
    ordered: Array = copy[order]
    return ordered


def detached(answer: Any) -> Any:
    """Copy the arrays in an answer before its release: a view keeps a reference to its whole column.

    Masked values become blank. Lists, tuples and dicts are searched; other objects stay as they are.
    """
    if isinstance(answer, np.ndarray):
        copy: Any = np.array(np.ma.getdata(answer), subok=False)
        if copy.dtype == object:
            flat = [detached(item) for item in copy.reshape(-1).tolist()]
            copy = np.empty(len(flat), dtype=object)
            copy[:] = flat
            copy = copy.reshape(answer.shape)
        if not isinstance(answer, np.ma.MaskedArray):
            return copy
        mask = np.ma.getmaskarray(answer).copy()
        copy[mask] = np.zeros(1, dtype=copy.dtype)[0]
        return np.ma.MaskedArray(copy, mask=mask)
    if type(answer) in (list, tuple):
        return type(answer)(map(detached, answer))
    if type(answer) is dict:
        return {detached(key): detached(item) for key, item in answer.items()}
    return answer
