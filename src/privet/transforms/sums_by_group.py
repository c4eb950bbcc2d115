"""Sums of rows in each group, for one grouping or for several at once."""

from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    EXACT_STEPS,
    Array,
    Norm,
    NumbersDomain,
    Parts,
    Space,
    VectorDistance,
    into_ball,
    must_be,
    number,
    one_of,
    positive,
    read_whole,
    short,
    sqrt_up,
    whole,
)
from privet.errors import MismatchError
from privet.transforms import bounded_columns, matrix_domain, one_or_more, replaced


def _sizes(value: Any) -> tuple[int, ...]:
    return tuple(read_whole("SumsByGroup.groups", item) for item in one_or_more(value))


@final
@frozen(kw_only=True)
class SumsByGroup(Transformation):
    """Add up a vector of each row within the groups of one or several columns.

    The first columns of the rows are groupings: whole numbers from zero. The other columns are the vector that is
    added up, after it is moved into a ball around zero. Without other columns the vector is the number one, whatever
    the radius, so that rows are counted. A row whose group is missing or unknown counts in no group of that grouping.

    The result lists grouping by grouping, in each the groups in order, and in each group the sums of the columns.

    Args:
        groups: The public number of groups of each grouping.
        radius: The largest norm of a vector; a longer one is moved inward.
        order: 1 for the sum of the magnitudes, 2 for the Euclidean norm.

    Guarantee: for p groupings ``l2² = p (d_in R)²``, with order 1 ``l1 = p d_in R``; for k replacements with 2 k R.
    Counts move by ``l2² = p d_in²``, for k replacements by ``2 p k²``.
    Proof: docs/transforms/sums_by_group.md.

    >>> from privet.core.space import matrix
    >>> rows = matrix(2, bounds=[(0, 2), (-4, 4)])
    >>> (rows >> SumsByGroup(groups=[3], radius=2))([[0, 1], [2, 1], [0, 0.5]]).tolist()
    [1.5, 0.0, 1.0]
    """

    groups: tuple[int, ...] = field(
        converter=_sizes, validator=must_be(lambda groups: len(groups) > 0 and min(groups) > 0, "numbers of groups")
    )
    radius: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)
    order: Literal[1, 2] = field(default=2, converter=whole, validator=one_of(1, 2))

    def output(self, space: Space) -> Space:
        """One number for each column of each group, on the grid of the rows, so that noise is fine for counts too."""
        width, grid = self._width(space), self._grid(space)
        length = sum(self.groups) * max(width, 1)
        return Space(NumbersDomain(length=length, kind=float, grid=grid), VectorDistance())

    def apply(self, value: Array, space: Space) -> Array:
        """Add up in grid steps, a grouping and a column at a time."""
        width, grid = self._width(space), self._grid(space)
        vectors = self._vectors(value, width, grid)
        sums = []
        for at, size in enumerate(self.groups):
            code = value[:, at]
            known = (code >= 0) & (code < size) & (code == np.floor(code))  # false for NaN
            place = np.where(known, code, size).astype(np.int64)
            sums.append(_count(place, size, int(1 / grid)) if vectors is None else _add(place, size, vectors))
        return np.concatenate([part.ravel() for part in sums])

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row changes one group of each grouping, by its vector."""
        width, swaps, many = self._width(space), replaced(space, d_in), len(self.groups)
        times = d_in if swaps is None else 2 * swaps
        length = sum(min(size, times) * max(width, 1) for size in self.groups)
        if width == 0 and swaps is not None:  # a replacement inside a group changes no count
            return Parts(l0=length, l1=many * times, l2_squared=2 * many * swaps**2, linf=swaps)
        reach = times * (self.radius if width else Fraction(1))
        along = reach if self.order == 1 or width <= 1 else sqrt_up(width * reach**2)
        # a replacement inside one group moves its sums by up to twice the radius, as two additions do
        return Parts(l0=length, l1=many * along, l2_squared=many * reach**2, linf=reach)

    def _width(self, space: Space) -> int:
        domain = matrix_domain(self, space)
        if domain.columns < len(self.groups):
            raise MismatchError(
                f"SumsByGroup.groups names {len(self.groups)} groupings, and the rows have {domain.columns} columns."
            )
        return domain.columns - len(self.groups)

    def _grid(self, space: Space) -> Fraction:
        _, grid = bounded_columns(self, space)
        if grid > 1:
            raise MismatchError("SumsByGroup needs a grid that contains the whole numbers: give grid=1 or finer.")
        longest = self.radius if self._width(space) else Fraction(1)
        if longest / grid > _STEPS:
            raise MismatchError(
                "SumsByGroup needs a grid of at least 2^-33 of the radius, for counts of one: give a coarser one."
            )
        return grid

    def _vectors(self, value: Array, width: int, grid: Fraction) -> list[Array] | None:
        """Return the columns of the vectors in whole grid steps, as floats; None to count rows."""
        if width == 0:
            return None
        norm = Norm(order=self.order, radius=self.radius, origin=(Fraction(0),) * width)
        moved = into_ball(value[:, len(self.groups) :], norm, grid)
        return [np.ascontiguousarray(moved[:, at]) * float(1 / grid) for at in range(width)]


_STEPS = 2**33
_ROWS = EXACT_STEPS // _STEPS  # the sum of this many vectors is exact in floats
_MOST = 2**63 // _STEPS  # from this many rows on, a sum may need more than 64 bits


def _count(place: Array, size: int, one: int) -> Array:
    """Count the rows at each place below ``size``, in grid steps of which a row has ``one``."""
    counts = np.bincount(place, minlength=size + 1)[:size].astype(_dtype(place))
    return np.asarray(counts * one)


def _dtype(place: Array) -> Any:
    return np.int64 if len(place) < _MOST else object


def _add(place: Array, size: int, vectors: list[Array]) -> Array:
    """Add up each column within the places below ``size``, exactly; the place ``size`` is dropped."""
    total = np.zeros((size, len(vectors)), dtype=_dtype(place))
    for start in range(0, len(place), _ROWS):
        part = place[start : start + _ROWS]
        for at, column in enumerate(vectors):
            sums = np.bincount(part, weights=column[start : start + _ROWS], minlength=size + 1)
            total[:, at] += sums[:size].astype(np.int64)
    return total
