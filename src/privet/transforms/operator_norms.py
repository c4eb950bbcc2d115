"""Public matrices: reading them, and how far they can move a vector, in every norm."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
from attrs import Attribute
from flint import fmpz_mat

from privet.core import Parts, UnreadableValue, number, sqrt_up
from privet.errors import InvalidError, WrongTypeError

PublicMatrix = tuple[tuple[Fraction, ...], ...]
_BITS = 40  # of the bisection for the largest eigenvalue
_LONGEST = 150  # rows, or columns, up to which we bisect: about a second


def number_or_matrix(value: object) -> Any:
    """Convert a field to one number, or to a matrix as a tuple of rows."""
    rows = value.tolist() if isinstance(value, np.ndarray) and value.ndim == 2 else value
    if not isinstance(rows, list | tuple):
        return number(value)
    return tuple(tuple(map(number, row)) if isinstance(row, list | tuple) else row for row in rows)


def check_factor(instance: object, attribute: "Attribute[Any]", value: Any) -> None:
    """Refuse a factor that is neither a number other than zero nor a matrix with such an entry."""
    label = f"{type(instance).__name__}.{attribute.name}"
    if isinstance(value, UnreadableValue):
        value.read(label, value.value)
    if not isinstance(value, tuple):
        if value == 0:
            raise InvalidError(f"{label} must be other than zero: every result would be zero.")
        return
    rows = [row for row in value if isinstance(row, tuple)]
    if not rows or len(rows) != len(value) or not rows[0] or len({len(row) for row in rows}) > 1:
        raise WrongTypeError(f"{label} must be a number, or a list of rows that are equally long lists of numbers.")
    for at, row in enumerate(rows):
        for place, item in enumerate(row):
            if isinstance(item, UnreadableValue):
                item.read(f"{label}[{at}][{place}]", item.value)
    if not any(map(any, rows)):
        raise InvalidError(f"{label} must have an entry other than zero: every result would be zero.")


def whole_matrix(matrix: PublicMatrix) -> tuple[list[list[int]], int]:
    """Return whole numbers and the denominator by which they are divided."""
    bottom = lcm(*(item.denominator for row in matrix for item in row))
    return [[int(item * bottom) for item in row] for row in matrix], bottom


def moved(matrix: PublicMatrix, d_in: Parts) -> Parts:
    """Return how far a matrix can move a vector that changes by ``d_in``; the proof is in docs/transforms/scale.md."""
    if not d_in.l0:
        return d_in
    columns = list(zip(*matrix, strict=True))
    sums = [sum(map(abs, column), Fraction(0)) for column in columns]
    filled = [sum(item != 0 for item in column) for column in columns]
    l0 = min(int(_largest(map(Fraction, filled), d_in.l0)), sum(map(any, matrix)))
    l1 = min(
        max(sums) * d_in.l1,
        _largest(sums, d_in.l0) * d_in.linf,
        sqrt_up(_largest((item**2 for item in sums), d_in.l0) * d_in.l2_squared),
    )
    linf = min(
        max(abs(item) for row in matrix for item in row) * d_in.l1,
        max(_largest(map(abs, row), d_in.l0) for row in matrix) * d_in.linf,
        sqrt_up(max(map(_square, matrix)) * d_in.l2_squared),
    )
    l2_squared = min(
        largest_eigenvalue(matrix) * d_in.l2_squared, max(map(_square, columns)) * d_in.l1**2, l1 * linf, l0 * linf**2
    )
    return Parts(l0=l0, l1=l1, l2_squared=l2_squared, linf=linf)


def _largest(items: Iterable[Fraction], count: int) -> Fraction:
    """Add up the largest of some numbers."""
    return sum(sorted(items, reverse=True)[:count], Fraction(0))


def _square(vector: Iterable[Fraction]) -> Fraction:
    return sum((item**2 for item in vector), Fraction(0))


def largest_column_sum(matrix: PublicMatrix) -> Fraction:
    """Return the operator norm from l1 to l1."""
    return max(sum(map(abs, column), Fraction(0)) for column in zip(*matrix, strict=True))


@lru_cache(maxsize=64)
def largest_eigenvalue(matrix: PublicMatrix) -> Fraction:
    """Return an upper bound of the square of the largest singular value, tight to about 30 bits.

    Bisection over an exact test: no derivative of the characteristic polynomial is negative at the bound. For a matrix
    with very many rows and columns it is the sum of squares, or the product of the largest row and column sums.
    """
    rows, bottom = whole_matrix(matrix)
    sizes = [[abs(item) for item in row] for row in rows]
    sums = max(map(sum, sizes)) * max(map(sum, zip(*sizes, strict=True)))
    most = min(sum(item**2 for row in rows for item in row), sums)
    if min(len(rows), len(rows[0])) > _LONGEST:
        return Fraction(most, bottom**2)
    first = fmpz_mat(rows)
    gram = first * first.transpose() if len(rows) <= len(rows[0]) else first.transpose() * first
    shift = max(_BITS - most.bit_length(), 0)
    coefficients = [int(item) << (shift * at) for at, item in enumerate(reversed(gram.charpoly().coeffs()))]
    low, high = 0, most << shift
    while high - low > 1 + (high >> _BITS):
        middle = (low + high) // 2
        low, high = (low, middle) if _above_all_roots(coefficients, middle) else (middle, high)
    return Fraction(high, (1 << shift) * bottom**2)


def _above_all_roots(coefficients: list[int], at: int) -> bool:
    """Return whether a polynomial (leading coefficient first) has no negative derivative at a point."""
    rest = list(coefficients)
    while len(rest) > 1:  # each division by (t - at) leaves the next Taylor coefficient
        for place in range(1, len(rest)):
            rest[place] += at * rest[place - 1]
        if rest.pop() < 0:
            return False
    return True
