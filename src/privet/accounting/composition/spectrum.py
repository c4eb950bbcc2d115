"""The product of many spectra: all numbers of it, or only the few that are not next to nothing.

The sum of a thousand different losses is smooth, so all but a few dozen numbers of its spectrum vanish. A few of the
parts show which ones; of the other parts no more than these are worked out.

Proofs: docs/accounting/composition/spectrum.md.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import final

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from privet.accounting.numerics import UNIT, Floats
from privet.accounting.pairs.distribution import Places

Spectrum = NDArray[np.complex128]

_TRANSFORM = (
    16.0  # the error of a transform of size N, in units of UNIT log2 N times the norm; tested against exact sums
)
_SEVERAL = 128  # parts up to which every transform is done
_LOOK = 4  # after every this many parts, frequencies that vanish are left out
_NOTHING = 2.0**-70  # numbers of a spectrum below are left out
_WORTH = 8  # a direct sum is done up to this many products for each number of a transform
_BLOCK = 2**13  # numbers that are raised to a power at once
_ROW = 256  # masses that are summed at once
_SMALL = 1024  # frequencies times parts that are summed at once; with more frequencies, dense parts are transformed
_FAINT, _SPARSE = 1e-30, 40  # smaller masses are left out if at most one place of this many has a larger one


@final
@frozen(eq=False)
class Factor:
    """Masses that are convolved.

    Args:
        masses: The masses; they sum to one.
        times: How often they are convolved.
        places: Where they are, some perhaps at one place; without, at zero, one, two ...
    """

    masses: Floats
    times: int
    places: Places | None = None

    def folded(self, size: int) -> Floats:
        """Wrap the masses around a circle of ``size`` points."""
        if self.places is None:
            return fold(self.masses, size)
        return np.bincount(self.places % size, self.masses, size).astype(np.float64, copy=False)


@final
@frozen(eq=False)
class Product:
    """The transform of a convolution on a circle.

    Args:
        spectrum: Its numbers, those of frequencies from zero to one half.
        error: The Euclidean norm of the error of what it is the transform of, before ``excess``.
        excess: The logarithm of how far above one a number of the spectrum may be by rounding.
        smallest: The smallest norm of a factor, which that of the convolution does not exceed.
    """

    spectrum: Spectrum
    error: float
    excess: float
    smallest: float


def rounding_of(size: int) -> float:
    """Give the error of a transform relative to the norm."""
    return UNIT * (_TRANSFORM * math.log2(size) + 4)


def multiply(factors: Sequence[Factor], size: int) -> Product:
    """Convolve masses that sum to one, each with its multiplicity, on a circle of ``size`` points."""
    if len(factors) <= _SEVERAL:
        return _every(factors, size)
    parts = [_Part.of(factor, size) for factor in factors]
    parts.sort(key=lambda part: (-part.times, part.norm))  # those that are spread out most leave the least
    work = statistics.fmean(part.work for part in parts)
    most = size // 2 + 1 if all(part.sparse for part in parts) else _SMALL
    band = _Band(np.arange(size // 2 + 1), np.ones(size // 2 + 1, dtype=np.complex128), np.ones(size // 2 + 1), size)
    done = 0
    while done < len(parts) and (len(band.kept) > most or len(band.kept) * work > _WORTH * size):
        for part in parts[done : done + _LOOK]:
            rounding, circle = part.norm * rounding_of(size), np.zeros(size)
            part.put(circle)
            off = math.sqrt(size) * rounding + part.faint
            band.times(part, np.fft.rfft(circle)[band.kept], off, rounding + part.faint)
        done += _LOOK
        band.narrow()
    direct = _Direct(band.kept, size)
    while done < len(parts):
        if direct.kept is not band.kept:
            direct = _Direct(band.kept, size)
        # a product of small matrices keeps to one thread
        batch = parts[done : done + max(_SMALL // len(band.kept), 1)]
        for part, (values, off) in zip(batch, direct.sums(batch), strict=True):
            band.times(part, values, off, off * math.sqrt(2 * len(band.kept) / size))
        done += len(batch)
        band.narrow()
    return band.product()


def _every(factors: Sequence[Factor], size: int) -> Product:
    """Transform each factor."""
    spectrum: Spectrum | None = None
    error, excess, smallest = 0.0, 0.0, 1.0
    for factor in factors:
        folded, times = factor.folded(size), factor.times
        transformed = power(np.fft.rfft(folded), times)
        spectrum = transformed if spectrum is None else spectrum * transformed
        norm = math.sqrt(float(np.square(folded).sum()))
        smallest = min(smallest, norm)
        rounding = norm * rounding_of(size)
        error += times * rounding
        excess += times * (math.sqrt(size) * rounding + 2.0**-44)  # of the modulus of any number of the spectrum
    if spectrum is None:
        raise AssertionError("nothing to compose")
    return Product(spectrum, error, excess, smallest)


@final
@frozen(eq=False)
class _Part:
    """Masses at different places of the circle, with their multiplicity.

    Args:
        masses: The masses, without those that are nearly zero.
        places: Where they are, rising.
        times: How often they count.
        norm: Their norm.
        faint: How much was left out.
        sparse: Whether they are so few that they are summed one by one.
    """

    masses: Floats
    places: Places
    times: int
    norm: float
    faint: float
    sparse: bool

    @staticmethod
    def of(factor: Factor, size: int) -> "_Part":
        """Wrap a factor around the circle; where few of its places have masses, keep only these."""
        if factor.places is None:
            masses = fold(factor.masses, size) if len(factor.masses) > size else factor.masses
            places = np.arange(len(masses))
        elif factor.places.max() < min(_SPARSE * len(factor.places), size):  # not worth sorting
            masses = np.bincount(factor.places, factor.masses).astype(np.float64, copy=False)
            places = np.arange(len(masses))
        else:
            places, which = np.unique(factor.places % size, return_inverse=True)
            masses = np.bincount(which, factor.masses).astype(np.float64, copy=False)
        norm, faint = math.sqrt(float(np.square(masses).sum())), masses <= _FAINT
        if (len(masses) - np.count_nonzero(faint)) * _SPARSE >= places[-1]:
            return _Part(masses, places, factor.times, norm, 0.0, sparse=False)
        left_out = float(masses[faint].sum()) * (1 + 2.0**-20)
        return _Part(masses[~faint], places[~faint], factor.times, norm, left_out, sparse=True)

    @property
    def work(self) -> int:
        """About how many products one number of the spectrum takes."""
        return _SPARSE * len(self.masses) if self.sparse else max(int(self.places[-1]) + 1, _ROW)

    def put(self, column: Floats) -> None:
        """Put the masses into their places."""
        if len(self.masses) == 0:  # everything was left out
            return
        if len(self.masses) == self.places[-1] + 1:
            column[: len(self.masses)] = self.masses
        else:
            column[self.places] = self.masses


@final
class _Band:
    """A product at the frequencies that are kept, and a bound of the others.

    Args:
        kept: The frequencies.
        values: The product there.
        largest: A bound of its modulus.
        size: Of the circle.
    """

    def __init__(self, kept: NDArray[np.intp], values: Spectrum, largest: Floats, size: int) -> None:
        self.kept, self._values, self._largest, self._size = kept, values, largest, size
        self._error, self._excess, self._smallest = 0.0, 0.0, 1.0

    def times(self, part: _Part, values: Spectrum, off: float, rounding: float) -> None:
        """Multiply by a part; every value may be off by so much, all together by so much of the norm."""
        self._values = self._values * power(values, part.times)
        sizes = np.sqrt(np.square(values.real) + np.square(values.imag))
        self._largest = self._largest * ((sizes + off) * (1 + 2.0**-40)) ** part.times
        self._error += part.times * rounding
        self._excess += part.times * (off + 2.0**-44)
        self._smallest = min(self._smallest, part.norm)

    def narrow(self) -> None:
        """Leave out the frequencies at which next to nothing is left, and count them."""
        rest = self._largest > _NOTHING
        left_out = float(np.square(np.maximum(self._largest[~rest], _NOTHING**2)).sum())
        self._error += math.sqrt(2 * left_out / self._size) * (1 + 2.0**-20)
        if rest.any() and not rest.all():
            self.kept, self._values, self._largest = self.kept[rest], self._values[rest], self._largest[rest]

    def product(self) -> Product:
        """Put the frequencies back into their places."""
        spectrum = np.zeros(self._size // 2 + 1, dtype=np.complex128)
        spectrum[self.kept] = self._values
        return Product(spectrum, self._error, self._excess, self._smallest)


@final
class _Direct:
    """Sums of masses times roots of unity, at some frequencies.

    Args:
        kept: The frequencies.
        size: Of the circle.
    """

    def __init__(self, kept: NDArray[np.intp], size: int) -> None:
        self.kept, self._size = kept, size

    @cached_property
    def _near(self) -> tuple[Floats, Floats]:
        """The roots of the first places, by which all rows of places are summed."""
        near = _roots(np.outer(self.kept, np.arange(_ROW)), self._size)
        return np.ascontiguousarray(near.real), np.ascontiguousarray(near.imag)

    def sums(self, parts: list[_Part]) -> Iterator[tuple[Spectrum, float]]:
        """Sum part by part; and bound the error of each sum."""
        dense = [part for part in parts if not part.sparse]
        sums = iter(self._dense(dense)) if dense else iter(())
        for part in parts:
            if part.sparse:
                values = _roots(np.outer(self.kept, part.places), self._size) @ part.masses.astype(np.complex128)
                yield values, 1.5 * (UNIT * (len(part.places) + 64) + part.faint)
            else:
                yield next(sums)

    def _dense(self, parts: list[_Part]) -> list[tuple[Spectrum, float]]:
        """Sum row by row: of a row all parts at once."""
        rows = -(-max(int(part.places[-1]) + 1 for part in parts) // _ROW)
        table = np.zeros((rows * _ROW, len(parts)))
        for column, part in enumerate(parts):
            part.put(table[:, column])
        real, imaginary = self._near
        total: Spectrum = np.zeros((len(self.kept), len(parts)), dtype=np.complex128)
        for row in range(rows):
            block = table[row * _ROW : (row + 1) * _ROW]
            turned = _roots(self.kept * (row * _ROW), self._size)[:, None]
            total += turned * (real @ block + 1j * (imaginary @ block))
        # the sums of a row in any order, the sum over the rows, and the roots
        return [(total[:, column], 1.5 * UNIT * (_ROW + rows + 64)) for column in range(len(parts))]


def _roots(turns: NDArray[np.intp], size: int) -> Spectrum:
    """Give e^(-2 pi i turns / size), each within a few roundings: the angles are reduced as whole numbers."""
    angles = (turns % size) * (-2 * math.pi / size)
    return np.asarray(np.cos(angles) + 1j * np.sin(angles))


def fold(masses: Floats, size: int) -> Floats:
    """Wrap masses around a circle of ``size`` points."""
    if len(masses) <= size:
        return np.concatenate([masses, np.zeros(size - len(masses))])
    rounds = -(-len(masses) // size)
    padded = np.concatenate([masses, np.zeros(rounds * size - len(masses))])
    return np.asarray(padded.reshape(rounds, size).sum(axis=0))


def power(values: Spectrum, times: int) -> Spectrum:
    """Raise to a power by repeated squaring."""
    if len(values) > _BLOCK and times > 1:
        return np.concatenate([power(values[at : at + _BLOCK], times) for at in range(0, len(values), _BLOCK)])
    result: Spectrum | None = None
    while True:
        if times & 1:
            result = values if result is None else result * values
        times >>= 1
        if not times:
            return values if result is None else result
        values = values * values
