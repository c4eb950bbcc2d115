"""The nodes of the inversion: which are evaluated as balls, and a bound of all others.

Proof: docs/accounting/characteristic/loss.md.
"""

import math
from collections.abc import Callable

import numpy as np
from flint import acb, acb_mat, arb

from privet.accounting.characteristic.term import (
    CharacteristicTerm,
    atoms_at_nodes,
    atoms_moment,
    power_up,
    product_up,
    sum_up,
)
from privet.accounting.numerics import Floats

Terms = tuple[tuple[CharacteristicTerm, int], ...]
Nodes = tuple[acb_mat, tuple[int, ...]]  # coefficients in rows, and the number of the first node of each row

_BALLS = 300_000  # moments that may be evaluated as balls, about a second
_FLOATS = 6_000_000  # and as floats
_MOST = 2**18  # nodes in all
_WIDTH = 128  # of a row


def product(terms: Terms, value: Callable[[CharacteristicTerm], arb]) -> arb:
    """The product of a value of each term, with multiplicities."""
    return math.prod((value(term) ** times for term, times in terms), start=arb(1))


def without_atoms(terms: Terms, theta: arb, step: arb, target: float) -> tuple[Nodes, arb]:
    """Evaluate the moment without its atoms, which falls with the height, until e^target bounds all other nodes."""
    prepared = [(term.at_nodes(theta, step), atoms_at_nodes(term.atoms(), theta, step), times) for term, times in terms]
    atoms = product(terms, lambda term: atoms_moment(term.atoms(), acb(theta)).real)
    limit = _BALLS // len(terms)

    def value(k: int) -> acb:
        s = acb(theta, step * k)
        every = math.prod((moment(k) ** times for moment, _, times in prepared), start=acb(1))
        listed = math.prod((atoms(k) ** times for _, atoms, times in prepared), start=acb(1))
        return (every - listed) / (s * (s + 1))

    coefficients: list[acb] = []
    count = 8
    while True:
        count *= 2
        coefficients += [value(k) for k in range(len(coefficients), count + 1)]
        tail = _small((_envelope(terms, theta, step * count) - atoms) / (arb.pi() * step * count))
        if 2 * count > limit or _log(tail) <= target:
            return _in_rows(coefficients), tail


def whole(terms: Terms, theta: arb, step: arb, target: float) -> tuple[Nodes, arb]:
    """Bound the moment at many nodes, and evaluate those that matter, until e^target bounds all other nodes."""
    moment = product(terms, lambda term: term.moment(acb(theta)).real)
    slow = sum(term.magnitudes(theta, step, 0, 1) is None for term, _ in terms)
    limit = min(_MOST, _FLOATS // len(terms), _BALLS // slow if slow else _MOST)
    halves = [np.zeros(0), np.zeros(0)]
    count = 128
    while True:
        count *= 2
        halves = [
            np.concatenate(pair)
            for pair in zip(halves, _halves(terms, theta, step, len(halves[0]), count + 1), strict=True)
        ]
        envelope = _envelope(terms, theta, step * count) / (arb.pi() * step * count)
        tail = _small((moment * _windows(halves, step)).min(envelope))
        if 2 * count > limit or _log(tail) <= target:
            break
    height = np.arange(count + 1) * (float(step) * (1 - 2.0**-50))
    damping = float(theta) * (1 - 2.0**-50)
    # |s (s + 1)| is at least |s|²; both directions of each node count
    sizes = product_up(*halves) / (damping * damping + height * height) * (1 + 2.0**-48)
    # no node is worth evaluating if it is below a tenth of the remainder anyway
    remainder = min(max(max(target, _log(tail) - 2) - _log(moment) - _log(step), -600), 600)
    skipped, kept = _choose(sizes, math.exp(remainder), _BALLS // len(terms))
    coefficients = [acb(0)] * (count + 1)
    prepared = [(term.at_nodes(theta, step), times) for term, times in terms]
    for k in kept:
        s = acb(theta, step * k)
        powers = (function(k) ** times if times > 1 else function(k) for function, times in prepared)
        coefficients[k] = math.prod(powers, start=acb(1)) / (s * (s + 1))
    return _in_rows(coefficients), _small(tail + moment * step / arb.pi() * arb(skipped))


def _choose(sizes: Floats, remainder: float, most: int) -> tuple[float, list[int]]:
    """Keep the largest nodes, so that the others add up to no more than is allowed; give that sum as well."""
    order = np.argsort(sizes)
    small = int(np.searchsorted(np.cumsum(sizes[order]), remainder))
    left_out = min(max(small, len(sizes) - most), len(sizes) - 1)
    return sum_up(sizes[order[:left_out]]), sorted(int(k) for k in order[left_out:])


def _halves(terms: Terms, theta: arb, step: arb, start: int, stop: int) -> list[Floats]:
    """Bounds of the magnitudes of two halves of the product, as shares of their values at height zero."""
    halves = [np.ones(stop - start), np.ones(stop - start)]
    for position, (term, times) in enumerate(terms):
        sizes = term.magnitudes(theta, step, start, stop)
        if sizes is None:
            function, scale = term.at_nodes(theta, step), term.moment(acb(theta)).real
            values = (abs(function(k)) / scale for k in range(start, stop))
            sizes = np.array([float(value.upper()) * (1 + 2.0**-50) for value in values])
        # an odd release goes to either half in turn
        for half, often in enumerate(((times + position % 2) // 2, (times + 1 - position % 2) // 2)):
            if often:
                halves[half] = product_up(halves[half], power_up(np.minimum(sizes, 1.0), often))
    return [np.minimum(half, 1.0) for half in halves]


def _windows(halves: list[Floats], step: arb) -> arb:
    """Bound the nodes left out by triangular windows, in each of which the mean square is largest at height zero."""
    count = len(halves[0]) - 1
    weights = 2 * (count - np.arange(count + 1)) / count
    weights[0] = 1
    first, second = (arb(sum_up(product_up(product_up(half, half), weights))) for half in halves)
    return (first * second).sqrt() * (1 + arb.pi() ** 2 / 6) / (arb.pi() * step * count**2)


def _envelope(terms: Terms, theta: arb, height: arb) -> arb:
    """A bound of the moment at and beyond a height."""

    def bound(term: CharacteristicTerm) -> arb:
        return (atoms_moment(term.atoms(), acb(theta)).real + term.rest(theta, height)).min(
            term.moment(acb(theta)).real
        )

    return product(terms, bound)


def _in_rows(coefficients: list[acb]) -> Nodes:
    """Cut into rows, without those that hold nothing."""
    width = min(math.isqrt(len(coefficients)) + 1, _WIDTH)
    padded = coefficients + [acb(0)] * (-len(coefficients) % width)
    starts = tuple(k for k in range(0, len(padded), width) if not all(c.is_zero() for c in padded[k : k + width]))
    return acb_mat(len(starts), width, [c for k in starts for c in padded[k : k + width]]), starts


def _small(error: arb) -> arb:
    return error.upper().max(arb(0))


def _log(value: arb) -> float:
    return float(value.log()) if value > 0 else -math.inf
