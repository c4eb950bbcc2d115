"""Null policies: what a query makes of the values that a column does not have.

A policy is declared here and carried out where the column is used. Each is a function of one row and, for drawn values,
of a key of the session. No row's stand-in depends on another row, so a policy changes no distance.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, final

from attrs import evolve, field, frozen

from privet.core import read_number, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.values import (
    KEYS,
    check_length,
    read_categories,
    read_column_bounds,
    read_value,
    value_text,
)
from privet.tables.columns import NUMBERS, ORDERED, Column


class NullPolicy(ABC):
    """What happens to nulls: of the source, and of values that could not be read."""

    fills: ClassVar[bool] = False
    """Whether a value stands in for every null."""

    def fit(self, label: str, column: Column) -> "NullPolicy":
        """Read the parameters as values of this column, or say what is wrong with them; by default there are none."""
        return self

    def apply_to(self, column: Column) -> Column:
        """Give the column as queries see it."""
        return evolve(column, nullable=False) if self.fills else column

    @abstractmethod
    def meaning(self, column: Column) -> str:
        """Say in one line what happens."""


@final
@frozen
class NullsDropped(NullPolicy):
    """Leave a row out of whatever uses the column: an aggregate of it, a filter on it, groups by it.

    Rows stay in what does not use it, such as a count of all rows.
    """

    def meaning(self, column: Column) -> str:
        """Say that rows are left out."""
        return "rows with a null are left out where the column is used"


@final
@frozen
class NullsReplaced(NullPolicy):
    """Put a public value in place of every null, as ``ImputeConstant`` does.

    Args:
        value: Of the kind of the column, within its bounds, one of its categories.
    """

    fills = True

    value: Any = field(repr=short)

    def fit(self, label: str, column: Column) -> NullPolicy:
        """Read the value."""
        return NullsReplaced(read_value(label, column, self.value))

    def meaning(self, column: Column) -> str:
        """Name the value."""
        return f"nulls are replaced by {value_text(column.kind, self.value)}"


@final
@frozen
class NullsAsCategory(NullPolicy):
    """Count nulls as a category of their own: groups by the column have a group for them."""

    def fit(self, label: str, column: Column) -> NullPolicy:
        """Only what can be a category has a category more."""
        if column.kind not in KEYS:
            raise InvalidError(
                f"{label}: a category of its own is for {', '.join(KEYS)} columns, got a {column.kind} column."
            )
        return self

    def meaning(self, column: Column) -> str:
        """Name the group."""
        return "nulls are a category of their own"


@final
@frozen
class NullsDrawn(NullPolicy):
    """Put a draw in place of every null, uniform on the grid points within bounds, as ``ImputeUniform`` does.

    The draw is a keyed hash of the row, with a key that the session draws once: the same row has the same
    draw in every query of a session, and rows that are equal in all columns share one.

    Args:
        bounds: Where to draw from, within the bounds of the column; None for all of them.
    """

    fills = True

    bounds: Any = field(default=None, repr=short)

    def fit(self, label: str, column: Column) -> NullPolicy:
        """Read the bounds."""
        if column.kind not in ORDERED:
            raise InvalidError(
                f"{label}: uniform draws are for {', '.join(ORDERED)} columns, got a {column.kind} column; "
                "draw from categories instead."
            )
        if column.bounds is None:
            raise InvalidError(f"{label}: uniform draws need bounds of the column.")
        if self.bounds is None:
            return self
        lower, upper = read_column_bounds(label, column.kind, self.bounds)
        if lower < column.bounds[0] or upper > column.bounds[1]:
            raise InvalidError(f"{label}: the bounds of the draw must lie within those of the column.")
        return NullsDrawn((lower, upper))

    def meaning(self, column: Column) -> str:
        """Name the bounds."""
        lower, upper = self.bounds or column.bounds or (0, 0)
        ends = [value_text(column.kind, end) for end in (lower, upper)]
        return f"nulls are replaced by draws between {ends[0]} and {ends[1]}"


@final
@frozen
class NullsDrawnFromGaussian(NullPolicy):
    """Put a draw from a normal law in place of every null, as ``ImputeGaussian`` does, by a keyed hash of the row.

    A draw beyond a bound of the column becomes the bound.

    Args:
        shift: The mean of the law, within the bounds of the column, chosen without looking at the data.
        scale: Its standard deviation, above zero and at most the width of the bounds.
    """

    fills = True

    shift: Any = field(repr=short)
    scale: Any = field(repr=short)

    def fit(self, label: str, column: Column) -> NullPolicy:
        """Read the law."""
        if column.kind not in NUMBERS:
            raise InvalidError(
                f"{label}: Gaussian draws are for {' and '.join(NUMBERS)} columns, got a {column.kind} column."
            )
        if column.bounds is None:
            raise InvalidError(f"{label}: Gaussian draws need bounds of the column.")
        lower, upper = column.bounds
        shift, scale = read_number(f"{label}.shift", self.shift), read_number(f"{label}.scale", self.scale)
        if not lower <= shift <= upper:
            raise InvalidError(f"{label}.shift must lie within the bounds of the column, got {short(shift)}.")
        if not 0 < scale <= upper - lower:
            raise InvalidError(
                f"{label}.scale must be above zero and at most the width of the bounds, {short(upper - lower)}, "
                f"got {short(scale)}."
            )
        return NullsDrawnFromGaussian(shift, scale)

    def meaning(self, column: Column) -> str:
        """Name the law."""
        law = f"mean {value_text('real', self.shift)} and standard deviation {value_text('real', self.scale)}"
        return f"nulls are replaced by draws from the normal law with {law}"


@final
@frozen
class NullsDrawnFromCategories(NullPolicy):
    """Put a draw from a list in place of every null, as ``ImputeCategories`` does; by a keyed hash, as ``NullsDrawn``.

    Args:
        categories: What to draw from, some of the categories of the column; None for all of them.
        weights: How likely each is, up to a factor; None where all are alike.
    """

    fills = True

    categories: Any = field(default=None)
    weights: Any = field(default=None, repr=short)

    def fit(self, label: str, column: Column) -> NullPolicy:
        """Read the list and its weights."""
        if column.kind not in KEYS:
            raise InvalidError(
                f"{label}: draws from categories are for {', '.join(KEYS)} columns, got a {column.kind} column"
                + ("; draw uniformly instead." if column.kind in (*NUMBERS, "date", "timestamp") else ".")
            )
        categories = self._chosen(label, column)
        if self.weights is None:
            return self if self.categories is None else NullsDrawnFromCategories(categories)
        weights = _weights(label, self.weights, len(categories))
        return NullsDrawnFromCategories(None if self.categories is None else categories, weights)

    def choices(self, column: Column) -> tuple[Any, ...]:
        """Give what is drawn from."""
        return self._chosen("NullsDrawnFromCategories.categories", column)

    def _chosen(self, label: str, column: Column) -> tuple[Any, ...]:
        known = (False, True) if column.kind == "boolean" and column.categories is None else column.categories
        if self.categories is None:
            if known is None:
                raise InvalidError(f"{label}: draws from categories need categories, of the column or of the draw.")
            return known
        chosen = read_categories(label, column.kind, self.categories)
        if known is not None and any(item not in known for item in chosen):
            raise InvalidError(f"{label}: draws must be from the categories of the column.")
        for item in chosen:
            check_length(label, column, item)
        return chosen

    def meaning(self, column: Column) -> str:
        """Name the list, if it is short."""
        choices = self.choices(column)
        listed = ", ".join(value_text(column.kind, item) for item in choices) if len(choices) <= 5 else "the categories"
        return f"nulls are replaced by {'weighted ' if self.weights else ''}draws from {listed}"


def _weights(label: str, value: object, count: int) -> tuple[Fraction, ...]:
    if not isinstance(value, tuple | list) or len(value) != count:
        raise WrongTypeError(f"{label}: weights must be a list of {count}, one for each category.")
    weights = tuple(read_number(f"{label}.weights[{position}]", item) for position, item in enumerate(value))
    if min(weights) < 0 or sum(weights) == 0:
        raise InvalidError(f"{label}: weights must be zero or more, and not all zero.")
    return weights
