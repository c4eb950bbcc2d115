"""Codes of columns: public bins of numbers, positions of categories, and one code for what is missing or unknown."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core import Array, Bounds, MatrixDomain, Space, SymmetricDistance, number, read_rows, read_whole, short
from privet.errors import InvalidError, WrongTypeError
from privet.models.features import Categorical, Features, Numeric, place_of
from privet.models.fit_job import GRID, FitJob
from privet.models.private_rows import PrivateRows
from privet.transforms.sums_by_group import SumsByGroup

FEWEST_BINS, MOST_BINS = 4, 32


@final
@frozen(kw_only=True)
class Binning:
    """How columns become codes; the last code of a column is for missing numbers and unknown categories.

    Args:
        features: What is public of the columns.
        bins: The number of equal bins between the bounds of a column of numbers.
        edges: For each column its own inner edges instead, or None.
    """

    features: Features
    bins: int
    edges: tuple[tuple[float, ...] | None, ...]

    @property
    def known(self) -> tuple[int, ...]:
        """The number of codes of each column, without the last one."""
        return tuple(self._size(item, edges) for item, edges in zip(self.features.columns, self.edges, strict=True))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each column."""
        return tuple(size + 1 for size in self.known)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column whether its codes have an order."""
        return tuple(isinstance(item, Numeric) for item in self.features.columns)

    def codes(self, table: Sequence[Any]) -> Array:
        """Return one whole number for each column of each row, every row by itself."""
        if not table:
            return np.empty((0, 0), dtype=np.int64)
        return np.stack([self.codes_of(at, column) for at, column in enumerate(table)], axis=1)

    def codes_of(self, at: int, column: Any) -> Array:
        """Return the codes of one column; those of known numbers rise with the numbers."""
        item = self.features.columns[at]
        return self._bins(item, column, self.edges[at]) if isinstance(item, Numeric) else item.places(column)

    def _size(self, item: Numeric | Categorical, edges: tuple[float, ...] | None) -> int:
        if isinstance(item, Categorical):
            return len(item.values)
        return self.bins if edges is None else len(edges) + 1

    def _bins(self, item: Numeric, column: Any, edges: tuple[float, ...] | None) -> Array:
        values, null = read_rows(column, float)
        missing = np.isnan(values) if null is None else np.isnan(values) | null
        if edges is None:
            places = np.clip(np.floor((item.scaled(column) + 1) / 2 * self.bins), 0, self.bins - 1).astype(np.int64)
        else:
            places = np.searchsorted(_moved(item, edges), item.inside(np.where(missing, 0.0, values)), side="right")
        return np.where(missing, self._size(item, edges), places)


def read_bins(label: str, bins: Any) -> int | None:
    """Read a number of bins, two or more; None stays None."""
    if bins is None:
        return None
    count = read_whole(f"{label}.bins", bins)
    if not 2 <= count <= 1024:
        raise InvalidError(f"{label}.bins must be between 2 and 1024, got {count}.")
    return count


def _moved(item: Numeric, edges: tuple[float, ...]) -> Array:
    """Round edges within the bounds as values are rounded, so that a value at an edge stays in the bin above it."""
    points = np.array(edges)
    within = (points >= float(item.lower)) & (points <= float(item.upper))
    return np.where(within, item.inside(points), points)


def read_edges(label: str, edges: Any, features: Features) -> tuple[tuple[float, ...] | None, ...]:
    """Read the inner edges of columns of numbers from a dictionary by name or position."""
    found: list[tuple[float, ...] | None] = [None] * len(features.columns)
    if edges is None:
        return tuple(found)
    if not isinstance(edges, Mapping):
        raise WrongTypeError(f"{label}.edges must be a dictionary by column, got {type(edges).__name__}.")
    for key, inner in edges.items():
        place = place_of(key, features.names, len(found))
        if place is None or not isinstance(features.columns[place], Numeric):
            raise InvalidError(f"{label}.edges names {short(key)}, which is no column of numbers.")
        if found[place] is not None:
            raise InvalidError(f"{label}.edges has two entries for one column; {short(key)} is one of them.")
        if not isinstance(inner, Sequence | np.ndarray) or isinstance(inner, str):
            raise WrongTypeError(f"{label}.edges must have a list of numbers for {short(key)}.")
        points = tuple(float(number(item)) for item in inner)
        if not points or any(a >= b for a, b in pairwise(points)):
            raise InvalidError(f"{label}.edges must be one or more increasing numbers for {short(key)}.")
        found[place] = points
    return tuple(found)


def needs_bins(features: Features, edges: Sequence[tuple[float, ...] | None]) -> bool:
    """Tell whether there is a column of numbers without edges of its own, whose number of bins must be chosen."""
    return any(isinstance(item, Numeric) and own is None for item, own in zip(features.columns, edges, strict=True))


def release_count(job: FitJob, share: Fraction) -> float:
    """Release the number of rows, at least ten."""
    rows = private_rows(job, np.zeros((job.table.rows, 1)), [(Fraction(0), Fraction(1))])
    release = rows.release("number of rows", SumsByGroup(groups=[1]), share=share)
    return max(float(release[0]), 10.0)


def bins_for(rows_in_units_of_noise: float) -> int:
    """Return how many bins a column gets: as many as the noise leaves readable, within public limits."""
    return int(min(max(rows_in_units_of_noise, FEWEST_BINS), MOST_BINS))


def private_rows(job: FitJob, table: Array, bounds: Sequence[Bounds]) -> PrivateRows:
    """Return rows of numbers within public bounds whose ends lie on the grid, rounded to the grid.

    Args:
        job: The fit.
        table: One row of numbers for each row of the data, each a function of that row.
        bounds: For each column; its ends lie on the grid.
    """
    domain = MatrixDomain(columns=len(bounds), bounds=tuple(bounds), grid=GRID, nan=False)
    value = np.rint(table * float(1 / GRID)) * float(GRID)
    return PrivateRows(value=value, space=Space(domain, SymmetricDistance()), account=job.account)


def groupings(sizes: Sequence[int]) -> list[Bounds]:
    """Return the bounds of columns of codes."""
    return [(Fraction(0), Fraction(size)) for size in sizes]
