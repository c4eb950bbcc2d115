"""Answers about a completed table as functions of noisy totals.

Every total is taken around the public middle of its range, so that a row adds at most half of the width. An answer
divides the total by the size and adds the middle back (docs/tables/impute.md).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.core import Array
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate, bound_column
from privet.tables.aggregates.correlation import ColumnsCorrelation
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.covariance import ColumnsCovariance
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.quantile import QuantilesColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.sum import SumColumn
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.columns import Column
from privet.tables.impute.totals import product_of
from privet.tables.statistics import ROWS, GridColumn, Statistic

Numbers = Mapping[Statistic, Array]
"""Noisy totals of all groups, in the units of the data."""
Ends = tuple[Array, Array]
"""Lower and upper ends, one pair for each group."""
_TINY = 1e-150  # a deviation below this counts as this, so that its inverse is a float


class Answer(ABC):
    """One column of the result."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistic, ...]:
        """The totals from which it is computed."""

    @abstractmethod
    def value(self, numbers: Numbers) -> Array:
        """Compute one number for each group; every noisy total has an answer."""

    @abstractmethod
    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """Give ends that hold the exact answer whenever every total lies between its own ends."""


@final
@frozen(kw_only=True)
class TotalAnswer(Answer):
    """A count or a sum: one total.

    Args:
        total: The statistic that the engine counts or adds up.
    """

    total: Statistic

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """The total."""
        return (self.total,)

    def value(self, numbers: Numbers) -> Array:
        """The noisy total itself."""
        return numbers[self.total]

    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """The ends of the total."""
        return ends[self.total]


@final
@frozen(kw_only=True)
class Average(Answer):
    """A mean.

    Args:
        of: The column in grid steps from its middle.
        size: How many rows have a value.
    """

    of: GridColumn
    size: Statistic

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """One sum and the size."""
        return (_sum(self.of), self.size)

    def value(self, numbers: Numbers) -> Array:
        """The middle plus the mean deviation from it, within the bounds."""
        middle = float(self.of.origin * self.of.grid)
        above = numbers[_sum(self.of)] / _rows(numbers[self.size])
        return np.clip(middle + above, float(self.of.lower), float(self.of.upper))

    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """The smallest and the largest quotient, within the bounds."""
        middle, far = float(self.of.origin * self.of.grid), _far(self.of)
        low, high = _divided(ends[_sum(self.of)], ends[self.size], -far, far)
        return np.maximum(middle + low, float(self.of.lower)), np.minimum(middle + high, float(self.of.upper))


@final
@frozen(kw_only=True)
class VarianceAnswer(Answer):
    """A variance or its root.

    Args:
        of: The column in grid steps from its middle.
        size: How many rows have a value.
        ddof: What is subtracted from the number of rows.
        root: 2 for the standard deviation, 1 for the variance.
    """

    of: GridColumn
    size: Statistic
    ddof: int
    root: int

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """Sums of values and squares, and the size."""
        return (_sum(self.of), _sum(self.of, self.of), self.size)

    def value(self, numbers: Numbers) -> Array:
        """The mean of squares less the square of the mean, from zero to the largest possible variance."""
        rows = _rows(numbers[self.size])
        variance = _moment(numbers, self.of, self.of, self.size)
        most = float(self.of.upper - self.of.lower) ** 2 / 4
        divided = np.clip(variance, 0.0, most) * (rows / np.maximum(rows - self.ddof, 1.0))
        return np.asarray(divided ** (1 / self.root))

    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """The smallest and the largest answer, from zero to the largest possible variance."""
        most = float(self.of.upper - self.of.lower) ** 2 / 4
        factor = _factor(ends[self.size], self.ddof)
        low, high = (np.clip(end, 0.0, most) for end in _moment_ends(ends, self.of, self.of, self.size))
        return np.asarray((low * factor[0]) ** (1 / self.root)), np.asarray((high * factor[1]) ** (1 / self.root))


@final
@frozen(kw_only=True)
class CovarianceAnswer(Answer):
    """A covariance or a correlation.

    Args:
        first: One column in grid steps from its middle.
        second: The other.
        size: How many rows have both.
        ddof: What is subtracted from the number of rows; None for a correlation.
    """

    first: GridColumn
    second: GridColumn
    size: Statistic
    ddof: int | None

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """The sums of both columns and of their product, for a correlation also of their squares, and the size."""
        pair = (self.first, self.second)
        squares = () if self.ddof is not None else tuple(_sum(each, each, given=pair) for each in pair)
        return (*(_sum(each, given=pair) for each in pair), _sum(*pair, given=pair), *squares, self.size)

    def value(self, numbers: Numbers) -> Array:
        """The mean of products less the product of means, within its range."""
        pair = (self.first, self.second)
        joint = _moment(numbers, *pair, self.size, given=pair)
        if self.ddof is not None:
            rows = _rows(numbers[self.size])
            most = float((self.first.upper - self.first.lower) * (self.second.upper - self.second.lower)) / 4
            return np.asarray(np.clip(joint, -most, most) * (rows / np.maximum(rows - self.ddof, 1.0)))
        squares = [np.maximum(_moment(numbers, each, each, self.size, given=pair), 0.0) for each in pair]
        scale = np.sqrt(squares[0]) * np.sqrt(squares[1])
        return np.where(scale > 0, np.clip(joint / np.where(scale > 0, scale, 1.0), -1.0, 1.0), 0.0)

    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """The smallest and the largest answer, within its range."""
        pair = (self.first, self.second)
        joint = _moment_ends(ends, *pair, self.size, given=pair)
        if self.ddof is not None:
            most = float((self.first.upper - self.first.lower) * (self.second.upper - self.second.lower)) / 4
            factor = _factor(ends[self.size], self.ddof)
            return _products((np.maximum(joint[0], -most), np.minimum(joint[1], most)), factor)
        spreads = [_moment_ends(ends, each, each, self.size, given=pair) for each in pair]
        scales = [np.sqrt(np.maximum(spreads[0][at], 0.0)) * np.sqrt(np.maximum(spreads[1][at], 0.0)) for at in (0, 1)]
        least, largest = (np.maximum(each, _TINY) for each in scales)
        low, high = _products(joint, (1 / largest, 1 / least))
        return np.maximum(low, -1.0), np.minimum(high, 1.0)


def answer_to(label: str, aggregate: Aggregate, columns: Mapping[str, Column]) -> Answer:
    """Give the answer to an aggregate, or refuse one that has no answer about imputed values.

    Args:
        label: The name of the aggregate.
        aggregate: The aggregate, bound to columns.
        columns: What is known of the completed columns.
    """
    if isinstance(aggregate, CountRows | SumColumn):
        return TotalAnswer(total=aggregate.measured().statistics[0])
    if isinstance(aggregate, MeanColumn):
        steps = _middle(bound_column(label, aggregate.on_grid))
        return Average(of=steps, size=_size(columns, steps))
    if isinstance(aggregate, VarianceColumn):
        return _variance(label, aggregate, columns, root=1)
    if isinstance(aggregate, StandardDeviationColumn):
        return _variance(label, aggregate.of, columns, root=2)
    if isinstance(aggregate, ColumnsCovariance | ColumnsCorrelation):
        first, second = (_middle(bound_column(label, each)) for each in aggregate.on_grid or (None, None))
        ddof = None if isinstance(aggregate, ColumnsCorrelation) else aggregate.ddof
        return CovarianceAnswer(first=first, second=second, size=_size(columns, first, second), ddof=ddof)
    if isinstance(aggregate, QuantilesColumn):
        raise InvalidError(
            f"agg: {label} is not answered about imputed values: each of its many counts would need noise of its own. "
            f"Compare a few public values c instead: derive(low='{aggregate.column} <= c') and mean('low') give the "
            "share of rows at or below c; where it is half or more, the median is at most c."
        )
    raise InvalidError(
        f"agg: {label} is not answered about imputed values; there are count, sum, mean, variance, std, covariance and "
        "correlation. For a histogram, group by bins and count."
    )


def _variance(label: str, aggregate: VarianceColumn, columns: Mapping[str, Column], root: int) -> Answer:
    steps = _middle(bound_column(label, aggregate.on_grid))
    return VarianceAnswer(of=steps, size=_size(columns, steps), ddof=aggregate.ddof, root=root)


def _middle(steps: GridColumn) -> GridColumn:
    return evolve(steps, origin=(steps.low + steps.high) // 2)


def _size(columns: Mapping[str, Column], *steps: GridColumn) -> Statistic:
    """Count the rows that have values: all rows, if no column can be null."""
    nullable = tuple(each for each in steps if columns[each.column].nullable)
    return Statistic(kind="present", of=nullable) if nullable else ROWS


def _sum(*of: GridColumn, given: tuple[GridColumn, ...] = ()) -> Statistic:
    """Add up a column, or products less the middle of their range."""
    origin = product_of(of).middle if len(of) > 1 else 0
    return Statistic(kind="sum", of=of, given=tuple(each for each in given if each not in of), origin=origin)


def _rows(size: Array) -> Array:
    """A noisy size to divide by: one row at least."""
    return np.maximum(size, 1.0)


def _moment(
    numbers: Numbers, one: GridColumn, other: GridColumn, size: Statistic, given: tuple[GridColumn, ...] = ()
) -> Array:
    """The mean of products less the product of means, each within its range."""
    rows = _rows(numbers[size])
    means = [np.clip(numbers[_sum(each, given=given)] / rows, -_far(each), _far(each)) for each in (one, other)]
    middle, low, high = _product_range(one, other)
    joint = np.clip(middle + numbers[_sum(one, other, given=given)] / rows, low, high)
    return np.asarray(joint - means[0] * means[1])


def _product_range(one: GridColumn, other: GridColumn) -> tuple[float, float, float]:
    """The middle that a sum of products leaves out, and the smallest and the largest product."""
    product, grid = product_of((one, other)), one.grid * other.grid
    return float(product.middle * grid), float(product.low * grid), float(product.high * grid)


def _far(steps: GridColumn) -> float:
    """The largest distance of a value from the middle."""
    return float(max(steps.high - steps.origin, steps.origin - steps.low) * steps.grid)


def _factor(size: Ends, ddof: int) -> Ends:
    """The factor of the mean square: between one and two, falling from two rows on."""
    low, high = np.maximum(size[0], 2.0), np.maximum(size[1], 2.0)
    return np.where(size[0] >= 2, high / (high - ddof), 1.0), low / (low - ddof)


def _divided(total: Ends, size: Ends, least: float, most: float) -> Ends:
    """The smallest and the largest mean of values between these limits."""
    low, high = _products(total, (1 / _rows(size[1]), 1 / _rows(size[0])))
    return np.clip(low, least, most), np.clip(high, least, most)


def _products(one: Ends, other: Ends) -> Ends:
    corners = [a * b for a in one for b in other]
    return np.fmin.reduce(corners), np.fmax.reduce(corners)


def _moment_ends(
    ends: Mapping[Statistic, Ends],
    one: GridColumn,
    other: GridColumn,
    size: Statistic,
    given: tuple[GridColumn, ...] = (),
) -> Ends:
    """The smallest and the largest mean of products less the product of means."""
    means = [_divided(ends[_sum(each, given=given)], ends[size], -_far(each), _far(each)) for each in (one, other)]
    middle, least, most = _product_range(one, other)
    joint = _divided(ends[_sum(one, other, given=given)], ends[size], least - middle, most - middle)
    low, high = _products(*means)
    if one == other:
        across = (means[0][0] < 0) & (means[0][1] > 0)  # a square is not negative
        low = np.where(across, 0.0, np.maximum(low, 0.0))
    return middle + joint[0] - high, middle + joint[1] - low
