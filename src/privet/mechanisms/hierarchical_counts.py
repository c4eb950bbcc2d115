"""Counts of ordered bins with noise on every level of a tree, made consistent afterwards."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.core import (
    NumbersDomain,
    Space,
    VectorDistance,
    must_be,
    number,
    positive,
    read_share,
    read_whole,
    short,
    whole,
)
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.trees import consistent, nodes_between, sum_error
from privet.noise import discrete_laplace


@final
@frozen(kw_only=True)
class TreeCounts:
    """Noisy counts of every node of a tree over ordered bins; everything here is public.

    Args:
        levels: From the bins up to their total, the noisy counts of each level.
        branching: How many nodes have a common parent.
        scale: The scale of the noise of every node.
    """

    levels: tuple[tuple[int, ...], ...] = field(repr=False)
    branching: int
    scale: Fraction = field(repr=short)

    def counts(self) -> tuple[Fraction, ...]:
        """The counts of the bins, by least squares over all levels: sums of them agree with every other sum."""
        return consistent(self.levels, self.branching)

    def between(self, start: int, stop: int) -> Fraction:
        """The consistent count of the bins from ``start`` up to but not including ``stop``."""
        self._check(start, stop)
        return sum(self.counts()[start:stop], Fraction(0))

    def interval(self, start: int, stop: int, level: object = Fraction(95, 100)) -> tuple[int, int]:
        """An interval that holds the count of these bins with probability ``level`` or more.

        It lies around the sum of the fewest nodes that make up the bins, whose error has a proved bound.
        """
        self._check(start, stop)
        share = read_share("interval.level", level)
        nodes = nodes_between(start, stop, self.branching, [len(row) for row in self.levels])
        middle = sum(self.levels[height][at] for height, at in nodes)
        half = sum_error(self.scale, len(nodes), 1 - share)
        return middle - half, middle + half

    def _check(self, start: int, stop: int) -> None:
        first, last = read_whole("TreeCounts.start", start), read_whole("TreeCounts.stop", stop)
        if not 0 <= first <= last <= len(self.levels[0]):
            raise InvalidError(
                f"TreeCounts takes 0 <= start <= stop <= {len(self.levels[0])}, got start={first}, stop={last}."
            )


@final
@frozen(kw_only=True)
class HierarchicalCounts(Measurement):
    """Release counts of ordered bins and of their sums on every level of a tree.

    Each node of a tree over the bins gets discrete Laplace noise of the same scale, so that a range of bins is a sum
    of few noisy numbers. The release combines all levels afterwards.

    Args:
        scale: Spread of the noise of every node, above zero.
        branching: How many nodes have a common parent, two or more.

    Guarantee: ``epsilon = levels l1 / scale``, with as many levels as it takes to reach one node.
    Proof: docs/mechanisms/hierarchical_counts.md.

    >>> from privet.core.metric import Parts
    >>> from privet.core.space import numbers
    >>> chain = numbers(8) >> HierarchicalCounts(scale=8)
    >>> chain.map(Parts(l0=1, l1=1, l2_squared=1, linf=1)).epsilon()
    Fraction(1, 2)
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    branching: int = field(default=2, converter=whole, validator=must_be(lambda count: count >= 2, "two or more"))

    def accept(self, space: Space) -> None:
        """One or more whole numbers, such as the counts of a histogram."""
        domain = space.domain
        if not isinstance(domain, NumbersDomain) or not isinstance(space.metric, VectorDistance):
            raise MismatchError(
                f"HierarchicalCounts reads the counts of ordered bins, got {type(domain).__name__}: "
                "put a histogram before it."
            )
        if domain.grid != 1 or domain.length < 1 or domain.weights is not None:
            raise MismatchError("HierarchicalCounts reads one or more whole numbers.")

    def release(self, value: Any, space: Space) -> TreeCounts:
        """Add up level by level, and add noise to every node."""
        levels, exact = [], [int(item) for item in np.asarray(value).tolist()]
        while True:
            noise = discrete_laplace(self.scale, size=len(exact)).tolist()
            levels.append(tuple(count + int(extra) for count, extra in zip(exact, noise, strict=True)))
            if len(exact) == 1:
                return TreeCounts(levels=tuple(levels), branching=self.branching, scale=self.scale)
            exact = [sum(exact[at : at + self.branching]) for at in range(0, len(exact), self.branching)]

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Sums of disjoint bins move no further in all than the bins do, on every level."""
        length = space.domain.length if isinstance(space.domain, NumbersDomain) else 1
        return PureLoss(self.levels(length) * d_in.l1 / self.scale)

    def levels(self, bins: int) -> int:
        """How many levels the tree over so many bins has."""
        count = 1
        while bins > 1:
            bins, count = -(-bins // self.branching), count + 1
        return count
