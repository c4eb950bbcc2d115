"""Imputed rows in place of absent records: drawn from public parameters, never from the data."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import evolve

from privet.chains.transformation import Transformation
from privet.core import (
    BLANKS,
    DTYPES,
    Array,
    MatrixDomain,
    Records,
    RecordsDomain,
    Sides,
    Space,
    SymmetricDistance,
    VectorDomain,
    read_rows,
)
from privet.errors import MismatchError
from privet.transforms import present

Rows = VectorDomain | MatrixDomain


def imputed_table(label: str, imputation: object, domain: Rows | RecordsDomain, count: int) -> Any:
    """Draw a table of imputed rows, a member of the domain with that number of rows.

    Args:
        label: The name of the parameter, for messages.
        imputation: As for ``imputed_rows``; for records, a dict with one of these for each field that is not missing.
        domain: The domain of the table that the rows will join.
        count: How many rows.
    """
    if isinstance(domain, MatrixDomain):
        return evolve(domain, size=count).coerce(imputed_rows(label, imputation, domain, count)[0])
    if isinstance(domain, VectorDomain):
        return evolve(domain, size=count).coerce(*imputed_rows(label, imputation, domain, count))
    fields = _fields(label, imputation, domain)
    columns = {
        name: imputed_table(f"{label}[{name!r}]", fields.get(name), inner, count) for name, inner in domain.columns
    }
    return Records(columns)


def _fields(label: str, imputation: object, domain: RecordsDomain) -> Mapping[str, object]:
    if imputation is None:
        return {}
    names = [name for name, _ in domain.columns]
    if not isinstance(imputation, Mapping) or not set(imputation) <= set(names):
        raise MismatchError(
            f"{label} must be a dict with a value, or a unit that imputes, for each field that is not missing; "
            f"the fields are {', '.join(names)}."
        )
    return imputation


def imputed_rows(label: str, imputation: object, domain: Rows, count: int) -> tuple[Array, Array | None]:
    """Draw rows as (values, null mask or None).

    Args:
        label: The name of the parameter, for messages.
        imputation: None for missing rows, a value (a sequence of values for a matrix), or a unit that imputes.
        domain: The domain of the table that the rows will join.
        count: How many rows.
    """
    blank = _blank(domain, count)
    if imputation is None:
        return present(blank.domain.admit(_missing(domain, count)))
    if not isinstance(imputation, Transformation):
        return present(blank.domain.admit([_check_value(label, imputation, domain)] * count))
    chain = blank >> imputation
    made = chain.output.domain
    if type(made) is not type(domain) or getattr(made, "kind", float) is not getattr(domain, "kind", float):
        raise MismatchError(f"{label} must produce rows of the same kind as the table, got {made.describe()}.")
    if made.size != count or getattr(made, "columns", None) != getattr(domain, "columns", None):
        raise MismatchError(f"{label} must produce one row for each missing row, got {made.describe()}.")
    return present(chain.run(blank.domain.admit(_missing(domain, count))))


def check_imputation(label: str, imputation: object, domain: Rows | RecordsDomain) -> None:
    """Refuse an imputation that does not fit. Two numbers of rows are tried, to detect a fixed number of rows."""
    for count in (1, 2):
        imputed_table(label, imputation, domain, count)


def _blank(domain: Rows, count: int) -> Space:
    """Return the same space, except that every row may be missing."""
    if isinstance(domain, MatrixDomain):
        return Space(evolve(domain, nan=True, size=count, ordered=False), SymmetricDistance())
    return Space(evolve(domain, nullable=True, size=count, ordered=False), SymmetricDistance())


def _missing(domain: Rows, count: int) -> Any:
    if isinstance(domain, MatrixDomain):
        return np.full((count, domain.columns), np.nan)
    return np.ma.MaskedArray(np.full(count, BLANKS[domain.kind], dtype=DTYPES[domain.kind]), mask=True)


def _check_value(label: str, value: object, domain: Rows) -> Any:
    """Refuse a value that the table cannot hold. The value is a public parameter, so the error reveals nothing."""
    if isinstance(domain, VectorDomain):
        _check_cell(label, value, domain)
        return value
    if not isinstance(value, tuple | list) or len(value) != domain.columns:
        raise MismatchError(f"{label} must be a row of {domain.columns} numbers, one for each column of the table.")
    for at, cell in enumerate(value):
        limits = None if domain.bounds is None else domain.bounds[at]
        _check_cell(f"{label}[{at}]", cell, VectorDomain(kind=float, bounds=limits, grid=domain.grid))
    return tuple(value)


def _check_cell(label: str, value: object, domain: VectorDomain) -> None:
    read, null = read_rows([value], domain.kind)
    item = read.tolist()[0]
    if null is not None or (isinstance(item, float) and math.isnan(item)):
        raise MismatchError(f"{label} must be a value of kind {domain.kind.__name__}, the kind of the table.")
    # a bound such as 0.1 is a decimal; the value is the nearest float
    limits = domain.sides if domain.bounds is None else domain.bounds
    if limits is not None and not _lies_within(item, limits):
        raise MismatchError(f"{label} must lie within the bounds of the table.")
    if domain.categories is not None and item not in domain.categories:
        raise MismatchError(f"{label} must be one of the categories of the table.")


def _lies_within(item: Any, limits: Sides) -> bool:
    lower, upper = limits
    return bool((lower is None or float(lower) <= item) and (upper is None or item <= float(upper)))
