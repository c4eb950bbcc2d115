"""Domains of one number, and of several, as whole numbers of grid steps."""

import math
from collections.abc import Iterable, Mapping, Set
from fractions import Fraction
from typing import Any, cast, final

import numpy as np
from attrs import frozen

from privet.core.checks import short
from privet.core.domain import Domain
from privet.core.grid import dyadic, float_steps
from privet.core.rows import INT_MAX, INT_MIN, Array, saturated
from privet.core.steps import read_exactly, to_steps
from privet.errors import WrongTypeError


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


def _not_finite(value: object, grid: Fraction) -> str:
    return "" if isinstance(read_exactly(value, finest=grid), Fraction) else "the value is not a finite number"
