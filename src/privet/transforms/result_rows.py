"""Results of users' functions, read as rows of a column, of a matrix or of records."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from privet.core import BLANKS, DTYPES, READERS, MatrixDomain, Records, VectorDomain, quietly
from privet.transforms.tables import Table


def result_reader(domain: Table) -> Callable[[Any], Any]:
    """Give the function that reads one result; what it returns is None for a result that is no row.

    The methods of the bases are called: those of a user's class could return other entries at every call.
    """
    if isinstance(domain, VectorDomain):
        return READERS[domain.kind]
    if isinstance(domain, MatrixDomain):
        return partial(_read_numbers, domain.columns)
    return partial(_read_record, [(name, READERS[each.kind]) for name, each in domain.columns])


def gathered(results: list[Any], domain: Table) -> Any:
    """Put rows that were read into one table; None is a row that has nothing."""
    if isinstance(domain, VectorDomain):
        null = np.array([result is None for result in results], dtype=bool)
        values: Any = np.empty(len(results), dtype=DTYPES[domain.kind])
        values[:] = [BLANKS[domain.kind] if result is None else result for result in results]
        return domain.coerce(values, null)
    if isinstance(domain, MatrixDomain):
        blank = (math.nan,) * domain.columns
        rows = [blank if result is None else result for result in results]
        return domain.coerce(np.array(rows, dtype=np.float64).reshape(len(rows), domain.columns))
    return Records(
        {
            name: gathered([None if result is None else result[at] for result in results], each)
            for at, (name, each) in enumerate(domain.columns)
        }
    )


def listed_results(result: object) -> list[Any] | None:
    """Copy a list or a tuple; None for anything else."""
    if isinstance(result, list):
        return list.copy(result)
    return list(tuple.__iter__(result)) if isinstance(result, tuple) else None


def _read_numbers(columns: int, result: object) -> tuple[float, ...] | None:
    """Copy a row of numbers; an entry that is not a number is NaN. Anything but a row of this length is None."""
    if isinstance(result, np.ndarray):
        items = result.tolist() if type(result) in (np.ndarray, np.ma.MaskedArray) and result.ndim == 1 else None
    else:
        items = listed_results(result)
    if items is None or len(items) != columns:
        return None
    return tuple(math.nan if number is None else number for number in (quietly(READERS[float], item) for item in items))


def _read_record(fields: list[tuple[str, Callable[[Any], Any]]], result: object) -> tuple[Any, ...] | None:
    """Copy a record; a field that is missing or of another kind is null."""
    items = listed_results(result)
    if isinstance(result, dict):
        items = [dict.get(result, name) for name, _ in fields]
    if items is None or len(items) != len(fields):
        return None
    return tuple(quietly(read, item) for item, (_, read) in zip(items, fields, strict=True))
