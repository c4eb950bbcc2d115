"""What an aggregate is: exact numbers of known distance, and a value that follows from noisy ones."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import frozen

from privet.core import Array, read_number, saturated, to_float_up
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import Column
from privet.tables.statistics import NumbersSpec

_LARGEST = float(np.finfo(np.float64).max)


@final
@frozen(kw_only=True)
class Estimate:
    """Released values of one aggregate, for each group and each of its outputs.

    Args:
        value: An array of groups by outputs.
        error: The standard errors, of the same shape.
    """

    value: Array
    error: Array


@final
@frozen(kw_only=True)
class Expected:
    """The expected error, from public facts alone.

    Args:
        error: The standard error.
        size: How large the value typically is, for relative errors. The docstring of each aggregate says what it
            assumes; ``sized`` states another size.
    """

    error: float
    size: float

    def sized(self, typical: object) -> "Expected":
        """Give the same error for a value of another size.

        >>> Expected(error=3.0, size=60.0).sized(-120).relative
        0.025
        """
        return Expected(error=self.error, size=abs(saturated(read_number("expected.typical", typical))))

    @property
    def relative(self) -> float:
        """The standard error as a share of the value."""
        return self.error / self.size if self.size else float("inf")


def linear_estimate(numbers: Array, noise: Noise) -> Estimate:
    """Give each number as a value, in the units of the data."""
    value = in_units(numbers, noise.grid)
    return Estimate(value=value, error=np.full(value.shape, noise.deviation))


def linear_interval(numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
    """Give each number plus and minus the size that its noise exceeds with probability at most ``1 - level``."""
    half = noise.half_width(level)
    if noise.grid == 1 and numbers.dtype == np.int64:
        reach = int(half)
        return numbers.astype(np.float64) - reach, numbers.astype(np.float64) + reach
    value = within_floats(in_units(numbers, noise.grid).astype(np.float64))
    width = to_float_up(half) + np.spacing(np.abs(value))
    return np.nextafter(value - width, -np.inf), np.nextafter(value + width, np.inf)


def within_floats(value: Array) -> Array:
    """Replace infinite numbers by the largest float, so that differences of them are defined."""
    return np.clip(value, -_LARGEST, _LARGEST)


def in_units(numbers: Array, grid: Fraction) -> Array:
    """Write grid steps in the units of the data: whole numbers stay whole."""
    if grid == 1 and numbers.dtype == np.int64:
        return numbers
    return np.asarray(numbers.astype(np.float64) * float(grid))


class Aggregate(ABC):
    """What a query computes for each group. It holds no data: everything that depends on data is in the numbers."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of its result unless the query gives another."""

    @property
    def outputs(self) -> tuple[Any, ...]:
        """Labels of its results where it has several; one empty label otherwise."""
        return ("",)

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return True

    @property
    def moments(self) -> Literal["date", "timestamp"] | None:
        """``date`` or ``timestamp`` if a release writes its values as such; None otherwise."""
        return None

    @property
    def nonnegative(self) -> bool:
        """Whether the exact value is never below zero."""
        return False

    def bind(self, columns: Mapping[str, Column]) -> "Aggregate":
        """Fix bounds, grids and categories from what is known of the columns; by default there are none to fix."""
        return self

    @abstractmethod
    def measured(self) -> NumbersSpec:
        """The numbers that noise is added to."""

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """Values and standard errors from noisy numbers; total. By default each number is a value.

        Args:
            numbers: Grid steps, groups by numbers.
            noise: The noise of each number.
        """
        return linear_estimate(numbers, noise)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Ends of intervals that hold the exact value of the clamped and capped rows; groups by outputs."""
        return linear_interval(numbers, noise, level)

    @abstractmethod
    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """Give the expected error in a group of so many rows, which is public knowledge or a guess."""


class CountingAggregate(Aggregate):
    """An aggregate that counts rows, or what there is at most once in a row."""

    nonnegative = True

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The deviation of the noise; as many as rows are assumed."""
        return Expected(error=noise.deviation, size=saturated(rows))
