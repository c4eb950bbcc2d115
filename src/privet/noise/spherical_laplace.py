"""Spherical Laplace noise, rounded to whole numbers: a vector whose density decays with its Euclidean length."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privet.core.exact import ball, precision
from privet.errors import InvalidError
from privet.noise.drawing import GUARD, Entropy, LazyUniform, current, integer, positive

_WORD = 64
_SPARE = 128  # bits beyond those of the scale: a draw needs more about once in 2^50 draws


def spherical_laplace(dimension: int, scale: object, *, entropy: Entropy | None = None) -> NDArray[Any]:
    """Draw the vector of whole numbers nearest to ``scale B``, where B has a density proportional to ``exp(-|B|)``.

    ``|B|`` is the Euclidean norm. B is a vector of real numbers; the sampler draws as many of their digits as the
    rounding needs. In one dimension this is the Laplace distribution.

    Args:
        dimension: The number of coordinates, one or more.
        scale: Spread, above zero.
        entropy: The source of randomness; by default the stream of the operating system.

    Returns:
        An array of Python ints: a draw may not fit in 64 bits.

    Proof: docs/noise/spherical_laplace.md.

    >>> spherical_laplace(3, 100).shape
    (3,)
    """
    length = integer("spherical_laplace.dimension", dimension)
    if length < 1:
        raise InvalidError(f"spherical_laplace.dimension must be 1 or more, got {length}.")
    spread = positive("spherical_laplace.scale", scale)
    source = entropy or current()
    bits = _first_bits(length, spread)
    uniforms = [LazyUniform(source, source.bits(bits), bits) for _ in range(length + 2 * ((length + 1) // 2))]
    while True:
        drawn = _rounded(length, spread, uniforms)
        if drawn is not None:
            return drawn
        for uniform in uniforms:
            uniform.extend()


def _first_bits(length: int, scale: Fraction) -> int:
    """Return how many bits of each uniform number to draw first: enough for nearly every draw."""
    needed = _SPARE + 2 * length.bit_length() + max(math.ceil(scale).bit_length(), 0)
    return _WORD * math.ceil(needed / _WORD)


def _rounded(length: int, scale: Fraction, uniforms: Sequence[LazyUniform]) -> NDArray[Any] | None:
    """Return the nearest whole numbers, or None if the known bits do not decide all of them."""
    with precision(uniforms[0].bits + GUARD):
        known = [uniform.enclosure() for uniform in uniforms]
        radius = -sum((item.log() for item in known[:length]), arb(0))  # the sum of exponentials has Gamma's law
        direction = _normals(known[length:])[:length]
        size = sum((item * item for item in direction), arb(0)).sqrt()
        stretch = ball(scale) * radius / size
        nearest = [(stretch * item + arb(0.5)).floor().unique_fmpz() for item in direction]
    if any(item is None for item in nearest):
        return None
    return np.array([int(item) for item in nearest if item is not None], dtype=object)


def _normals(uniforms: Sequence[arb]) -> list[arb]:
    """Enclose two independent normal numbers for each pair of independent uniform numbers (Box and Muller)."""
    found = []
    for first, second in zip(uniforms[::2], uniforms[1::2], strict=True):
        distance = (-2 * first.log()).sqrt()
        sine, cosine = (2 * second).sin_cos_pi()
        found += [distance * cosine, distance * sine]
    return found
