"""Helpers of the units that read public oblivious trees: every level of such a tree asks one question of all rows."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from privet.core import Array, Bounds, MatrixDomain, Space, read_whole
from privet.errors import MismatchError
from privet.transforms import bounded_columns, matrix_domain

Splits = tuple[tuple[int, tuple[int, ...]], ...]
DEEPEST = 16


def read_splits(value: Iterable[Any]) -> Splits:
    """Read the questions of a tree: pairs of a column and a table of zeros and ones, one for each code."""
    return tuple(
        (read_whole("splits", column), tuple(read_whole("splits", side) for side in table)) for column, table in value
    )


def are_splits(splits: Splits) -> bool:
    """Return whether there are few enough questions, each with a column and a table of zeros and ones."""
    return len(splits) <= DEEPEST and all(column >= 0 and table and {*table} <= {0, 1} for column, table in splits)


def show_splits(splits: Splits) -> str:
    """Name the columns only: the tables are long."""
    return f"<columns {', '.join(str(column) for column, _ in splits)}>"


def leaves_of(value: Array, splits: Splits) -> Array:
    """Return the leaf of each row, a number below two to the depth; the first question gives the lowest bit.

    A code is rounded toward zero. One that is not in the table is on the side zero.
    """
    leaf = np.zeros(len(value), dtype=np.int64)
    for level, (column, table) in enumerate(splits):
        sides = np.array([*table, 0], dtype=np.int64) << level  # the last entry is for codes outside the table
        leaf += sides[np.clip(value[:, column], -1, len(table)).astype(np.int64)]
    return leaf


def coded_rows(unit: object, space: Space, splits: Splits, others: int) -> tuple[MatrixDomain, tuple[Bounds, ...]]:
    """Check that the rows are bounded, have no NaN and have their codes before the other columns.

    Args:
        unit: The unit, for messages.
        space: The space of the rows.
        splits: The questions.
        others: How many columns follow the codes.
    """
    bounds, _ = bounded_columns(unit, space)
    domain = matrix_domain(unit, space)
    needed = max((column for column, _ in splits), default=-1) + 1 + others
    if domain.columns < needed or domain.nan:
        raise MismatchError(
            f"{type(unit).__name__} reads rows without NaN of at least {needed} columns: the codes of its splits and "
            f"{others} more; got {domain.describe()}."
        )
    return domain, bounds
