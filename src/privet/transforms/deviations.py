"""Helpers of the measures of spread: exact squared deviations, and their largest change under replacements."""

from fractions import Fraction

from privet.core import Array, Space, count_text, nearest_step
from privet.errors import MismatchError
from privet.transforms.columns import bounded_column, replaced
from privet.transforms.exact_sums import column_steps, largest_step, power_sum


def scaled_deviations(unit: object, value: Array, space: Space) -> int:
    """Return the number of rows times the sum of squared deviations, in squared grid steps: a whole number."""
    domain, bounds = bounded_column(unit, space)
    middle = nearest_step((bounds[0] + bounds[1]) / 2, bounds, domain.step)
    steps, largest = column_steps(value, domain, missing=middle), largest_step(bounds, domain.step)
    first, second = (power_sum(steps, power, largest) for power in (1, 2))
    return len(steps) * second - first**2


def largest_change(swaps: int, size: int) -> Fraction:
    """Return the largest change of a sum of squared deviations of ``size`` rows in (0, 1) under replacements."""
    far = min(swaps, size // 2)  # the sum is largest with half of the rows at each end
    return Fraction(far * (size - far), size)


def variance_change(unit: object, d_in: int, space: Space, ddof: int) -> Fraction:
    """Return the largest change of a variance."""
    _, (lower, upper) = bounded_column(unit, space)
    size = spread_size(unit, space, ddof)
    return largest_change(replaced(space, d_in) or 0, size) * (upper - lower) ** 2 / (size - ddof)


def spread_size(unit: object, space: Space, ddof: int) -> int:
    """Return the public size; refuse a private size, and a size that is not above ``ddof``."""
    name = type(unit).__name__
    domain, _ = bounded_column(unit, space)
    if domain.size is None:
        raise MismatchError(
            f"{name} needs a public size: write pc.vector(..., size=n), or use SumOfSquaredDeviations() with Count() "
            "if the size is private."
        )
    if domain.size <= ddof:
        least = count_text(ddof, "row")
        raise MismatchError(f"{name} with ddof={ddof} needs more than {least}, got a public size of {domain.size}.")
    return domain.size
