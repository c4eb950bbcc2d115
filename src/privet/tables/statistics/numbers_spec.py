"""The numbers that noise is added to: exact combinations of statistics, and how far one row moves them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, Distance, NumbersDomain, Parts, Space, VectorDistance, short
from privet.errors import WrongTypeError
from privet.tables.statistics.contribution import Contribution, times
from privet.tables.statistics.statistic import Statistic

Matrix = tuple[tuple[tuple[int, int], ...], ...]
ONE: Matrix = (((0, 1),),)
_ROOM = 2**62
_MANY_ROWS = 2**36  # a table with more rows in one group would saturate, not wrap


@final
@frozen(kw_only=True)
class NumbersSpec:
    """Numbers for each group that noise is added to: whole-numbered combinations of exact statistics.

    Args:
        statistics: What the engine counts and adds up.
        matrix: For each number pairs (position among all statistics in order, whole coefficient).
        grid: The grid step of the numbers.
        row: How far one row, or one person, moves them.
        per: Whether ``row`` is for each row, or for each person however many rows they have.
    """

    statistics: tuple[Statistic, ...]
    matrix: Matrix
    grid: Fraction = field(repr=short)
    row: Parts
    per: Literal["rows", "persons"] = "rows"

    @property
    def length(self) -> int:
        """How many numbers there are for each group."""
        return len(self.matrix)

    def distance(self, contribution: Contribution, groups: int) -> Parts:
        """Give the distance of the numbers of all groups between neighbours."""
        moved = contribution.rows(groups) if self.per == "rows" else contribution.persons(groups)
        return times(moved, self.row, self.length)

    @property
    def kind(self) -> type:
        """How the numbers are written: as whole grid steps where they fit 64 bits."""
        return int if self.row.linf / self.grid * _MANY_ROWS < _ROOM else float

    def space(self, groups: int) -> Space:
        """The numbers of all groups, one after the other."""
        return Space(NumbersDomain(length=groups * self.length, kind=self.kind, grid=self.grid), VectorDistance())

    def exact(self, results: Mapping[Statistic, Any], groups: int) -> Array:
        """Combine the results of the engine: exact, in grid steps, one row for each group."""
        columns: list[Array] = []
        for statistic in self.statistics:
            shaped = _whole(results[statistic]).reshape(groups, statistic.length)
            columns.extend(shaped[:, at] for at in range(statistic.length))
        largest = max((_size(column) for column in columns), default=0)
        reach = max((sum(abs(factor) for _, factor in row) for row in self.matrix), default=0)
        if largest * reach >= _ROOM:
            columns = [column.astype(object) for column in columns]
        rows = [_combine(row, columns, groups) for row in self.matrix]
        return np.stack(rows, axis=1).reshape(-1)


def sparse(rows: Sequence[Sequence[int]]) -> Matrix:
    """Write rows of coefficients as pairs (position, coefficient), without zeros."""
    return tuple(tuple((at, factor) for at, factor in enumerate(row) if factor) for row in rows)


def one_number(distance: Distance) -> Parts:
    """Give the distance of one number in every norm; the distance of several numbers does not change."""
    if isinstance(distance, Parts):
        return distance
    size = Fraction(distance)
    return Parts(l0=1 if size else 0, l1=size, l2_squared=size**2, linf=size)


def _whole(numbers: Any) -> Array:
    """Read whole numbers of any size; the sum over no rows, a null, is zero. numpy alone would make floats of some."""
    if isinstance(numbers, np.ndarray) and numbers.dtype == np.int64:
        return numbers
    if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "f":
        raise WrongTypeError("statistics must be whole numbers: floats have lost digits of sums.")
    items = numbers.reshape(-1).tolist() if isinstance(numbers, np.ndarray) else list(_flat(numbers))
    read = [0 if item is None else int(item) for item in items]
    small = all(-_ROOM < item < _ROOM for item in read)
    return np.array(read, dtype=np.int64 if small else object)


def _flat(numbers: Any) -> Iterator[Any]:
    for item in numbers:
        if isinstance(item, list | tuple | np.ndarray):
            yield from _flat(item)
        else:
            yield item


def _size(column: Array) -> int:
    return max(abs(int(column.max())), abs(int(column.min())))


def _combine(row: tuple[tuple[int, int], ...], columns: list[Array], groups: int) -> Array:
    total = np.zeros(groups, dtype=np.int64)
    for at, factor in row:
        total = total + (columns[at] if factor == 1 else columns[at] * factor)
    return total
