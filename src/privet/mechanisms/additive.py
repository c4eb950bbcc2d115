"""What the additive mechanisms share: numbers on a public grid plus whole steps of noise."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from privet.chains.measurement import Measurement
from privet.core import (
    AbsoluteDistance,
    Array,
    GridDomain,
    NumbersDomain,
    ScalarDomain,
    Space,
    VectorDistance,
    read_amount,
    read_share,
    read_step,
    scalar,
)
from privet.errors import MismatchError

_SAFE = 2**62  # two numbers below it add up without leaving int64


def accept_numbers(unit: object, space: Space) -> None:
    """Accept one number or a public number of them; anything else needs an aggregate first."""
    name = type(unit).__name__
    if isinstance(space.domain, ScalarDomain) and isinstance(space.metric, AbsoluteDistance):
        return
    if isinstance(space.domain, NumbersDomain) and isinstance(space.metric, VectorDistance):
        return
    if isinstance(space.domain, ScalarDomain | NumbersDomain):
        raise MismatchError(
            f"{name} reads numbers measured by AbsoluteDistance or VectorDistance, got {type(space.metric).__name__}."
        )
    raise MismatchError(
        f"{name} adds noise to numbers, got {type(space.domain).__name__}: put an aggregate such as Sum() before it."
    )


class AdditiveMechanism(Measurement):
    """A mechanism that adds noise to one number, or to each of several, on a public grid."""

    def default(self) -> Space:
        """One whole number."""
        return scalar(int)

    def accept(self, space: Space) -> None:
        """Numbers on a grid."""
        accept_numbers(self, space)


def grid_of(space: Space) -> Fraction:
    """Give the grid step of the numbers."""
    return space.domain.grid if isinstance(space.domain, GridDomain) else Fraction(1)


def noisy(value: Any, noise: Any, space: Space) -> Any:
    """Add noise to steps exactly, and write the result in the units of the data."""
    domain = space.domain
    if isinstance(domain, NumbersDomain):
        return domain.release(_sum(value, noise))
    return domain.release(value + noise) if isinstance(domain, ScalarDomain) else value


def size_of(space: Space) -> int | None:
    """Give how many draws of noise a release needs: None for one scalar."""
    return space.domain.length if isinstance(space.domain, NumbersDomain) else None


def widest_scale(
    quantile: Callable[[Fraction, Fraction], int], accuracy: object, beta: object, grid: object
) -> Fraction:
    """Find the largest scale, to 40 bits, whose noise exceeds ``accuracy`` with probability at most ``beta``.

    Args:
        quantile: For a scale in steps and a probability, the number of steps that the noise exceeds with it.
        accuracy: The half-width, in the units of the data.
        beta: The probability of exceeding it.
        grid: The step of the data.
    """
    step, share = read_step("for_accuracy.grid", grid), read_share("for_accuracy.beta", beta)
    steps = math.floor(read_amount("for_accuracy.accuracy", accuracy) / step)
    low, high = Fraction(1, 2**20), Fraction(max(steps, 1))
    while quantile(low, share) > steps:
        low /= 2**10
    while quantile(high, share) <= steps:
        high *= 2
    while high - low > low / 2**40:
        middle = (low + high) / 2
        low, high = (middle, high) if quantile(middle, share) <= steps else (low, middle)
    return low * step


def _sum(value: Array, noise: Array) -> Any:
    if value.dtype == np.int64 and noise.dtype == np.int64 and _small(value) and _small(noise):
        return value + noise
    return value.astype(object) + noise.astype(object)


def _small(values: Array) -> bool:
    return len(values) == 0 or (int(values.max()) < _SAFE and int(values.min()) > -_SAFE)
