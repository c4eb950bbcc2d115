"""Rows multiplied by a public constant or a public matrix."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    INT_MAX,
    INT_MIN,
    Array,
    Bounds,
    MatrixDomain,
    Norm,
    Sides,
    Space,
    VectorDomain,
    bounded_grid,
    matrix_grid,
    must_be,
    read_rows,
    short,
    sqrt_up,
)
from privet.errors import InvalidError, MismatchError
from privet.transforms import column_or_matrix, present
from privet.transforms.operator_norms import (
    PublicMatrix,
    check_factor,
    largest_column_sum,
    largest_eigenvalue,
    number_or_matrix,
)

_LARGEST = Fraction(np.finfo(np.float64).max)


def _holds(value: Any) -> bool:
    entries = [item for row in value for item in row] if isinstance(value, tuple) else [value]
    return all(abs(item) <= _LARGEST for item in entries)  # zero times an infinity would be missing


@final
@frozen(kw_only=True)
class ScaleRows(RowTransformation):
    """Multiply every row by a public constant, or every row of a matrix by a public matrix.

    Real results are rounded to the default grid of their bounds. Nulls and NaN stay.

    Args:
        factor: A number other than zero; or a matrix, as a list of rows, with one column for each column of the table.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/scale_rows.md.

    >>> from privet.core.space import matrix, vector
    >>> (vector(int, bounds=(0, 9)) >> ScaleRows(factor=-2)).output
    vector(int, bounds=(-18, 0))
    >>> (matrix(2, bounds=(0, 4)) >> ScaleRows(factor=[[1, 1]]))([[1, 2], [3, 4]]).tolist()
    [[3.0], [7.0]]
    """

    factor: Fraction | PublicMatrix = field(
        converter=number_or_matrix,
        validator=[check_factor, must_be(_holds, "within the floats, up to about 1.8e308")],
        repr=short,
    )

    def output(self, space: Space) -> Space:
        """The same rows with multiplied descriptors."""
        domain = column_or_matrix(self, space)
        return Space(self._rows(domain) if isinstance(domain, MatrixDomain) else self._column(domain), space.metric)

    def _column(self, domain: VectorDomain) -> VectorDomain:
        factor = self.factor
        if isinstance(factor, tuple):
            raise MismatchError("ScaleRows.factor must be one number for a column, got a matrix.")
        if domain.kind not in (int, float):
            raise MismatchError(f"ScaleRows reads numbers, got a column of {domain.kind.__name__}.")
        kind = int if domain.kind is int and factor.denominator == 1 else float
        limits = None if domain.bounds is None else _interval(factor, domain.bounds)
        grid = None if limits is None else bounded_grid("ScaleRows", kind, limits, None)
        sides = None if domain.sides is None else _sides(factor, domain.sides, kind)
        return evolve(domain, kind=kind, bounds=limits, grid=grid, sides=sides, categories=None)

    def _matrix(self, columns: int) -> PublicMatrix:
        """Return the factor as a matrix; a constant has it on the diagonal."""
        factor = self.factor
        if not isinstance(factor, tuple):
            return tuple(tuple(factor if i == j else Fraction(0) for j in range(columns)) for i in range(columns))
        if len(factor[0]) != columns:
            raise MismatchError(
                f"ScaleRows.factor must have {columns} columns, one for each column of the table, got {len(factor[0])}."
            )
        return factor

    def _rows(self, domain: MatrixDomain) -> MatrixDomain:
        rows = self._matrix(domain.columns)
        if not all(map(any, rows)):
            raise InvalidError("ScaleRows.factor must have an entry other than zero in every row.")
        if domain.bounds is None:
            return evolve(domain, columns=len(rows), norm=None, grid=None)
        bounds = domain.bounds
        limits = tuple(_combined(row, bounds) for row in rows)
        if any(low == high for low, high in limits):
            raise MismatchError("ScaleRows reads columns of more than one value: put it before InsertOnes.")
        grid = matrix_grid("ScaleRows", limits, None)
        box = evolve(domain, columns=len(rows), bounds=limits, grid=grid, norm=None)
        return box if domain.norm is None else _in_ball(box, _ball(rows, domain.norm), grid)

    def apply(self, value: Array, space: Space) -> Array:
        """Multiply row by row, then read the rows into the output domain."""
        domain = column_or_matrix(self, space)
        with np.errstate(all="ignore"):  # a product beyond the floats is an infinity
            if isinstance(domain, MatrixDomain):
                rows = self._matrix(domain.columns)
                return self._rows(domain).coerce(np.column_stack([_weighted(value, row) for row in rows]))
            after, (values, null) = self._column(domain), present(value)
            return after.coerce(_multiplied(values, self.factor, after), null)


def _multiplied(values: Array, factor: Any, after: VectorDomain) -> Array:
    if after.kind is float:
        return _times(values.astype(np.float64), factor)
    times, low, high = int(factor), INT_MIN, INT_MAX
    if abs(times) < 2**63:  # multiply only what stays within 64 bits, and saturate the others
        ends = sorted((_toward_zero(low, times), _toward_zero(high, times)))
        safe = np.clip(values, max(ends[0], low), min(ends[1], high))
        product = safe * np.int64(times)
        beyond = np.where((values > 0) == (times > 0), high, low).astype(np.int64)
        return np.where(safe == values, product, beyond)
    return read_rows([item * times for item in values.tolist()], int)[0]


def _toward_zero(end: int, times: int) -> int:
    return abs(end) // abs(times) * (1 if (end > 0) == (times > 0) else -1)


def _times(values: Array, factor: Fraction) -> Array:
    """Multiply floats by the nearest float or, more precisely, by the numerator and then by 1/denominator."""
    top, bottom = factor.numerator, factor.denominator
    near = np.asarray(values * float(factor))
    if abs(top) >= 2**53 or bottom >= 2**53:
        return near
    product = values * float(top)
    return np.where(np.isinf(product), near, product / float(bottom))


def _weighted(value: Array, row: tuple[Fraction, ...]) -> Array:
    """Add up the columns, each multiplied by its entry, in a fixed order; a zero leaves out its column."""
    total: Array = np.zeros(len(value))
    for at, item in enumerate(row):
        if item:
            total = total + _times(value[:, at], item)
    return total


def _interval(factor: Fraction, bounds: Bounds) -> Bounds:
    low, high = sorted((factor * bounds[0], factor * bounds[1]))
    return low, high


def _sides(factor: Fraction, sides: Sides, kind: type) -> Sides | None:
    low, high = (None if end is None else end * factor for end in sides)
    bound = next(end for end in (low, high) if end is not None)
    if abs(bound) > (INT_MAX if kind is int else _LARGEST):
        return None  # saturated values need not keep to such a bound
    return (low, high) if factor > 0 else (high, low)


def _combined(row: tuple[Fraction, ...], bounds: tuple[Bounds, ...]) -> Bounds:
    ends = [_interval(item, pair) for item, pair in zip(row, bounds, strict=True)]
    return sum((end[0] for end in ends), Fraction(0)), sum((end[1] for end in ends), Fraction(0))


def _ball(rows: PublicMatrix, norm: Norm) -> Norm:
    """Return a ball that contains the image of a ball."""
    origin = tuple(sum((a * b for a, b in zip(row, norm.origin, strict=True)), Fraction(0)) for row in rows)
    spread = largest_column_sum(rows) if norm.order == 1 else sqrt_up(largest_eigenvalue(rows))
    return Norm(order=norm.order, radius=norm.radius * spread, origin=origin)


def _in_ball(box: MatrixDomain, norm: Norm, grid: Fraction) -> MatrixDomain:
    """Add the ball if its centre lies on the grid and a row lies in the box and in the ball; otherwise keep the box."""
    if any((item / grid).denominator != 1 for item in norm.origin):
        return box
    both = evolve(box, norm=norm)
    try:
        both.blank()
    except InvalidError:
        return box
    return both
