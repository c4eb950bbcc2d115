"""Logarithmic bands: the magnitude and the sign of numbers."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Space, read_whole
from privet.errors import InvalidError, WrongTypeError
from privet.transforms import as_tuple, column, missing, numeric_column, present

_SMALLEST, _LARGEST = -1074, 1024  # the smallest float is 2^-1074, and all are below 2^1024


@final
@frozen(kw_only=True)
class LogBands(Transformation):
    """Replace every number by the band of its magnitude, with its sign.

    With exponents (low, high), band ``j`` from 1 to ``high - low`` holds magnitudes from ``2^(low+j-1)`` up to but
    not including ``2^(low+j)``; the next band holds all larger magnitudes and the infinities. Band 0 holds magnitudes
    below ``2^low``, zero included. Negative numbers have negative bands. Nulls and NaN become null.

    Args:
        exponents: The pair (low, high). By default the bands cover all floats, and band 0 holds only zero.

    Guarantee: ``d_out = d_in``, for every metric on columns.
    Proof: docs/transforms/log_bands.md.

    >>> from privet.core.space import vector
    >>> bands = LogBands(exponents=(0, 10))
    >>> (vector(float) >> bands)([-9.0, 0.0, 1.0, 9.0, 1e300]).tolist()
    [-4, 0, 1, 4, 11]
    >>> bands.edges(4)
    (Fraction(8, 1), Fraction(16, 1))
    """

    exponents: tuple[int, int] = field(default=(_SMALLEST, _LARGEST), converter=as_tuple)

    def __attrs_post_init__(self) -> None:
        pair: object = self.exponents
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise WrongTypeError(f"LogBands.exponents must be a pair (low, high), got {type(pair).__name__}.")
        low, high = (read_whole(f"LogBands.exponents[{at}]", end) for at, end in enumerate(pair))
        if not _SMALLEST <= low < high <= _LARGEST:
            raise InvalidError(f"LogBands.exponents must be low below high, from -1074 to 1024, got {low}, {high}.")

    @property
    def outermost(self) -> int:
        """The band of the largest magnitudes; bands range from its negative to this number."""
        return self.exponents[1] - self.exponents[0] + 1

    def edges(self, band: int) -> tuple[Fraction | None, Fraction | None]:
        """Return the ends of the smallest closed interval that contains a band; None for an unbounded end."""
        place = read_whole("LogBands.band", band)
        if abs(place) > self.outermost:
            raise InvalidError(f"LogBands.band must lie between {-self.outermost} and {self.outermost}, got {place}.")
        low, _ = self.exponents
        if place == 0:
            width = Fraction(0) if low == _SMALLEST else Fraction(2) ** low
            return -width, width
        near = Fraction(2) ** (low + abs(place) - 1)
        far = None if abs(place) == self.outermost else 2 * near
        return (near, far) if place > 0 else (None if far is None else -far, -near)

    def output(self, space: Space) -> Space:
        """A column of whole numbers."""
        domain = numeric_column(self, space)
        ends = (Fraction(-self.outermost), Fraction(self.outermost))
        nullable = domain.nullable or domain.nan
        free = evolve(domain, sides=None, grid=None, categories=None, nan=False, nullable=nullable)
        bands = evolve(free, kind=int, bounds=ends)
        return Space(bands, space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Find the band of each row by the exponent of its binary form."""
        values, null = present(value)[0], missing(value)
        exponent = _int_exponents(values) if values.dtype.kind == "i" else np.frexp(values)[1].astype(np.int64)
        low, high = self.exponents
        size = np.clip(exponent - low, 0, high - low + 1)
        size = np.where(np.isinf(values), self.outermost, size)
        size = np.where(values == 0, 0, size)
        bands = np.where(values < 0, -size, size)
        if not (isinstance(value, np.ma.MaskedArray) or column(self, space).nan):
            return bands
        return np.ma.MaskedArray(np.where(null, 0, bands), mask=null)

    def stability(self, d_in: int, space: Space) -> int:
        """Each output row is a function of one input row, so no more rows change."""
        return d_in


def _int_exponents(values: Array) -> Array:
    """Count the bits of 64-bit integers; as floats the largest would be rounded up to a power of two."""
    size = np.abs(values).view(np.uint64)  # the smallest integer does not change, and its bits are those of 2^63
    upper, lower = (size >> np.uint64(32)).astype(np.float64), (size & np.uint64(0xFFFFFFFF)).astype(np.float64)
    exponents: Array = np.where(upper > 0, np.frexp(upper)[1] + 32, np.frexp(lower)[1]).astype(np.int64)
    return exponents
