"""The columns of what a user passes to fit and predict: arrays, lists of rows, pandas and polars frames."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
from attrs import frozen
from scipy.sparse import issparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array

from privet.core import Array, quietly, read_items, warn_caller
from privet.errors import InvalidError, WrongTypeError
from privet.models.column_kinds import is_stated, kind_of
from privet.tables.queries.row_query import RowQuery


@final
@frozen(kw_only=True)
class Columns:
    """Columns with their names, if they have any.

    Args:
        names: One name for each column, or None.
        columns: The columns, one-dimensional.
        rows: How many rows there are.
        kinds: What each column holds where its type says that it holds no numbers; empty where there are no types.
    """

    names: tuple[str, ...] | None
    columns: tuple[Any, ...]
    rows: int
    kinds: tuple[str | None, ...] = ()

    def take(self, keep: Array) -> "Columns":
        """Keep some rows."""
        columns = tuple(column[keep] for column in self.columns)
        return Columns(names=self.names, columns=columns, rows=int(keep.sum()), kinds=self.kinds)


def is_frame(data: Any) -> bool:
    """Return whether data have named columns, as pandas and polars frames do."""
    if _is_lazy(data):  # it has columns, but naming them is slow and gives a warning
        return False
    named = hasattr(data, "columns") and hasattr(data, "shape") and not hasattr(data, "fetchall")
    return named and not hasattr(data, "column_names") and not isinstance(data, np.ndarray)


def read_columns(data: Any) -> Columns:
    """Read a table; only its type and its number of columns may be refused, never its contents."""
    if is_frame(data):
        names = _names(data)
        if not names:
            raise InvalidError(_NO_COLUMNS)
        parts = data.iloc if hasattr(data, "iloc") else data
        found = [parts[:, at] for at in range(len(names))]
        kinds = tuple(kind_of(getattr(each, "dtype", None)) for each in found)
        return Columns(names=names, columns=tuple(map(read_items, found)), rows=len(data), kinds=kinds)
    if _is_lazy(data):
        raise WrongTypeError("X must be a frame with its rows, got LazyFrame: collect it first, as in X.collect().")
    if hasattr(data, "column_names"):
        raise WrongTypeError(
            "X is an Arrow table: pass a pandas or polars frame, such as polars.from_arrow(table), or open a session "
            "on it."
        )
    _refuse_sources(data)
    table = _checked(data)
    columns = tuple(table[:, at] for at in range(table.shape[1]))
    return Columns(names=None, columns=columns, rows=len(table), kinds=(kind_of(table.dtype),) * len(columns))


def without_rows(data: Any, target: Any) -> tuple[Any, Any]:
    """Return a table and a target of the same types without rows; what is none is refused as by a fit.

    Args:
        data: The rows.
        target: The target, or None.
    """
    table = read_columns(data)
    nothing = data[:0] if is_frame(data) else np.empty((0, len(table.columns)), dtype=object)
    if target is None:
        return nothing, None
    column = read_target("pipeline", target, table.rows)
    return nothing, target[:0] if hasattr(target, "dtype") else column[:0]


def _is_like_an_array(data: Any) -> bool:
    """Return whether numpy must convert data first; of Arrow it would turn a column with a null into floats."""
    known = isinstance(data, np.ndarray) or hasattr(data, "dtype") or hasattr(data, "to_pylist")
    return hasattr(data, "__array__") and not known


def _refuse_sources(data: Any) -> None:
    """Refuse what names rows and holds none: a query, a file, a relation of an engine."""
    if isinstance(data, RowQuery):
        raise WrongTypeError("X is a query of a session: write query.fit(model, epsilon=1, delta=1e-6).")
    if hasattr(data, "query") and hasattr(data, "sql"):
        raise WrongTypeError("X is a session: write session.query().fit(model, epsilon=1, delta=1e-6).")
    if hasattr(data, "fetchall"):
        raise WrongTypeError(f"X must be a frame with its rows, got {type(data).__name__}: pass X.df() or X.pl().")
    if data is None or isinstance(data, str | bytes | Path | int | float):
        raise WrongTypeError(f"X must be a frame, an array or a list of rows, got {type(data).__name__}.")


def _is_lazy(data: Any) -> bool:
    return type(data).__name__ == "LazyFrame"


def _names(data: Any) -> tuple[str, ...]:
    names = tuple(str(name) for name in data.columns)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InvalidError(f"X has more than one column {min(twice)!r}: give every column a name of its own.")
    return names


def _checked(data: Any) -> Any:
    """Refuse what is no table of real values; scikit-learn would show values and the number of rows."""
    if issparse(data):
        return check_array(data, dtype=None, accept_large_sparse=False)  # it says what to do
    if isinstance(data, Mapping):
        raise WrongTypeError(
            f"X must be a frame, an array or a list of rows, got {type(data).__name__}: pass pandas.DataFrame(X) or "
            "polars.DataFrame(X)."
        )
    array = _table(data)
    if isinstance(data, list | tuple) and not data:
        raise InvalidError(_NO_ROWS)
    if array.ndim != 2:
        raise InvalidError(
            f"Expected 2D array, got {array.ndim}D array instead: X needs one row for each record. Reshape your data "
            "using array.reshape(-1, 1) if it has one column, or array.reshape(1, -1) if it is one row."
        )
    if array.dtype.kind == "c":
        raise InvalidError("Complex data not supported: give real numbers.")
    if array.shape[1] == 0:
        raise InvalidError(_NO_COLUMNS)
    if isinstance(array, np.ma.MaskedArray):
        return array
    return check_array(array, dtype=None, ensure_all_finite=False, ensure_min_samples=0)


def _table(data: Any) -> Any:
    """Return an array; the items of a list keep their types.

    If numpy chose one type for all of them, a text in one row would turn the numbers of all other rows into texts.
    """
    if isinstance(data, np.ma.MaskedArray):
        return data
    if isinstance(data, list | tuple) and data and quietly(_has_cells, data[0]):
        return _cells(data)
    if isinstance(data, list | tuple):  # of numbers and the like: one dimension
        return np.empty(len(data), dtype=object)
    try:
        return np.asarray(data)
    except ValueError:  # its message has the number of rows
        raise InvalidError(_RAGGED) from None


def _cells(rows: Any) -> Array:
    """Return a table of the cells of rows, each as it is: numpy would look into a cell that is a list."""
    first = quietly(_items, rows[0])
    width = 0 if first is None else len(first)
    table = np.empty((len(rows), width), dtype=object)
    for at, row in enumerate(rows):
        items = quietly(_items, row)
        if items is None or len(items) != width:
            raise InvalidError(_RAGGED)
        for place, item in enumerate(items):
            table[at, place] = item
    return table


def _items(row: Any) -> list[Any] | None:
    """Return the items of a row, whatever its class says of its length; None of what has no order or is one value."""
    return list(row) if _has_cells(row) else None


def _has_cells(row: Any) -> bool:
    return hasattr(row, "__len__") and not isinstance(row, _NO_ROWS_OF_CELLS)


_NO_ROWS_OF_CELLS = (str, bytes, bytearray, Mapping, set, frozenset)


_NO_ROWS = (
    "Expected 2D array, got a list without rows, whose number of columns is unknown. If it is private whether there "
    "are rows, pass a frame or an array: numpy.empty((0, 2)) has no rows and two columns."
)
_NO_COLUMNS = "X has 0 feature(s), and a minimum of 1 is required."
_RAGGED = "X must have rows of the same length."


def kind_of_target(target: Any) -> str | None:
    """Name what a target holds if its type was stated, and None where it was inferred from the rows or says nothing."""
    if is_frame(target) and target.shape[1] == 1:
        target = target[target.columns[0]]
    dtype = getattr(target, "dtype", None)
    return kind_of(dtype) if is_stated(dtype) else None


def read_target(label: str, target: Any, rows: int) -> Array:
    """Read the target as one column with as many rows as the table."""
    if target is None:
        raise InvalidError(f"{label} requires y to be passed, but the target y is None.")
    column = _target(label, target)
    if len(column) != rows:  # the message has no number of rows: it is private
        raise InvalidError(f"{label}.fit needs X and y with the same number of rows.")
    return column


def _target(label: str, target: Any) -> Array:
    if isinstance(target, str | bytes):
        raise WrongTypeError(
            f"{label}.fit: y must be a column with one value for each row, got {type(target).__name__}. If it names a "
            "column of X, give target= to the model instead."
        )
    several = f"{label}.fit takes a target of one column, got several columns."
    if is_frame(target):
        table = read_columns(target)
        if len(table.columns) != 1:
            raise WrongTypeError(several)
        column: Array = table.columns[0]
        return column
    if _is_lazy(target):
        raise WrongTypeError("y must be a column with its rows, got LazyFrame: collect it first, as in y.collect().")
    if isinstance(target, list | tuple):  # each item by itself, so that one of them changes no other
        return read_items([item[0] if type(item) in (list, tuple) and len(item) == 1 else item for item in target])
    if _is_like_an_array(target):
        target = np.asarray(target)
    if isinstance(target, np.ndarray) and target.ndim == 2 and target.shape[1] == 1:
        warn_caller("y is a column vector, and a 1d array was expected.", DataConversionWarning)
        target = target[:, 0]
    if isinstance(target, np.ndarray) and target.ndim != 1:
        raise WrongTypeError(several)
    return read_items(target)
