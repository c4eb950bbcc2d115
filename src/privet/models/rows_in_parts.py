"""Rows that pass through memory in parts: sums need no more of them at once.

A sum over rows is the sum over its parts, in whole numbers, so a release is the same as that of all rows at once.
"""

from collections.abc import Callable
from typing import Any, Self, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation, TransformationChain
from privet.core import Array
from privet.transforms.ball_moments import BallMoments
from privet.transforms.clipped_gradients import ClippedGradients
from privet.transforms.sum_of_outer_products import SumOfOuterProducts
from privet.transforms.sums_by_group import SumsByGroup

Read = Callable[[Callable[[Array], bool]], None]  # passes parts on for as long as the function wants more
HELD = 2**28  # numbers; rows with more of them are read anew for each release
_SUMS = (BallMoments, ClippedGradients, SumOfOuterProducts, SumsByGroup)


@final
@frozen(kw_only=True)
class RowsInParts:
    """Rows in parts, either held in memory or read anew each time.

    Args:
        nothing: The same without rows.
        held: The parts, or None if they are read anew.
        read: Passes the parts on, before the chains.
        chains: The row-by-row units that each part goes through when it is read.
    """

    nothing: Array = field(repr=False)
    held: tuple[Array, ...] | None = field(default=None, repr=False)
    read: Read = field(repr=False)
    chains: tuple[TransformationChain, ...] = ()

    def through(self, chain: TransformationChain) -> Self:
        """Return the rows after row-by-row units."""
        nothing = chain.run(self.nothing)
        if self.held is not None:
            return evolve(self, nothing=nothing, held=tuple(chain.run(part) for part in self.held))
        return evolve(self, nothing=nothing, chains=(*self.chains, chain))

    def each(self, work: Callable[[Array], None]) -> None:
        """Pass every part on."""
        for part in self.held or ():
            work(part)
        if self.held is None:

            def then(part: Array) -> bool:
                for chain in self.chains:
                    part = chain.run(part)
                work(part)
                return True

            self.read(then)

    def result_of(self, chain: TransformationChain) -> Any:
        """Run a chain on all rows: on each part where it adds up rows, else on the parts put together."""
        *before, last = [link.unit for link in chain.links]
        if not isinstance(last, _SUMS) or not all(isinstance(unit, RowTransformation) for unit in before):
            return chain.run(self.together())
        totals = [_limitless(chain.run(self.nothing))]

        def add(part: Array) -> None:
            totals[0] = totals[0] + _limitless(chain.run(part))

        self.each(add)
        return totals[0]

    def together(self) -> Array:
        """Return all rows as one array."""
        parts: list[Array] = []
        self.each(parts.append)
        return np.concatenate([self.nothing, *parts])


def read_parts(read: Read, nothing: Array) -> Array | RowsInParts:
    """Read rows and hold them where they are few enough; one part is an array.

    Args:
        read: Passes the parts on, as often as it is called.
        nothing: The same without rows.
    """
    parts: list[Array] = []
    size = 0

    def hold(part: Array) -> bool:
        nonlocal size
        size += part.size
        parts.append(part)
        return size <= HELD

    read(hold)
    if size > HELD:
        return RowsInParts(nothing=nothing, read=read)
    if len(parts) < 2:
        return parts[0] if parts else nothing
    return RowsInParts(nothing=nothing, held=tuple(parts), read=read)


def _limitless(steps: Any) -> Array:
    """Return whole numbers of Python: the sum of one part fits into 64 bits, and that of all parts need not."""
    return np.asarray(steps, dtype=object)
