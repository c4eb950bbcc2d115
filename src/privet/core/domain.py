"""Domains: sets of values with public descriptors.

A descriptor never asserts anything about the private data. ``admit`` turns *any* column into a member by one total
function: it clamps values to the bounds, turns unknown categories into nulls, and pads or cuts a column to the stated
size. No value raises an exception. Chains call ``admit_sample``: a table that is too long keeps a random sample of its
rows. This layer has no randomness of its own, so the chain brings the keys that choose them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core.checks import short
from privet.core.grid import clamp_floats, nearest_step, on_grid
from privet.core.rows import BLANKS, DTYPES, Array, read_rows
from privet.core.sides import Sides, clamp_side, within_side
from privet.errors import InvalidError

Bounds = tuple[Fraction, Fraction]
Keys = Callable[[int], Array]  # a key for each of so many rows; those with the smallest keys are kept


class Domain(ABC):
    """A set of values."""

    @abstractmethod
    def member(self, value: object) -> bool:
        """Return whether a value lies in the domain. For tests only, since the result depends on the value."""

    @abstractmethod
    def admit(self, data: object) -> Any:
        """Turn anything a caller passes into a member, by a total function."""

    def admit_sample(self, data: object, keys: Keys) -> Any:
        """Admit data; a table that is too long keeps the rows with the smallest keys.

        Args:
            data: Anything a caller passes.
            keys: A function that draws different keys in a uniformly random order, one for each of so many rows.
        """
        return self.admit(data)

    @abstractmethod
    def describe(self) -> str:
        """Return the call that creates the domain, as text."""

    def read_member(self, label: str, data: object) -> Any:
        """Read data that must lie in the domain; refuse data that ``admit`` would move into it.

        For tests only, since the refusal depends on the values. Its message holds none of them.
        """
        value = self.admit(data)
        self.refuse(label, "" if self.member(value) else "they are not a member")
        return value

    def refuse(self, label: str, problem: str) -> None:
        """Refuse data that do not lie in the domain, if there is a problem."""
        if problem:
            raise InvalidError(
                f"{label} must lie in {self.describe()}: {problem}. "
                "Change the data, or describe a space that holds them."
            )

    def release(self, value: Any) -> Any:
        """Convert a member to the units of the data."""
        return value

    def widen(self, d_in: Any) -> Any:
        """Return the largest distance, after admission, between data sets at distance ``d_in``.

        If the size is public, neighbours replace records or have one row more or less.
        """
        return d_in


@final
@frozen(kw_only=True)
class VectorDomain(Domain):
    """Columns of records: integers, floats, booleans or text.

    Args:
        kind: ``int``, ``float``, ``bool`` or ``str``.
        bounds: The interval that contains every value, or None.
        size: The public number of rows, or None if it is private.
        nullable: Whether rows may be null.
        nan: Whether values may be NaN (floats only).
        grid: The grid step; every value is a multiple of it (floats only).
        categories: The values that may occur, or None.
        ordered: Whether the order of rows matters.
        sides: The pair (lower, None) or (None, upper) of a column of numbers with one bound; it has no ``bounds``.
    """

    kind: type
    bounds: Bounds | None = None
    size: int | None = None
    nullable: bool = True
    nan: bool = False
    grid: Fraction | None = None
    categories: tuple[Any, ...] | None = None
    ordered: bool = False
    sides: Sides | None = None

    @property
    def step(self) -> Fraction:
        """The grid step; it is one for whole numbers."""
        return Fraction(1) if self.grid is None else self.grid

    def member(self, value: object) -> bool:
        """Return whether an array has the dtype, size, nulls, bounds and grid of this domain."""
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype != np.dtype(DTYPES[self.kind]):
            return False
        if isinstance(value, np.ma.MaskedArray) != self.nullable or (self.size is not None and len(value) != self.size):
            return False
        present = value.compressed() if isinstance(value, np.ma.MaskedArray) else value
        if self.categories is not None and not all(item in self.categories for item in present.tolist()):
            return False
        if self.kind is float:
            nan = np.isnan(present)
            if not self.nan and bool(nan.any()):
                return False
            present = present[~nan]
        return self._within_bounds(present) and on_grid(present, self.grid)

    def _within_bounds(self, values: Array) -> bool:
        if self.sides is not None and not within_side(values, self.sides):
            return False
        if self.bounds is None:
            return True
        if self.kind is float and not np.isfinite(values).all():
            return False
        lower, upper = self.bounds
        return all(lower <= Fraction(item) <= upper for item in values.tolist())

    def admit(self, data: object) -> Array:
        """Read a column and make it a member; without keys, a column that is too long keeps its smallest rows."""
        values, null = read_rows(data, self.kind)
        return self.coerce(values, null)

    def admit_sample(self, data: object, keys: Keys) -> Array:
        """Read a column and make it a member; a column that is too long keeps the rows with the smallest keys."""
        values, null = read_rows(data, self.kind)
        return self.coerce(values, null, keys)

    def read_member(self, label: str, data: object) -> Array:
        """Read a column that needs no change but rounding to the grid."""
        values, null = read_rows(data, self.kind)
        self.refuse(label, self._problem(values, null))
        return self.coerce(values, null)

    def _problem(self, values: Array, null: Array | None) -> str:
        """Say which descriptor the values do not fit."""
        if self.size is not None and len(values) != self.size:
            return f"the number of rows is not {self.size}"
        if null is not None and null.any() and not self.nullable:
            return "a row is null"
        values = values if null is None else values[~null]
        if self.kind is float:
            nan = np.isnan(values)
            if nan.any() and not self.nan:
                return "a value is NaN"
            values = values[~nan]
        if self.categories is not None and self._unknown(values, self.categories).any():
            return "a value is not one of the categories"
        return "" if self._within_bounds(values) else "a value lies outside the bounds"

    def describe(self) -> str:
        """Name the kind and the descriptors that differ from the default."""
        arguments = [self.kind.__name__]
        limits = self.sides if self.bounds is None else self.bounds
        arguments += [f"bounds={short(limits)}"] if limits is not None else []
        arguments += [f"size={short(self.size)}"] if self.size is not None else []
        arguments += [] if self.nullable else ["nullable=False"]
        arguments += ["ordered=True"] if self.ordered else []
        arguments += [f"categories={list(self.categories)!r}"] if self.categories is not None else []
        return f"vector({', '.join(arguments)})"

    def widen(self, d_in: int) -> int:
        """Round an odd distance up if the size is public: one row more or less is read as a replacement."""
        return d_in if self.size is None or self.ordered else d_in + d_in % 2

    def coerce(self, values: Array, null: Array | None, keys: Keys | None = None) -> Array:
        """Apply the descriptors: categories, bounds, NaN, nulls, then size, for which the keys choose rows."""
        if self.categories is not None:
            null = _either(null, self._unknown(values, self.categories))
        if self.kind is float and not self.nan:
            nan = np.isnan(values)
            null = _either(null, nan)
            values = np.where(nan, 0.0, values)
        if self.bounds is not None:
            values = self._clamp(values, self.bounds)
        if self.sides is not None:
            values = clamp_side(values, self.sides)
        if null is not None and not null.any():
            null = None
        if not self.nullable and null is not None:
            values = values.copy()  # assign instead of np.where, which would choose a common dtype
            values[null], null = self._blank(), None
        if self.size is not None and len(values) != self.size:
            values, null = self._resize(values, null, self.size, keys)
        if not self.nullable:
            return values
        return np.ma.MaskedArray(values, mask=np.ma.nomask if null is None else null)

    def _unknown(self, values: Array, categories: tuple[Any, ...]) -> Array:
        known = set(categories)
        return np.fromiter((item not in known for item in values.tolist()), dtype=bool, count=len(values))

    def _clamp(self, values: Array, bounds: Bounds) -> Array:
        if self.kind is float and self.grid is not None:
            return clamp_floats(values, bounds, self.grid)
        return np.clip(values, int(bounds[0]), int(bounds[1]))

    def _blank(self) -> Any:
        """Return the value that replaces a null if the domain has no nulls: the member nearest to zero."""
        if self.categories is not None:
            return self.categories[0]
        if self.bounds is None:
            zeros: Array = np.zeros(1, dtype=DTYPES[self.kind])
            return BLANKS[self.kind] if self.sides is None else clamp_side(zeros, self.sides).tolist()[0]
        if self.kind is float and self.grid is not None:
            return float(nearest_step(Fraction(0), self.bounds, self.grid) * self.grid)
        return int(min(max(Fraction(0), self.bounds[0]), self.bounds[1]))

    def _resize(self, values: Array, null: Array | None, size: int, keys: Keys | None) -> tuple[Array, Array | None]:
        """Keep the rows with the smallest keys, or add missing rows; one row more or less changes at most one row.

        If the order of rows matters, the first rows stay in their positions. Without keys, the rows are taken in sorted
        order, nulls last.
        """
        mask = np.zeros(len(values), dtype=bool) if null is None else null
        if len(values) > size:
            rows = rows_to_keep(len(values), size, lambda: self._sorted(values, mask), keys, ordered=self.ordered)
            return values[rows], mask[rows]
        fill = np.full(size - len(values), self._blank(), dtype=values.dtype)
        return np.concatenate([values, fill]), np.concatenate([mask, np.full(len(fill), self.nullable)])

    def _sorted(self, values: Array, mask: Array) -> Array:
        if self.kind is not str:
            return np.lexsort((values, mask))
        return np.array(sorted(range(len(values)), key=lambda row: (mask[row], values[row])), dtype=np.int64)


def rows_to_keep(
    rows: int, size: int, in_order: Callable[[], Array], keys: Keys | None, *, ordered: bool
) -> Array | slice:
    """Choose the rows of a table that is too long.

    Args:
        rows: The number of rows.
        size: The number of rows to keep.
        in_order: The positions of the rows in an order that depends on their values alone, for a reader without keys.
        keys: What draws a key for each row, or None.
        ordered: Whether the order of rows matters.
    """
    if ordered:
        return slice(size)
    return (in_order() if keys is None else np.argsort(keys(rows)))[:size]


def _either(null: Array | None, more: Array) -> Array:
    return more if null is None else null | more
