"""What aggregates share whose value is one released number: value, error and interval are those of its noise."""

from fractions import Fraction

import numpy as np

from privet.core.exact import to_float_up
from privet.core.metric import Distance, Parts
from privet.core.rows import Array
from privet.tables.aggregates.aggregate import Estimate
from privet.tables.aggregates.noise import Noise

_LARGEST = float(np.finfo(np.float64).max)


def one_number(distance: Distance) -> Parts:
    """The distance of one number, in every norm; that of several stays what it is."""
    if isinstance(distance, Parts):
        return distance
    size = Fraction(distance)
    return Parts(l0=1 if size else 0, l1=size, l2_squared=size**2, linf=size)


def linear_estimate(numbers: Array, noise: Noise) -> Estimate:
    """Each number stands for itself, in the units of the data."""
    value = in_units(numbers, noise.grid)
    return Estimate(value=value, error=np.full(value.shape, noise.deviation))


def linear_interval(numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
    """Each number less and plus what its noise exceeds with probability at most ``1 - level``; ends rounded outward."""
    half = noise.half_width(level)
    if noise.grid == 1 and numbers.dtype == np.int64:
        reach = int(half)
        return numbers.astype(np.float64) - reach, numbers.astype(np.float64) + reach
    value = within_floats(in_units(numbers, noise.grid).astype(np.float64))
    width = to_float_up(half) + np.spacing(np.abs(value))
    return np.nextafter(value - width, -np.inf), np.nextafter(value + width, np.inf)


def within_floats(value: Array) -> Array:
    """Take infinite numbers for the largest float: an end at infinite distance from one is then not undefined."""
    return np.clip(value, -_LARGEST, _LARGEST)


def in_units(numbers: Array, grid: Fraction) -> Array:
    """Write grid steps in the units of the data: whole numbers stay whole."""
    if grid == 1 and numbers.dtype == np.int64:
        return numbers
    return np.asarray(numbers.astype(np.float64) * float(grid))
