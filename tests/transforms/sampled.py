"""Sampling units before exact probabilities: every way the coins may fall is written down, apart from the package."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from math import ceil, comb, floor
from typing import Any

from attrs import frozen
from flint import arb

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement, MeasurementChain
from privet.chains.transformation import RandomTransformation
from privet.core.exact import ball
from privet.core.metric import Distance, row_keys
from privet.core.space import Space
from tests.laws.map import common_rows
from tests.laws.masses import Masses

World = tuple[Fraction, tuple[int, ...]]
Worlds = Callable[[list[int]], Iterable[World]]


@frozen
class RandomTwinOf(RandomTransformation):
    """Behaves like another sampling unit; a twin overrides what it gets wrong."""

    right: Any

    def output(self, space: Space) -> Space:
        return self.right.output(space)  # type: ignore[no-any-return]

    def coins(self, rows: int, space: Space) -> Any:
        return self.right.coins(rows, space)

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return self.right.combine(value, coins, space)

    def stability(self, d_in: Any, space: Space) -> Distance:
        return self.right.stability(d_in, space)  # type: ignore[no-any-return]

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return self.right.bound(d_in, space, then)  # type: ignore[no-any-return]


@frozen
class Whole(Measurement):
    """A chain as one mechanism, so that the laws ask for the probabilities of its release given the *data*."""

    chain: MeasurementChain

    def accept(self, space: Space) -> None:
        assert space == self.chain.input

    def release(self, value: Any, space: Space) -> Any:
        return self.chain(value)

    def loss(self, d_in: Any, space: Space) -> Loss:
        return self.chain.map(d_in)


def whole(chain: MeasurementChain) -> MeasurementChain:
    """The chain as one mechanism on its own input."""
    return chain.input >> Whole(chain)


def noisy_sum(worlds: Worlds, scale: Any = 1, reach: int = 24) -> Callable[[Any, Space], Masses]:
    """The distribution of the sum of a random sample plus Laplace noise; nulls count nothing."""

    def at(value: Any, space: Space) -> Masses:
        totals: dict[int, Fraction] = {}
        for chance, rows in worlds([item or 0 for item in value.tolist()]):
            totals[sum(rows)] = totals.get(sum(rows), Fraction(0)) + chance
        assert sum(totals.values()) == 1, "the worlds must be all there are"
        spread = Fraction(scale)
        ratio = ball(-1 / spread).exp()
        zero = (1 - ratio) / (1 + ratio)
        inside, outside = {}, arb(0)
        for z in range(-reach, reach + 1):
            terms = (ball(chance) * ball(-abs(z - t) / spread).exp() for t, chance in totals.items())
            inside[z] = zero * sum(terms, arb(0))
        for t, chance in totals.items():
            tails = ball(-(reach - t + 1) / spread).exp() + ball(-(reach + t + 1) / spread).exp()
            outside += ball(chance) * tails / (1 + ratio)
        return Masses(inside, outside)

    return at


def poisson(rate: Any) -> Worlds:
    """Each row kept or not."""
    q = Fraction(rate)

    def worlds(rows: list[int]) -> Iterator[World]:
        for kept in product((False, True), repeat=len(rows)):
            chance = q ** sum(kept) * (1 - q) ** (len(rows) - sum(kept))
            yield chance, tuple(row for row, stays in zip(rows, kept, strict=True) if stays)

    return worlds


def simple(size: int) -> Worlds:
    """Every set of so many rows."""

    def worlds(rows: list[int]) -> Iterator[World]:
        for kept in combinations(rows, size):
            yield Fraction(1, comb(len(rows), size)), kept

    return worlds


def resized(n: int, p: Any, *, fill: dict[int, Any], fixed: bool = False) -> Worlds:
    """Copies, the first sampling, the second sampling, and rows drawn to fill up."""
    copies = ceil(Fraction(p))

    def first(rows: list[int]) -> Iterator[World]:
        many = [row for row in rows for _ in range(copies)]
        sample = simple(floor(Fraction(p) * len(rows))) if fixed else poisson(Fraction(p) / copies)
        yield from sample(many)

    def worlds(rows: list[int]) -> Iterator[World]:
        for chance, kept in first(rows):
            for again, stay in simple(min(n, len(kept)))(list(kept)):
                for added in product(fill, repeat=n - len(stay)):
                    drawn = Fraction(1)
                    for value in added:
                        drawn *= Fraction(fill[value])
                    yield chance * again * drawn, stay + added

    return worlds


def moved_in_order(chain: Any, x: list[Any], y: list[Any]) -> tuple[Any, Any]:
    """The insert/delete distance of two columns, and of their results when common rows share their coins.

    Common rows are those of a longest common subsequence: the coupling of the proofs.
    """
    link, space = chain.links[0], chain.input
    a, b = space.domain.admit(x), space.domain.admit(y)
    coins, shared = link.unit.coins(len(a), space), link.unit.coins(len(b), space).copy()
    for source, target in common_rows(row_keys(a), row_keys(b)):
        shared[target] = coins[source]
    first, second = link.unit.combine(a, coins, space), link.unit.combine(b, shared, space)
    return space.metric.distance(a, b, space.domain), link.output.metric.distance(first, second, link.output.domain)
