"""What can be asked of completed rows: what each row adds, how far one row moves the total, and what is made of it.

A question is a total of whole numbers h(row). One row moves it by at most ``own + donee L1``, where ``own`` bounds
|h| and ``donee`` how far h moves when one donor changes; for a group that depends on what is imputed a donee may also
come in or leave with all of its h. Proofs: docs/imputation/queries.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, final

from attrs import field, frozen

from privet.core.checks import number, readable, short
from privet.errors import InvalidError
from privet.imputation.influence import Influence

Group = Literal["fixed", "imputed"]
"""Whether being in the group depends on what is imputed."""


@final
@frozen(kw_only=True)
class ImputedRange:
    """Numbers on a public grid: from ``low`` to ``high`` steps of size ``unit``.

    Args:
        low: The smallest.
        high: The largest.
        unit: The size of a step.
        move: How far a number moves at most, in steps, when one donor changes; zero where it is observed.
    """

    low: int
    high: int
    unit: Fraction = Fraction(1)
    move: Fraction = Fraction(0)

    @property
    def middle(self) -> int:
        """The step in the middle, or just below it."""
        return (self.low + self.high) // 2

    def nearest(self, value: Fraction) -> int:
        """Round a number to a step within the range."""
        return min(max(round(value / self.unit), self.low), self.high)


@final
@frozen(kw_only=True)
class Terms:
    """What rows add to a total, in whole numbers of ``grid``.

    Args:
        least: The smallest that a row adds.
        most: The largest.
        swing: How far it moves when one donor changes.
        centre: What was taken off each row, in the units of the total: the mean of the terms is this plus total / size.
        grid: The size of a whole number, in the units of the total.
        add: The total of rows, given as their numbers (and those of the other column).
    """

    least: int
    most: int
    swing: Fraction
    centre: Fraction
    grid: Fraction
    add: Callable[[list[int], list[int]], int] = field(repr=False, eq=False)

    def influence(self, group: Group) -> Influence:
        """Bound how far one row moves the total over a group."""
        own = Fraction(max(abs(self.least), abs(self.most)))
        swing = min(self.swing, Fraction(self.most - self.least))
        donee = swing if group == "fixed" else max(own, swing)
        return Influence(own=own * self.grid, donee=donee * self.grid)


class ImputedTotalQuery(ABC):
    """A total over completed rows."""

    @abstractmethod
    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """Give what rows add.

        Args:
            values: Where the completed values lie.
            others: Where those of a second, observed column lie; None where there is none.
        """


@final
@frozen
class RowCount(ImputedTotalQuery):
    """How many rows are in the group.

    >>> RowCount().terms(ImputedRange(low=0, high=9, move=Fraction(9)), None).influence("imputed")
    Influence(own=1, donee=1)
    """

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """Every row adds one."""
        return Terms(
            least=1,
            most=1,
            swing=Fraction(0),
            centre=Fraction(0),
            grid=Fraction(1),
            add=lambda numbers, _: len(numbers),
        )


@final
@frozen
class CentredSum(ImputedTotalQuery):
    """The sum of the values less the public middle of their range.

    >>> CentredSum().terms(ImputedRange(low=-10, high=30, move=Fraction(10)), None).influence("fixed")
    Influence(own=20, donee=10)
    """

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """A row adds at most half the width."""
        middle = values.middle
        return Terms(
            least=values.low - middle,
            most=values.high - middle,
            swing=values.move,
            centre=middle * values.unit,
            grid=values.unit,
            add=lambda numbers, _: sum(numbers) - middle * len(numbers),
        )


@final
@frozen
class PlainSum(ImputedTotalQuery):
    """The sum of the values as they are, for which no size is needed.

    >>> PlainSum().terms(ImputedRange(low=-10, high=30, move=Fraction(40)), None).influence("imputed")
    Influence(own=30, donee=40)
    """

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """A row adds at most the larger bound."""
        return Terms(
            least=values.low,
            most=values.high,
            swing=values.move,
            centre=Fraction(0),
            grid=values.unit,
            add=lambda numbers, _: sum(numbers),
        )


@final
@frozen(kw_only=True)
class SquaredDeviations(ImputedTotalQuery):
    """The squares of the distances from a released mean, less half of the largest.

    Args:
        mean: Public: released before, or guessed. It is rounded to a step within the bounds.

    >>> SquaredDeviations(mean=2).terms(ImputedRange(low=0, high=10, move=Fraction(10)), None).influence("fixed")
    Influence(own=32, donee=64)
    """

    mean: Fraction = field(converter=number, validator=readable, repr=short)

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """From r^2 down to (r - w)^2, where r is the distance of the farther end and w a move."""
        mean = values.nearest(self.mean)
        far = max(mean - values.low, values.high - mean)
        half = far**2 // 2
        return Terms(
            least=-half,
            most=far**2 - half,
            swing=far**2 - max(far - values.move, Fraction(0)) ** 2,
            centre=half * values.unit**2,
            grid=values.unit**2,
            add=lambda numbers, _: sum((item - mean) ** 2 for item in numbers) - half * len(numbers),
        )


@final
@frozen(kw_only=True)
class Products(ImputedTotalQuery):
    """The products of deviations of the completed values and of an observed column, less the middle of their range.

    Args:
        mean: Of the completed values; public: released before, or guessed.
        other_mean: Of the observed column, likewise.

    >>> one = ImputedRange(low=-1, high=1, move=Fraction(2))
    >>> Products(mean=0, other_mean=0).terms(one, ImputedRange(low=-5, high=5)).influence("fixed")
    Influence(own=5, donee=10)
    """

    mean: Fraction = field(converter=number, validator=readable, repr=short)
    other_mean: Fraction = field(converter=number, validator=readable, repr=short)

    def terms(self, values: ImputedRange, others: ImputedRange | None) -> Terms:
        """Products are signed: their extremes lie in the corners, and a move counts as often as the other is far."""
        if others is None:
            raise InvalidError("Products needs a second column: name it with other=...")
        mean, other = values.nearest(self.mean), others.nearest(self.other_mean)
        ends, sides = (values.low - mean, values.high - mean), (others.low - other, others.high - other)
        corners = [end * side for end in ends for side in sides]
        middle = (min(corners) + max(corners)) // 2
        return Terms(
            least=min(corners) - middle,
            most=max(corners) - middle,
            swing=values.move * max(map(abs, sides)),
            centre=middle * values.unit * others.unit,
            grid=values.unit * others.unit,
            add=lambda numbers, seconds: (
                sum((item - mean) * (second - other) for item, second in zip(numbers, seconds, strict=True))
                - middle * len(numbers)
            ),
        )


def mean_from(total: float, size: float, terms: Terms, bounds: tuple[Any, Any]) -> float:
    """Make a mean of a released total and a released size, within public bounds; post-processing.

    For ``CentredSum`` it is the mean of the values, for ``SquaredDeviations`` their variance about the public mean,
    for ``Products`` the covariance.

    Args:
        total: As released.
        size: As released, of the same group; below one it counts as one.
        terms: Of the question.
        bounds: Where the mean must lie.
    """
    low, high = (float(end) for end in bounds)
    return min(max(float(terms.centre) + float(total) / max(float(size), 1.0), low), high)


def proportion_from(count: float, size: float) -> float:
    """Make a proportion of a released count and a released size; post-processing.

    >>> proportion_from(30.0, 120.0)
    0.25
    """
    return min(max(float(count) / max(float(size), 1.0), 0.0), 1.0)


def correlation_from(covariance: float, variance: float, other_variance: float) -> float:
    """Make a correlation of a released covariance and released variances; post-processing.

    >>> correlation_from(3.0, 4.0, 9.0)
    0.5
    """
    product = max(float(variance), 0.0) * max(float(other_variance), 0.0)
    return min(max(float(covariance) / product**0.5, -1.0), 1.0) if product > 0 else 0.0
