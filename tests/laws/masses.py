"""Exact output distributions, written down independently of the package, as balls."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen
from flint import arb

from privet.core.exact import ball
from privet.core.space import Space


@frozen
class Masses:
    """A distribution on a finite part of its support, and the mass outside.

    Args:
        inside: Probabilities.
        outside: An upper bound of the probability of everything else.
    """

    inside: Mapping[Any, arb]
    outside: arb


def grid_of(space: Space) -> Fraction:
    """The step of a space of numbers."""
    return Fraction(getattr(space.domain, "grid", 1))


def laplace(scale: Fraction, value: int, reach: int) -> Masses:
    """Two-sided geometric noise around ``value``, in steps."""
    ratio = ball(-1 / Fraction(scale)).exp()
    zero = (1 - ratio) / (1 + ratio)
    inside = {value + z: zero * ball(-abs(z) / Fraction(scale)).exp() for z in range(-reach, reach + 1)}
    return Masses(inside, 2 * ball(-(reach + 1) / Fraction(scale)).exp() / (1 + ratio))


def gaussian(scale: Fraction, value: int, reach: int) -> Masses:
    """Discrete Gaussian noise around ``value``, in steps; ``reach`` must be several scales."""
    twice = 2 * Fraction(scale) ** 2
    weights = {z: ball(-(z * z) / twice).exp() for z in range(-reach, reach + 1)}
    first = ball(-((reach + 1) ** 2) / twice).exp()
    tail = 2 * first / (1 - ball(-(2 * reach + 3) / twice).exp())  # a geometric series above both tails
    low = sum(weights.values(), arb(0))
    whole = low.union(low + tail)
    return Masses({value + z: weight / whole for z, weight in weights.items()}, tail / low)


def response(truth: Fraction, value: Any, categories: tuple[Any, ...]) -> Masses:
    """Randomised response."""
    other = (1 - truth) / (len(categories) - 1)
    return Masses({item: ball(truth if item == value else other) for item in categories}, arb(0))
