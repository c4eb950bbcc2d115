"""Answers about a completed table as functions of noisy totals.

Each is computed from totals around the middle of the bounds, which is public: a row then counts half of the width by
itself, and the mean of the totals over the size, with the middle added back, is the answer (docs/tables/impute.md).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np
from attrs import evolve, frozen

from privet.core.rows import Array
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import ColumnsCorrelation
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.covariance import ColumnsCovariance
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.sum import SumColumn
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.columns.column import Column
from privet.tables.statistics.statistic import ROWS, GridColumn, Statistic

Numbers = Mapping[Statistic, Array]
"""Noisy totals of all groups, in the units of the data."""
Ends = tuple[Array, Array]
"""Lower and upper ends, one pair for each group."""
_TINY = 1e-150  # no deviation is smaller, and its inverse is a float


class Answer(ABC):
    """One column of the result."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistic, ...]:
        """The totals that it needs."""

    @abstractmethod
    def value(self, numbers: Numbers) -> Array:
        """One number for each group; total."""

    @abstractmethod
    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """Give ends between which the exact answer lies if every total lies between its own."""


@final
@frozen(kw_only=True)
class TotalAnswer(Answer):
    """A count or a sum: one total.

    Args:
        total: What is counted or added up.
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
        of: The column as steps around the middle.
        size: How many rows have a value.
    """

    of: GridColumn
    size: Statistic

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """One sum and the size."""
        return (_sum(self.of), self.size)

    def value(self, numbers: Numbers) -> Array:
        """The middle and what rows lie above it on average, within the bounds."""
        middle = float(self.of.origin * self.of.grid)
        above = numbers[_sum(self.of)] / _rows(numbers[self.size])
        return np.clip(middle + above, float(self.of.lower), float(self.of.upper))

    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """The smallest and the largest quotient, within the bounds."""
        middle, far = float(self.of.origin * self.of.grid), _far(self.of)
        low, high = _divided(ends[_sum(self.of)], ends[self.size], far)
        return np.maximum(middle + low, float(self.of.lower)), np.minimum(middle + high, float(self.of.upper))


@final
@frozen(kw_only=True)
class VarianceAnswer(Answer):
    """A variance or its root.

    Args:
        of: The column as steps around the middle.
        size: How many rows have a value.
        ddof: What is taken off the number of rows.
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
        """The mean of squares less the square of the mean, between zero and its largest value."""
        rows = _rows(numbers[self.size])
        found = _moment(numbers, self.of, self.of, self.size)
        most = float(self.of.upper - self.of.lower) ** 2 / 4
        divided = np.clip(found, 0.0, most) * (rows / np.maximum(rows - self.ddof, 1.0))
        return np.asarray(divided ** (1 / self.root))

    def interval(self, ends: Mapping[Statistic, Ends]) -> Ends:
        """The smallest and the largest, between zero and its largest value."""
        most = float(self.of.upper - self.of.lower) ** 2 / 4
        factor = _factor(ends[self.size], self.ddof)
        low, high = (np.clip(end, 0.0, most) for end in _moment_ends(ends, self.of, self.of, self.size))
        return np.asarray((low * factor[0]) ** (1 / self.root)), np.asarray((high * factor[1]) ** (1 / self.root))


@final
@frozen(kw_only=True)
class CovarianceAnswer(Answer):
    """A covariance or a correlation.

    Args:
        first: One column as steps around its middle.
        second: The other.
        size: How many rows have both.
        ddof: What is taken off the number of rows; None for a correlation.
    """

    first: GridColumn
    second: GridColumn
    size: Statistic
    ddof: int | None

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """Sums of both, of their product, for a correlation of squares; and the size."""
        pair = (self.first, self.second)
        squares = () if self.ddof is not None else tuple(_sum(each, each, given=pair) for each in pair)
        return (*(_sum(each, given=pair) for each in pair), _sum(*pair, given=pair), *squares, self.size)

    def value(self, numbers: Numbers) -> Array:
        """The mean of products less the product of means, within what is possible."""
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
        """The smallest and the largest, within what is possible."""
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
    """Give the answer that an aggregate asks for, or say that there is none about imputed values.

    Args:
        label: What it is called.
        aggregate: What is asked, bound to columns.
        columns: What is known of them, once nothing is missing.
    """
    for kind, make in _ANSWERS.items():
        if isinstance(aggregate, kind):
            return make(aggregate, columns)
    raise InvalidError(
        f"agg: {label} is not answered about imputed values; there are count, sum, mean, variance, std, covariance and "
        "correlation. For a histogram, group by bins and count."
    )


def _whole(aggregate: Any, _: Mapping[str, Column]) -> Answer:
    return TotalAnswer(total=aggregate.measured().statistics[0])


def _average(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    steps = _middle(aggregate.on_grid)
    return Average(of=steps, size=_size(columns, steps))


def _variance(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    steps = _middle(aggregate.on_grid)
    return VarianceAnswer(of=steps, size=_size(columns, steps), ddof=aggregate.ddof, root=1)


def _deviation(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    steps = _middle(aggregate.of.on_grid)
    return VarianceAnswer(of=steps, size=_size(columns, steps), ddof=aggregate.of.ddof, root=2)


def _together(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    first, second = (_middle(each) for each in aggregate.on_grid)
    ddof = None if isinstance(aggregate, ColumnsCorrelation) else aggregate.ddof
    return CovarianceAnswer(first=first, second=second, size=_size(columns, first, second), ddof=ddof)


_ANSWERS: dict[type, Callable[[Any, Mapping[str, Column]], Answer]] = {
    CountRows: _whole,
    SumColumn: _whole,
    MeanColumn: _average,
    VarianceColumn: _variance,
    StandardDeviationColumn: _deviation,
    ColumnsCovariance: _together,
    ColumnsCorrelation: _together,
}


def _middle(steps: GridColumn) -> GridColumn:
    return evolve(steps, origin=(steps.low + steps.high) // 2)


def _size(columns: Mapping[str, Column], *steps: GridColumn) -> Statistic:
    """Count rows that have values: all of them, where none can be null."""
    nullable = tuple(each for each in steps if columns[each.column].nullable)
    return Statistic(kind="present", of=nullable) if nullable else ROWS


def _sum(*of: GridColumn, given: tuple[GridColumn, ...] = ()) -> Statistic:
    return Statistic(kind="sum", of=of, given=tuple(each for each in given if each not in of))


def _rows(size: Array) -> Array:
    """A noisy size to divide by: one row at least."""
    return np.maximum(size, 1.0)


def _moment(
    numbers: Numbers, one: GridColumn, other: GridColumn, size: Statistic, given: tuple[GridColumn, ...] = ()
) -> Array:
    """The mean of products less the product of means, each within what is possible."""
    rows = _rows(numbers[size])
    means, most = [], 1.0
    for each in (one, other):
        far = _far(each)
        means.append(np.clip(numbers[_sum(each, given=given)] / rows, -far, far))
        most *= far
    joint = np.clip(numbers[_sum(one, other, given=given)] / rows, -most, most)
    return np.asarray(joint - means[0] * means[1])


def _far(steps: GridColumn) -> float:
    """How far a value may lie from the middle."""
    return float(max(steps.high - steps.origin, steps.origin - steps.low) * steps.grid)


def _factor(size: Ends, ddof: int) -> Ends:
    """What the mean square is multiplied by: between one and two, and falling from two rows on."""
    low, high = np.maximum(size[0], 2.0), np.maximum(size[1], 2.0)
    return np.where(size[0] >= 2, high / (high - ddof), 1.0), low / (low - ddof)


def _divided(total: Ends, size: Ends, far: float) -> Ends:
    """The smallest and the largest mean of values that are at most so far from zero."""
    low, high = _products(total, (1 / _rows(size[1]), 1 / _rows(size[0])))
    return np.clip(low, -far, far), np.clip(high, -far, far)


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
    means = [_divided(ends[_sum(each, given=given)], ends[size], _far(each)) for each in (one, other)]
    joint = _divided(ends[_sum(one, other, given=given)], ends[size], _far(one) * _far(other))
    low, high = _products(*means)
    if one == other:
        across = (means[0][0] < 0) & (means[0][1] > 0)  # a square is not negative
        low = np.where(across, 0.0, np.maximum(low, 0.0))
    return joint[0] - high, joint[1] - low
