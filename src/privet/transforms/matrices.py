"""Helpers of the transformations of rows of numbers: checks of their input, and rows in exact grid steps."""

from fractions import Fraction

import numpy as np

from privet.core import Array, Bounds, MatrixDomain, Norm, Space
from privet.errors import MismatchError
from privet.transforms.columns import check_records


def matrix_domain(unit: object, space: Space) -> MatrixDomain:
    """Return the domain of rows of numbers, or raise an error that names the actual one."""
    if not isinstance(space.domain, MatrixDomain):
        raise MismatchError(
            f"{type(unit).__name__} reads rows of numbers, got {type(space.domain).__name__}: "
            "start from pc.matrix(columns)."
        )
    check_records(unit, space)
    return space.domain


def norm_ball(unit: object, space: Space) -> tuple[Norm, Fraction]:
    """Return the ball that contains every row, and the grid."""
    domain = matrix_domain(unit, space)
    if domain.norm is None or domain.grid is None or domain.nan:  # a row with NaN lies in no ball
        raise MismatchError(
            f"{type(unit).__name__} needs rows of bounded norm: put ClampNorm(radius=..., order=2) before it."
        )
    return domain.norm, domain.grid


def bounded_columns(unit: object, space: Space) -> tuple[tuple[Bounds, ...], Fraction]:
    """Return the bounds of all columns, and the grid."""
    domain = matrix_domain(unit, space)
    if domain.bounds is None or domain.grid is None:
        raise MismatchError(
            f"{type(unit).__name__} needs bounded columns: write pc.matrix({domain.columns}, bounds=(lower, upper))."
        )
    return domain.bounds, domain.grid


def matrix_steps(values: Array, grid: Fraction, missing: list[int]) -> Array:
    """Return rows as 64-bit grid steps; NaN counts as the entry of ``missing`` for its column."""
    nan = np.isnan(values)
    steps = (np.where(nan, 0.0, values) * float(1 / grid)).astype(np.int64)  # exact: below 2^53
    return np.where(nan, np.array(missing, dtype=np.int64), steps)


def gap_steps(values: Array, norm: Norm, grid: Fraction) -> Array:
    """Return the offsets of the rows from the origin of their ball, in 64-bit grid steps; NaN counts as the origin."""
    centre = [int(item / grid) for item in norm.origin]
    return matrix_steps(values, grid, centre) - np.array(centre, dtype=np.int64)
