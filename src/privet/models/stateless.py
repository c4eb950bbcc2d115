"""The few steps of scikit-learn that a private pipeline takes: they learn nothing, and treat every row by itself."""

import warnings
from typing import Any

import numpy as np
from sklearn.preprocessing import Binarizer, FunctionTransformer, Normalizer

from privet.core import Array, quietly, read_rows
from privet.errors import InvalidError
from privet.models.features import Features
from privet.models.preprocessor import interval
from privet.models.tables_of import read_columns

STATELESS = (Binarizer, FunctionTransformer, Normalizer)
_NORMS = ("l1", "l2", "max")


def through(step: Any, data: Any, facts: Features | None) -> tuple[Array, Features | None]:
    """Return the rows after a stateless step, and the bounds of its columns where they are known.

    The code of scikit-learn is not called: it raises errors for missing values, which would reveal them, and adds up
    along rows in an order that depends on the layout of memory. The function of a ``FunctionTransformer`` is called
    with one row at a time; if it fails, the row is missing.

    Args:
        step: One of ``STATELESS``.
        data: The rows.
        facts: What is known of the columns before, or None.
    """
    table = read_columns(data)
    columns = [quiet_numbers(column) for column in table.columns]
    rows = np.stack(columns, axis=1)
    with np.errstate(all="ignore"):
        if isinstance(step, Binarizer):
            return (rows > float(step.threshold)).astype(np.float64), _same(
                facts, len(columns), table.names, (0.0, 1.0)
            )
        if isinstance(step, Normalizer):
            return _normalized(step, rows), _same(facts, len(columns), table.names, (-1.0, 1.0))
    return _called(step, rows), None


def quiet_numbers(column: Any) -> Array:
    """Return a column as numbers; what is none is NaN."""
    values, null = read_rows(column, float)
    return values if null is None else np.where(null, np.nan, values)


def _same(facts: Features | None, count: int, names: Any, ends: tuple[float, float]) -> Features:
    return Features(columns=(interval(ends),) * count, names=facts.names if facts is not None else names)


def _normalized(step: Normalizer, rows: Array) -> Array:
    """Divide every row by its norm; we add up column by column, so that a row depends on itself alone."""
    if step.norm not in _NORMS:
        raise InvalidError(f"Normalizer.norm must be one of {', '.join(_NORMS)}, got {step.norm!r}.")
    finite = np.nan_to_num(rows)
    norms = np.zeros(len(finite))
    for column in finite.T:
        size = np.abs(column)
        norms = np.maximum(norms, size) if step.norm == "max" else norms + (size * size if step.norm == "l2" else size)
    norms = np.sqrt(norms) if step.norm == "l2" else norms
    return np.clip(finite / np.where(norms > 0, norms, 1.0)[:, None], -1.0, 1.0)


def _called(step: FunctionTransformer, rows: Array) -> Array:
    """Call a function with one row at a time; the width of its result is that for a row of zeros."""
    function, arguments = step.func, step.kw_args or {}
    if function is None:
        return rows

    def one(row: Array) -> Any:
        return np.asarray(function(row[None, :].copy(), **arguments), dtype=np.float64).reshape(-1)

    width = len(one(np.zeros(rows.shape[1])))  # public: an error here is an error of the function
    found = np.full((len(rows), width), np.nan)
    with warnings.catch_warnings():  # a warning would reveal the row that caused it
        warnings.simplefilter("ignore")
        for at, row in enumerate(rows):
            result = quietly(one, row)
            if isinstance(result, np.ndarray) and len(result) == width:
                found[at] = result
    return found
