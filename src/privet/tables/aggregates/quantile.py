"""Quantiles of a column in each group: from noisy counts of a tree of bins, any number of them for one loss."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, Parts, positive, read_number, saturated, short, whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Estimate, Expected, OrderedColumnAggregate, usual_size
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.ranks import (
    MOST_BINS,
    branching,
    level_lengths,
    monotone,
    node_matrix,
    noise_squares,
    pooled,
    rank_weights,
    spaced,
)
from privet.tables.statistics import GridColumn, NumbersSpec, Statistic

_CALLS = {"min": "minimum", "max": "maximum"}  # by label
_BINS = 256
_ONE_ERROR = Fraction(6827, 10000)
_CLEARLY = 2  # neighbouring ranks are pooled where the rows on either side exceed their noise so many times
_CELLS = 2**20  # of arrays of groups by bins that are worked on at a time


def _alphas(value: object) -> tuple[Fraction, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise WrongTypeError("quantiles: alphas must be a list of shares such as [0.25, 0.5, 0.75].")
    alphas = tuple(read_number("quantile.alpha", item) for item in value)
    if not alphas or len(set(alphas)) != len(alphas):
        raise InvalidError("quantiles: alphas must be one or more different shares.")
    for item in alphas:
        if not 0 <= item <= 1:
            raise InvalidError(f"quantile.alpha must be between zero and one, got {short(item)}.")
    return alphas


def _check_bins(instance: Any, attribute: Any, value: int) -> None:
    positive(instance, attribute, value)
    if value > MOST_BINS:
        raise InvalidError(f"quantile.bins must be at most {MOST_BINS}, got {value}.")


@final
@frozen(kw_only=True)
class QuantilesColumn(OrderedColumnAggregate):
    """Quantiles of the clamped values of a column in each group; nulls are left out.

    Noise is added to the counts of a tree of bins between the bounds. Every quantile follows from the same counts.

    Args:
        column: Its name.
        alphas: The shares of rows below each quantile, from zero to one.
        bounds: Where to clamp; None for the bounds of the column.
        bins: The number of bins between the bounds: values within one bin are not distinguished.
        label: The name of its result.
        on_grid: The column in grid steps, once it is bound.
        kind: Whether the values are numbers, dates or timestamps, once it is bound.

    Guarantee: one row moves one count by one on each level of the tree.
    Proof: docs/tables/aggregates/quantile.md.

    >>> from privet.tables.columns import Column
    >>> bound = quantile("age", 0.5, bounds=(0, 63)).bind({"age": Column(kind="integer")})
    >>> bound.measured().row.l1
    Fraction(2, 1)
    """

    call = "quantile"

    alphas: tuple[Fraction, ...] = field(converter=_alphas)
    bins: int = field(default=_BINS, converter=whole, validator=_check_bins)
    label: str = "quantile"

    @property
    def caller(self) -> str:
        """The call, for messages."""
        return f"{_CALLS.get(self.label, self.label)}({self.column!r})"

    @property
    def name(self) -> str:
        """The label with the column."""
        return f"{self.label}_{self.column}"

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The shares, where there are several."""
        return ("",) if len(self.alphas) == 1 else tuple(map(short, self.alphas))

    def measured(self) -> NumbersSpec:
        """The counts of the nodes of a tree of bins."""
        on_grid, edges, children = self._tree()
        levels = len(level_lengths(len(edges) - 1, children))
        return NumbersSpec(
            statistics=(Statistic(kind="bins", of=(on_grid,), edges=edges),),
            matrix=node_matrix(len(edges) - 1, children),
            grid=Fraction(1),
            row=Parts(l0=levels, l1=levels, l2_squared=levels, linf=1),
        )

    def estimate(self, numbers: Array, noise: Noise) -> Estimate:
        """Where the estimated rank crosses that of the quantile; the error is half of an interval at 68.27 %."""
        values = np.concatenate([self._crossings(numbers, alpha) for alpha in self.alphas], axis=1)
        low, high = self.interval(numbers, noise, _ONE_ERROR)
        return Estimate(value=values, error=(high - low) / 2)

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """From the first to the last bin whose edges are not rejected; they may hold the quantile."""
        ends = [self._ends(numbers, noise, alpha, level) for alpha in self.alphas]
        return np.concatenate([low for low, _ in ends], axis=1), np.concatenate([high for _, high in ends], axis=1)

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """The error of the rank at first order, for values spread evenly; of a size as for a mean: ``usual_size``."""
        on_grid, edges, children = self._tree()
        width = float(self.width)
        if len(edges) <= 2:
            return Expected(error=width / 2, size=usual_size(on_grid))
        weights = rank_weights(len(edges) - 1, children, self.alphas[0])
        rank = noise.deviation * float(np.sqrt((weights**2).sum(axis=1)).mean())
        error = min(width * rank / max(saturated(rows), 1e-300), width / 2)
        return Expected(error=error, size=usual_size(on_grid))

    def typical(self, rows: Fraction) -> Array:
        """Those of values spread evenly between the bounds."""
        _, edges, children = self._tree()
        held = [len(row) for row in node_matrix(len(edges) - 1, children)]  # how many bins a node holds
        return np.array([[saturated(rows) * count / (len(edges) - 1) for count in held]])

    def _tree(self) -> tuple[GridColumn, tuple[int, ...], int]:
        edges = spaced(self.bound.low, self.bound.high, self.bins)
        return self.bound, edges, branching(len(edges) - 1)

    def _crossings(self, numbers: Array, alpha: Fraction) -> Array:
        """Interpolate within the bin in which the rank, made monotone, changes its sign; a value of the grid."""
        on_grid, edges, children = self._tree()
        bins = len(edges) - 1
        lows, highs = np.array(edges[:-1], dtype=np.float64), np.array(edges[1:], dtype=np.float64) - 1
        if bins == 1:
            return np.full((len(numbers), 1), np.rint((lows[0] + highs[0]) / 2) * float(on_grid.grid))
        values = np.empty(len(numbers))
        for block in _blocks(len(numbers), bins):
            ranks = monotone(numbers[block].astype(np.float64) @ rank_weights(bins, children, alpha).T)
            below = _crossed(ranks)
            rows = np.arange(len(ranks))
            left = np.where(below > 0, ranks[rows, np.maximum(below - 1, 0)], np.nan)
            right = np.where(below < bins - 1, ranks[rows, np.minimum(below, bins - 2)], np.nan)
            share = np.nan_to_num(left / np.minimum(left - right, -np.finfo(np.float64).tiny), nan=0.5)
            inside = lows[below] + np.clip(share, 0, 1) * (highs[below] - lows[below])
            values[block] = np.rint(inside) * float(on_grid.grid)
        return values[:, None]

    def _ends(self, numbers: Array, noise: Noise, alpha: Fraction, level: Fraction) -> tuple[Array, Array]:
        on_grid, edges, children = self._tree()
        bins, grid = len(edges) - 1, float(on_grid.grid)
        lows, highs = np.array(edges[:-1]) * grid, (np.array(edges[1:]) - 1) * grid
        if bins == 1:
            return np.full((len(numbers), 1), lows[0]), np.full((len(numbers), 1), highs[0])
        weights, squares = rank_weights(bins, children, alpha), noise_squares(bins, children, alpha)
        reach = _reaches(bins, children, alpha, noise, level)
        alone = reach / np.sqrt((weights**2).sum(axis=1))  # in deviations
        low, high = np.empty(len(numbers)), np.empty(len(numbers))
        for block in _blocks(len(numbers), bins):
            ranks = numbers[block].astype(np.float64) @ weights.T
            pools = pooled(ranks)
            rising, within = pools.spread(pools.level), pools.spread(pools.deviations(squares)) * alone
            fine = np.minimum(-rising[:, 0] / within[:, 0], rising[:, -1] / within[:, -1]) >= _CLEARLY
            ends = zip(_kept(rising, within), _kept(ranks, reach), strict=True)
            first, last = (np.where(fine, tight, safe) for tight, safe in ends)
            released = _crossed(monotone(ranks))  # the bin of the value always belongs to the interval
            low[block], high[block] = lows[np.minimum(first, released)], highs[np.maximum(last, released)]
        return low[:, None], high[:, None]


def _blocks(groups: int, bins: int) -> list[slice]:
    size = max(1, _CELLS // bins)
    return [slice(start, start + size) for start in range(0, groups, size)]


def _crossed(ranks: Array) -> Array:
    """Count the inner edges that lie below the quantile: the position of its bin."""
    return np.asarray((ranks < 0).sum(axis=1))


def _kept(ranks: Array, reach: Array) -> tuple[Array, Array]:
    """Give the first bin whose upper edge may lie above the quantile, and the last whose lower edge may lie below."""
    above, below = ranks >= -reach, ranks <= reach
    last = ranks.shape[1]
    first = np.where(above.any(axis=1), above.argmax(axis=1), last)
    return first, np.where(below.any(axis=1), last - below[:, ::-1].argmax(axis=1), 0)


@lru_cache(maxsize=64)
def _reaches(bins: int, children: int, alpha: Fraction, noise: Noise, level: Fraction) -> Array:
    """Give the size that the noise of each rank exceeds with probability ``1 - level``: half of it on each side."""
    return noise.quantile(rank_weights(bins, children, alpha), level)


def quantiles(column: str, alphas: object, *, bounds: object = None, bins: int = _BINS) -> QuantilesColumn:
    """Several quantiles of a column, for the loss of one.

    >>> quantiles("age", [0.25, 0.5, 0.75]).outputs
    ('0.25', '0.5', '0.75')
    """
    return QuantilesColumn(column=column, alphas=alphas, bounds=bounds, bins=bins, label="quantiles")


def quantile(column: str, alpha: object, *, bounds: object = None, bins: int = _BINS) -> QuantilesColumn:
    """One quantile of a column.

    >>> quantile("age", 0.9).name
    'quantile_age'
    """
    if isinstance(alpha, list | tuple):
        raise WrongTypeError("quantile takes one share, such as 0.9; for several write quantiles('age', [0.25, 0.75]).")
    return QuantilesColumn(column=column, alphas=(alpha,), bounds=bounds, bins=bins)


def median(column: str, *, bounds: object = None, bins: int = _BINS) -> QuantilesColumn:
    """The median of a column."""
    return QuantilesColumn(column=column, alphas=(Fraction(1, 2),), bounds=bounds, bins=bins, label="median")


def minimum(
    column: str, *, alpha: object = Fraction(1, 100), bounds: object = None, bins: int = _BINS
) -> QuantilesColumn:
    """A low quantile in place of the smallest value, which no private release can give."""
    return QuantilesColumn(column=column, alphas=(alpha,), bounds=bounds, bins=bins, label="min")


def maximum(
    column: str, *, alpha: object = Fraction(99, 100), bounds: object = None, bins: int = _BINS
) -> QuantilesColumn:
    """A high quantile in place of the largest value, which no private release can give."""
    return QuantilesColumn(column=column, alphas=(alpha,), bounds=bounds, bins=bins, label="max")
