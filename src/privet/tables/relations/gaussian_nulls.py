"""Gaussian draws in place of nulls: a public table of whole numbers, read by keyed hashes of the row.

The draw is a point of a lattice plus the sum of two uniform draws within its spacing, so its density is that of the
normal law at the points of the lattice and linear in between. Proof: docs/tables/nulls.md.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import final

from attrs import frozen
from sqlglot import exp

from privet.core import ball, ends, precision
from privet.tables.codebook.nulls import NullsDrawnFromGaussian
from privet.tables.columns import Column
from privet.tables.relations.drawn_nulls import below
from privet.tables.vocabulary import case, cast, clamped, column, grid_of, real, step_bounds, whole

_PARTS = 2**32  # probabilities hold to within this share
_FARTHEST = 6  # standard deviations
_SPACING = Fraction(3, 16)  # of the lattice, in standard deviations
_BITS = 128
_HASHES = ("point", "first", "second")  # a point of the lattice, and two numbers within its spacing


@final
@frozen(kw_only=True)
class GaussianDraw:
    """A draw from a normal law in grid steps, censored at the bounds of a column.

    Args:
        name: The column.
        known: What is known of it.
        middle: The mean, in grid steps.
        deviation: The standard deviation, in grid steps.
        taken: The columns of the table, which the columns of its hashes must differ from.
    """

    name: str
    known: Column
    middle: int
    deviation: Fraction
    taken: frozenset[str] = frozenset()

    @classmethod
    def of(cls, name: str, known: Column, law: NullsDrawnFromGaussian, taken: Iterable[str] = ()) -> "GaussianDraw":
        """Round the mean to the grid of the column.

        >>> draw = GaussianDraw.of("age", Column(kind="integer", bounds=(0, 120)), NullsDrawnFromGaussian(40, 20))
        >>> draw.middle, draw.spacing
        (40, 3)
        """
        grid, names = grid_of(name, known), frozenset(each.casefold() for each in taken)
        middle, deviation = round(law.shift / grid), law.scale / grid
        return cls(name=name, known=known, middle=middle, deviation=deviation, taken=names)

    @property
    def spacing(self) -> int:
        """The distance of two points of the lattice, in grid steps."""
        return max(1, math.floor(self.deviation * _SPACING))

    def points(self) -> list[tuple[int, int]]:
        """Give the points of the lattice, each with the number of parts in 2^32 at which it and those below it end."""
        spacing = self.spacing
        half = math.ceil(_FARTHEST * self.deviation / spacing)
        places = [at * spacing for at in range(-half, half + 1)]
        with precision(_BITS):
            weights = [(-ball(place**2 / (2 * self.deviation**2))).exp() for place in places]
            total, reached, found = sum(weights[1:], weights[0]), ball(0), []
            for place, weight in zip(places, weights, strict=True):
                reached += weight
                found.append((self.middle + place, math.floor(ends(reached / total)[0] * _PARTS)))
        return [*found[:-1], (found[-1][0], _PARTS)]

    def hashes(self, row: Sequence[str], key: int) -> dict[str, tuple[exp.Expr, Column]]:
        """Write the three draws that the value is made of, as columns of their own.

        Args:
            row: The columns of the row, all of which are hashed.
            key: A secret number.
        """
        counts = (_PARTS, self.spacing, self.spacing)
        return {
            self._hidden(part): (below(count, row, key, f"{self.name} {part}"), Column(kind="integer", nullable=False))
            for part, count in zip(_HASHES, counts, strict=True)
        }

    def value(self) -> exp.Expr:
        """Write the value, from the columns of ``hashes``."""
        lowest, highest = step_bounds(self.name, self.known)
        spacing = self.spacing
        point, first, second = (column(self._hidden(part), "r") for part in _HASHES)
        places = [
            (end, whole(min(max(place, lowest - spacing), highest + spacing), "int128")) for place, end in self.points()
        ]
        branches = [(exp.LT(this=point.copy(), expression=whole(end)), place) for end, place in places[:-1]]
        lattice = case(branches, places[-1][1]) if branches else places[0][1]
        jitter = exp.Add(this=exp.Add(this=lattice, expression=first), expression=second)
        drawn = exp.Paren(this=exp.Sub(this=jitter, expression=whole(spacing - 1, "int128")))
        limits = whole(lowest, "int128"), whole(highest, "int128")
        step = cast(clamped(drawn, *limits, drawn.copy()), "integer")
        if self.known.kind != "real":
            return step
        return exp.Mul(this=cast(step, "real"), expression=real(float(grid_of(self.name, self.known))))

    def _hidden(self, part: str) -> str:
        name = f"privet draw {part} {self.name}"
        while name.casefold() in self.taken:
            name += " "
        return name
