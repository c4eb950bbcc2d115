"""The public grid: real values are whole numbers of grid steps, so sums are exact and noise has a known support."""

import math
from fractions import Fraction

import numpy as np

from privet.core.checks import short
from privet.core.rows import Array
from privet.errors import InvalidError

DEFAULT_FINENESS = 32  # the grid step is 2^-32 of the bounds' magnitude: finer than any noise that protects anyone
EXACT_STEPS = 2**53  # a float64 holds every multiple of the grid step up to this one
_SMALLEST_UNIT = 2.0**-900
_IN_CACHE = 2**15  # rows that are still in the cache at the second pass
_SHORTEST = 2**20  # rows; with shorter chunks the Python loop would dominate the cost
_SAFE_STEPS = 2.0**62  # smaller numbers of steps fit in int64, noise included
_LOWEST_EXPONENT = -1000  # 2^1000 is a float, so one multiplication scales a column to grid steps


def default_grid(label: str, bounds: tuple[Fraction, Fraction]) -> Fraction:
    """Return the power of two that is 2^-32 of the magnitude of the bounds."""
    magnitude = max(abs(bounds[0]), abs(bounds[1]))
    exponent = _ceil_log2(magnitude) - DEFAULT_FINENESS
    return check_grid(label, Fraction(2) ** exponent, bounds)


def check_grid(label: str, grid: Fraction, bounds: tuple[Fraction, Fraction]) -> Fraction:
    """Refuse a grid that is not a power of two, is too fine for floats, or has too few points inside the bounds."""
    if grid <= 0 or not (_power_of_two(grid.numerator) and _power_of_two(grid.denominator)):
        raise InvalidError(f"{label}.grid must be a power of two such as Fraction(1, 1024), got {short(grid)}.")
    if _ceil_log2(grid) < _LOWEST_EXPONENT:
        raise InvalidError(
            f"{label}.bounds are too close to zero for a grid of 2^-32 of them; scale the column up first."
        )
    if max(abs(bounds[0]), abs(bounds[1])) / grid >= EXACT_STEPS:
        raise InvalidError(
            f"{label}.grid must be above 2^-53 of the bounds, got grid={short(grid)}; choose a coarser grid."
        )
    if math.ceil(bounds[0] / grid) >= math.floor(bounds[1] / grid):
        raise InvalidError(
            f"{label}.grid must have two points inside the bounds, got grid={short(grid)}; choose a finer grid."
        )
    return grid


def clamp_floats(values: Array, bounds: tuple[Fraction, Fraction], grid: Fraction) -> Array:
    """Clamp to the grid points inside the bounds and round to the grid, half to even; NaN stays NaN.

    Rounding is monotone and keeps grid points fixed, so no value passes the outermost grid points.
    """
    lowest, highest = (float(end * grid) for end in (math.ceil(bounds[0] / grid), math.floor(bounds[1] / grid)))
    shift = _rounding_shift(bounds, grid)
    result = np.empty(len(values), dtype=np.float64)
    for start in range(0, len(values), _IN_CACHE):
        part = result[start : start + _IN_CACHE]
        np.clip(values[start : start + _IN_CACHE], lowest, highest, out=part)
        if shift is None:
            np.multiply(np.rint(part * float(1 / grid)), float(grid), out=part)
        else:
            np.add(part, shift, out=part)
            np.subtract(part, shift, out=part)
    return result


def _rounding_shift(bounds: tuple[Fraction, Fraction], grid: Fraction) -> float | None:
    """Return a number that rounds to the grid when it is added and then subtracted, or None if no float does.

    Near 1.5 * 2^52 grid steps, adjacent floats are exactly one step apart. So the addition rounds to a whole number of
    steps, half to even, and the subtraction is exact (Sterbenz). This holds for values of up to 2^51 steps.
    """
    steps = max(abs(bounds[0]), abs(bounds[1])) / grid
    shift = 3 * 2**51 * grid
    return float(shift) if steps < 2**51 and shift < 2**1023 else None


def float_steps(values: Array, grid: Fraction) -> Array | None:
    """Round floats to a grid, halves up, in 64-bit grid steps; return None if a value needs exact arithmetic.

    Multiplication by a power of two is exact, and so is the fractional part: the only rounding is to whole steps.
    """
    if values.dtype != np.float64 or not dyadic(grid):
        return None
    scaled = values * float(1 / grid)
    below = np.floor(scaled)
    if not bool((np.abs(below) < _SAFE_STEPS).all()):  # NaN fails this comparison too
        return None
    return below.astype(np.int64) + (scaled - below >= 0.5)


def dyadic(grid: Fraction) -> bool:
    """Return whether the grid step is a power of two by which floats can be scaled."""
    power = _power_of_two(grid.numerator) and _power_of_two(grid.denominator)
    return power and abs(_ceil_log2(grid)) <= -_LOWEST_EXPONENT


def on_grid(values: Array, grid: Fraction | None) -> bool:
    """Return whether all values are multiples of a grid step. For tests only, since the result depends on them."""
    return grid is None or all((Fraction(item) / grid).denominator == 1 for item in values.tolist())


def nearest_step(value: Fraction, bounds: tuple[Fraction, Fraction], grid: Fraction) -> int:
    """Return the grid point inside the bounds that is nearest to ``value``, in grid steps."""
    lowest, highest = math.ceil(bounds[0] / grid), math.floor(bounds[1] / grid)
    return min(max(round(value / grid), lowest), highest)


def sum_steps(values: Array, per_unit: float, largest: int, missing: int) -> int:
    """Add up a column of multiples of the grid exactly, as a whole number of grid steps.

    Chunks are so short that every partial sum stays below 2^53 steps: each float addition is exact in any order.

    Args:
        values: Floats on the grid, or NaN.
        per_unit: Grid steps per unit, a power of two.
        largest: An upper bound on the magnitude of a value, in grid steps.
        missing: The value that replaces NaN, in grid steps.
    """
    total = 0
    length = EXACT_STEPS // max(largest, 1)
    for start in range(0, len(values), max(length, _SHORTEST)):
        chunk = values[start : start + max(length, _SHORTEST)]
        add = _sum_in_one if length >= _SHORTEST else _sum_in_halves
        part = add(chunk, per_unit)
        if part is None:
            nan = np.isnan(chunk)
            part = add(np.where(nan, 0.0, chunk), per_unit) or 0
            total += missing * int(nan.sum())
        total += part
    return total


def _sum_in_one(chunk: Array, per_unit: float) -> int | None:
    """Add up values whose sum is exact, or return None if one of them is NaN."""
    in_units = per_unit >= _SMALLEST_UNIT  # otherwise 2^53 steps could overflow in units: add up grid steps
    steps = float(chunk.sum()) * per_unit if in_units else float((chunk * per_unit).sum())
    return None if math.isnan(steps) else int(steps)


def _sum_in_halves(chunk: Array, per_unit: float) -> int | None:
    """Add up grid steps of up to 53 bits, the high and the low 27 bits separately; return None if one is NaN."""
    steps = chunk * per_unit
    high = np.floor(steps * 2.0**-27)
    total = float(high.sum())
    return None if math.isnan(total) else (int(total) << 27) + int((steps - high * 2.0**27).sum())


def _power_of_two(value: int) -> bool:
    return value & (value - 1) == 0


def _ceil_log2(value: Fraction) -> int:
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if value <= Fraction(2) ** exponent else exponent + 1
