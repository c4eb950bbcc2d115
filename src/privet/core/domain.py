"""Domains: sets of values with public descriptors.

A descriptor never asserts anything about the private data. ``admit`` turns *any* column into a member by one total
function: it clamps values to the bounds, turns unknown categories into nulls, and pads or cuts a column to the stated
size. No value raises an exception. Chains call ``admit_sample``: a table that is too long keeps a random sample of its
rows. This layer has no randomness of its own, so the chain brings the keys that choose them.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Set
from fractions import Fraction
from typing import Any, cast, final

import numpy as np
from attrs import frozen

from privet.core.checks import short
from privet.core.grid import clamp_floats, dyadic, float_steps, nearest_step, on_grid
from privet.core.rows import BLANKS, DTYPES, INT_MAX, INT_MIN, Array, read_rows, saturated
from privet.core.sides import Sides, clamp_side, within_side
from privet.core.steps import read_exactly, to_steps
from privet.errors import InvalidError, WrongTypeError

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


class GridDomain(Domain):
    """Answers stored as whole numbers of steps of a public grid.

    A subclass has the fields ``kind``, which is ``int`` or ``float``, and ``grid``, the grid step.
    """

    kind: type
    grid: Fraction

    def answer(self, steps: int) -> int | float:
        """Convert one whole number of grid steps to the units of the data."""
        return steps if self.kind is int else saturated(steps * self.grid)

    def describe_grid(self) -> str:
        """Name the grid step if it is not one."""
        return "" if self.grid == 1 else f", grid={short(self.grid)}"


@final
@frozen(kw_only=True)
class ScalarDomain(GridDomain):
    """One number, stored as a whole number of grid steps; the grid is public.

    Args:
        kind: ``int`` or ``float``: the type of a release.
        grid: The grid step, any fraction above zero.
    """

    kind: type
    grid: Fraction = Fraction(1)

    def member(self, value: object) -> bool:
        """Return whether the value is a Python integer (a number of grid steps)."""
        return type(value) is int

    def admit(self, data: object) -> int:
        """Round a number to the grid. A missing number becomes zero, an infinity the end of int64 in grid steps."""
        if type(data) is int:
            return to_steps(data, self.grid)
        several = data.ndim > 0 if isinstance(data, np.ndarray) else hasattr(type(data), "__iter__")
        if several:  # the type is public: a list or a text instead of one number
            raise WrongTypeError(f"expected a number, got {type(data).__name__}.")
        return to_steps(data, self.grid)

    def read_member(self, label: str, data: object) -> int:
        """Read a finite number."""
        steps = self.admit(data)
        self.refuse(label, _not_finite(data, self.grid))
        return steps

    def describe(self) -> str:
        """Name the kind and the grid."""
        return f"scalar({self.kind.__name__}{self.describe_grid()})"

    def widen(self, d_in: Fraction) -> Fraction:
        """Round up to whole grid steps: numbers are rounded to the grid when they are read."""
        return math.ceil(d_in / self.grid) * self.grid

    def release(self, steps: int) -> int | float:
        """Convert a released number of grid steps to the units of the data."""
        return self.answer(steps)


@final
@frozen(kw_only=True)
class NumbersDomain(GridDomain):
    """A vector of public length whose entries are whole numbers of grid steps: counts, sums, histograms.

    Args:
        length: How many numbers.
        kind: ``int`` or ``float``: the type of a release.
        grid: The grid step, the same for all entries.
        weights: For each entry a public number of one or more by which it is multiplied while it is private; distances
            and noise refer to the product, and a release is divided by it again. None means one.
    """

    length: int
    kind: type
    grid: Fraction = Fraction(1)
    weights: tuple[Fraction, ...] | None = None

    def member(self, value: object) -> bool:
        """Return whether the value is an array of integers of the stated length."""
        if not isinstance(value, np.ndarray) or value.shape != (self.length,):
            return False
        return value.dtype == np.int64 or all(type(item) is int for item in value.tolist())

    def admit(self, data: object) -> Array:
        """Round each number to the grid."""
        # only a plain ndarray: a masked array would carry its hidden values into the release
        if type(data) is np.ndarray and data.shape == (self.length,) and self.weights is None:
            if data.dtype == np.int64 and self.grid == 1:
                return np.asarray(data)
            steps = float_steps(data, self.grid)
            if steps is not None:
                return steps
        items = self._items(data)
        if len(items) != self.length:
            raise WrongTypeError(f"expected {self.length} numbers: the length is public and must be the stated one.")
        if self.weights is None:
            return np.array([to_steps(item, self.grid) for item in items], dtype=object)
        pairs = zip(items, self.weights, strict=True)
        return np.array([to_steps(item, self.grid / weight) for item, weight in pairs], dtype=object)

    def read_member(self, label: str, data: object) -> Array:
        """Read finite numbers."""
        items = self._items(data)
        for at, item in enumerate(items):
            self.refuse(f"{label}[{at}]", _not_finite(item, self.grid))
        return self.admit(items)

    def _items(self, data: object) -> list[Any]:
        """List the items of a container; refuse, by its type, a container without an order."""
        problem = f"expected {self.length} numbers, got {type(data).__name__}"
        if isinstance(data, Set | Mapping):
            raise WrongTypeError(f"{problem}, which has no order: pass a list.")
        if isinstance(data, str | bytes) or (isinstance(data, np.ndarray) and data.ndim != 1):
            raise WrongTypeError(f"{problem}: pass a list, or an array of one dimension.")
        try:
            return list(cast("Iterable[object]", data))
        except Exception:  # noqa: BLE001 - an unreadable container is not a list of numbers
            raise WrongTypeError(f"{problem}.") from None

    def describe(self) -> str:
        """Name the length, the kind and the grid."""
        weights = "" if self.weights is None else ", weights=..."
        return f"numbers({self.length}, {self.kind.__name__}{self.describe_grid()}{weights})"

    def release(self, steps: Array) -> Array:
        """Convert released grid steps to the units of the data: int64 (saturating) or float64."""
        if self.kind is int:
            return np.clip(steps, INT_MIN, INT_MAX).astype(np.int64) if steps.dtype == object else steps
        if self.weights is not None:
            pairs = zip(steps.tolist(), self.weights, strict=True)
            return np.array([saturated(item * self.grid / weight) for item, weight in pairs], dtype=np.float64)
        if steps.dtype == np.int64 and dyadic(self.grid):
            return np.asarray(steps * float(self.grid))  # rounded once, in the conversion to floats, as below
        return np.array([saturated(item * self.grid) for item in steps.tolist()], dtype=np.float64)


def _either(null: Array | None, more: Array) -> Array:
    return more if null is None else null | more


def _not_finite(value: object, grid: Fraction) -> str:
    return "" if isinstance(read_exactly(value, finest=grid), Fraction) else "the value is not a finite number"
