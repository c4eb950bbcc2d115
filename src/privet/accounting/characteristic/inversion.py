"""From characteristic functions to delta, with both errors of the inversion bounded.

Floats choose the damping, the step and the number of nodes. The bounds are valid for every choice.
Proof: docs/accounting/characteristic/loss.md.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import final

from attrs import frozen
from flint import acb, acb_mat, arb, arb_poly

from privet.accounting.characteristic.nodes import Nodes, Terms, product, whole, without_atoms
from privet.accounting.characteristic.term import Atoms, atoms_moment
from privet.accounting.numerics import Amount, valley
from privet.core import ball, ends, precision

_BITS = 128
_LISTED = 2**15  # atoms of a whole composition that are listed one by one
_HEAVY = 0.1  # the share of the moment from which on the atoms of a composition are worth a list
_FLOOR = 4096  # deltas below 2^-4096 count as one
_ALIAS = math.log(1e-9)  # target errors, as logarithms of shares of delta
_TAIL = math.log(2e-7)


@final
@frozen(eq=False)
class Inversion:
    """Bounds of delta(epsilon) for one direction, best near the epsilon it was laid out for."""

    terms: Terms
    theta: arb
    step: arb
    beyond: tuple[arb, arb]  # a larger damping and the moment there, for the aliases above
    listed: Atoms  # pairs (mass under P, mass under Q)
    tail: arb  # of the nodes left out, without the factor e^(-theta epsilon)
    nodes: Nodes

    @staticmethod
    def near(terms: Terms, epsilon: float) -> "Inversion":
        """Lay out nodes for epsilons near this one, which lies below the largest loss."""
        with precision(_BITS):
            return _lay_out(terms, epsilon)

    def bounds(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Lower and upper bounds of delta."""
        with precision(_BITS):
            if epsilon >= self._largest:
                return ends(self._infinite)
            low, high = (self._infinite + part for part in self._finite(ball(epsilon)))
            if not (low.is_finite() and high.is_finite()):
                return Fraction(0), Fraction(1)
            floor = arb(2) ** -_FLOOR
            lower = ends(low.lower())[0] if low.lower() > floor else Fraction(0)
            upper = ends(high.upper())[1] if high.upper() > floor else Fraction(1, 2**_FLOOR)
            return max(lower, ends(self._infinite)[0]), min(upper, Fraction(1))

    @cached_property
    def _largest(self) -> Amount:
        return top(self.terms)

    @cached_property
    def _infinite(self) -> arb:
        return infinite(self.terms)

    def _finite(self, epsilon: arb) -> tuple[arb, arb]:
        """Both bounds of delta without the outputs of infinite loss."""
        atomic = _atoms_delta(self.listed, epsilon)
        if not self.nodes[1] and self.tail.is_zero():  # every loss is listed
            return atomic, atomic
        damped = (-self.theta * epsilon).exp()
        total = atomic + damped * self.step / (2 * arb.pi()) * self._sum(epsilon)
        few, many = self._aliases(epsilon)
        return total - damped * self.tail - many, total + damped * self.tail - few

    def _sum(self, epsilon: arb) -> arb:
        """c_0 + 2 Re(c_1 z + c_2 z² + ...), row by row: powers by repeated products would grow wide balls."""
        matrix, starts = self.nodes
        if not starts:
            return arb(0)
        turn, width = -self.step * epsilon, matrix.ncols()
        rows = matrix * acb_mat(width, 1, [acb(0, turn * k).exp() for k in range(width)])
        total = sum((rows[j, 0] * acb(0, turn * k).exp() for j, k in enumerate(starts)), acb(0))
        return 2 * total.real - (matrix[0, 0].real if starts[0] == 0 else 0)

    def _aliases(self, epsilon: arb) -> tuple[arb, arb]:
        """Bounds of what the copies of the curve, one period apart, add to the sum."""
        period = 2 * arb.pi() / self.step
        mass = 1 - self._infinite - sum((weight for weight, _ in self.listed), arb(0))
        near, far = (-self.theta * period).exp(), (-(self.theta + 1) * period).exp()
        below = mass * near / (1 - near)
        missing = epsilon.exp() * far / (1 - far)  # delta(x) lies between mass - e^x and mass
        above = arb(0)
        if self._largest == math.inf or not ball(Fraction(self._largest)) <= epsilon + period:
            larger, moment = self.beyond
            ratio = (-(larger - self.theta) * period).exp()
            above = _chernoff(larger) * moment * (-larger * epsilon).exp() * ratio / (1 - ratio)
        return (below - missing).max(arb(0)), below + above


@lru_cache(maxsize=16)
def _lay_out(terms: Terms, epsilon: float) -> Inversion:
    every = lattice_atoms(terms)
    few = 0 < _count_atoms(terms) <= _LISTED
    if every is None and few and all(term.rest(arb(1), arb(1)).is_zero() for term, _ in terms):
        every = _list_atoms(terms)
    if every is not None:  # no nodes are needed
        return Inversion(terms, arb(1), arb(1), (arb(2), arb(1)), every, arb(0), (acb_mat(0, 0), ()))
    log_moment = _log_moment(terms)

    def height(theta: float) -> float:
        return log_moment(theta) - theta * epsilon - math.log(theta * (theta + 1))

    theta = saddle(height)
    listed = _list_atoms(terms) if few and _atoms_share(terms, arb(theta)) > _HEAVY else ()
    apart = theta / 16
    bend = (height(theta + apart) + height(theta - apart) - 2 * height(theta)) / apart**2
    guess = height(theta) - 0.5 * math.log(2 * math.pi * max(bend, 1e-300))  # the saddle point's estimate of ln delta
    goal = guess + _ALIAS

    def period(larger: float) -> float:
        return (log_moment(larger) - larger * epsilon + _log_chernoff(larger) - goal) / (larger - theta)

    larger = min((theta * factor for factor in (1.25, 1.5, 2, 3, 5, 9)), key=period)
    above = min(period(larger), float(top(terms)) - epsilon)
    below = min((epsilon - goal) / (theta + 1), -goal / theta)
    step = arb(2 * math.pi / max(above, below, 1e-6))
    moment = product(terms, lambda term: term.moment(acb(arb(larger))).real)
    # of what lies below the floor a few nodes are enough
    target = guess + theta * epsilon + _TAIL if guess > -_FLOOR else math.inf
    nodes, tail = (without_atoms if listed else whole)(terms, arb(theta), step, target)
    return Inversion(terms, arb(theta), step, (arb(larger), moment), listed, tail, nodes)


def _log_moment(terms: Terms) -> Callable[[float], float]:
    """The logarithm of the moment at a real damping, as a float that only chooses."""
    functions = [(term.prepared(), times) for term, times in terms]

    def value(theta: float) -> float:
        total = 0.0
        for moment, times in functions:
            size = moment(acb(theta)).real
            if not size > 0 or not size.is_finite():
                return math.inf
            total += times * float(size.log())
        return total

    return value


def saddle(height: Callable[[float], float]) -> float:
    """Find the damping at which a convex function of it is least, by golden sections of its logarithm."""
    return math.exp(valley(lambda log: height(math.exp(log)), -20.0, 20.0, 18))


def chernoff(terms: Terms, log_delta: float) -> float:
    """Give an epsilon that is enough for this delta, by the moments alone; it only chooses where to look."""
    with precision(_BITS):
        log_moment = _log_moment(terms)

        def epsilon(theta: float) -> float:
            return (log_moment(theta) + _log_chernoff(theta) - log_delta) / theta

        return epsilon(saddle(epsilon))


def _log_chernoff(theta: float) -> float:
    return theta * math.log(theta) - (theta + 1) * math.log1p(theta)


def _chernoff(theta: arb) -> arb:
    """The largest value of (1 - e^-y) e^(-theta y)."""
    return (theta * theta.log() - (theta + 1) * (theta + 1).log()).exp()


def infinite(terms: Terms) -> arb:
    """The probability that some release has infinite loss."""
    if any(term.infinite() == 1 for term, _ in terms):
        return arb(1)
    return -sum((times * ball(-term.infinite()).log1p() for term, times in terms), arb(0)).expm1()


def top(terms: Terms) -> Amount:
    """The largest finite loss of the whole."""
    tops = [(term.top(), times) for term, times in terms]
    if any(bound == math.inf for bound, _ in tops):
        return math.inf
    return sum((Fraction(bound) * times for bound, times in tops), Fraction(0))


def _count_atoms(terms: Terms) -> int:
    """How many atoms the whole has; zero where a term has none."""
    counts = [(len(term.atoms()), times) for term, times in terms]
    return math.prod(math.comb(times + count - 1, times) if count else 0 for count, times in counts)


def _atoms_share(terms: Terms, theta: arb) -> float:
    s = acb(theta)
    return float(product(terms, lambda term: atoms_moment(term.atoms(), s).real / term.moment(s).real))


def _list_atoms(terms: Terms) -> Atoms:
    """The atoms of the whole."""
    together: Atoms = ((arb(1), arb(0)),)
    for term, times in terms:
        powers = tuple(_power(term.atoms(), times))
        together = tuple((mass * weight, loss + value) for mass, loss in together for weight, value in powers)
    return tuple((mass, mass * (-loss).exp()) for mass, loss in together)


def lattice_atoms(terms: Terms) -> Atoms | None:
    """The atoms of the whole where all losses lie on one lattice and are not too many: a product of polynomials."""
    with precision(4 * _BITS):  # errors of a product are relative to its largest coefficient
        lattices = [(term.lattice(), times) for term, times in terms]
        known = [(lattice, times) for lattice, times in lattices if lattice is not None]
        if not known or len(known) < len(lattices):
            return None
        shared = math.lcm(*(gap.denominator for (_, gap, _), _ in known))
        gap = Fraction(math.gcd(*(int(each * shared) for (_, each, _), _ in known)), shared)
        if sum(times * (len(masses) - 1) * (each / gap) for (_, each, masses), times in known) >= _LISTED:
            return None
        total, lowest = arb_poly([1]), Fraction(0)
        for (low, each, masses), times in known:
            apart = int(each / gap)
            spread = [mass for each_mass in masses for mass in (each_mass, *([arb(0)] * (apart - 1)))]
            total *= arb_poly(spread) ** times
            lowest += low * times
        losses = ((mass, ball(lowest + gap * index)) for index, mass in enumerate(total.coeffs()))
        return tuple((mass, mass * (-loss).exp()) for mass, loss in losses if not mass.is_zero())


def _power(atoms: Atoms, times: int) -> Iterator[tuple[arb, arb]]:
    """The atoms of several independent copies, by how often each atom occurs."""
    (mass, loss), others = atoms[0], atoms[1:]
    if not others:
        yield mass**times, loss * times
        return
    for often in range(times + 1):
        for weight, value in _power(others, times - often):
            yield weight * mass**often * math.comb(times, often), value + loss * often


def _atoms_delta(atoms: Atoms, epsilon: arb) -> arb:
    total, tilt = arb(0), epsilon.exp()
    for first, second in atoms:
        part = first - tilt * second
        if part > 0:
            total += part
        elif not part <= 0:  # the ball does not tell: somewhere between nothing and its upper end
            total += arb(0).union(part.upper())
    return total
