"""Domains: sets of values with public descriptors.

A descriptor is never an assertion about the private data. ``admit`` turns *any* column into a member, by a total
function that is the same for every input: values beyond the bounds are clamped, unknown categories become null, a
column that is not of the stated size is filled up or cut. Nothing raises because of a value.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Set
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core.checks import short
from privet.core.grid import clamp_floats, dyadic, float_steps, nearest_step
from privet.core.quiet import quietly
from privet.core.rows import BLANKS, DTYPES, INT_MAX, INT_MIN, Array, read_rows, saturated
from privet.core.steps import to_steps
from privet.errors import WrongTypeError

Bounds = tuple[Fraction, Fraction]


class Domain(ABC):
    """A set of values."""

    @abstractmethod
    def member(self, value: Any) -> bool:
        """Tell whether a value lies in the domain; for tests, since the answer depends on the value."""

    @abstractmethod
    def admit(self, data: Any) -> Any:
        """Turn anything a caller hands over into a member, by a total function."""

    @abstractmethod
    def describe(self) -> str:
        """Write the domain as the call that makes it."""

    def release(self, value: Any) -> Any:
        """Write a member in the units of the data."""
        return value

    def widen(self, d_in: Any) -> Any:
        """Give the distance that neighbours at distance ``d_in`` may have after they were admitted.

        Where a size is public, neighbours are those that replace records, or have one row more or less.
        """
        return d_in


@final
@frozen(kw_only=True)
class VectorDomain(Domain):
    """Columns of records: integers, floats, booleans or text.

    Args:
        kind: ``int``, ``float``, ``bool`` or ``str``.
        bounds: Where every value lies, or None.
        size: The public number of rows, or None where it is private.
        nullable: Whether rows may be null.
        nan: Whether values may be NaN (floats only).
        grid: The step that every value is a multiple of (floats only).
        categories: The values that may occur, or None.
        ordered: Whether positions count.
    """

    kind: type
    bounds: Bounds | None = None
    size: int | None = None
    nullable: bool = True
    nan: bool = False
    grid: Fraction | None = None
    categories: tuple[Any, ...] | None = None
    ordered: bool = False

    def member(self, value: Any) -> bool:
        """Tell whether an array is one of ours: dtype, size, nulls, bounds and grid."""
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype != np.dtype(DTYPES[self.kind]):
            return False
        if isinstance(value, np.ma.MaskedArray) != self.nullable or (self.size is not None and len(value) != self.size):
            return False
        seen = value.compressed() if isinstance(value, np.ma.MaskedArray) else value
        if self.categories is not None and not all(item in self.categories for item in seen.tolist()):
            return False
        if self.kind is float:
            if not self.nan and bool(np.isnan(seen).any()):
                return False
            seen = seen[~np.isnan(seen)]
            if self.bounds is not None and not np.isfinite(seen).all():
                return False
        if self.bounds is not None and not all(
            self.bounds[0] <= Fraction(item) <= self.bounds[1] for item in seen.tolist()
        ):
            return False
        return self.grid is None or all((Fraction(item) / self.grid).denominator == 1 for item in seen.tolist())

    def admit(self, data: Any) -> Array:
        """Read a column and make it a member."""
        values, null = read_rows(data, self.kind)
        return self.coerce(values, null)

    def describe(self) -> str:
        """Name the kind and the descriptors that are not the default."""
        told = [self.kind.__name__]
        told += [f"bounds={short(self.bounds)}"] if self.bounds is not None else []
        told += [f"size={short(self.size)}"] if self.size is not None else []
        told += [] if self.nullable else ["nullable=False"]
        told += ["ordered=True"] if self.ordered else []
        told += [f"categories={list(self.categories)!r}"] if self.categories is not None else []
        return f"vector({', '.join(told)})"

    def widen(self, d_in: int) -> int:
        """Round an odd distance up where the size is public: one row more or less is read as a replacement."""
        return d_in if self.size is None or self.ordered else d_in + d_in % 2

    def coerce(self, values: Array, null: Array | None) -> Array:
        """Apply the descriptors: categories, bounds, NaN, nulls, then size."""
        if self.categories is not None:
            known = set(self.categories)
            outside = np.fromiter((item not in known for item in values.tolist()), dtype=bool, count=len(values))
            null = outside if null is None else null | outside
        if self.kind is float and not self.nan:
            nan = np.isnan(values)
            null = nan if null is None else null | nan
            values = np.where(nan, 0.0, values)
        if self.bounds is not None:
            values = self._clamped(values, self.bounds)
        if null is not None and not null.any():
            null = None
        if not self.nullable and null is not None:
            values = values.copy()  # assigned, not np.where, which would find a type for both sides
            values[null], null = self._blank(), None
        if self.size is not None and len(values) != self.size:
            values, null = self._resized(values, null, self.size)
        if not self.nullable:
            return values
        return np.ma.MaskedArray(values, mask=np.ma.nomask if null is None else null)

    def _clamped(self, values: Array, bounds: Bounds) -> Array:
        if self.kind is float and self.grid is not None:
            return clamp_floats(values, bounds, self.grid)
        return np.clip(values, int(bounds[0]), int(bounds[1]))

    def _blank(self) -> Any:
        """Give the stand-in for a missing value where the domain has no nulls: the member nearest to zero."""
        if self.categories is not None:
            return self.categories[0]
        if self.bounds is None:
            return BLANKS[self.kind]
        if self.kind is float and self.grid is not None:
            return float(nearest_step(Fraction(0), self.bounds, self.grid) * self.grid)
        return int(min(max(Fraction(0), self.bounds[0]), self.bounds[1]))

    def _resized(self, values: Array, null: Array | None, size: int) -> tuple[Array, Array | None]:
        """Keep the first rows in sorted order (nulls last), or fill up with missing rows.

        Both are functions of the multiset of rows, and one row more or less changes at most one row of the result.
        Where positions count, the first rows are kept as they stand.
        """
        mask = np.zeros(len(values), dtype=bool) if null is None else null
        if len(values) > size and self.ordered:
            return values[:size], mask[:size]
        if len(values) > size:
            order = (
                np.lexsort((values, mask))
                if self.kind is not str
                else np.array(sorted(range(len(values)), key=lambda row: (mask[row], values[row])), dtype=np.int64)
            )
            return values[order[:size]], mask[order[:size]]
        fill = np.full(size - len(values), self._blank(), dtype=values.dtype)
        return np.concatenate([values, fill]), np.concatenate([mask, np.full(len(fill), self.nullable)])


@final
@frozen(kw_only=True)
class ScalarDomain(Domain):
    """One number, held as a whole number of steps of a public grid.

    Args:
        kind: ``int`` or ``float``: what a release is turned into.
        grid: The size of a step, any fraction above zero.
    """

    kind: type
    grid: Fraction = Fraction(1)

    def member(self, value: Any) -> bool:
        """Tell whether the value is a Python integer (a number of steps)."""
        return type(value) is int

    def admit(self, data: Any) -> int:
        """Round a number to the grid; what is missing counts as zero, infinities as the end of int64 in steps."""
        if type(data) is int:
            return to_steps(data, self.grid)
        several = data.ndim > 0 if isinstance(data, np.ndarray) else hasattr(type(data), "__iter__")
        if several:  # by its type, which is public: a list or a text where one number belongs
            raise WrongTypeError(f"expected a number, got {type(data).__name__}.")
        return to_steps(data, self.grid)

    def describe(self) -> str:
        """Name the kind and the grid."""
        return f"scalar({self.kind.__name__}{_told_grid(self.grid)})"

    def widen(self, d_in: Fraction) -> Fraction:
        """Round up to whole steps: numbers are rounded to the grid when they are read."""
        return math.ceil(d_in / self.grid) * self.grid

    def release(self, steps: int) -> int | float:
        """Write a released number of steps in the units of the data."""
        if self.kind is int:
            return steps
        return saturated(steps * self.grid)


@final
@frozen(kw_only=True)
class NumbersDomain(Domain):
    """A public number of numbers, each a whole number of steps: counts, sums, histograms.

    Args:
        length: How many numbers.
        kind: ``int`` or ``float``: what a release is turned into.
        grid: The size of a step, the same for all.
    """

    length: int
    kind: type
    grid: Fraction = Fraction(1)

    def member(self, value: Any) -> bool:
        """Tell whether the value is an array of that many integers."""
        if not isinstance(value, np.ndarray) or value.shape != (self.length,):
            return False
        return value.dtype == np.int64 or all(type(item) is int for item in value.tolist())

    def admit(self, data: Any) -> Array:
        """Round each number to the grid."""
        # exactly ndarray: a masked array would carry its hidden values into the release
        if type(data) is np.ndarray and data.shape == (self.length,):
            if data.dtype == np.int64 and self.grid == 1:
                return np.asarray(data)
            steps = float_steps(data, self.grid)
            if steps is not None:
                return steps
        items = self._items(data)
        if len(items) != self.length:
            raise WrongTypeError(f"expected {self.length} numbers: the length is public and must be the stated one.")
        return np.array([to_steps(item, self.grid) for item in items], dtype=object)

    def _items(self, data: Any) -> list[Any]:
        """Take a container apart; one that has no order of its own is refused, by its type."""
        wanted = f"expected {self.length} numbers, got {type(data).__name__}"
        if isinstance(data, Set | Mapping):
            raise WrongTypeError(f"{wanted}, which has no order: hand over a list.")
        if isinstance(data, str | bytes) or (isinstance(data, np.ndarray) and data.ndim != 1):
            raise WrongTypeError(f"{wanted}: hand over a list, or an array of one dimension.")
        try:
            return list(data)
        except Exception:  # noqa: BLE001 - a container that cannot be read is no list of numbers
            raise WrongTypeError(f"{wanted}.") from None

    def describe(self) -> str:
        """Name the length, the kind and the grid."""
        return f"numbers({self.length}, {self.kind.__name__}{_told_grid(self.grid)})"

    def release(self, steps: Array) -> Array:
        """Write released steps in the units of the data: int64 (saturating) or float64."""
        if self.kind is int:
            return np.clip(steps, INT_MIN, INT_MAX).astype(np.int64) if steps.dtype == object else steps
        if steps.dtype == np.int64 and dyadic(self.grid):
            return np.asarray(steps * float(self.grid))  # rounded once, when the steps become floats: as below
        return np.array([saturated(item * self.grid) for item in steps.tolist()], dtype=np.float64)


@final
@frozen(kw_only=True)
class ChoiceDomain(Domain):
    """One of a public list of categories.

    Args:
        categories: The values, in a public order; anything else counts as the first.
    """

    categories: tuple[Any, ...]

    def member(self, value: Any) -> bool:
        """Tell whether the value is one of the categories."""
        return any(_same(value, item) for item in self.categories)

    def admit(self, data: Any) -> Any:
        """Give the category that equals the value, or the first."""
        plain = data.item() if isinstance(data, np.generic) else data
        return next((item for item in self.categories if _same(plain, item)), self.categories[0])

    def describe(self) -> str:
        """Name the categories."""
        return f"choice({list(self.categories)!r})"


def _told_grid(grid: Fraction) -> str:
    return "" if grid == 1 else f", grid={short(grid)}"


def _same(value: Any, category: Any) -> bool:
    # compared quietly: a tuple may hold things of somebody else's class
    return type(value) is type(category) and bool(quietly(lambda: bool(value == category)))
