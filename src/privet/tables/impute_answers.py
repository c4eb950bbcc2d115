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
from privet.errors import Invalid
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import ColumnsCorrelation
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.covariance import ColumnsCovariance
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.standard_deviation import StandardDeviationColumn
from privet.tables.aggregates.statistic import ROWS, Statistic, Steps
from privet.tables.aggregates.sum import SumColumn
from privet.tables.aggregates.variance import VarianceColumn
from privet.tables.column import Column

Numbers = Mapping[Statistic, Array]
"""Noisy totals of all groups, in the units of the data."""


class Answer(ABC):
    """One column of the result."""

    @property
    @abstractmethod
    def statistics(self) -> tuple[Statistic, ...]:
        """The totals that it needs."""

    @abstractmethod
    def value(self, numbers: Numbers) -> Array:
        """One number for each group; total."""


@final
@frozen(kw_only=True)
class Whole(Answer):
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


@final
@frozen(kw_only=True)
class Average(Answer):
    """A mean.

    Args:
        of: The column as steps around the middle.
        size: How many rows have a value.
    """

    of: Steps
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


@final
@frozen(kw_only=True)
class Spread(Answer):
    """A variance or its root.

    Args:
        of: The column as steps around the middle.
        size: How many rows have a value.
        ddof: What is taken off the number of rows.
        root: 2 for the standard deviation, 1 for the variance.
    """

    of: Steps
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
        divided = np.clip(found, 0.0, most) * rows / np.maximum(rows - self.ddof, 1.0)
        return np.asarray(divided ** (1 / self.root))


@final
@frozen(kw_only=True)
class Together(Answer):
    """A covariance or a correlation.

    Args:
        first: One column as steps around its middle.
        second: The other.
        size: How many rows have both.
        ddof: What is taken off the number of rows; None for a correlation.
    """

    first: Steps
    second: Steps
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
            return np.asarray(np.clip(joint, -most, most) * rows / np.maximum(rows - self.ddof, 1.0))
        squares = [np.maximum(_moment(numbers, each, each, self.size, given=pair), 0.0) for each in pair]
        scale = np.sqrt(squares[0]) * np.sqrt(squares[1])
        return np.where(scale > 0, np.clip(joint / np.where(scale > 0, scale, 1.0), -1.0, 1.0), 0.0)


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
    raise Invalid(
        f"agg: {label} is not answered about imputed values; there are count, sum, mean, variance, std, covariance and "
        "correlation. For a histogram, group by bins and count."
    )


def _whole(aggregate: Any, _: Mapping[str, Column]) -> Answer:
    return Whole(total=aggregate.measured().statistics[0])


def _average(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    steps = _middle(aggregate.steps)
    return Average(of=steps, size=_size(columns, steps))


def _variance(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    steps = _middle(aggregate.steps)
    return Spread(of=steps, size=_size(columns, steps), ddof=aggregate.ddof, root=1)


def _deviation(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    steps = _middle(aggregate.of.steps)
    return Spread(of=steps, size=_size(columns, steps), ddof=aggregate.of.ddof, root=2)


def _together(aggregate: Any, columns: Mapping[str, Column]) -> Answer:
    first, second = (_middle(each) for each in aggregate.steps)
    ddof = None if isinstance(aggregate, ColumnsCorrelation) else aggregate.ddof
    return Together(first=first, second=second, size=_size(columns, first, second), ddof=ddof)


_ANSWERS: dict[type, Callable[[Any, Mapping[str, Column]], Answer]] = {
    CountRows: _whole,
    SumColumn: _whole,
    MeanColumn: _average,
    VarianceColumn: _variance,
    StandardDeviationColumn: _deviation,
    ColumnsCovariance: _together,
    ColumnsCorrelation: _together,
}


def _middle(steps: Steps) -> Steps:
    return evolve(steps, origin=(steps.low + steps.high) // 2)


def _size(columns: Mapping[str, Column], *steps: Steps) -> Statistic:
    """Count rows that have values: all of them, where none can be null."""
    nullable = tuple(each for each in steps if columns[each.column].nullable)
    return Statistic(kind="present", of=nullable) if nullable else ROWS


def _sum(*of: Steps, given: tuple[Steps, ...] = ()) -> Statistic:
    return Statistic(kind="sum", of=of, given=tuple(each for each in given if each not in of))


def _rows(size: Array) -> Array:
    """A noisy size to divide by: one row at least."""
    return np.maximum(size, 1.0)


def _moment(numbers: Numbers, one: Steps, other: Steps, size: Statistic, given: tuple[Steps, ...] = ()) -> Array:
    """The mean of products less the product of means, each within what is possible."""
    rows = _rows(numbers[size])
    means, most = [], 1.0
    for each in (one, other):
        far = float(max(each.high - each.origin, each.origin - each.low) * each.grid)
        means.append(np.clip(numbers[_sum(each, given=given)] / rows, -far, far))
        most *= far
    joint = np.clip(numbers[_sum(one, other, given=given)] / rows, -most, most)
    return np.asarray(joint - means[0] * means[1])
