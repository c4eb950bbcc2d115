"""What a release must state for its loss to be known by a characteristic function.

For a pair (P, Q) with privacy loss L = ln dP/dQ, a term states the moment E_P[e^(s L)] over the outputs where L is
finite, as a ball function of complex s. Magnitudes at many nodes are floats that are never too small: floats do only
additions, multiplications, divisions and square roots, whose rounding is known; angles and exponentials come from
balls. Proofs: docs/accounting/characteristic/loss.md.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, final

import numpy as np
from attrs import field, frozen
from flint import acb, arb
from numpy.typing import NDArray

from privet.accounting.numerics import Amount, Floats, Point, implied_rho
from privet.core import must_be, number, require_type

Atoms = tuple[tuple[arb, arb], ...]  # pairs (mass, loss)
Lattice = tuple[Fraction, Fraction, list[arb]]  # the lowest loss, the gap between two, and all masses
SLACK = 2.0**-40  # above every rounding error of a sum of up to a thousand weights that add up to one
_UP = 1 + 2.0**-50
_TINY = 1e-300
_ROW = 256  # nodes in a row


class CharacteristicTerm(ABC):
    """One release, by the characteristic function of a pair that dominates it in both directions."""

    @abstractmethod
    def moment(self, s: acb) -> acb:
        """E_P[e^(s L)] where L is finite."""

    def infinite(self) -> Fraction:
        """The probability under P of an output that Q cannot give."""
        return Fraction(0)

    def top(self) -> Amount:
        """An upper bound of the loss where it is finite."""
        return math.inf

    def atoms(self) -> Atoms:
        """Some of the single values of the loss, with their masses; those with much mass are worth naming."""
        return ()

    def lattice(self) -> Lattice | None:
        """Every value of the loss, where these lie evenly: the lowest, the gap between two, and the masses; or None."""
        return None

    def rest(self, theta: arb, height: arb) -> arb:
        """A bound of the moment without the atoms at theta + it, for every |t| of at least the height."""
        return self.moment(acb(theta)).real - atoms_moment(self.atoms(), acb(theta)).real

    def pure(self) -> Point:
        """The largest loss, outside the outputs that only one input can give."""
        return Point(self.top(), self.infinite())

    def concentrated(self) -> Point:
        """What the largest loss implies."""
        return implied_rho(self.pure())

    def prepared(self) -> Callable[[acb], acb]:
        """The moment as a function whose constants are worked out once."""
        return self.moment

    def at_nodes(self, theta: arb, step: arb) -> Callable[[int], acb]:
        """The moment at theta + i k step as a function of k, for many of them."""
        moment = self.prepared()
        return lambda k: moment(acb(theta, step * k))

    def magnitudes(self, theta: arb, step: arb, start: int, stop: int) -> Floats | None:
        """Bounds of |moment(theta + i k step)| / moment(theta) for k from start to before stop; None if slow."""
        return None


class PreparedTerm(CharacteristicTerm):
    """A term whose moment needs constants that are worked out once for many evaluations."""

    @abstractmethod
    def prepared(self) -> Callable[[acb], acb]:
        """The moment as a function whose constants are worked out once."""

    def moment(self, s: acb) -> acb:
        """Evaluate it once."""
        return self.prepared()(s)


def _amount(value: Any) -> Amount:
    return math.inf if value == math.inf else number(value)


_zero_or_more = must_be(lambda amount: amount >= 0, "zero or more")


@final
@frozen(order=False)
class StatedTerm(CharacteristicTerm):
    """A release of which nothing but the characteristic function is known.

    Args:
        function: E_P[e^(s L)] as a ball function of complex s, for a pair that dominates both directions.
        largest: An upper bound of the loss, or infinity.
        rho: A bound of zero-concentrated privacy, or infinity.

    >>> from flint import acb
    >>> StatedTerm(lambda s: (s * (s + 1) / 2).exp(), rho=0.5).concentrated().cost
    Fraction(1, 2)
    """

    function: Callable[[acb], acb]
    largest: Amount = field(default=math.inf, kw_only=True, converter=_amount, validator=_zero_or_more)
    rho: Amount = field(default=math.inf, kw_only=True, converter=_amount, validator=_zero_or_more)

    def __attrs_post_init__(self) -> None:
        require_type(callable(self.function), "StatedTerm.function", "a function", self.function)

    def moment(self, s: acb) -> acb:
        """The function."""
        return self.function(s)

    def top(self) -> Amount:
        """As stated."""
        return self.largest

    def concentrated(self) -> Point:
        """As stated, or from the largest loss."""
        return Point(min(self.rho, super().concentrated().cost), Fraction(0))


def atoms_moment(atoms: Atoms, s: acb) -> acb:
    """The moment of a list of atoms."""
    return sum((mass * (s * loss).exp() for mass, loss in atoms), acb(0))


def turns(angle: arb) -> Callable[[int], acb]:
    """Give e^(i k angle) as a function of whole k: one product of two values that were worked out before."""
    near = [acb(0, angle * k).exp() for k in range(_ROW)]

    @cache
    def far(row: int) -> acb:
        return acb(0, angle * (row * _ROW)).exp()

    return lambda k: far(k // _ROW) * near[k % _ROW]


def atoms_at_nodes(atoms: Atoms, theta: arb, step: arb) -> Callable[[int], acb]:
    """The moment of a list of atoms at the nodes; two atoms of opposite losses turn together."""
    weights: list[tuple[arb, arb | None, Callable[[int], acb]]] = []
    left = list(atoms)
    while left:
        mass, loss = left.pop()
        ahead, back = mass * (theta * loss).exp(), None
        mirrored = next((index for index, (_, other) in enumerate(left) if (other + loss).contains(0)), None)
        if mirrored is not None:
            weight, opposite = left.pop(mirrored)
            back = weight * (theta * opposite).exp()
            loss = loss.union(-opposite)  # a ball around both
        weights.append((ahead, back, turns(step * loss)))

    def moment(k: int) -> acb:
        total = acb(0)
        for ahead, back, turn in weights:
            turned = turn(k)
            total += ahead * turned if back is None else ahead * turned + back * turned.conjugate()
        return total

    return moment


def atoms_magnitudes(atoms: Atoms, theta: arb, step: arb, start: int, stop: int) -> Floats:
    """Bounds of |moment(theta + i k step)| / moment(theta) where the moment is that of a list of atoms."""
    whole = atoms_moment(atoms, acb(theta)).real
    total = np.zeros(stop - start, dtype=np.complex128)
    for mass, loss in atoms:
        total += float(mass * (theta * loss).exp() / whole) * rotations(step * loss, start, stop)
    return magnitude(total)


def rotations(angle: arb, start: int, stop: int) -> NDArray[np.complex128]:
    """Give e^(i k angle) for k from start to before stop, each the product of two values rounded from balls."""
    width = math.isqrt(stop - start) + 1
    inner = np.array([complex(acb(0, angle * k).exp()) for k in range(width)])
    outer = np.array([complex(acb(0, angle * k).exp()) for k in range(start, stop, width)])
    return np.asarray(outer[:, None] * inner[None, :]).reshape(-1)[: stop - start]


def magnitude(values: NDArray[np.complex128]) -> Floats:
    """The magnitude by a square root, with the slack of the sum that the values are."""
    return np.asarray(np.sqrt(values.real * values.real + values.imag * values.imag) + SLACK)


def product_up(first: Floats, second: Floats) -> Floats:
    """The product of arrays of zero or more, rounded up."""
    return np.asarray(first * second * _UP + _TINY)


def power_up(values: Floats, times: int) -> Floats:
    """A whole power, rounded up."""
    total = np.ones_like(values)
    while times:
        if times % 2:
            total = product_up(total, values)
        times //= 2
        if times:
            values = product_up(values, values)
    return total


def sum_up(values: Any) -> float:
    """The sum of an array of zero or more, rounded up."""
    return float(np.sum(values)) * (1 + len(values) * 2.0**-50) + _TINY
