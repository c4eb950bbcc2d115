"""Queries of completed rows: what each row adds, how far one row moves the total, and the answer made from it.

Each query adds up one whole number per row. Its ``Addend`` states the range of that number and how far one donor moves
it; the bounds follow by the algebra of :mod:`privet.imputation.influence`. Proofs: docs/imputation/queries.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.core import number, readable, short
from privet.errors import InvalidError
from privet.imputation.influence import ROW, Addend, Group, Influence, Number


@final
@frozen(kw_only=True)
class ImputedRange:
    """Numbers on a public grid: from ``low`` to ``high`` steps of size ``unit``.

    Args:
        low: The smallest.
        high: The largest.
        unit: The size of a step.
        move: How far a number moves at most, in steps, when one donor changes; zero for an observed number.
    """

    low: int
    high: int
    unit: Fraction = Fraction(1)
    move: Fraction = Fraction(0)

    @property
    def addend(self) -> Addend:
        """What a row adds to the sum of these numbers."""
        return Addend(low=self.low, high=self.high, reach=self.move)

    def nearest(self, value: Fraction) -> int:
        """Round a number to a step within the range."""
        return min(max(round(value / self.unit), self.low), self.high)


@final
@frozen(kw_only=True)
class Terms:
    """What rows add to a total, in whole numbers of ``grid``.

    Args:
        addend: The range of what one row adds, and how far one donor moves it.
        centre: What was subtracted from each row, in the units of the total. The mean of the terms is
            ``centre + total / size``.
        grid: The size of a whole number, in the units of the total.
        add: The total of rows, from their numbers and those of the second column.
    """

    addend: Addend
    centre: Fraction
    grid: Fraction
    add: Callable[[list[int], list[int]], int] = field(repr=False, eq=False)

    def influence(self, group: Group) -> Influence:
        """Bound how far one row moves the total over a group."""
        steps = self.addend.influence(group)
        return Influence(own=steps.own * self.grid, donee=steps.donee * self.grid)


class ImputedTotalQuery(ABC):
    """A total over completed rows."""

    @abstractmethod
    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """Give what rows add.

        Args:
            values: The range of the completed values.
            others: The range of a second, observed column; None without one.
        """


@final
@frozen
class RowCount(ImputedTotalQuery):
    """The number of rows in the group.

    >>> RowCount().terms(ImputedRange(low=0, high=9, move=Fraction(9)), None).influence("imputed")
    Influence(own=1, donee=1)
    """

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """Every row adds one."""
        return Terms(addend=ROW, centre=Fraction(0), grid=Fraction(1), add=lambda numbers, _: len(numbers))


@final
@frozen
class CentredSum(ImputedTotalQuery):
    """The sum of the values less the public middle of their range.

    >>> CentredSum().terms(ImputedRange(low=-10, high=30, move=Fraction(10)), None).influence("fixed")
    Influence(own=20, donee=10)
    """

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """A row adds at most half the width."""
        middle = values.addend.middle
        return Terms(
            addend=values.addend.minus(middle),
            centre=middle * values.unit,
            grid=values.unit,
            add=lambda numbers, _: sum(numbers) - middle * len(numbers),
        )


@final
@frozen
class PlainSum(ImputedTotalQuery):
    """The sum of the values as they are. The answer needs no size.

    >>> PlainSum().terms(ImputedRange(low=-10, high=30, move=Fraction(40)), None).influence("imputed")
    Influence(own=30, donee=40)
    """

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """A row adds at most the larger bound."""
        return Terms(addend=values.addend, centre=Fraction(0), grid=values.unit, add=lambda numbers, _: sum(numbers))


@final
@frozen(kw_only=True)
class SquaredDeviations(ImputedTotalQuery):
    """The squared distances from a released mean, less half of the largest.

    Args:
        mean: A public number: released before, or guessed. It is rounded to a step within the bounds.

    >>> SquaredDeviations(mean=2).terms(ImputedRange(low=0, high=10, move=Fraction(10)), None).influence("fixed")
    Influence(own=32, donee=64)
    """

    mean: Fraction = field(converter=number, validator=readable, repr=short)

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """A row adds at most half of the largest square."""
        mean = values.nearest(self.mean)
        square = values.addend.minus(mean).square()
        half = square.middle
        return Terms(
            addend=square.minus(half),
            centre=half * values.unit**2,
            grid=values.unit**2,
            add=lambda numbers, _: sum((item - mean) ** 2 for item in numbers) - half * len(numbers),
        )


@final
@frozen(kw_only=True)
class Products(ImputedTotalQuery):
    """The products of the deviations of completed values and of an observed column, less the middle of their range.

    Args:
        mean: A public mean of the completed values: released before, or guessed.
        other_mean: A public mean of the observed column.

    >>> one = ImputedRange(low=-1, high=1, move=Fraction(2))
    >>> Products(mean=0, other_mean=0).terms(one, ImputedRange(low=-5, high=5)).influence("fixed")
    Influence(own=5, donee=10)
    """

    mean: Fraction = field(converter=number, validator=readable, repr=short)
    other_mean: Fraction = field(converter=number, validator=readable, repr=short)

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """A row adds at most half the distance between the smallest and the largest product."""
        if others is None:
            raise InvalidError("Products needs a second column: name it with other=...")
        mean, other = values.nearest(self.mean), others.nearest(self.other_mean)
        product = values.addend.minus(mean).times(others.addend.minus(other))
        middle = product.middle
        return Terms(
            addend=product.minus(middle),
            centre=middle * values.unit * others.unit,
            grid=values.unit * others.unit,
            add=lambda numbers, seconds: (
                sum((item - mean) * (second - other) for item, second in zip(numbers, seconds, strict=True))
                - middle * len(numbers)
            ),
        )


def mean_from(total: float, size: float, terms: Terms, bounds: tuple[Number, Number]) -> float:
    """Compute a mean from a released total and a released size, within public bounds; post-processing.

    For ``CentredSum`` this is the mean of the values, for ``SquaredDeviations`` their variance about the public mean,
    for ``Products`` the covariance.

    Args:
        total: The released total.
        size: The released size of the same group; a size below one counts as one.
        terms: The terms of the query.
        bounds: The range of the mean.
    """
    low, high = (float(end) for end in bounds)
    return min(max(float(terms.centre) + float(total) / max(float(size), 1.0), low), high)


def proportion_from(count: float, size: float) -> float:
    """Compute a proportion from a released count and a released size; post-processing.

    >>> proportion_from(30.0, 120.0)
    0.25
    """
    return min(max(float(count) / max(float(size), 1.0), 0.0), 1.0)


def correlation_from(covariance: float, variance: float, other_variance: float) -> float:
    """Compute a correlation from a released covariance and released variances; post-processing.

    >>> correlation_from(3.0, 4.0, 9.0)
    0.5
    """
    product = max(float(variance), 0.0) * max(float(other_variance), 0.0)
    return min(max(float(covariance) / product**0.5, -1.0), 1.0) if product > 0 else 0.0
