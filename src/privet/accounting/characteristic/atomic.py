"""Terms of releases with single values of the privacy loss, by its characteristic function.

Proofs: docs/accounting/characteristic/forms.md.
"""

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, final

from attrs import field, frozen
from flint import acb, arb

from privet.accounting.characteristic.term import (
    Atoms,
    Lattice,
    PreparedTerm,
    atoms_at_nodes,
    atoms_magnitudes,
    atoms_moment,
    turns,
)
from privet.accounting.numerics import Amount, Floats
from privet.core import (
    ball,
    log_up,
    not_negative,
    number,
    positive,
    probability,
    read_number,
    require,
    require_type,
    short,
    whole,
)

_LONG = 2**12  # steps up to which a lattice is written down
_MANY = 64  # more atoms than this are not worth listing one by one


class AtomicTerm(PreparedTerm):
    """A release whose privacy loss has finitely many values, all of them listed."""

    @abstractmethod
    def atoms(self) -> Atoms:
        """Every value of the loss, with its mass."""

    def prepared(self) -> Callable[[acb], acb]:
        """The sum, with its logarithms worked out."""
        return partial(atoms_moment, self.atoms())

    def rest(self, theta: arb, height: arb) -> arb:
        """Nothing."""
        return arb(0)

    def at_nodes(self, theta: arb, step: arb) -> Callable[[int], acb]:
        """From the atoms."""
        return atoms_at_nodes(self.atoms(), theta, step)

    def magnitudes(self, theta: arb, step: arb, start: int, stop: int) -> Floats | None:
        """From the atoms, where they are few."""
        atoms = self.atoms()
        return atoms_magnitudes(atoms, theta, step, start, stop) if len(atoms) <= _MANY else None


@final
@frozen(kw_only=True, order=False)
class DiscreteLaplaceTerm(PreparedTerm):
    """Discrete Laplace noise on a whole number.

    Args:
        distance: The shift, a whole number of steps.
        scale: The scale of the noise, in steps.

    >>> DiscreteLaplaceTerm(distance=1, scale=2).pure().cost
    Fraction(1, 2)
    """

    distance: int = field(converter=whole, validator=not_negative)
    scale: Fraction = field(converter=number, validator=positive, repr=short)

    def top(self) -> Amount:
        """The distance in scales."""
        return self.distance / self.scale

    def atoms(self) -> Atoms:
        """Every value of the loss, or the two ends where there are many."""
        step, shift = ball(1 / self.scale), self.distance
        if shift == 0:
            return ((arb(1), arb(0)),)
        low, rate = 1 + (-step).exp(), -((-step).expm1())
        ends = ((1 / low, shift * step), ((-shift * step).exp() / low, -shift * step))
        inner = range(1, shift) if shift <= _MANY else ()
        return ends + tuple((rate / low * (-j * step).exp(), (shift - 2 * j) * step) for j in inner)

    def lattice(self) -> Lattice | None:
        """Whole steps: two tails and what lies between them."""
        step, shift = ball(1 / self.scale), self.distance
        if not 0 < shift <= _LONG:
            return None
        low, rate = 1 + (-step).exp(), -((-step).expm1())
        inner = [rate / low * (-j * step).exp() for j in range(shift - 1, 0, -1)]
        return -shift / self.scale, 2 / self.scale, [(-shift * step).exp() / low, *inner, 1 / low]

    def rest(self, theta: arb, height: arb) -> arb:
        """Zero where every value is listed; otherwise a comb of peaks, with no bound that falls."""
        if self.distance <= _MANY:
            return arb(0)
        return self.moment(acb(theta)).real - atoms_moment(self.atoms(), acb(theta)).real

    def prepared(self) -> Callable[[acb], acb]:
        """Sum r^j e^(s (d - 2 j) / b) as a geometric series of ratio r e^(-2 s / b)."""
        step, shift = ball(1 / self.scale), self.distance
        if shift == 0:
            return lambda s: acb(1) + 0 * s
        low, rate, beyond = 1 + (-step).exp(), -((-step).expm1()), (-shift * step).exp()

        def moment(s: acb) -> acb:
            first = (s * (shift * step)).exp()
            ratio = -(2 * s + 1) * step
            inner = ratio.exp() * ((shift - 1) * ratio).expm1() / ratio.expm1() if shift > 1 else acb(0)
            return (first + beyond / first + rate * first * inner) / low

        return moment

    def at_nodes(self, theta: arb, step: arb) -> Callable[[int], acb]:
        """The same, with three exponentials that turn."""
        unit, shift = ball(1 / self.scale), self.distance
        if shift < 2:
            return atoms_at_nodes(self.atoms(), theta, step)
        low, rate = 1 + (-unit).exp(), -((-unit).expm1())
        ahead, back = (theta * shift * unit).exp() / low, (-(theta + 1) * shift * unit).exp() / low
        once, often = (-(2 * theta + 1) * unit).exp(), (-(2 * theta + 1) * (shift - 1) * unit).exp()
        turn, down, far = turns(step * shift * unit), turns(-2 * step * unit), turns(-2 * step * (shift - 1) * unit)

        def moment(k: int) -> acb:
            turned, ratio = turn(k), once * down(k)
            inner = rate * ratio * (often * far(k) - 1) / (ratio - 1)
            return ahead * turned * (1 + inner) + back * turned.conjugate()

        return moment

    def magnitudes(self, theta: arb, step: arb, start: int, stop: int) -> Floats | None:
        """From the atoms, where they are all listed."""
        return atoms_magnitudes(self.atoms(), theta, step, start, stop) if self.distance <= _MANY else None


def _masses(values: Any) -> tuple[Fraction, ...]:
    label = "FiniteTerm.first and second"
    require_type(isinstance(values, tuple | list), label, "tuples of probabilities", values)
    masses = tuple(read_number(label, value) for value in values)
    require(min(masses, default=0) >= 0, label, "probabilities of zero or more", masses)
    require(sum(masses) == 1, f"the sums of {label}", "one", sum(masses))
    return masses


@final
@frozen(order=False)
class FiniteTerm(AtomicTerm):
    """A pair of distributions on finitely many outputs, as of randomised response.

    The pair must dominate both directions: state the reverse as ``backward`` of the loss where it is another one.

    Args:
        first: The probability of each output under P.
        second: The probability of each output under Q.

    >>> round(float(FiniteTerm((0.75, 0.25), (0.25, 0.75)).pure().cost), 4)
    1.0986
    """

    first: tuple[Fraction, ...] = field(converter=_masses, repr=short)
    second: tuple[Fraction, ...] = field(converter=_masses, repr=short)

    @second.validator
    def _check(self, _: object, value: tuple[Fraction, ...]) -> None:
        count = len(self.first)
        require(len(value) == count, "FiniteTerm.second", f"a tuple of {count} probabilities", len(value))

    def infinite(self) -> Fraction:
        """The outputs that only P can give."""
        return sum((p for p, q in zip(self.first, self.second, strict=True) if q == 0), Fraction(0))

    def top(self) -> Amount:
        """The largest logarithm of a ratio, rounded up."""
        ratios = [p / q for p, q in zip(self.first, self.second, strict=True) if p and q]
        return max(log_up(max(ratios, default=Fraction(1))), Fraction(0))

    def atoms(self) -> Atoms:
        """One for each output."""
        return tuple((ball(p), ball(p / q).log()) for p, q in zip(self.first, self.second, strict=True) if p and q)


@final
@frozen(order=False)
class ApproximateTerm(AtomicTerm):
    """The worst release of (epsilon, delta)-differential privacy: randomised response, or everything is revealed.

    Args:
        cost: Epsilon, zero or more.
        slack: Delta, a probability.

    >>> ApproximateTerm(1, 1e-6).infinite()
    Fraction(1, 1000000)
    """

    cost: Fraction = field(converter=number, validator=not_negative, repr=short)
    slack: Fraction = field(default=Fraction(0), converter=number, validator=probability, repr=short)

    def infinite(self) -> Fraction:
        """Delta."""
        return self.slack

    def top(self) -> Amount:
        """Epsilon."""
        return self.cost

    def atoms(self) -> Atoms:
        """The true answer and the false one."""
        cost = ball(self.cost)
        kept, odds = ball(1 - self.slack), (-cost).exp()
        return (kept / (1 + odds), cost), (kept * odds / (1 + odds), -cost)

    def lattice(self) -> Lattice | None:
        """The same two."""
        (true, _), (false, _) = self.atoms()
        return (-self.cost, 2 * self.cost, [false, true]) if self.cost else None

    def prepared(self) -> Callable[[acb], acb]:
        """Both atoms with one exponential."""
        (true, cost), (false, _) = self.atoms()

        def moment(s: acb) -> acb:
            power = (s * cost).exp()
            return true * power + false / power

        return moment
